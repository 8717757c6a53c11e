// Gaussian processes on inducing points, as R calls them.
#include "base/error.h"
#include "bind_blas.h"
#include "bind_bound.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "bind_inducing.h"
#include "bind_latent.h"
#include "variational/collapsed_prediction.h"
#include "variational/coregionalised_bound.h"
#include "variational/coregionalised_prediction.h"

// effects: how many of the last columns have coefficients N(0, I).
// [[Rcpp::export]]
Rcpp::List core_collapsed_bound(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns, int effects,
                                const Rcpp::NumericVector& noise_scale, const Rcpp::NumericMatrix& inducing,
                                const Rcpp::List& covariance, double nugget, const std::string& bound, double jitter,
                                bool derivatives, const Rcpp::List& context) {
  if (columns.nrow() != coords.nrow() || noise_scale.size() != coords.nrow())
    throw neargp::Error("Coordinates, values and noise must have the same number of rows.");
  const PointStore points(coords), positions(inducing);
  const std::vector<double> values = row_major(columns);
  const neargp::RegressionData data{points.view(), columns.ncol(), values.data(), noise_scale.begin()};
  neargp::BoundSettings settings = bound_settings(bound, jitter);
  settings.effects = effects;
  return bound_to_r(neargp::collapsed_bound(data, positions.view(), to_covariance(covariance, nugget), settings,
                                            derivatives, run_context(context)));
}

// Row i is output `outputs[i]` at row `places[i]` of `coords`, both counted from 1. `noise_scale`: of the rows of
// `coords`.
// [[Rcpp::export]]
Rcpp::List core_coregionalised_bound(const Rcpp::NumericMatrix& coords, const Rcpp::NumericVector& noise_scale,
                                     const Rcpp::NumericMatrix& columns, const Rcpp::IntegerVector& outputs,
                                     const Rcpp::IntegerVector& places, const Rcpp::NumericMatrix& inducing,
                                     const Rcpp::List& covariance, const std::string& bound, double jitter,
                                     bool derivatives, const Rcpp::List& context) {
  if (noise_scale.size() != coords.nrow() || outputs.size() != columns.nrow() || places.size() != columns.nrow())
    throw neargp::Error("Places need a noise, and rows an output and a place.");
  const PointStore points(coords), positions(inducing);
  const std::vector<double> values = row_major(columns);
  const std::vector<int> output_of_row = to_rows(outputs), place_of_row = to_rows(places);
  const neargp::OutputRegression data{points.view(), noise_scale.begin(),  columns.nrow(),     columns.ncol(),
                                      values.data(), output_of_row.data(), place_of_row.data()};
  return bound_to_r(neargp::coregionalised_bound(data, positions.view(), to_covariance(covariance, 0.0),
                                                 bound_settings(bound, jitter), derivatives, run_context(context)));
}

// response: as of a latent model, see bind_latent.h.
// [[Rcpp::export]]
Rcpp::List core_family_start(const Rcpp::NumericVector& linear_predictor, const Rcpp::List& response,
                             const std::string& family, const Rcpp::NumericVector& parameters,
                             const Rcpp::List& context) {
  return family_posterior_to_r(neargp::family_posterior_at({linear_predictor.begin(), linear_predictor.end()},
                                                           to_response(response), to_likelihood(family, parameters),
                                                           run_context(context)));
}

// `start`: from core_family_start(), or the `end` of another bound. `places`: the number of distinct locations among
// the rows. `effects`: how many of the last columns of the design have coefficients N(0, I).
// [[Rcpp::export]]
Rcpp::List core_family_bound(const Rcpp::NumericMatrix& coords, const Rcpp::List& response,
                             const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance,
                             const std::string& family, const Rcpp::NumericVector& parameters, const Rcpp::List& start,
                             int places, int effects, const std::string& bound, double kl_weight, double jitter,
                             double tolerance, bool derivatives, const Rcpp::List& context) {
  const PointStore points(coords), positions(inducing);
  return family_bound_to_r(
      neargp::family_bound(to_response(response), points.view(), positions.view(), to_covariance(covariance, 0.0),
                           to_likelihood(family, parameters), to_family_posterior(start),
                           family_bound_settings(bound, kl_weight, jitter, tolerance, places, effects), derivatives,
                           run_context(context)),
      derivatives);
}

// The factored prior at inducing points, and the posterior there. `weights` and `factor`: elements of a result of
// core_collapsed_bound().
// [[Rcpp::export]]
SEXP core_inducing_prior(const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance, double nugget,
                         double jitter, const Rcpp::List& context) {
  use_products_of(context);
  const PointStore positions(inducing);
  return InducingPriorPointer(new neargp::InducingPrior(positions.view(), to_covariance(covariance, nugget), jitter),
                              true);
}

// [[Rcpp::export]]
SEXP core_inducing_posterior(const Rcpp::NumericMatrix& weights, const Rcpp::NumericMatrix& factor) {
  return InducingPosteriorPointer(new InducingPosteriorParts{to_eigen(weights), to_eigen(factor)}, true);
}

// [[Rcpp::export]]
Rcpp::List core_collapsed_predict(const Rcpp::NumericMatrix& newcoords, SEXP prior, SEXP posterior,
                                  const Rcpp::List& context) {
  const PointStore targets(newcoords);
  const InducingPosteriorPointer at_points(posterior);
  const neargp::CollapsedPrediction result = neargp::collapsed_prediction(
      targets.view(), *InducingPriorPointer(prior), at_points->weights, at_points->factor, run_context(context));
  return Rcpp::List::create(
      Rcpp::_["failure"] = failure_name(result.failure), Rcpp::_["weighted"] = to_r(result.weighted),
      Rcpp::_["unexplained"] = to_r(result.unexplained), Rcpp::_["posterior"] = to_r(result.posterior));
}

// [[Rcpp::export]]
Rcpp::List core_coregionalised_predict(const Rcpp::NumericMatrix& newcoords, const Rcpp::NumericMatrix& inducing,
                                       const Rcpp::List& covariance, double jitter, const Rcpp::NumericMatrix& weights,
                                       const Rcpp::NumericMatrix& factor, const Rcpp::List& context) {
  const PointStore targets(newcoords), positions(inducing);
  const neargp::CoregionalisedPrediction result =
      neargp::coregionalised_prediction(targets.view(), positions.view(), to_covariance(covariance, 0.0), jitter,
                                        to_eigen(weights), to_eigen(factor), run_context(context));
  return Rcpp::List::create(
      Rcpp::_["failure"] = failure_name(result.failure), Rcpp::_["weighted"] = to_r(result.weighted),
      Rcpp::_["unexplained"] = to_r(result.unexplained), Rcpp::_["posterior"] = to_r(result.posterior));
}

// [[Rcpp::export]]
Rcpp::List core_inducing_features(const Rcpp::NumericMatrix& newcoords, SEXP prior, const Rcpp::List& context) {
  const PointStore targets(newcoords);
  const neargp::InducingFeatures result =
      neargp::inducing_features(targets.view(), *InducingPriorPointer(prior), run_context(context));
  return Rcpp::List::create(Rcpp::_["failure"] = failure_name(result.failure),
                            Rcpp::_["features"] = to_r(result.features),
                            Rcpp::_["unexplained"] = to_r(result.unexplained));
}
