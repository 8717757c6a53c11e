// The stochastic mean-field optimiser, and predictions from its posterior, as R calls them.
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "bind_covariance.h"
#include "bind_latent.h"
#include "bind_neighbors.h"
#include "latent/mean_field_adam.h"
#include "latent/mean_field_prediction.h"
#include "latent/node_posterior.h"
#include "linalg/products.h"

namespace {

neargp::MeanFieldPrior to_prior(const std::string& name) {
  if (name == "sequential") return neargp::MeanFieldPrior::sequential;
  if (name == "neighborhoods") return neargp::MeanFieldPrior::neighborhoods;
  throw neargp::Error("There is no prior called '" + name + "'.");
}

neargp::MeanFieldAdamSettings to_settings(const Rcpp::List& list) {
  neargp::MeanFieldAdamSettings settings;
  settings.prior = to_prior(Rcpp::as<std::string>(list["prior"]));
  settings.kl_weight = Rcpp::as<double>(list["kl_weight"]);
  settings.full = Rcpp::as<bool>(list["full"]);
  settings.shared = neargp::Index(Rcpp::as<double>(list["shared"]));
  settings.epochs = Rcpp::as<int>(list["epochs"]);
  settings.batch_size = Rcpp::as<int>(list["batch_size"]);
  settings.learning_rates = Rcpp::as<std::vector<double>>(list["learning_rate"]);
  settings.key = std::uint64_t(Rcpp::as<double>(list["key"]));
  settings.unit = Rcpp::as<double>(list["unit"]);
  settings.field_unit = Rcpp::as<double>(list["field_unit"]);
  settings.warm_start = Rcpp::as<bool>(list["warm_start"]);
  settings.locations = Rcpp::as<bool>(list["learn"]);
  settings.covariance = to_working_parameters(list["covariance"]);
  settings.likelihood = to_working_parameters(list["family"]);
  return settings;
}

// Tables and coordinates in the caller's numbering of the nodes.
class CallerNumbering {
 public:
  explicit CallerNumbering(const std::vector<int>& node_number) : number_(node_number), caller_(node_number.size()) {
    for (std::size_t j = 0; j < number_.size(); ++j) caller_[number_[j]] = int(j);
  }

  // `rows_are_nodes`: the rows are also renumbered.
  neargp::NeighborTable table(const neargp::NeighborTable& table, bool rows_are_nodes) const {
    neargp::NeighborTable result(table.n, table.k);
    for (neargp::Index row = 0; row < table.n; ++row) {
      int* out = result[rows_are_nodes ? caller_[row] : row];
      for (int m = 0; m < table.k; ++m) out[m] = table[row][m] < 0 ? -1 : caller_[table[row][m]];
    }
    return result;
  }

  Rcpp::NumericMatrix rows(const std::vector<double>& row_major, int columns) const {
    Rcpp::NumericMatrix result(int(number_.size()), columns);
    for (std::size_t j = 0; j < number_.size(); ++j)
      for (int c = 0; c < columns; ++c) result(int(j), c) = row_major[std::size_t(number_[j]) * columns + c];
    return result;
  }

 private:
  const std::vector<int>& number_;
  std::vector<int> caller_;
};

// The root of the covariance matrix of q(u), a row for each node, or a matrix without rows for independent nodes.
Rcpp::NumericMatrix root_to_r(const neargp::MeanFieldPoint& point, const CallerNumbering& caller,
                              const std::vector<int>& number) {
  if (point.root.empty()) return Rcpp::NumericMatrix(0, 0);
  std::vector<int> nodes(number.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  const Eigen::MatrixXd root =
      neargp::NodePosterior(point.moments, point.root).root_rows(nodes, 0, neargp::Index(number.size()));
  return caller.rows({root.data(), root.data() + root.size()}, int(number.size()));
}

Rcpp::List fit_to_r(const neargp::MeanFieldFit& fit, const neargp::LatentModel& model) {
  const CallerNumbering caller(model.node_number());
  const Rcpp::NumericMatrix moments = caller.rows(fit.point.moments, 2);
  return Rcpp::List::create(Rcpp::_["covariance"] = neargp::parameter_values(fit.point.covariance),
                            Rcpp::_["family"] = fit.point.likelihood.parameters, Rcpp::_["beta"] = fit.point.beta,
                            Rcpp::_["mean"] = Rcpp::NumericVector(moments.column(0)),
                            Rcpp::_["variance"] = Rcpp::NumericVector(moments.column(1)),
                            Rcpp::_["root"] = root_to_r(fit.point, caller, model.node_number()),
                            Rcpp::_["coords"] = caller.rows(fit.point.coords, model.dim()),
                            Rcpp::_["neighbors"] = to_r(caller.table(fit.node_neighbors, true)),
                            Rcpp::_["data_neighbors"] = to_r(caller.table(fit.data_neighbors, false)),
                            Rcpp::_["value"] = fit.value, Rcpp::_["trace"] = fit.trace,
                            Rcpp::_["skipped"] = fit.skipped);
}

// Means and variances in the caller's numbering, as moments in the model's.
std::vector<double> moments_by_node(const neargp::LatentModel& model, const Rcpp::List& start) {
  const std::vector<double> mean = model.from_caller(Rcpp::as<std::vector<double>>(start["mean"]));
  const std::vector<double> variance = model.from_caller(Rcpp::as<std::vector<double>>(start["variance"]));
  std::vector<double> moments;
  for (std::size_t j = 0; j < mean.size(); ++j) moments.insert(moments.end(), {mean[j], variance[j]});
  return moments;
}

// A posterior in the caller's numbering, for an optimiser that goes on: its root is found again for the model's order.
void set_posterior(const neargp::LatentModel& model, const Rcpp::List& start, neargp::MeanFieldPoint& point) {
  point.moments = moments_by_node(model, start);
  const Rcpp::NumericMatrix given = start["root"];
  if (given.nrow() == 0) return;
  const neargp::Index nodes = model.nodes();
  Eigen::MatrixXd rows(nodes, given.ncol());
  for (neargp::Index j = 0; j < nodes; ++j)
    for (int c = 0; c < given.ncol(); ++c) rows(model.node_number()[j], c) = given(int(j), c);
  Eigen::MatrixXd lower = rows * rows.transpose();
  if (!neargp::cholesky(lower)) throw neargp::Error("The covariance matrix of the inducing points is singular.");
  point.root.assign(nodes * nodes, 0.0);
  for (neargp::Index j = 0; j < nodes; ++j) {
    point.moments[2 * j + 1] = lower(j, j) * lower(j, j);
    for (neargp::Index l = 0; l < j; ++l) point.root[j * nodes + l] = lower(j, l) / lower(j, j);
  }
}

}  // namespace

// `nodes`, `data` and `response` as in bind_latent.h. `start`: beta, and the linear_predictor that each response
// suggests by itself. A fit that is continued needs instead mean, variance and root (fit_to_r()) of the nodes.
// `settings`: prior, kl_weight, full, shared, epochs, batch_size, learning_rate, key, unit, field_unit, warm_start,
// learn, covariance, family and report. `covariance` and `family` contain transform, lower, upper and free for each
// parameter. `report` is a function of the epoch and a list of what is reached.
// [[Rcpp::export]]
Rcpp::List core_mean_field_fit(const Rcpp::List& nodes, const Rcpp::List& data, const Rcpp::List& response,
                               const Rcpp::List& covariance, const std::string& family,
                               const Rcpp::NumericVector& parameters, const Rcpp::List& start,
                               const Rcpp::List& settings, const Rcpp::List& context) {
  const neargp::RunContext run = run_context(context);
  const LatentInput input(nodes, data);
  neargp::LatentModel model(input.data(), run);
  const neargp::LatentResponse observed = to_response(response);
  neargp::MeanFieldPoint point;
  point.covariance = to_covariance(covariance, 0.0);
  point.likelihood = to_likelihood(family, parameters);
  point.beta = Rcpp::as<std::vector<double>>(start["beta"]);
  point.coords = model.coords();
  model.set_covariance(point.covariance, run);
  neargp::MeanFieldAdamSettings adam = to_settings(settings);
  const Rcpp::Function report = settings["report"];
  adam.report = [&report, &model](int epoch, const neargp::MeanFieldPoint& reached) {
    report(epoch, Rcpp::List::create(
                      Rcpp::_["covariance"] = neargp::parameter_values(reached.covariance),
                      Rcpp::_["family"] = reached.likelihood.parameters,
                      Rcpp::_["inducing"] = CallerNumbering(model.node_number()).rows(reached.coords, model.dim())));
  };
  if (adam.warm_start) {
    set_posterior(model, start, point);
  } else {
    point.moments = neargp::starting_moments(model, observed, point.likelihood, point.beta,
                                             Rcpp::as<std::vector<double>>(start["linear_predictor"]), run);
  }
  return fit_to_r(neargp::fit_mean_field(model, observed, std::move(point), adam, run), model);
}

// Moments of the data under a fit of independent nodes, and how it answers to the trend; `mean`, `variance` and
// `root` by node.
// [[Rcpp::export]]
Rcpp::List core_mean_field_state(const Rcpp::List& nodes, const Rcpp::List& data, const Rcpp::List& response,
                                 const Rcpp::List& covariance, const std::string& family,
                                 const Rcpp::NumericVector& parameters, const Rcpp::NumericVector& beta,
                                 const Rcpp::NumericVector& mean, const Rcpp::NumericVector& variance,
                                 const Rcpp::NumericMatrix& root, const Rcpp::List& context) {
  const neargp::RunContext run = run_context(context);
  const LatentInput input(nodes, data);
  neargp::LatentModel model(input.data(), run);
  model.set_covariance(to_covariance(covariance, 0.0), run);
  const neargp::LatentResponse observed = to_response(response);
  const int p = observed.coefficients;
  const neargp::MeanFieldState state = neargp::mean_field_state(
      model, observed, to_likelihood(family, parameters), {beta.begin(), beta.end()},
      model.from_caller({mean.begin(), mean.end()}), model.from_caller({variance.begin(), variance.end()}),
      model.from_caller({root.begin(), root.end()}, root.ncol()), run);
  const std::vector<double> given_nodes =
      model.interpolates() ? model.interpolation().variance() : std::vector<double>(state.variance.size(), 0.0);
  return Rcpp::List::create(
      Rcpp::_["linear_predictor"] = state.linear_predictor, Rcpp::_["variance"] = state.variance,
      Rcpp::_["variance_given_nodes"] = given_nodes, Rcpp::_["slope"] = state.slope,
      Rcpp::_["pseudo_precision"] = state.curvature,
      Rcpp::_["field_response"] = by_column(model.to_caller(state.field_response, p), model.nodes(), p),
      Rcpp::_["beta_vcov"] = by_column(state.trend_covariance, p, p));
}

// columns: mean and variance of the nodes, then the columns of field_response.
// [[Rcpp::export]]
Rcpp::List core_mean_field_predict(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns, double jitter,
                                   const Rcpp::NumericMatrix& newcoords, SEXP neighbors, const Rcpp::List& covariance,
                                   const Rcpp::List& context) {
  const PointStore nodes(coords), locations(newcoords);
  const neargp::MeanFieldPrediction prediction =
      neargp::predict_mean_field(nodes.view(), row_major(columns), columns.ncol(), jitter, locations.view(),
                                 Neighbors(neighbors).table(), to_covariance(covariance, 0.0), run_context(context));
  return Rcpp::List::create(Rcpp::_["mean"] = prediction.mean, Rcpp::_["variance"] = prediction.variance,
                            Rcpp::_["response"] = columns.ncol() > 2
                                                      ? from_row_major(prediction.response, columns.ncol() - 2)
                                                      : Rcpp::NumericMatrix(newcoords.nrow(), 0));
}
