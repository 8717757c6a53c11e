#include "likelihoods/softmax.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "likelihoods/products_of_others.h"

namespace neargp {

namespace {

// Returns F(a) and fills p(a).
double tilted(const double* mean, const double* variance, const std::vector<double>& a, std::vector<double>& p) {
  const std::size_t classes = a.size();
  double most = -INFINITY, square = 0.0, sum = 0.0;
  for (std::size_t c = 0; c < classes; ++c) {
    p[c] = mean[c] + (0.5 - a[c]) * variance[c];
    most = std::max(most, p[c]);
    square += a[c] * a[c] * variance[c];
  }
  for (double& one : p) sum += one = std::exp(one - most);
  for (double& one : p) one /= sum;
  return 0.5 * square + most + std::log(sum);
}

// (I + (diag(p) - pp') diag(s))^-1 x in place, the inverse of a diagonal matrix plus one of rank one.
void solve_curvature(const double* p, const double* variance, int classes, double* x) {
  double along = 0.0, rest = 0.0;
  for (int c = 0; c < classes; ++c) {
    const double inverse = 1.0 / (1.0 + p[c] * variance[c]);
    x[c] *= inverse;
    along += variance[c] * p[c] * x[c];
    rest += p[c] * inverse;  // 1 - sum s p^2 / (1 + p s)
  }
  for (int c = 0; c < classes; ++c) x[c] += along / rest * p[c] / (1.0 + p[c] * variance[c]);
}

// Step of the trapezoidal rule in t. exp(-e^x) grows beyond pi / 2 off the real axis, an error of
// exp(-pi^2 / step) = 3e-9.
constexpr double step_of_t = 0.5;
// Standard deviations beyond which the normal density is negligible.
constexpr double reach = 7.0;

// Nodes where the integrand is not negligible. Below them the largest f_c - log u_c cannot be; above, the tail is e^-t.
struct Lattice {
  double first;
  int count;

  Lattice(const double* mean, const double* variance, int classes) {
    double lower = -INFINITY, upper = -INFINITY;
    for (int c = 0; c < classes; ++c) {
      const double sd = std::sqrt(variance[c]);
      lower = std::max(lower, mean[c] - reach * sd);
      upper = std::max(upper, mean[c] + reach * sd);
    }
    first = lower - 3.7;
    count = int(std::ceil((upper + 26.0 - first) / step_of_t)) + 1;
  }
};

// exp(-e^x) and minus its derivative, at x = from - l spacing.
struct Gumbel {
  std::vector<double> below, density;

  Gumbel(double from, double spacing, int count) : below(std::size_t(count)), density(std::size_t(count)) {
    for (int l = 0; l < count; ++l) {
      const double u = std::exp(from - l * spacing);
      below[l] = std::exp(-u);
      density[l] = u < 700.0 ? u * below[l] : 0.0;
    }
  }
};

// L and L' of f ~ N(mean, sd^2) on the lattice. The nodes of the trapezoidal rule for f divide the steps of t, so that
// all exponentials are on one finer lattice. For a small sd, Gauss-Hermite quadrature with three nodes is as good.
void smoothed(double mean, double sd, const Lattice& lattice, double* below, double* density) {
  const auto add = [&](double shift, double weight) {
    const Gumbel at(mean + shift - lattice.first, step_of_t, lattice.count);
    for (int i = 0; i < lattice.count; ++i) {
      below[i] += weight * at.below[i];
      density[i] += weight * at.density[i];
    }
  };
  std::fill_n(below, lattice.count, 0.0);
  std::fill_n(density, lattice.count, 0.0);
  if (sd < 0.06) {
    for (const int k : {-1, 0, 1}) add(k * std::sqrt(3.0) * sd, k == 0 ? 2.0 / 3.0 : 1.0 / 6.0);
    return;
  }
  const int parts = int(std::ceil(step_of_t / (0.8 * sd)));
  const double spacing = step_of_t / parts;
  const int half = int(std::ceil(reach * sd / spacing));
  const Gumbel at(mean + half * spacing - lattice.first, spacing, (lattice.count - 1) * parts + 2 * half + 1);
  std::vector<double> weight(std::size_t(2 * half + 1));
  double sum = 0.0;
  for (int k = -half; k <= half; ++k) {
    const double z = k * spacing / sd;
    sum += weight[k + half] = std::exp(-0.5 * z * z);
  }
  for (double& one : weight) one /= sum;
  for (int i = 0; i < lattice.count; ++i)
    for (std::size_t k = 0; k < weight.size(); ++k) {
      below[i] += weight[k] * at.below[i * parts + k];
      density[i] += weight[k] * at.density[i * parts + k];
    }
}

}  // namespace

double softmax_bound(const double* mean, const double* variance, int classes, double* a) {
  constexpr double exact = 1e-11;
  std::vector<double> at(std::size_t(classes), 0.5), p(at), step(at), tried(at), p_tried(at);
  tilted(mean, variance, at, p);  // at a = 1/2, where p is the softmax of the means
  at = p;
  double value = tilted(mean, variance, at, p);
  for (int iteration = 0; iteration < 100; ++iteration) {
    double residual = 0.0;
    for (std::size_t c = 0; c < at.size(); ++c) residual = std::max(residual, std::abs(at[c] - p[c]));
    if (residual < exact) break;
    // Newton's method for a - p(a) = 0.
    for (std::size_t c = 0; c < at.size(); ++c) step[c] = p[c] - at[c];
    solve_curvature(p.data(), variance, classes, step.data());
    double share = 1.0, value_tried;
    do {
      for (std::size_t c = 0; c < at.size(); ++c) tried[c] = at[c] + share * step[c];
      value_tried = tilted(mean, variance, tried, p_tried);
      share *= 0.5;
    } while (!(value_tried <= value + 1e-14 * std::abs(value)) && share > 1e-9);
    at.swap(tried);
    p.swap(p_tried);
    value = value_tried;
  }
  std::copy(p.begin(), p.end(), a);
  return value;
}

void softmax_curvature_product(const double* a, const double* variance, int classes, const double* v, double* product) {
  double mean = 0.0;
  for (int c = 0; c < classes; ++c) mean += a[c] * v[c];
  for (int c = 0; c < classes; ++c) product[c] = a[c] * (v[c] - mean);
  solve_curvature(a, variance, classes, product);
}

void softmax_probabilities(const double* mean, const double* variance, int classes, double* probability) {
  const Lattice lattice(mean, variance, classes);
  const std::size_t count = std::size_t(lattice.count);
  std::vector<double> below(count * classes), density(count * classes), one(classes), others(classes);
  for (int c = 0; c < classes; ++c)
    smoothed(mean[c], std::sqrt(variance[c]), lattice, &below[c * count], &density[c * count]);
  std::fill_n(probability, classes, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    for (int c = 0; c < classes; ++c) one[c] = below[c * count + i];
    products_of_others(one, others);
    for (int c = 0; c < classes; ++c) probability[c] += density[c * count + i] * others[c];
  }
  double sum = 0.0;
  for (int c = 0; c < classes; ++c) sum += probability[c];
  for (int c = 0; c < classes; ++c) probability[c] /= sum;
}

}  // namespace neargp
