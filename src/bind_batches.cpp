// Stochastic fits on inducing points, and what they maximise, as R calls them.
#include <optional>

#include "base/error.h"
#include "bind_bound.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "bind_latent.h"
#include "bind_network.h"
#include "variational/batch_fit.h"
#include "variational/inducing_objective.h"

namespace {

neargp::RowScore row_score(const std::string& name) {
  if (name == "expected") return neargp::RowScore::expected;
  if (name == "predictive") return neargp::RowScore::predictive;
  throw neargp::Error("There is no such score: " + name + ".");
}

neargp::BatchObjective batch_objective(const Rcpp::List& settings) {
  return {row_score(settings["score"]), bound_kind(settings["bound"]), Rcpp::as<double>(settings["kl_weight"])};
}

// mean, root (a root of the covariance matrix); or NULL.
neargp::RootedPosterior to_posterior(SEXP posterior) {
  if (Rf_isNull(posterior)) return {};
  const Rcpp::List list(posterior);
  const Rcpp::NumericVector mean = list["mean"];
  return {Eigen::Map<const Eigen::VectorXd>(mean.begin(), mean.size()), to_eigen(list["root"]), false};
}

Rcpp::List posterior_to_r(const neargp::RootedPosterior& q) {
  return Rcpp::List::create(Rcpp::_["mean"] = to_r(q.mean), Rcpp::_["root"] = to_r(q.lower));
}

neargp::BatchFitSettings batch_settings(const Rcpp::List& settings) {
  neargp::BatchFitSettings result;
  result.objective = batch_objective(settings);
  if (Rcpp::as<std::string>(settings["moves"]) == "adam") result.moves = neargp::PosteriorMoves::adam;
  result.jitter = Rcpp::as<double>(settings["jitter"]);
  result.epochs = Rcpp::as<int>(settings["epochs"]);
  result.until = Rcpp::as<int>(settings["until"]);
  result.batch_size = Rcpp::as<int>(settings["batch_size"]);
  result.learning_rate = Rcpp::as<double>(settings["learning_rate"]);
  result.goes_on = Rcpp::as<bool>(settings["goes_on"]);
  result.natural_rate = Rcpp::as<double>(settings["natural_rate"]);
  result.key = std::uint64_t(Rcpp::as<double>(settings["key"]));
  result.covariance = to_working_parameters(settings["covariance"]);
  result.likelihood = to_working_parameters(settings["family"]);
  result.position_unit = Rcpp::as<std::vector<double>>(settings["position_unit"]);
  result.spherical = Rcpp::as<bool>(settings["spherical"]);
  result.weight_decay = Rcpp::as<double>(settings["weight_decay"]);
  return result;
}

Rcpp::List adam_to_r(const neargp::AdamMemory& memory) {
  return Rcpp::List::create(Rcpp::_["moments"] = memory.moments, Rcpp::_["clock"] = memory.clock);
}

neargp::AdamMemory to_adam(const Rcpp::List& memory) {
  return {Rcpp::as<std::vector<double>>(memory["moments"]), Rcpp::as<std::vector<int>>(memory["clock"])};
}

// NULL without a network.
SEXP network_weights(const neargp::BatchFit& fit) {
  return fit.network ? Rcpp::wrap(fit.network->weights) : R_NilValue;
}

// The state from which the next piece of a run continues.
Rcpp::List memory_to_r(const neargp::BatchFit& fit) {
  const neargp::BatchMemory& memory = fit.memory;
  return Rcpp::List::create(
      Rcpp::_["epochs"] = memory.epochs, Rcpp::_["covariance"] = neargp::parameter_values(fit.covariance),
      Rcpp::_["family"] = fit.likelihood.parameters, Rcpp::_["positions"] = fit.positions, Rcpp::_["trace"] = fit.trace,
      Rcpp::_["skipped"] = fit.skipped, Rcpp::_["shared"] = memory.shared,
      Rcpp::_["shared_adam"] = adam_to_r(memory.shared_adam),
      Rcpp::_["position_adam"] = adam_to_r(memory.position_adam),
      Rcpp::_["network_adam"] = adam_to_r(memory.network_adam), Rcpp::_["weights"] = network_weights(fit),
      Rcpp::_["moves"] = double(memory.moves), Rcpp::_["precision"] = to_r(memory.natural.precision),
      Rcpp::_["natural"] = to_r(memory.natural.natural), Rcpp::_["mean"] = to_r(memory.adam.at.mean),
      Rcpp::_["root"] = to_r(memory.adam.at.lower), Rcpp::_["mean_adam"] = adam_to_r(memory.adam.mean),
      Rcpp::_["root_adam"] = adam_to_r(memory.adam.root));
}

// `covariance`, `likelihood` and `network` are those at the beginning of the run. Their values come from the earlier
// piece.
std::optional<neargp::BatchFit> earlier_piece(SEXP memory, neargp::Covariance covariance, neargp::Likelihood likelihood,
                                              std::optional<neargp::Perceptron> network) {
  if (Rf_isNull(memory)) return std::nullopt;
  const Rcpp::List list(memory);
  neargp::set_parameter_values(covariance, Rcpp::as<std::vector<double>>(list["covariance"]));
  likelihood.parameters = Rcpp::as<std::vector<double>>(list["family"]);
  if (network) network->weights = Rcpp::as<std::vector<double>>(list["weights"]);
  neargp::BatchFit fit{std::move(covariance),
                       std::move(likelihood),
                       Rcpp::as<std::vector<double>>(list["positions"]),
                       std::move(network),
                       {},
                       Rcpp::as<std::vector<double>>(list["trace"]),
                       Rcpp::as<int>(list["skipped"]),
                       {}};
  fit.memory.epochs = Rcpp::as<int>(list["epochs"]);
  fit.memory.shared = Rcpp::as<std::vector<double>>(list["shared"]);
  fit.memory.shared_adam = to_adam(list["shared_adam"]);
  fit.memory.position_adam = to_adam(list["position_adam"]);
  fit.memory.network_adam = to_adam(list["network_adam"]);
  fit.memory.moves = neargp::Index(Rcpp::as<double>(list["moves"]));
  fit.memory.natural = {to_eigen(list["precision"]), to_eigen_vector(list["natural"])};
  fit.memory.adam = {{to_eigen_vector(list["mean"]), to_eigen(list["root"]), false},
                     to_adam(list["mean_adam"]),
                     to_adam(list["root_adam"])};
  return fit;
}

Rcpp::List reached_to_r(const neargp::BatchFit& fit, int dim) {
  return Rcpp::List::create(
      Rcpp::_["covariance"] = neargp::parameter_values(fit.covariance), Rcpp::_["family"] = fit.likelihood.parameters,
      Rcpp::_["inducing"] = from_row_major(fit.positions, dim), Rcpp::_["value"] = fit.trace.back());
}

}  // namespace

// `start`: pseudo-observations of all rows, from core_family_start(). `posterior`: the mean and root of q at which
// moves "adam" begin, or NULL to begin at the pseudo-observations. `settings`: moves, score, bound, kl_weight, jitter,
// epochs, until, batch_size, learning_rate, goes_on, natural_rate, key, covariance, family, position_unit, spherical,
// weight_decay and report. `until` is the epoch at which this piece of the run ends. `covariance` and `family` contain
// transform, lower, upper and free for each parameter. `position_unit` contains a number for each coordinate, or none
// where positions are fixed. `report` is a function of the epoch and a list of what is reached. `network`: as in
// core_perceptron(), with inputs `coords`, or NULL. `before`: the `memory` of the piece before this one, NULL for the
// first.
// [[Rcpp::export]]
Rcpp::List core_batch_fit(const Rcpp::NumericMatrix& coords, const Rcpp::List& response,
                          const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance, const std::string& family,
                          const Rcpp::NumericVector& parameters, const Rcpp::List& start, SEXP posterior, SEXP network,
                          const Rcpp::List& settings, SEXP before, const Rcpp::List& context) {
  const PointStore points(coords), positions(inducing);
  const int dim = inducing.ncol();
  neargp::BatchFitSettings batches = batch_settings(settings);
  const Rcpp::Function report = settings["report"];
  batches.report = [report, dim](int epoch, const neargp::BatchFit& reached) {
    report(epoch, reached_to_r(reached, dim));
  };
  const neargp::Covariance given = to_covariance(covariance, 0.0);
  const neargp::Likelihood likelihood = to_likelihood(family, parameters);
  const std::optional<neargp::Perceptron> perceptron = to_network(network);
  const neargp::BatchFit fit =
      neargp::batch_fit(to_response(response), points.view(), positions.view(), given, likelihood,
                        {to_family_posterior(start), to_posterior(posterior), perceptron,
                         earlier_piece(before, given, likelihood, perceptron)},
                        batches, run_context(context));
  Rcpp::List list = reached_to_r(fit, dim);
  list["trace"] = fit.trace;
  list["skipped"] = fit.skipped;
  list["weights"] = network_weights(fit);
  if (batches.until < batches.epochs) list["memory"] = memory_to_r(fit);
  if (batches.moves == neargp::PosteriorMoves::adam) list["posterior"] = posterior_to_r(fit.posterior);
  return list;
}

// posterior: mean and root of the whitened field at the inducing points. settings: score, bound, kl_weight, jitter.
// [[Rcpp::export]]
Rcpp::List core_inducing_objective(const Rcpp::NumericMatrix& coords, const Rcpp::List& response,
                                   const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance,
                                   const std::string& family, const Rcpp::NumericVector& parameters,
                                   const Rcpp::List& posterior, const Rcpp::List& settings, bool derivatives,
                                   const Rcpp::List& context) {
  const PointStore points(coords), positions(inducing);
  const neargp::InducingObjective at =
      neargp::inducing_objective(to_response(response), points.view(), positions.view(), to_covariance(covariance, 0.0),
                                 to_likelihood(family, parameters), to_posterior(posterior), batch_objective(settings),
                                 Rcpp::as<double>(settings["jitter"]), derivatives, run_context(context));
  Rcpp::List list = Rcpp::List::create(Rcpp::_["failure"] = failure_name(at.failure));
  if (at.failure != neargp::BoundFailure::none) return list;
  list["value"] = at.value;
  list["divergence"] = at.divergence;
  list["mean"] = to_r(at.rows.mean);
  list["variance"] = to_r(at.rows.variance);
  list["unexplained"] = to_r(at.rows.unexplained);
  list["slope"] = to_r(at.rows.slope);
  list["curvature"] = to_r(at.rows.curvature);
  if (!derivatives) return list;
  list["d_covariance"] = at.gradient.covariance.parameters;
  list["d_likelihood"] = at.gradient.likelihood;
  list["d_inducing"] = to_r(at.gradient.covariance.positions);
  list["d_mean"] = to_r(at.gradient.mean);
  list["d_root"] = to_r(at.gradient.root);
  list["d_coords"] = to_r(at.gradient.coords);
  return list;
}
