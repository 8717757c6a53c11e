// Covariances from R, what R asks of them directly, and the choice of instruction set.
#include "bind_covariance.h"

#include "base/error.h"
#include "bind_convert.h"
#include "conditional/data.h"
#include "covariance/covariance_matrix.h"
#include "covariance/metric_shape.h"
#include "covariance/search_ranges.h"
#include "linalg/row_forms.h"
#include "simd/instruction_set.h"

namespace {

neargp::WorkingScale to_scale(const std::string& name) {
  if (name == "identity") return neargp::WorkingScale::identity;
  if (name == "log") return neargp::WorkingScale::log;
  if (name == "power") return neargp::WorkingScale::logit_half;
  if (name == "share") return neargp::WorkingScale::logit;
  throw neargp::Error("There is no working scale called '" + name + "'.");
}

}  // namespace

neargp::WorkingParameters to_working_parameters(const Rcpp::List& list) {
  neargp::WorkingParameters working{
      {}, Rcpp::as<std::vector<double>>(list["lower"]), Rcpp::as<std::vector<double>>(list["upper"]), {}};
  for (const std::string& name : Rcpp::as<std::vector<std::string>>(list["transform"]))
    working.scale.push_back(to_scale(name));
  const Rcpp::LogicalVector free = list["free"];
  working.free.assign(free.begin(), free.end());
  return working;
}

namespace {

// Takes R's list(columns = integer, coefficients = numeric), columns counted from 1.
neargp::LocalField to_local_field(const Rcpp::List& list) {
  neargp::LocalField field;
  for (const int column : Rcpp::as<std::vector<int>>(list["columns"])) field.columns.push_back(column - 1);
  field.coefficients = Rcpp::as<std::vector<double>>(list["coefficients"]);
  return field;
}

}  // namespace

namespace {

// Takes R's list(coordinate = integer counted from 1, monotone = flag, columns, coefficients).
neargp::WarpedCoordinate to_warp(const Rcpp::List& list) {
  return {Rcpp::as<int>(list["coordinate"]) - 1, to_local_field(list), Rcpp::as<bool>(list["monotone"])};
}

}  // namespace

namespace {

neargp::SpaceTimeModel to_space_time_model(const std::string& name) {
  if (name == "metric") return neargp::SpaceTimeModel::metric;
  if (name == "gneiting") return neargp::SpaceTimeModel::gneiting;
  if (name == "separable") return neargp::SpaceTimeModel::separable;
  if (name == "product_sum") return neargp::SpaceTimeModel::product_sum;
  throw neargp::Error("There is no model of space and time called '" + name + "'.");
}

// Takes R's list(model = name) with the numbers that the model needs: time_family, time_shape, alpha, beta, product,
// space.
neargp::SpaceTime to_space_time(const Rcpp::List& list) {
  neargp::SpaceTime of_time;
  const auto take = [&](const char* name, double& value) {
    if (!list.containsElementNamed(name)) return;
    const auto given = Rcpp::as<std::vector<double>>(list[name]);
    if (given.size() == 1) value = given[0];
  };
  of_time.model = to_space_time_model(Rcpp::as<std::string>(list["model"]));
  if (list.containsElementNamed("time_family"))
    of_time.time_family = neargp::family_from_name(Rcpp::as<std::string>(list["time_family"]));
  take("time_shape", of_time.time_shape);
  take("alpha", of_time.alpha);
  take("beta", of_time.beta);
  take("product", of_time.product);
  take("space", of_time.space);
  return of_time;
}

}  // namespace

neargp::Component to_component(const Rcpp::List& list) {
  neargp::Component component;
  component.family = neargp::family_from_name(Rcpp::as<std::string>(list["family"]));
  component.variance = Rcpp::as<double>(list["variance"]);
  component.range = Rcpp::as<std::vector<double>>(list["range"]);
  for (const int group : Rcpp::as<std::vector<int>>(list["group"])) component.group.push_back(group - 1);
  component.anisotropy = Rcpp::as<std::vector<double>>(list["anisotropy"]);
  const auto shape = Rcpp::as<std::vector<double>>(list["shape"]);
  if (component.has_shape()) {
    if (shape.size() != 1) throw neargp::Error("This covariance family needs one shape parameter.");
    component.shape = shape[0];
  }
  if (list.containsElementNamed("space_time")) component.space_time = to_space_time(list["space_time"]);
  if (list.containsElementNamed("log_sd")) component.log_sd = to_local_field(list["log_sd"]);
  if (list.containsElementNamed("log_range")) component.log_range = to_local_field(list["log_range"]);
  if (list.containsElementNamed("by")) component.by = Rcpp::as<int>(list["by"]) - 1;
  if (list.containsElementNamed("warps"))
    for (const Rcpp::List warp : Rcpp::as<Rcpp::List>(list["warps"])) component.warps.push_back(to_warp(warp));
  if (list.containsElementNamed("loadings"))
    component.loadings = row_major(Rcpp::as<Rcpp::NumericMatrix>(list["loadings"]));
  return component;
}

namespace {

using SpecificationPointer = Rcpp::XPtr<neargp::Covariance>;

neargp::Covariance to_specification(const Rcpp::List& list) {
  neargp::Covariance covariance;
  const Rcpp::List components = list["components"];
  for (R_xlen_t i = 0; i < components.size(); ++i)
    covariance.components.push_back(to_component(Rcpp::as<Rcpp::List>(components[i])));
  if (list.containsElementNamed("nuggets")) covariance.output_nuggets = Rcpp::as<std::vector<double>>(list["nuggets"]);
  if (list.containsElementNamed("active"))
    for (const int flag : Rcpp::as<std::vector<int>>(list["active"])) covariance.active.push_back(flag != 0);
  covariance.areal = list.containsElementNamed("areal") && Rcpp::as<bool>(list["areal"]);
  return covariance;
}

}  // namespace

neargp::Covariance to_covariance(const Rcpp::List& specified, double nugget) {
  neargp::Covariance covariance = *SpecificationPointer(SEXP(specified["specification"]));
  const Rcpp::NumericVector values = specified["values"];
  if (values.size() < covariance.parameters())
    throw neargp::Error("There must be one value for each covariance parameter.");
  neargp::set_parameter_values(covariance, {values.begin(), values.begin() + covariance.parameters()});
  covariance.nugget = nugget;
  return covariance;
}

// Takes R's list(components = list(...), active = logical), at whatever values. With several responses the list also
// contains nuggets, and where rows are areas it contains areal = TRUE.
// [[Rcpp::export]]
SEXP core_covariance_specification(const Rcpp::List& covariance) {
  return SpecificationPointer(new neargp::Covariance(to_specification(covariance)), true);
}

// The values at which a specification was made.
// [[Rcpp::export]]
std::vector<double> core_specification_values(SEXP specification) {
  return neargp::parameter_values(*SpecificationPointer(specification));
}

namespace {

neargp::PreparedCovariance prepared_values(const neargp::Covariance& covariance, int dim) {
  return neargp::prepare(covariance, dim, false);
}

// Leaves out all that does not move points. `columns`: those of the points, or 0 without points.
neargp::PreparedCovariance prepared_component(const Rcpp::List& component, int columns = 0) {
  neargp::Covariance covariance;
  covariance.components.push_back(to_component(component));
  neargp::Component& only = covariance.components[0];
  only.loadings.clear();  // of one output, of which it is the metric or the correlation
  only.log_sd = only.log_range = {};
  only.by = -1;
  only.space_time = {};
  const int places = int(only.group.size());
  if (columns == 0) only.warps.clear();
  if (columns > 0 && columns < places)
    throw neargp::Error("A covariance must say for each coordinate which range divides it.");
  return prepared_values(covariance, only.warps.empty() ? places : columns);
}

}  // namespace

Metric::Metric(const Rcpp::List& component, int columns)
    : covariance_(prepared_component(component, columns)), columns_(columns) {}

std::vector<double> Metric::scaled(neargp::Points points) const {
  if (points.dim != columns_) throw neargp::Error("New places must have the columns of those of the data.");
  std::vector<double> scaled(std::size_t(points.n) * dim());
  for (neargp::Index i = 0; i < points.n; ++i)
    neargp::scale_point(covariance_.components[0], dim(), points[i], scaled.data() + i * dim());
  return scaled;
}

Lags::Lags(const Rcpp::Nullable<Rcpp::List>& lags, int dim) {
  if (lags.isNull()) return;
  const Rcpp::List list(lags);
  const auto unit = Rcpp::as<std::vector<double>>(list["unit"]);
  if (unit.size() != 2) throw neargp::Error("Lags need a unit of space and one of time.");
  correlation_ = std::make_unique<neargp::CovarianceLags>(prepared_values(to_covariance(list["covariance"], 0.0), dim),
                                                          unit[0], unit[1]);
  order_ = std::make_unique<neargp::LagOrder>(*correlation_);
}

// [[Rcpp::export]]
std::vector<double> core_metric_shape(const Rcpp::List& component) {
  return neargp::metric_shape(to_component(component));
}

// Ranges for the metric of neighbours where a component is of space and time; `index` counts components from 1.
// [[Rcpp::export]]
std::vector<double> core_search_ranges(const Rcpp::List& covariance, int index) {
  return neargp::search_ranges(to_covariance(covariance, 0.0), index - 1);
}

// [[Rcpp::export]]
double core_greatest_beta(int space) { return neargp::greatest_beta(space); }

// Columns after those of the locations are covariates of local fields or sources of warped coordinates.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_scale(const Rcpp::NumericMatrix& coords, const Rcpp::List& component) {
  const Metric metric(component, coords.ncol());
  return from_row_major(metric.scaled(PointStore(coords).view()), metric.dim());
}

// [[Rcpp::export]]
Rcpp::NumericVector core_correlation(const Rcpp::List& component, const Rcpp::NumericVector& distance) {
  const neargp::PreparedCovariance covariance = prepared_component(component);
  Rcpp::NumericVector correlation(distance.size());
  for (R_xlen_t i = 0; i < distance.size(); ++i)
    correlation[i] = neargp::correlation_at(covariance.components[0], distance[i]);
  return correlation;
}

// [[Rcpp::export]]
Rcpp::NumericMatrix core_covariance_matrix(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& newcoords,
                                           const Rcpp::List& covariance) {
  if (coords.ncol() != newcoords.ncol()) throw neargp::Error("Both sets of points must have the same coordinates.");
  const PointStore a(coords), b(newcoords);
  const neargp::Covariance spec = to_covariance(covariance, 0.0);
  neargp::check_outputs(nullptr, coords.nrow(), spec);
  const Eigen::MatrixXd matrix = neargp::covariance_matrix(prepared_values(spec, coords.ncol()), a.view(), b.view());
  return Rcpp::NumericMatrix(int(matrix.rows()), int(matrix.cols()), matrix.data());
}

// [[Rcpp::export]]
std::string core_simd() { return neargp::instruction_set_name(neargp::instruction_set()); }

// [[Rcpp::export]]
std::vector<std::string> core_simd_available() {
  const std::vector<const char*> names = neargp::instruction_sets();
  return {names.begin(), names.end()};
}

// [[Rcpp::export]]
void core_set_simd(const std::string& name) { neargp::use_instruction_set(name.c_str()); }

// x'V x of each row.
// [[Rcpp::export]]
Rcpp::NumericVector core_row_forms(const Rcpp::NumericMatrix& x, const Rcpp::NumericMatrix& v) {
  if (v.nrow() != x.ncol() || v.ncol() != x.ncol()) throw neargp::Error("A form must have a row for each column.");
  const Eigen::Map<const Eigen::MatrixXd> rows(x.begin(), x.nrow(), x.ncol()), form(v.begin(), v.nrow(), v.ncol());
  return Rcpp::wrap(neargp::row_forms(rows, form));
}
