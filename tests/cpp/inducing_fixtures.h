// Problems with inducing points, and central differences.
#pragma once

#include <doctest/doctest.h>

#include "core_fixtures.h"
#include "likelihoods/marginal.h"
#include "variational/collapsed_bound.h"

namespace fixtures {

inline neargp::RegressionData regression(const Data& data) {
  return {data.cloud.view(), data.columns, data.values.data(), data.noise_scale.data()};
}

// The log density of all data. Where weights are counts, a datum stands for as many equal data as its weight.
inline double counted_log_density(const neargp::Likelihood& likelihood, neargp::Observations observations,
                                  const std::vector<double>& mean, const std::vector<double>& variance) {
  const double* count = neargp::weights_count(likelihood.family) ? observations.weights : nullptr;
  if (count) observations.weights = nullptr;
  const std::vector<double> density =
      neargp::marginal_density(likelihood, {observations, mean.data(), variance.data(), nullptr}, false, {}).value;
  double sum = 0.0;
  for (std::size_t i = 0; i < density.size(); ++i) sum += (count ? count[i] : 1.0) * density[i];
  return sum;
}

// The derivative of value(x) at x = 0, by central differences of fourth order.
template <class Value>
double derivative(double step, const Value& value) {
  return (8.0 * (value(step) - value(-step)) - (value(2.0 * step) - value(-2.0 * step))) / (12.0 * step);
}

// Derivatives of value(positions) in each coordinate of the points.
template <class Value>
Eigen::MatrixXd position_differences(const Cloud& points, double step, const Value& value) {
  const neargp::Index n = points.view().n;
  Eigen::MatrixXd result(n, points.dim);
  for (neargp::Index i = 0; i < n; ++i)
    for (int d = 0; d < points.dim; ++d)
      result(i, d) = derivative(step, [&](double by) {
        Cloud moved = points;
        moved.coords[std::size_t(i * points.dim + d)] += by;
        return value(moved);
      });
  return result;
}

// Derivatives of value(covariance) in each parameter that is wanted.
template <class Value>
Eigen::VectorXd parameter_differences(const neargp::Covariance& covariance, double step, const Value& value) {
  Eigen::VectorXd result = Eigen::VectorXd::Zero(covariance.parameters());
  for (int a = 0; a < covariance.parameters(); ++a)
    if (covariance.is_active(a))
      result[a] = derivative(step, [&](double by) { return value(reference::moved(covariance, a, by)); });
  return result;
}

inline Eigen::VectorXd parameter_gradient(const neargp::InducingGradient& gradient) {
  return Eigen::Map<const Eigen::VectorXd>(gradient.parameters.data(), neargp::Index(gradient.parameters.size()));
}

// Compares the gradient of an ELBO with differences of value(positions, covariance), which returns the ELBO.
template <class Value>
void check_bound_gradient(const neargp::CollapsedBound& bound, const Cloud& positions,
                          const neargp::Covariance& covariance, const Value& value) {
  REQUIRE(bound.failure == neargp::BoundFailure::none);
  CHECK(difference(bound.gradient.positions, position_differences(positions, 1e-5, [&](const Cloud& at) {
                     return value(at, covariance);
                   })) < 1e-7);
  CHECK(difference(parameter_gradient(bound.gradient),
                   parameter_differences(covariance, 1e-5,
                                         [&](const neargp::Covariance& at) { return value(positions, at); })) < 1e-7);
}

}  // namespace fixtures
