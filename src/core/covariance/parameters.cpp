#include "covariance/parameters.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace neargp {

namespace {

// Calls action(value, is_shape) on each parameter in order.
template <class AnyCovariance, class Action>
void for_each_parameter(AnyCovariance& covariance, const Action& action) {
  for (auto& component : covariance.components) {
    if (component.loadings.empty()) action(component.variance, false);
    for (auto& loading : component.loadings) action(loading, false);
    for (auto& range : component.range) action(range, false);
    for (auto& axis : component.anisotropy) action(axis, false);
    if (component.has_shape()) action(component.shape, true);
    auto& of_time = component.space_time;
    if (of_time.has_time_shape()) action(of_time.time_shape, true);
    if (of_time.is_gneiting() || of_time.is_sum()) {
      action(of_time.is_sum() ? of_time.product : of_time.alpha, true);
      action(of_time.is_sum() ? of_time.space : of_time.beta, true);
    }
    for (auto& coefficient : component.log_sd.coefficients) action(coefficient, false);
    for (auto& coefficient : component.log_range.coefficients) action(coefficient, false);
    for (auto& warp : component.warps)
      for (auto& coefficient : warp.field.coefficients) action(coefficient, false);
  }
  if (covariance.output_nuggets.empty()) action(covariance.nugget, false);
  for (auto& nugget : covariance.output_nuggets) action(nugget, false);
}

}  // namespace

std::vector<double> parameter_values(const Covariance& covariance) {
  std::vector<double> values;
  for_each_parameter(covariance, [&](const double& value, bool) { values.push_back(value); });
  return values;
}

void set_parameter_values(Covariance& covariance, const std::vector<double>& values) {
  if (int(values.size()) != covariance.parameters())
    throw Error("There must be one value for each covariance parameter.");
  std::size_t next = 0;
  for_each_parameter(covariance, [&](double& value, bool) { value = values[next++]; });
}

std::vector<bool> shape_parameters(const Covariance& covariance) {
  std::vector<bool> shape;
  for_each_parameter(covariance, [&](const double&, bool is_shape) { shape.push_back(is_shape); });
  return shape;
}

double from_working(WorkingScale scale, double working) {
  switch (scale) {
    case WorkingScale::identity: return working;
    case WorkingScale::log: return std::exp(working);
    case WorkingScale::logit_half: return 2.0 / (1.0 + std::exp(-working));
    case WorkingScale::logit: return 1.0 / (1.0 + std::exp(-working));
  }
  return working;
}

double to_working(WorkingScale scale, double value) {
  switch (scale) {
    case WorkingScale::identity: return value;
    case WorkingScale::log: return std::log(value);
    case WorkingScale::logit_half: return std::log(value / (2.0 - value));
    case WorkingScale::logit: return std::log(value / (1.0 - value));
  }
  return value;
}

std::vector<double> WorkingParameters::working(const std::vector<double>& values) const {
  std::vector<double> result;
  for (std::size_t a = 0; a < values.size(); ++a) result.push_back(to_working(scale[a], values[a]));
  return result;
}

void WorkingParameters::set_values(double* working, std::vector<double>& values) const {
  for (std::size_t a = 0; a < values.size(); ++a) {
    if (!free[a]) continue;
    working[a] = std::min(std::max(working[a], lower[a]), upper[a]);
    values[a] = from_working(scale[a], working[a]);
  }
}

double working_slope(WorkingScale scale, bool is_shape, double value) {
  if (!is_shape || scale == WorkingScale::identity) return 1.0;
  if (scale == WorkingScale::logit) return value * (1.0 - value);
  return scale == WorkingScale::log ? value : value * (1.0 - 0.5 * value);
}

}  // namespace neargp
