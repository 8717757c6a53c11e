// Fills a MaternTable (matern_table.h) by the trapezoidal rule.
#pragma once

#include <cmath>

#include "covariance/matern_table.h"

namespace neargp {

// The sum over t_j = j h of
//   exp(log c + nu log r - r cosh t + nu t) (1 + exp(-2 nu t)) / 2,   c = 2^(1-nu)/Gamma(nu),
// and of its derivative in nu; no term overflows because the sum is at most 1.
// The error of a step h is the Fourier transform of the integrand at 2 pi / h. Near its
// peak the integrand is a Gaussian of variance 1/sqrt(r^2 + nu^2), for which 0.7 standard
// deviations would do; for small r it is exp(nu t - r e^t / 2), whose transform is a Gamma
// function at nu + i omega with heavier tails. Half a standard deviation, and never more
// than 0.18, keeps both below 1e-16.
template <int Lanes>
struct MaternQuadrature {
  using V = typename Pack<Lanes>::Real;
  double nu, log_constant, derivative_log_constant;

  void evaluate(V r, double step, V& value, V& shape) const {
    const V log_r = math::log(r);
    const V base = log_constant + nu * log_r;
    const V factor = derivative_log_constant + log_r;
    value = V{};
    shape = V{};
    for (int j = 0;; ++j) {
      const double t = j * step;
      const double reflected = std::exp(-2.0 * nu * t);
      const V exponent = base - r * std::cosh(t) + nu * t;
      const V term = (j == 0 ? 0.5 : 1.0) * step * math::exp(exponent);
      value += term * (0.5 * (1.0 + reflected));
      shape += term * (factor * (0.5 * (1.0 + reflected)) + 0.5 * t * (1.0 - reflected));
      bool done = true;
      for (int lane = 0; lane < Lanes; ++lane) {
        const bool past_peak = get_lane(r, lane) * std::sinh(t) > nu;
        done = done && past_peak && get_lane(exponent, lane) < -45.0;
      }
      if (done) return;
    }
  }
};

// Coefficients of 1, t, ..., t^7 from the values at the 8 Chebyshev nodes. A template like
// everything here, so that no instruction set shares its code with another (simd.h).
template <int Lanes>
struct ChebyshevToMonomial {
  double node[8];
  double matrix[8][8];

  ChebyshevToMonomial() {
    const double pi = 3.14159265358979323846;
    double polynomial[8][8] = {};  // T_m in monomials
    polynomial[0][0] = 1.0;
    polynomial[1][1] = 1.0;
    for (int m = 2; m < 8; ++m)
      for (int power = 0; power < 8; ++power)
        polynomial[m][power] =
            (power > 0 ? 2.0 * polynomial[m - 1][power - 1] : 0.0) - polynomial[m - 2][power];
    for (int i = 0; i < 8; ++i) node[i] = std::cos(pi * (i + 0.5) / 8);
    for (int power = 0; power < 8; ++power)
      for (int i = 0; i < 8; ++i) {
        matrix[power][i] = 0.0;
        for (int m = 0; m < 8; ++m)
          matrix[power][i] +=
              (m == 0 ? 0.125 : 0.25) * std::cos(pi * m * (i + 0.5) / 8) * polynomial[m][power];
      }
  }

  void fit(const double* values, double* coefficients) const {
    for (int power = 0; power < 8; ++power) {
      coefficients[power] = 0.0;
      for (int i = 0; i < 8; ++i) coefficients[power] += matrix[power][i] * values[i];
    }
  }
};

template <int Lanes>
void fill_matern_octave(const MaternQuadrature<Lanes>& quadrature, const ChebyshevToMonomial<Lanes>& fit,
                        int octave, double* value_rows, double* shape_rows) {
  using V = typename Pack<Lanes>::Real;
  const double low = std::ldexp(1.0, octave);
  const double curvature = std::sqrt(2.0 * low + quadrature.nu * quadrature.nu);
  const double step = std::fmin(0.18, 0.5 / std::sqrt(curvature));
  for (int part = 0; part < MaternTable::per_octave; ++part) {
    double value[8], shape[8];
    for (int first = 0; first < 8; first += Lanes) {
      V x;
      for (int lane = 0; lane < Lanes; ++lane)
        set_lane(x, lane, low * (1.0 + (part + 0.5 * (fit.node[first + lane] + 1.0)) / 16.0));
      V value_pack, shape_pack;
      quadrature.evaluate(math::sqrt(x), step, value_pack, shape_pack);
      for (int lane = 0; lane < Lanes; ++lane) {
        value[first + lane] = get_lane(value_pack, lane);
        shape[first + lane] = get_lane(shape_pack, lane);
      }
    }
    fit.fit(value, value_rows + 8 * part);
    if (shape_rows) fit.fit(shape, shape_rows + 8 * part);
  }
}

// `derivative_log_constant` = -log 2 - digamma(nu). The arrays have
// MaternTable::intervals * 8 elements; shape_rows may be null.
template <int Lanes>
void fill_matern_table(double nu, double digamma_nu, double* value_rows, double* shape_rows) {
  const double log_two = 0.69314718055994530942;
  int sign = 1;
  const MaternQuadrature<Lanes> quadrature{
      nu, (1.0 - nu) * log_two - lgamma_r(nu, &sign), -log_two - digamma_nu};
  const ChebyshevToMonomial<Lanes> fit;
  for (int octave = MaternTable::first_octave; octave < MaternTable::last_octave; ++octave) {
    const int offset = (octave - MaternTable::first_octave) * MaternTable::per_octave * 8;
    fill_matern_octave<Lanes>(quadrature, fit, octave, value_rows + offset,
                              shape_rows ? shape_rows + offset : nullptr);
  }
}

}  // namespace neargp
