// Latent models of several responses that share fields, as R calls them. The functions core_latent_*() that need no
// likelihoods, covariances or predictions also serve these models. Fields are numbered with their locations: field q at
// location j is q * locations + j.
#include <algorithm>

#include "base/memory.h"
#include "bind_blas.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "bind_latent_fit.h"
#include "bind_neighbors.h"
#include "latent/field_prediction.h"

namespace {

// locations, shares: matrices with a column for each row of the data. response: that of each row. structure: that of
// each field.
neargp::FieldRows to_field_rows(const Rcpp::List& rows) {
  const Rcpp::IntegerMatrix places = rows["places"];
  neargp::FieldRows result;
  result.structure_of_field = to_rows(Rcpp::as<Rcpp::IntegerVector>(rows["structure"]));
  result.response = to_rows(Rcpp::as<Rcpp::IntegerVector>(rows["response"]));
  result.places = neargp::NeighborTable(places.ncol(), places.nrow());
  const std::vector<int> numbers = to_rows(Rcpp::as<Rcpp::IntegerVector>(rows["places"]));
  std::copy(numbers.begin(), numbers.end(), result.places.index.begin());
  result.shares = Rcpp::as<std::vector<double>>(rows["shares"]);
  return result;
}

// families: names; parameters: a vector for each; ends: the last row of each.
neargp::Likelihoods to_likelihoods(const Rcpp::List& likelihoods) {
  const Rcpp::CharacterVector families = likelihoods["families"];
  const Rcpp::List parameters = likelihoods["parameters"];
  const Rcpp::IntegerVector ends = likelihoods["ends"];
  std::vector<neargp::Likelihood> responses;
  for (R_xlen_t m = 0; m < families.size(); ++m)
    responses.push_back(to_likelihood(Rcpp::as<std::string>(families[m]), parameters[m]));
  return {std::move(responses), {ends.begin(), ends.end()}};
}

std::vector<neargp::Covariance> to_covariances(const Rcpp::List& structures) {
  std::vector<neargp::Covariance> covariances;
  for (R_xlen_t s = 0; s < structures.size(); ++s) covariances.push_back(to_covariance(structures[s], 0.0));
  return covariances;
}

}  // namespace

// `nodes` as in bind_latent.h, `response` with the rows of all responses, one response after the other.
// [[Rcpp::export]]
SEXP core_fields(const Rcpp::List& nodes, const Rcpp::List& rows, int responses, const Rcpp::List& response, bool exact,
                 double factor_bytes, const Rcpp::List& context, int effects = 0) {
  LatentInput input(nodes, Rcpp::List::create(Rcpp::_["node"] = Rcpp::IntegerVector()));
  neargp::LatentData data = input.data();
  data.fields = to_field_rows(rows);
  data.responses = responses;
  return LatentPointer(new LatentFit(data, to_response(response), neargp::PosteriorKind::sparse,
                                     {exact, factor_bytes, true}, effects, false, run_context(context)),
                       true);
}

// [[Rcpp::export]]
Rcpp::List core_fields_start(SEXP latent, const std::vector<double>& linear_predictor, const Rcpp::List& likelihoods,
                             const Rcpp::List& context) {
  return state_to_r(
      LatentPointer(latent)->posterior.start(linear_predictor, to_likelihoods(likelihoods), run_context(context)));
}

// loadings: responses x fields. The gradient of the covariances contains the parameters of one structure after the
// other, then the loadings by column.
// [[Rcpp::export]]
Rcpp::List core_fields_fit(SEXP latent, const Rcpp::List& start, const Rcpp::List& structures,
                           const Rcpp::NumericMatrix& loadings, const Rcpp::List& likelihoods, double tolerance,
                           int max_iterations, bool derivatives, const Rcpp::List& context) {
  LatentPointer fit(latent);
  const neargp::RunContext run = run_context(context);
  fit->model.set_fields(to_covariances(structures), to_eigen(loadings), run);
  neargp::PosteriorSettings settings;
  settings.tolerance = tolerance;
  settings.max_iterations = max_iterations;
  const neargp::PosteriorOutcome outcome =
      fit->posterior.fit(to_state(start), to_likelihoods(likelihoods), settings, derivatives, run);
  const neargp::SparsePosterior& posterior = fit->posterior;
  return Rcpp::List::create(
      Rcpp::_["value"] = outcome.value, Rcpp::_["iterations"] = outcome.iterations,
      Rcpp::_["converged"] = outcome.converged, Rcpp::_["beta"] = posterior.state().beta,
      Rcpp::_["exact"] = posterior.factor().is_exact(), Rcpp::_["restricted"] = posterior.factor().is_restricted(),
      Rcpp::_["end"] = state_to_r(posterior.state()), Rcpp::_["mean"] = fit->model.to_caller(posterior.state().mean),
      Rcpp::_["d_covariance"] = outcome.gradient.covariance, Rcpp::_["d_likelihood"] = outcome.gradient.likelihood,
      Rcpp::_["d_design"] = to_r(outcome.gradient.design));
}

// Where the next fit begins its solves for the trend, in the order of the core.
// [[Rcpp::export]]
std::vector<double> core_fields_response(SEXP latent) { return LatentPointer(latent)->posterior.last_response(); }

// [[Rcpp::export]]
void core_fields_begin_at_response(SEXP latent, const std::vector<double>& response) {
  LatentPointer(latent)->posterior.begin_at_response(response);
}

// The state opposite to one that a step of the parameters led to, seen from the state before it.
// [[Rcpp::export]]
Rcpp::List core_fields_opposite(const Rcpp::List& center, const Rcpp::List& moved) {
  return state_to_r(opposite_state(to_state(center), to_state(moved)));
}

// [[Rcpp::export]]
void core_fields_restore(SEXP latent, const Rcpp::List& structures, const Rcpp::NumericMatrix& loadings,
                         const Rcpp::NumericVector& mean, const std::vector<double>& beta,
                         const std::vector<double>& pseudo_precision, const Rcpp::NumericMatrix& field_response,
                         const Rcpp::List& context) {
  LatentPointer fit(latent);
  const neargp::RunContext run = run_context(context);
  fit->coefficients = field_response.ncol();
  fit->field_response = fit->model.from_caller({field_response.begin(), field_response.end()}, fit->coefficients);
  fit->model.set_fields(to_covariances(structures), to_eigen(loadings), run);
  fit->posterior.restore(fit->model.from_caller({mean.begin(), mean.end()}), beta, pseudo_precision, run);
}

// The columns of `covariance` are the pairs of fields. The rows of `response` are locations, for one field after the
// other, and its columns coefficients.
// [[Rcpp::export]]
Rcpp::List core_fields_predict(SEXP latent, const Rcpp::NumericMatrix& newcoords, SEXP neighbors,
                               const Rcpp::List& context) {
  LatentPointer fit(latent);
  const PointStore locations(newcoords);
  const int fields = fit->model.fields(), n = newcoords.nrow();
  const neargp::FieldPrediction prediction =
      neargp::predict_fields(fit->model, fit->posterior, locations.view(), Neighbors(neighbors).table(),
                             fit->field_response, fit->coefficients, fit->workspaces, run_context(context));
  return Rcpp::List::create(
      Rcpp::_["mean"] = by_column(prediction.mean, n, fields),
      Rcpp::_["covariance"] = by_column(prediction.covariance, n, fields * fields),
      Rcpp::_["response"] = by_column(prediction.response, neargp::Index(n) * fields, fit->coefficients));
}

// Means of the fields, locations x fields, by covariances and means of the nodes other than those of the posterior.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_fields_means(SEXP latent, const Rcpp::NumericMatrix& newcoords, SEXP neighbors,
                                      const Rcpp::List& structures, const Rcpp::NumericVector& mean,
                                      const Rcpp::List& context) {
  LatentPointer fit(latent);
  const PointStore locations(newcoords);
  return by_column(
      neargp::field_means(fit->model, to_covariances(structures), locations.view(), Neighbors(neighbors).table(),
                          fit->model.from_caller({mean.begin(), mean.end()}), run_context(context)),
      newcoords.nrow(), fit->model.fields());
}

// [[Rcpp::export]]
void core_return_free_memory() { neargp::return_free_memory(); }
