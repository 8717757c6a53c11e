// Responses of any family by leave-one-out: moments of normal pseudo-observations, and densities over a normal
// predictor, as R calls them.
#include "base/error.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_neighbors.h"
#include "likelihoods/marginal.h"
#include "loo/pseudo_observations.h"
#include "loo/student_t_variables.h"

using neargp::Index;

namespace {

using PseudoObservationsPointer = Rcpp::XPtr<neargp::PseudoObservations>;

const double* optional(const std::vector<double>& values, std::size_t n) {
  if (!values.empty() && values.size() != n) throw neargp::Error("All vectors need the length of y.");
  return values.empty() ? nullptr : values.data();
}

}  // namespace

// Columns and noise_scale: of the pseudo-observations, the rows of coords. Neighbours: a column of such rows for each
// of the targets.
// [[Rcpp::export]]
SEXP core_pseudo_observations(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                              const std::vector<double>& noise_scale, const Rcpp::NumericMatrix& targets,
                              SEXP neighbors) {
  const Index n = coords.nrow();
  if (columns.nrow() != n || Index(noise_scale.size()) != n)
    throw neargp::Error("Coordinates, values and noise must have the same number of rows.");
  const PointStore points(coords), target_points(targets);
  const std::vector<double> values = row_major(columns);
  return PseudoObservationsPointer(
      new neargp::PseudoObservations({points.view(), columns.ncol(), values.data(), noise_scale.data()},
                                     target_points.view(), Neighbors(neighbors).table()),
      true);
}

// Moments of the targets first .. last.
// [[Rcpp::export]]
Rcpp::List core_pseudo_observation_moments(SEXP model, int first, int last, const Rcpp::List& covariance, double nugget,
                                           const Rcpp::List& context) {
  PseudoObservationsPointer pointer(model);
  const neargp::PseudoObservationMoments moments =
      pointer->moments(first - 1, last, to_covariance(covariance, nugget), run_context(context));
  return Rcpp::List::create(Rcpp::_["weighted"] = from_row_major(moments.weighted, pointer->columns()),
                            Rcpp::_["variance"] = moments.variance, Rcpp::_["failed"] = int(moments.failed + 1));
}

// [[Rcpp::export]]
std::vector<double> core_pseudo_observation_adjoint(SEXP model, int first, int last, const Rcpp::List& covariance,
                                                    double nugget, const Rcpp::NumericMatrix& weighted_bar,
                                                    const std::vector<double>& variance_bar,
                                                    const Rcpp::List& context) {
  PseudoObservationsPointer pointer(model);
  const Index targets = last - first + 1;
  if (weighted_bar.nrow() != targets || weighted_bar.ncol() != pointer->columns() ||
      Index(variance_bar.size()) != targets)
    throw neargp::Error("There must be derivatives for each target and column.");
  return pointer->adjoint(first - 1, last, to_covariance(covariance, nugget), {row_major(weighted_bar), variance_bar},
                          run_context(context));
}

// Omega, a column for each target. The data are residuals at the rows of coords.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_gamma_variables(const Rcpp::NumericMatrix& coords, const std::vector<double>& residuals,
                                         const std::vector<double>& noise_scale, SEXP neighbors,
                                         const Rcpp::List& covariance, double nugget, double scale, double df,
                                         const Rcpp::List& context) {
  const PointStore points(coords);
  if (Index(residuals.size()) != coords.nrow() || Index(noise_scale.size()) != coords.nrow())
    throw neargp::Error("Coordinates, values and noise must have the same number of rows.");
  Neighbors sets(neighbors);
  const std::vector<double> omega =
      neargp::gamma_variables({points.view(), 1, residuals.data(), noise_scale.data()}, sets.table(),
                              to_covariance(covariance, nugget), {scale, df}, run_context(context));
  return Rcpp::NumericMatrix(sets.k(), int(sets.n()), omega.begin());
}

// The gamma variables that match data with these residuals about predictions of these variances.
// [[Rcpp::export]]
std::vector<double> core_matched_omega(const std::vector<double>& residuals, const std::vector<double>& variance,
                                       const std::vector<double>& weights, double scale, double df) {
  const std::size_t n = residuals.size();
  if (variance.size() != n || weights.size() != n) throw neargp::Error("All vectors need the length of the residuals.");
  const std::vector<double> center(n, 0.0);
  return neargp::matched_omega(
      {neargp::ResponseFamily::student_t, {scale, df}},
      {{Index(n), residuals.data(), nullptr, weights.data()}, center.data(), variance.data(), nullptr});
}

// log E p(y | eta), eta ~ N(mean, variance). Vectors of length 0: trials, weights and counts (all 1).
// [[Rcpp::export]]
Rcpp::List core_marginal_density(const std::string& family, const std::vector<double>& parameters,
                                 const std::vector<double>& y, const std::vector<double>& trials,
                                 const std::vector<double>& weights, const std::vector<double>& count,
                                 const std::vector<double>& mean, const std::vector<double>& variance, bool gradient,
                                 const Rcpp::List& context) {
  const std::size_t n = y.size();
  if (mean.size() != n || variance.size() != n) throw neargp::Error("All vectors need the length of y.");
  const neargp::MarginalInput input{{Index(n), y.data(), optional(trials, n), optional(weights, n)},
                                    mean.data(),
                                    variance.data(),
                                    optional(count, n)};
  const neargp::MarginalDensity density = neargp::marginal_density(
      {neargp::response_family_from_name(family), parameters}, input, gradient, run_context(context));
  return Rcpp::List::create(Rcpp::_["value"] = density.value, Rcpp::_["d_mean"] = density.d_mean,
                            Rcpp::_["d_variance"] = density.d_variance,
                            Rcpp::_["d_log_parameters"] = density.d_log_parameters);
}
