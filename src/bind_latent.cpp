// Latent models and their posteriors, as R calls them. Nodes and data are numbered as the caller's rows.
#include "bind_blas.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "bind_latent_fit.h"
#include "bind_neighbors.h"
#include "latent/low_rank_prediction.h"
#include "latent/node_groups.h"
#include "parallel/parallel_for.h"

namespace {

neargp::PosteriorKind to_posterior_kind(const std::string& name) {
  if (name == "sparse") return neargp::PosteriorKind::sparse;
  if (name == "laplace") return neargp::PosteriorKind::laplace;
  if (name == "mean-field") return neargp::PosteriorKind::mean_field;
  throw neargp::Error("There is no posterior called '" + name + "'.");
}

Rcpp::List prediction_to_r(const neargp::LatentPrediction& prediction, neargp::Index locations, int columns) {
  return Rcpp::List::create(Rcpp::_["mean"] = prediction.mean, Rcpp::_["variance"] = prediction.variance,
                            Rcpp::_["response"] = by_column(prediction.response, locations, columns));
}

neargp::NodeGroups to_groups(const Rcpp::IntegerVector& sizes, const Rcpp::IntegerVector& nodes) {
  neargp::NodeGroups groups{{0}, to_rows(nodes)};
  for (const int size : sizes) groups.start.push_back(groups.start.back() + size);
  return groups;
}

}  // namespace

// `nodes`, `data` and `response` as in bind_latent.h. kind: "sparse", "laplace" or "mean-field". `factor_bytes`: what
// an incomplete factor may take. `effects`: the number of random effects, the last columns of the design. `shares`:
// whether shares of it are wanted (core_latent_share()), which an exact factor does not have. `joint_trend`: whether
// Laplace's trend is at the mode of field and trend.
// [[Rcpp::export]]
SEXP core_latent(const Rcpp::List& nodes, const Rcpp::List& data, const Rcpp::List& response, const std::string& kind,
                 bool exact, double factor_bytes, const Rcpp::List& context, int effects = 0, bool shares = false,
                 bool joint_trend = false) {
  const LatentInput input(nodes, data);
  return LatentPointer(new LatentFit(input.data(), to_response(response), to_posterior_kind(kind),
                                     {exact, factor_bytes, !shares}, effects, joint_trend, run_context(context)),
                       true);
}

// The columns of the random effects, rows x their number, for the fits that follow.
// [[Rcpp::export]]
void core_latent_set_effects(SEXP latent, const Rcpp::NumericMatrix& columns) {
  neargp::LatentResponse& response = LatentPointer(latent)->response;
  const int first = response.coefficients - columns.ncol();
  if (columns.nrow() != response.n() || first < 0) throw neargp::Error("The effects do not belong to these data.");
  for (neargp::Index i = 0; i < response.n(); ++i)
    for (int c = 0; c < columns.ncol(); ++c) response.design[i * response.coefficients + first + c] = columns(i, c);
}

// Where fits begin: at linear predictors that the responses suggest, or where a fit of the same responses ended.
// [[Rcpp::export]]
Rcpp::List core_latent_start(SEXP latent, const Rcpp::NumericVector& linear_predictor, const std::string& family,
                             const Rcpp::NumericVector& parameters, const Rcpp::List& context) {
  return state_to_r(LatentPointer(latent)->posterior.start({linear_predictor.begin(), linear_predictor.end()},
                                                           to_likelihood(family, parameters), run_context(context)));
}

// [[Rcpp::export]]
Rcpp::List core_latent_resume(SEXP latent, const Rcpp::NumericVector& mean, const std::vector<double>& beta,
                              const std::vector<double>& linear_predictor, const std::vector<double>& pseudo_precision,
                              const std::vector<double>& slope) {
  LatentPointer fit(latent);
  return state_to_r(fit->posterior.resume(fit->model.from_caller({mean.begin(), mean.end()}), beta, pseudo_precision,
                                          linear_predictor, slope));
}

// [[Rcpp::export]]
bool core_latent_is_exact(SEXP latent) { return LatentPointer(latent)->posterior.factor().is_exact(); }

// [[Rcpp::export]]
void core_latent_become_exact(SEXP latent) { LatentPointer(latent)->posterior.become_exact(neargp::RunContext()); }

// [[Rcpp::export]]
bool core_latent_is_restricted(SEXP latent) { return LatentPointer(latent)->posterior.factor().is_restricted(); }

// start: of core_latent_start() or core_latent_resume(), or the `end` of another fit. covariance: NULL for that of the
// last fit.
// [[Rcpp::export]]
Rcpp::List core_latent_fit(SEXP latent, const Rcpp::List& start, Rcpp::Nullable<Rcpp::List> covariance,
                           const std::string& family, const Rcpp::NumericVector& parameters, double tolerance,
                           int max_iterations, bool derivatives, const Rcpp::List& context) {
  LatentPointer fit(latent);
  const neargp::RunContext run = run_context(context);
  if (covariance.isNotNull()) fit->model.set_covariance(to_covariance(covariance.get(), 0.0), run);
  neargp::PosteriorSettings settings;
  settings.tolerance = tolerance;
  settings.max_iterations = max_iterations;
  const neargp::PosteriorOutcome outcome =
      fit->posterior.fit(to_state(start), to_likelihood(family, parameters), settings, derivatives, run);
  const neargp::SparsePosterior& posterior = fit->posterior;
  return Rcpp::List::create(
      Rcpp::_["value"] = outcome.value, Rcpp::_["iterations"] = outcome.iterations,
      Rcpp::_["converged"] = outcome.converged, Rcpp::_["beta"] = posterior.state().beta,
      Rcpp::_["exact"] = posterior.factor().is_exact(), Rcpp::_["restricted"] = posterior.factor().is_restricted(),
      Rcpp::_["end"] = state_to_r(posterior.state()), Rcpp::_["d_covariance"] = outcome.gradient.covariance,
      Rcpp::_["d_likelihood"] = outcome.gradient.likelihood, Rcpp::_["d_design"] = to_r(outcome.gradient.design));
}

// [[Rcpp::export]]
Rcpp::List core_latent_state(SEXP latent, const Rcpp::List& context) {
  LatentPointer fit(latent);
  neargp::SparsePosterior& posterior = fit->posterior;
  const int p = fit->response.coefficients;
  const neargp::TrendSystem::Trend trend = posterior.trend(run_context(context));
  std::vector<double> variance = posterior.variance_at_data();
  for (std::size_t i = 0; i < variance.size(); ++i) variance[i] += trend.variance_at_data[i];
  const std::vector<double> given_nodes =
      fit->model.interpolates() ? fit->model.interpolation().variance() : std::vector<double>(variance.size(), 0.0);
  return Rcpp::List::create(
      Rcpp::_["mean"] = fit->model.to_caller(posterior.state().mean),
      Rcpp::_["pseudo_precision"] = posterior.state().precision,
      Rcpp::_["linear_predictor"] = posterior.state().linear_predictor, Rcpp::_["variance"] = variance,
      Rcpp::_["variance_given_nodes"] = given_nodes, Rcpp::_["slope"] = posterior.slope(),
      Rcpp::_["node_variance"] = fit->model.to_caller(posterior.factor().node_variance()),
      Rcpp::_["field_response"] = by_column(fit->model.to_caller(trend.field_response, p), fit->model.nodes(), p),
      Rcpp::_["beta"] = posterior.state().beta, Rcpp::_["beta_vcov"] = by_column(trend.covariance, p, p),
      Rcpp::_["unexplained"] = fit->model.low_rank() ? fit->model.low_rank()->rows().unexplained().mean() : 0.0);
}

// [[Rcpp::export]]
void core_latent_restore(SEXP latent, const Rcpp::List& covariance, const Rcpp::NumericVector& mean,
                         const Rcpp::NumericVector& beta, const Rcpp::NumericVector& pseudo_precision,
                         const Rcpp::NumericMatrix& field_response, const Rcpp::List& context) {
  LatentPointer fit(latent);
  const neargp::RunContext run = run_context(context);
  fit->coefficients = field_response.ncol();
  fit->field_response = fit->model.from_caller({field_response.begin(), field_response.end()}, fit->coefficients);
  fit->model.set_covariance(to_covariance(covariance, 0.0), run);
  fit->posterior.restore(fit->model.from_caller({mean.begin(), mean.end()}), {beta.begin(), beta.end()},
                         {pseudo_precision.begin(), pseudo_precision.end()}, run);
}

// [[Rcpp::export]]
Rcpp::List core_latent_predict(SEXP latent, const Rcpp::NumericMatrix& newcoords, SEXP neighbors,
                               const Rcpp::List& context) {
  LatentPointer fit(latent);
  const PointStore locations(newcoords);
  const neargp::LatentPrediction prediction =
      neargp::predict_latent(fit->model, fit->posterior, locations.view(), Neighbors(neighbors).table(),
                             fit->field_response, fit->coefficients, fit->workspaces, run_context(context));
  return prediction_to_r(prediction, newcoords.nrow(), fit->coefficients);
}

// The same with a low-rank part: `k` of the candidates near each location are its neighbours.
// [[Rcpp::export]]
Rcpp::List core_latent_low_rank_predict(SEXP latent, const Rcpp::NumericMatrix& newcoords, SEXP candidates, int k,
                                        const Rcpp::List& context) {
  LatentPointer fit(latent);
  const PointStore locations(newcoords);
  return prediction_to_r(
      neargp::predict_low_rank(fit->model, fit->posterior, locations.view(), Neighbors(candidates).table(), k,
                               fit->field_response, fit->coefficients, run_context(context)),
      newcoords.nrow(), fit->coefficients);
}

// weights: nodes x locations. alpha: inducing points x locations.
// [[Rcpp::export]]
Rcpp::List core_latent_low_rank_joint(SEXP latent, const Rcpp::NumericMatrix& weights, const Rcpp::NumericMatrix& alpha,
                                      const Rcpp::List& context) {
  LatentPointer fit(latent);
  const auto by_node = [&](const std::vector<double>& columns, int count) {
    return Eigen::MatrixXd(Eigen::Map<const Eigen::MatrixXd>(columns.data(), fit->model.nodes(), count));
  };
  const std::vector<double> own = fit->model.from_caller({weights.begin(), weights.end()}, weights.ncol());
  const neargp::LatentJoint joint =
      neargp::joint_low_rank(fit->model, fit->posterior, by_node(own, weights.ncol()), to_eigen(alpha),
                             by_node(fit->field_response, fit->coefficients), run_context(context));
  return Rcpp::List::create(Rcpp::_["mean"] = to_r(joint.mean), Rcpp::_["response"] = to_r(joint.response),
                            Rcpp::_["covariance"] = to_r(joint.covariance));
}

// (Q + C'WC)^-1 h for each column of h, nodes x columns.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_latent_solve(SEXP latent, const Rcpp::NumericMatrix& h, const Rcpp::List& context) {
  LatentPointer fit(latent);
  const neargp::Index nodes = fit->model.nodes();
  std::vector<double> columns = fit->model.from_caller({h.begin(), h.end()}, h.ncol());
  fit->posterior.factor().solve_columns(columns, neargp::PosteriorFactor::precise, run_context(context));
  return by_column(fit->model.to_caller(columns, h.ncol()), nodes, h.ncol());
}

// field: nodes x draws; whitened: inducing points of the low-rank part x draws.
// [[Rcpp::export]]
Rcpp::List core_latent_draws(SEXP latent, int draws, double key, const Rcpp::List& context) {
  LatentPointer fit(latent);
  const neargp::LatentDraws drawn =
      neargp::draw_latent(fit->model, fit->posterior, draws, std::uint64_t(key), run_context(context));
  const neargp::LowRankPrior* low_rank = fit->model.low_rank();
  return Rcpp::List::create(
      Rcpp::_["field"] = by_column(fit->model.to_caller(drawn.field, draws), fit->model.nodes(), draws),
      Rcpp::_["whitened"] = by_column(drawn.whitened, low_rank ? low_rank->size() : 0, draws));
}

// The whitened field at the inducing points of the low-rank part given columns of the field, nodes x columns.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_latent_whitened(SEXP latent, const Rcpp::NumericMatrix& field, const Rcpp::List& context) {
  use_products_of(context);
  LatentPointer fit(latent);
  const std::vector<double> columns = fit->model.from_caller({field.begin(), field.end()}, field.ncol());
  return to_r(fit->model.low_rank()
                  ->split(Eigen::Map<const Eigen::MatrixXd>(columns.data(), fit->model.nodes(), field.ncol()))
                  .whitened);
}

// sizes: how many of the nodes are of each group, in order. The variances of weighted sums of the field over the
// groups.
// [[Rcpp::export]]
std::vector<double> core_latent_group_variances(SEXP latent, const Rcpp::IntegerVector& sizes,
                                                const Rcpp::IntegerVector& nodes, const std::vector<double>& weights,
                                                const Rcpp::List& context) {
  LatentPointer fit(latent);
  return neargp::group_variances(fit->model, fit->posterior.factor(), to_groups(sizes, nodes), weights, fit->workspaces,
                                 run_context(context));
}

// Covariance matrices of the field at the nodes of each group, one after the other.
// [[Rcpp::export]]
std::vector<double> core_latent_group_covariances(SEXP latent, const Rcpp::IntegerVector& sizes,
                                                  const Rcpp::IntegerVector& nodes, const Rcpp::List& context) {
  LatentPointer fit(latent);
  return neargp::group_covariances(fit->model, fit->posterior.factor(), to_groups(sizes, nodes), fit->workspaces,
                                   run_context(context));
}
