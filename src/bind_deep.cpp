// Deep Gaussian processes, as R calls them. States: see bind_deep_state.h.
#include "base/error.h"
#include "bind_convert.h"
#include "bind_deep_state.h"
#include "bind_eigen.h"
#include "deep/deep_training.h"

namespace {

neargp::DeepScore deep_score(const std::string& name) {
  if (name == "mixture") return neargp::DeepScore::mixture;
  if (name == "expected") return neargp::DeepScore::expected;
  if (name == "robust") return neargp::DeepScore::robust;
  throw neargp::Error("There is no score called '" + name + "'.");
}

// score, gamma (of "robust"), beta
neargp::DeepObjectiveSettings objective_settings(const Rcpp::List& list) {
  neargp::DeepObjectiveSettings settings;
  settings.score = deep_score(list["score"]);
  if (settings.score == neargp::DeepScore::robust) settings.gamma = Rcpp::as<double>(list["gamma"]);
  settings.beta = Rcpp::as<double>(list["beta"]);
  return settings;
}

neargp::DeepResponse response_of(const Rcpp::NumericVector& y, const Rcpp::List& list, neargp::Index rows) {
  neargp::DeepResponse response = to_deep_response(y, list);
  if (response.rows() != rows) throw neargp::Error("Each row of x must have a response.");
  return response;
}

Rcpp::List memory_to_r(const neargp::DeepMemory& memory) {
  return Rcpp::List::create(Rcpp::_["moments"] = memory.adam.moments, Rcpp::_["clock"] = memory.adam.clock,
                            Rcpp::_["average"] = memory.average);
}

neargp::DeepMemory to_memory(SEXP memory) {
  if (Rf_isNull(memory)) return {};
  const Rcpp::List list(memory);
  return {{Rcpp::as<std::vector<double>>(list["moments"]), Rcpp::as<std::vector<int>>(list["clock"])},
          Rcpp::as<std::vector<double>>(list["average"])};
}

}  // namespace

// `settings`: score, gamma, beta and rows, and where there is any, what to_deep_response() takes. `rows` is 0 for those
// of x. `gradient`: in logarithms of sd, variance, range, noise, the family's parameters and the diagonal of factor. It
// is in log_weights before they are normalised.
// [[Rcpp::export]]
Rcpp::List core_deep_objective(const Rcpp::List& state, const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& y,
                               const Rcpp::List& settings, const Rcpp::List& context) {
  const PointStore points(x);
  const neargp::DeepResponse response = response_of(y, settings, points.view().n);
  neargp::DeepObjectiveSettings objective = objective_settings(settings);
  objective.rows = Rcpp::as<int>(settings["rows"]);
  const neargp::DeepValue result =
      neargp::deep_objective(to_deep_state(state), {points.view(), response, nullptr}, objective, run_context(context));
  if (result.failure) return Rcpp::List::create(Rcpp::_["failure"] = failure_to_r(result.failure));
  return Rcpp::List::create(Rcpp::_["failure"] = R_NilValue, Rcpp::_["value"] = result.value,
                            Rcpp::_["gradient"] = from_deep_state(result.gradient, state));
}

// Moments of the linear predictor without offset and trend given each component, rows x components. With several
// responses one such block of columns follows the other.
// [[Rcpp::export]]
Rcpp::List core_deep_components(const Rcpp::List& state, const Rcpp::NumericMatrix& x, const Rcpp::List& context) {
  const PointStore points(x);
  const neargp::DeepPrediction result =
      neargp::deep_components(to_deep_state(state), points.view(), run_context(context));
  return Rcpp::List::create(Rcpp::_["failure"] = failure_to_r(result.failure), Rcpp::_["mean"] = to_r(result.mean),
                            Rcpp::_["variance"] = to_r(result.variance));
}

// The log density of each row's response under its mixture. settings: what to_deep_response() takes, where there is
// any.
// [[Rcpp::export]]
Rcpp::List core_deep_density(const Rcpp::List& state, const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& y,
                             const Rcpp::List& settings, const Rcpp::List& context) {
  const PointStore points(x);
  const neargp::DeepDensity result = neargp::deep_density(
      to_deep_state(state), points.view(), response_of(y, settings, points.view().n), run_context(context));
  return Rcpp::List::create(Rcpp::_["failure"] = failure_to_r(result.failure), Rcpp::_["value"] = to_r(result.value));
}

// `validation`: x, y, and where there is any, what to_deep_response() takes. `settings`: those of core_deep_objective()
// except rows, and from, to, epochs, batch_size, learning_rate, key, least_noise, least, most, judge_start, memory,
// report and keep. `least` and `most` are limits of the family's parameters. `memory` is NULL, or that of an earlier
// call that ended at the epoch `from`. `report` is a function of epoch, objective and validation score. `keep` is a
// function of the best state so far and its validation score.
// [[Rcpp::export]]
Rcpp::List core_deep_train(const Rcpp::List& state, const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& y,
                           const Rcpp::List& validation, const Rcpp::List& settings, const Rcpp::List& context) {
  const PointStore points(x), held_out(Rcpp::as<Rcpp::NumericMatrix>(validation["x"]));
  const neargp::DeepResponse response = response_of(y, settings, points.view().n),
                             held_out_response = response_of(validation["y"], validation, held_out.view().n);
  neargp::DeepTraining training;
  training.objective = objective_settings(settings);
  training.from = Rcpp::as<int>(settings["from"]);
  training.to = Rcpp::as<int>(settings["to"]);
  training.epochs = Rcpp::as<int>(settings["epochs"]);
  training.batch_size = Rcpp::as<int>(settings["batch_size"]);
  training.learning_rate = Rcpp::as<double>(settings["learning_rate"]);
  training.key = std::uint64_t(Rcpp::as<double>(settings["key"]));
  training.least_noise = Rcpp::as<double>(settings["least_noise"]);
  if (settings.containsElementNamed("least")) {
    training.least_parameters = Rcpp::as<std::vector<double>>(settings["least"]);
    training.most_parameters = Rcpp::as<std::vector<double>>(settings["most"]);
  }
  training.judge_start = settings.containsElementNamed("judge_start") && Rcpp::as<bool>(settings["judge_start"]);
  training.memory = to_memory(optional(settings, "memory"));
  if (settings.containsElementNamed("keep")) {
    const Rcpp::Function keep = settings["keep"];
    training.keep = [keep, state](const neargp::DeepState& best, double score) {
      keep(from_deep_state(best, state), score);
    };
  }
  const Rcpp::Function report = settings["report"];
  training.report = [report](int epoch, double objective, double score) { report(epoch, objective, score); };
  const neargp::DeepRun run =
      neargp::train_deep(to_deep_state(state), {points.view(), response, nullptr},
                         {held_out.view(), held_out_response, nullptr}, training, run_context(context));
  return Rcpp::List::create(
      Rcpp::_["state"] = from_deep_state(run.state, state),
      Rcpp::_["best"] =
          Rcpp::List::create(Rcpp::_["state"] = from_deep_state(run.best, state), Rcpp::_["epoch"] = run.best_epoch),
      Rcpp::_["objective"] = run.objective, Rcpp::_["validation"] = run.validation, Rcpp::_["rate"] = run.rate,
      Rcpp::_["start_score"] = run.start_score, Rcpp::_["memory"] = memory_to_r(run.memory),
      Rcpp::_["failure"] = failure_to_r(run.failure));
}
