// Classes on inducing points, as R calls them.
#include "bind_bound.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "variational/class_bound.h"

namespace {

// NULL: none yet.
neargp::ClassPosterior to_class_posterior(const Rcpp::Nullable<Rcpp::List>& start) {
  if (start.isNull()) return {};
  const Rcpp::List list(start);
  const Rcpp::NumericMatrix precision = list["precision"], natural = list["natural"];
  const Rcpp::NumericVector share = list["unexplained_share"];
  return {to_eigen(precision), to_eigen(natural), Eigen::Map<const Eigen::VectorXd>(share.begin(), share.size())};
}

Rcpp::List class_field_to_r(const neargp::ClassField& field) {
  return Rcpp::List::create(Rcpp::_["beta"] = to_r(field.beta), Rcpp::_["beta_vcov"] = to_r(field.beta_covariance),
                            Rcpp::_["weights"] = to_r(field.weights), Rcpp::_["factor"] = to_r(field.factor));
}

}  // namespace

// `label`: numbers of the classes, from 1. `start`: NULL, or the `end` of another bound. `places`: the number of
// distinct locations among the rows.
// [[Rcpp::export]]
Rcpp::List core_class_bound(const Rcpp::NumericMatrix& coords, const Rcpp::IntegerVector& label,
                            const Rcpp::NumericVector& weights, const Rcpp::NumericMatrix& design, int classes,
                            const std::string& link, const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance,
                            const Rcpp::Nullable<Rcpp::List>& start, int places, const std::string& bound,
                            double jitter, double tolerance, bool derivatives, const Rcpp::List& context) {
  const PointStore points(coords), positions(inducing);
  neargp::FamilyBoundSettings settings;
  settings.kind = bound_kind(bound);
  settings.jitter = jitter;
  settings.tolerance = tolerance;
  settings.places = places;
  const neargp::ClassLabels labels{
      neargp::class_link_from_name(link), classes, to_rows(label), {weights.begin(), weights.end()}};
  const neargp::ClassBound result = neargp::class_bound(
      labels, row_major(design), design.ncol(), points.view(), positions.view(), to_covariance(covariance, 0.0),
      to_class_posterior(start), settings, derivatives, run_context(context));
  if (result.failure != neargp::BoundFailure::none)
    return Rcpp::List::create(Rcpp::_["failure"] = failure_name(result.failure), Rcpp::_["value"] = result.value);
  Rcpp::List fields(result.fields.size());
  for (std::size_t c = 0; c < result.fields.size(); ++c) fields[c] = class_field_to_r(result.fields[c]);
  Rcpp::List list = Rcpp::List::create(
      Rcpp::_["failure"] = "", Rcpp::_["value"] = result.value, Rcpp::_["converged"] = result.converged,
      Rcpp::_["iterations"] = result.iterations,
      Rcpp::_["end"] = Rcpp::List::create(Rcpp::_["precision"] = to_r(result.end.precision),
                                          Rcpp::_["natural"] = to_r(result.end.natural),
                                          Rcpp::_["unexplained_share"] = to_r(result.end.unexplained_share)),
      Rcpp::_["fields"] = fields, Rcpp::_["linear_predictor"] = to_r(result.linear_predictor),
      Rcpp::_["slope"] = to_r(result.slope), Rcpp::_["variance"] = to_r(result.variance),
      Rcpp::_["unexplained"] = to_r(result.unexplained));
  if (!derivatives) return list;
  list["d_covariance"] = result.gradient.parameters;
  list["d_inducing"] = to_r(result.gradient.positions);
  return list;
}

// A row for each location, a column for each class.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_class_probabilities(const std::string& link, const Rcpp::NumericMatrix& mean,
                                             const Rcpp::NumericMatrix& variance, const Rcpp::List& context) {
  return to_r(neargp::class_probabilities(neargp::class_link_from_name(link), to_eigen(mean), to_eigen(variance),
                                          run_context(context)));
}

// label: numbers of the classes, from 1. mean, variance: a row for each label, a column for each class.
// [[Rcpp::export]]
Rcpp::List core_class_expectations(const std::string& link, const Rcpp::IntegerVector& label,
                                   const Rcpp::NumericVector& weights, const Rcpp::NumericMatrix& mean,
                                   const Rcpp::NumericMatrix& variance, const Rcpp::List& context) {
  const neargp::ClassLabels labels{
      neargp::class_link_from_name(link), mean.ncol(), to_rows(label), {weights.begin(), weights.end()}};
  Eigen::MatrixXd slope(mean.nrow(), mean.ncol()), curvature(mean.nrow(), mean.ncol());
  const double total =
      neargp::class_expectations(labels, to_eigen(mean), to_eigen(variance), slope, curvature, run_context(context));
  return Rcpp::List::create(Rcpp::_["total"] = total, Rcpp::_["slope"] = to_r(slope),
                            Rcpp::_["curvature"] = to_r(curvature));
}
