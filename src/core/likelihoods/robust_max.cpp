#include "likelihoods/robust_max.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "likelihoods/products_of_others.h"
#include "likelihoods/quadrature.h"

namespace neargp {

namespace {

double normal_probability(double z) { return 0.5 * std::erfc(-0.70710678118654752 * z); }
double density_at(double z) { return 0.39894228040143268 * std::exp(-0.5 * z * z); }

// P(f_y is the largest), its derivatives in the means, and twice those in the variances.
struct LargestTerms {
  double probability = 0.0;
  std::vector<double> d_mean, d_variance;
};

// Phi is without singularities, but more than about 1.5 standard deviations off the real axis it is no longer of the
// order of one.
const QuadratureRule& rule_for(const double* variance, int classes, int label) {
  double ratio = 0.0;
  for (int c = 0; c < classes; ++c)
    if (c != label) ratio = std::max(ratio, variance[label] / variance[c]);
  return quadrature_rule(std::sqrt(ratio) / 1.5);
}

// With z_c = (f_y - mu_c) / sd_c, the derivative in the mean of another class is
//   dP/dmu_c = -E prod_{j != y, c} Phi(z_j) phi(z_c) / sd_c.
// Twice the derivative in its variance is
//   2 dP/ds_c = -E prod_{j != y, c} Phi(z_j) phi(z_c) z_c / s_c.
// For f_y = mu_y + sd_y x they are dP/dmu_y = -sum_c dP/dmu_c and 2 dP/ds_y = E x dP/df_y / sd_y.
LargestTerms largest(const double* mean, const double* variance, int classes, int label, bool derivatives) {
  LargestTerms terms;
  terms.d_mean.assign(classes, 0.0);
  terms.d_variance.assign(classes, 0.0);
  std::vector<double> z(classes), below(classes, 1.0), others(classes);
  const double sd = std::sqrt(variance[label]);
  const QuadratureRule& rule = rule_for(variance, classes, label);
  for (int q = 0; q < rule.nodes; ++q) {
    const double f = mean[label] + sd * rule.x[q];
    for (int c = 0; c < classes; ++c) {
      if (c == label) continue;
      z[c] = (f - mean[c]) / std::sqrt(variance[c]);
      below[c] = normal_probability(z[c]);
    }
    products_of_others(below, others);
    terms.probability += rule.weight[q] * others[label];
    if (!derivatives) continue;
    for (int c = 0; c < classes; ++c) {
      if (c == label) continue;
      const double slope = rule.weight[q] * others[c] * density_at(z[c]) / std::sqrt(variance[c]);
      terms.d_mean[c] -= slope;
      terms.d_mean[label] += slope;
      terms.d_variance[c] -= slope * z[c] / std::sqrt(variance[c]);
      terms.d_variance[label] += slope * rule.x[q] / sd;
    }
  }
  return terms;
}

}  // namespace

double robust_max_expectation(const double* mean, const double* variance, int classes, int label, double* slope,
                              double* curvature) {
  const LargestTerms terms = largest(mean, variance, classes, label, true);
  const double mistaken = std::log(robust_max_error / (classes - 1)), gain = std::log1p(-robust_max_error) - mistaken;
  for (int c = 0; c < classes; ++c) {
    slope[c] = gain * terms.d_mean[c];
    curvature[c] = -gain * terms.d_variance[c];
  }
  return mistaken + gain * terms.probability;
}

void robust_max_probabilities(const double* mean, const double* variance, int classes, double* probability) {
  double sum = 0.0;
  for (int c = 0; c < classes; ++c) sum += probability[c] = largest(mean, variance, classes, c, false).probability;
  const double other = robust_max_error / (classes - 1);
  for (int c = 0; c < classes; ++c) probability[c] = other + (1.0 - robust_max_error - other) * probability[c] / sum;
}

}  // namespace neargp
