#include "covariance/prepared.h"

#include <cmath>

#include <unsupported/Eigen/SpecialFunctions>

#include "base/error.h"
#include "covariance/entry.h"
#include "covariance/kernels.h"
#include "covariance/rotation.h"
#include "covariance/warp.h"

namespace neargp {

namespace {

bool closed_form_matern(double nu) { return nu == 0.5 || nu == 1.5 || nu == 2.5 || nu == 3.5; }

double inverse_range(const Component& component, int group) {
  if (group < 0) return 0.0;
  return component.range.empty() ? 1.0 : 1.0 / component.range[group];
}

// Finds the first and the last coordinate that the component does not leave out.
void bound_coordinates(PreparedComponent& prepared) {
  const auto& factors = prepared.inverse_range;
  prepared.last = prepared.dim();
  while (prepared.last > 1 && factors[prepared.last - 1] == 0.0) --prepared.last;
  while (prepared.first < prepared.last - 1 && factors[prepared.first] == 0.0) ++prepared.first;
}

void prepare_scales(const Component& component, const Covariance& covariance, int first_range,
                    PreparedComponent& prepared) {
  const int ranges = int(component.range.size());
  for (int g = 0; g < (component.is_space_time() ? ranges - 1 : ranges); ++g) {
    if (!covariance.is_active(first_range + g)) continue;
    ScaleDerivative form;
    form.parameter = first_range + g;
    for (int d = 0; d < int(component.group.size()); ++d)
      if (component.group[d] == g) form.coordinates.push_back(d);
    for (int d = prepared.places(); g == 0 && d < prepared.dim(); ++d) form.coordinates.push_back(d);
    if (!form.coordinates.empty()) prepared.scale_derivatives.push_back(form);
  }
  int parameter = first_range + ranges;
  for (ScaleDerivative& form : rotate(component.anisotropy, prepared)) {
    form.parameter = parameter++;
    if (covariance.is_active(form.parameter)) prepared.scale_derivatives.push_back(form);
  }
}

PreparedLocal prepare_local(const LocalField& field, const Covariance& covariance, int first_parameter) {
  PreparedLocal prepared{field, first_parameter};
  for (int m = 0; m < field.size(); ++m) prepared.wanted = prepared.wanted || covariance.is_active(first_parameter + m);
  return prepared;
}

// Further coordinates are divided by the first range.
void prepare_warps(const Component& component, const Covariance& covariance, int parameter,
                   PreparedComponent& prepared) {
  for (const WarpedCoordinate& warp : component.warps) {
    if (warp.coordinate >= prepared.places()) prepared.inverse_range.push_back(1.0 / component.range[0]);
    PreparedWarp ready{warp.coordinate, warp.field.columns, warp.field.coefficients, {}};
    ready.inverse_range = prepared.inverse_range[warp.coordinate];
    ready.first_parameter = parameter;
    for (double& weight : ready.weights) {
      if (warp.monotone) weight = std::exp(weight);
      ready.slopes.push_back(ready.inverse_range * (warp.monotone ? weight : 1.0));
      prepared.wants_warps = prepared.wants_warps || covariance.is_active(parameter);
      ++parameter;
    }
    prepared.warps.push_back(std::move(ready));
  }
}

MaternTable prepared_table(Family family, double shape, bool wants_shape) {
  MaternTable table;
  if (family != Family::matern) return table;
  if (closed_form_matern(shape) && !wants_shape) return table;
  table.value.resize(std::size_t(MaternTable::intervals) * 8);
  if (wants_shape) table.shape.resize(table.value.size());
  const MaternSmoothness smoothness{shape, std::lgamma(shape), Eigen::numext::digamma(shape)};
  covariance_kernels().fill_matern_table(smoothness, table.value.data(), wants_shape ? table.shape.data() : nullptr);
  return table;
}

// `parameter`: the first after the shape.
void prepare_space_time(const Component& component, const Covariance& covariance, int range_parameter, int parameter,
                        PreparedComponent& prepared) {
  const SpaceTime& given = component.space_time;
  prepared.space_time = given;
  if (given.model == SpaceTimeModel::separable) prepared.space_time.product = 1.0;
  const auto want = [&](SpaceTimeTerm term, int of) {
    if (covariance.is_active(of)) prepared.term_parameter[term] = of;
  };
  want(in_time_range, range_parameter);
  if (given.has_time_shape()) want(in_time_shape, parameter++);
  if (given.is_gneiting() || given.is_sum()) {
    want(given.is_sum() ? in_product : in_alpha, parameter);
    want(given.is_sum() ? in_space_share : in_beta, parameter + 1);
  }
  if (given.has_time_family())
    prepared.time_table = prepared_table(given.time_family, given.time_shape, prepared.wants_term(in_time_shape));
}

}  // namespace

PreparedCovariance prepare(const Covariance& covariance, int dim, bool derivatives) {
  check_covariance(covariance, dim);
  PreparedCovariance result;
  result.dim = int(covariance.components[0].group.size());
  result.parameters = covariance.parameters();
  result.nugget = covariance.nugget;
  result.output_nuggets = covariance.output_nuggets;
  result.noise_parameters = covariance.noise_parameters;
  if (covariance.areal) result.support = {result.dim, (dim - result.dim) / (result.dim + 1)};
  Covariance wanted = covariance;
  if (!derivatives) wanted.active.assign(result.parameters, 0);
  int parameter = 0;
  for (const Component& component : covariance.components) {
    PreparedComponent prepared;
    prepared.family = component.family;
    prepared.variance = component.variance;
    prepared.shape = component.shape;
    prepared.group = component.group;
    prepared.single_scale =
        component.range.size() == (component.is_space_time() ? 2 : 1) && component.anisotropy.empty();
    for (const int group : component.group) prepared.inverse_range.push_back(inverse_range(component, group));
    prepared.variance_parameter = parameter;
    prepared.loadings = component.loadings;
    prepared.rank = covariance.outputs() > 0 ? int(component.loadings.size()) / covariance.outputs() : 0;
    const int first_warp = parameter + component.parameters() - component.warp_coefficients();
    prepare_warps(component, wanted, first_warp, prepared);
    bound_coordinates(prepared);
    if (prepared.wants_warps) prepared.single_scale = false;
    prepare_scales(component, wanted, parameter + component.scales(), prepared);
    const int range_field = first_warp - component.log_range.size();
    const int sd_field = range_field - component.log_sd.size();
    const int after_shape = sd_field - component.space_time.parameters();
    if (component.has_shape() && wanted.is_active(after_shape - 1)) prepared.shape_parameter = after_shape - 1;
    prepared.log_sd = prepare_local(component.log_sd, wanted, sd_field);
    prepared.log_range = prepare_local(component.log_range, wanted, range_field);
    prepared.by = component.by;
    prepared.table = prepared_table(prepared.family, prepared.shape, prepared.wants_shape());
    if (component.is_space_time()) {
      const int time_range = parameter + component.scales() + component.group.back();
      prepare_space_time(component, wanted, time_range, after_shape, prepared);
    }
    result.variance += component.variance;
    result.components.push_back(std::move(prepared));
    parameter += component.parameters();
  }
  return result;
}

void keep_slopes(PreparedCovariance& covariance) {
  require_metric(covariance, "Derivatives in locations are");
  for (PreparedComponent& component : covariance.components) {
    component.keep_slope = true;
    component.single_scale = false;
  }
}

void require_metric(const PreparedCovariance& covariance, const char* what) {
  if (covariance.is_space_time())
    throw Error(std::string(what) + " for covariances of one distance only, not of space and time apart.");
}

void scale_point(const PreparedComponent& component, int dim, const double* point, double* scaled) {
  for (int d = 0; d < dim; ++d) scaled[d] = point[d];
  for (const PreparedWarp& warp : component.warps)
    scaled[warp.coordinate] = warped_coordinate<double>(warp, [&](int column) { return point[column]; });
  if (component.turned > 0) turn(component, scaled, 1);
  for (int d = 0; d < dim; ++d) scaled[d] *= component.inverse_range[d];
}

}  // namespace neargp
