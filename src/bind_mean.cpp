// Means on more points than the covariance has, as R calls them.
#include "base/error.h"
#include "bind_bound.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "variational/decoupled_mean.h"
#include "variational/exact_mean.h"

namespace {

neargp::MeanEquations to_mean_equations(const PointStore& rows, const Rcpp::NumericVector& precision,
                                        const Rcpp::NumericMatrix& natural, const Rcpp::NumericMatrix& values) {
  const neargp::Points coords = rows.view();
  if (precision.size() != coords.n || natural.nrow() != coords.n || values.nrow() != coords.n)
    throw neargp::Error("Coordinates, precisions and columns must have the same number of rows.");
  return {coords, Eigen::Map<const Eigen::VectorXd>(precision.begin(), precision.size()), to_eigen(natural),
          to_eigen(values)};
}

Rcpp::List mean_solution_to_r(const neargp::MeanSolution& result) {
  return Rcpp::List::create(Rcpp::_["failure"] = failure_name(result.failure), Rcpp::_["solved"] = to_r(result.solved),
                            Rcpp::_["field"] = to_r(result.field), Rcpp::_["iterations"] = result.iterations,
                            Rcpp::_["residual"] = result.residual);
}

}  // namespace

// Columns `solved` and `field` of mean_equations.h, by conjugate gradients.
// [[Rcpp::export]]
Rcpp::List core_exact_mean(const Rcpp::NumericMatrix& coords, const Rcpp::NumericVector& precision,
                           const Rcpp::NumericMatrix& natural, const Rcpp::NumericMatrix& values,
                           const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance, double jitter,
                           double tolerance, int max_iterations, const Rcpp::List& context) {
  const PointStore points(coords), positions(inducing);
  neargp::ExactMeanSettings settings;
  settings.jitter = jitter;
  settings.tolerance = tolerance;
  settings.max_iterations = max_iterations;
  return mean_solution_to_r(neargp::exact_mean(to_mean_equations(points, precision, natural, values), positions.view(),
                                               to_covariance(covariance, 0.0), settings, run_context(context)));
}

// The same on points, those of the covariance among them.
// [[Rcpp::export]]
Rcpp::List core_decoupled_mean(const Rcpp::NumericMatrix& coords, const Rcpp::NumericVector& precision,
                               const Rcpp::NumericMatrix& natural, const Rcpp::NumericMatrix& values,
                               const Rcpp::NumericMatrix& points, const Rcpp::List& covariance, double jitter,
                               const Rcpp::List& context) {
  const PointStore rows(coords), positions(points);
  return mean_solution_to_r(neargp::decoupled_mean(to_mean_equations(rows, precision, natural, values),
                                                   positions.view(), to_covariance(covariance, 0.0), jitter,
                                                   run_context(context)));
}

// [[Rcpp::export]]
Rcpp::List core_point_weights(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& solved,
                              const Rcpp::NumericMatrix& points, const Rcpp::List& covariance, double jitter,
                              const Rcpp::List& context) {
  const PointStore rows(coords), positions(points);
  const neargp::PointWeights result = neargp::point_weights(
      rows.view(), to_eigen(solved), positions.view(), to_covariance(covariance, 0.0), jitter, run_context(context));
  return Rcpp::List::create(Rcpp::_["failure"] = failure_name(result.failure),
                            Rcpp::_["weights"] = to_r(result.weights));
}

// [[Rcpp::export]]
Rcpp::NumericMatrix core_exact_mean_at(const Rcpp::NumericMatrix& newcoords, const Rcpp::NumericMatrix& coords,
                                       const Rcpp::NumericMatrix& weights, const Rcpp::List& covariance,
                                       const Rcpp::List& context) {
  const PointStore targets(newcoords), rows(coords);
  return to_r(neargp::exact_mean_at(targets.view(), rows.view(), to_eigen(weights), to_covariance(covariance, 0.0),
                                    run_context(context)));
}
