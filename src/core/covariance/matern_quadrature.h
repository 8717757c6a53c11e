// Fills a MaternTable (matern_table.h) by the trapezoidal rule.
#pragma once

#include <cmath>

#include "base/constants.h"
#include "covariance/matern_table.h"

namespace neargp {

// The Matérn correlation is a mixture of Gaussian ones. Let Y be of the Gamma(nu) distribution, u = log Y and x = r^2.
//
//   M(x) = E exp(-x / 4Y) = integral of exp(nu u - e^u - x e^-u / 4) du / Gamma(nu).
//
// Its derivative in nu is dM / dnu = E (u - digamma(nu)) exp(-x / 4Y).
//
// The sums over u_j = j h take one exponential a term; no term overflows, as the first sum is at most 1. The error of a
// step h is the Fourier transform of the integrand at 2 pi / h. Near its peak the integrand is a Gaussian of variance
// 1/sqrt(nu^2 + x), for which 0.7 standard deviations would do. For small x it is exp(nu u - e^u), whose transform is a
// Gamma function at nu + i omega, with heavier tails. Half a standard deviation, and never more than 0.18, keeps both
// errors below 1e-16.
template <int Lanes>
class MaternQuadrature {
 public:
  using V = typename Pack<Lanes>::Real;

  // Places the nodes for x in [low, 2 low].
  MaternQuadrature(const MaternSmoothness& smoothness, double low) {
    const double nu = smoothness.nu;
    step_ = std::fmin(0.18, 0.5 / std::sqrt(std::sqrt(nu * nu + 2.0 * low)));
    // Terms with x/(4y) or y far above its value at the peak, where y = (nu + sqrt(nu^2 + x))/2, are negligible.
    const double start = std::log(0.25 * low / upper_tail(0.5 * (std::sqrt(nu * nu + low) - nu)));
    const double end = std::log(upper_tail(0.5 * (nu + std::sqrt(nu * nu + 2.0 * low))));
    for (double u = start; u < end && count_ < max_nodes; u += step_) {
      const double y = std::exp(u);
      const double exponent = nu * u - y - smoothness.log_gamma;
      if (exponent - 0.25 * low / y < -700.0) continue;  // nothing, even beside M(x) at x = 2^16
      rate_[count_] = 0.25 / y;
      exponent_[count_] = exponent;
      deviation_[count_] = u - smoothness.digamma;
      ++count_;
    }
  }

  void evaluate(V x, V& value, V& shape) const {
    value = V{};
    shape = V{};
    for (int j = 0; j < count_; ++j) {
      const V term = math::exp(exponent_[j] - x * rate_[j]);
      value += term;
      shape += term * deviation_[j];
    }
    value *= step_;
    shape *= step_;
  }

 private:
  // For a peak at y the terms exp(-y') with y' beyond this are below exp(-45) of it.
  static double upper_tail(double y) { return y + 10.0 * std::sqrt(y) + 50.0; }

  // At the smallest x and nu = 50: u from -75 to 5.3 at a step of 0.07.
  static constexpr int max_nodes = 1280;

  int count_ = 0;
  double step_ = 0.0;
  double exponent_[max_nodes], rate_[max_nodes], deviation_[max_nodes];
};

// Coefficients of 1, t, ..., t^7 from the values at the 8 Chebyshev nodes. A template like
// everything here, so that no instruction set shares its code with another (simd.h).
template <int Lanes>
struct ChebyshevToMonomial {
  double node[8];
  double matrix[8][8];

  ChebyshevToMonomial() {
    double polynomial[8][8] = {};  // T_m in monomials
    polynomial[0][0] = 1.0;
    polynomial[1][1] = 1.0;
    for (int m = 2; m < 8; ++m)
      for (int power = 0; power < 8; ++power)
        polynomial[m][power] = (power > 0 ? 2.0 * polynomial[m - 1][power - 1] : 0.0) - polynomial[m - 2][power];
    for (int i = 0; i < 8; ++i) node[i] = std::cos(pi * (i + 0.5) / 8);
    for (int power = 0; power < 8; ++power)
      for (int i = 0; i < 8; ++i) {
        matrix[power][i] = 0.0;
        for (int m = 0; m < 8; ++m)
          matrix[power][i] += (m == 0 ? 0.125 : 0.25) * std::cos(pi * m * (i + 0.5) / 8) * polynomial[m][power];
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
void fill_matern_octave(const MaternSmoothness& smoothness, const ChebyshevToMonomial<Lanes>& fit, int octave,
                        double* value_rows, double* shape_rows) {
  using V = typename Pack<Lanes>::Real;
  const double low = std::ldexp(1.0, octave);
  const MaternQuadrature<Lanes> quadrature(smoothness, low);
  for (int part = 0; part < MaternTable::per_octave; ++part) {
    double value[8], shape[8];
    for (int first = 0; first < 8; first += Lanes) {
      V x;
      for (int lane = 0; lane < Lanes; ++lane)
        set_lane(x, lane, low * (1.0 + (part + 0.5 * (fit.node[first + lane] + 1.0)) / 16.0));
      V value_pack, shape_pack;
      quadrature.evaluate(x, value_pack, shape_pack);
      for (int lane = 0; lane < Lanes; ++lane) {
        value[first + lane] = get_lane(value_pack, lane);
        shape[first + lane] = get_lane(shape_pack, lane);
      }
    }
    fit.fit(value, value_rows + 8 * part);
    if (shape_rows) fit.fit(shape, shape_rows + 8 * part);
  }
}

// The arrays have MaternTable::intervals * 8 elements; shape_rows may be null.
template <int Lanes>
void fill_matern_table(const MaternSmoothness& smoothness, double* value_rows, double* shape_rows) {
  const ChebyshevToMonomial<Lanes> fit;
  for (int octave = MaternTable::first_octave; octave < MaternTable::last_octave; ++octave) {
    const int offset = (octave - MaternTable::first_octave) * MaternTable::per_octave * 8;
    fill_matern_octave<Lanes>(smoothness, fit, octave, value_rows + offset, shape_rows ? shape_rows + offset : nullptr);
  }
}

}  // namespace neargp
