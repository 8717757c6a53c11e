// Likelihoods, gradients and kriging from conditioning sets, as R calls them.
#include <utility>

#include "base/error.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_neighbors.h"
#include "response/conditional_simulation.h"
#include "response/exact_gp.h"
#include "response/joint_likelihood.h"
#include "response/kriging.h"
#include "response/vecchia_likelihood.h"

using neargp::Index;

namespace {

// The arrays that a LocalData points to, row-major.
struct DataStore {
  PointStore points;
  std::vector<double> values, noise_scale;
  OutputStore outputs;
  int columns;

  DataStore(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& values_matrix,
            const Rcpp::NumericVector& noise, const Outputs& output_of_row = R_NilValue)
      : points(coords), values(row_major(values_matrix)), noise_scale(noise.begin(), noise.end()),
        outputs(output_of_row, coords.nrow()), columns(values_matrix.ncol()) {
    if (values_matrix.nrow() != coords.nrow() || noise.size() != coords.nrow())
      throw neargp::Error("Coordinates, values and noise must have the same number of rows.");
  }
  neargp::LocalData view() const { return {points.view(), columns, values.data(), noise_scale.data(), outputs.data()}; }
};

// Data and what predicts from them.
struct KrigingData {
  DataStore data;
  neargp::KrigingPredictor predictor;

  KrigingData(DataStore data_, const neargp::Covariance& covariance)
      : data(std::move(data_)), predictor(data.view(), covariance) {}
};

struct ExactData {
  DataStore data;
  neargp::ExactPredictor predictor;

  ExactData(DataStore data_, const neargp::Covariance& covariance, const neargp::RunContext& context)
      : data(std::move(data_)), predictor(data.view(), covariance, context) {}
};

using ProblemPointer = Rcpp::XPtr<neargp::LocalProblem>;
using KrigingPointer = Rcpp::XPtr<KrigingData>;
using ExactPointer = Rcpp::XPtr<ExactData>;

Rcpp::NumericMatrix square(const std::vector<double>& entries, int size) {
  return Rcpp::NumericMatrix(size, size, entries.begin());
}

Rcpp::List sums_to_r(const neargp::LikelihoodSums& sums, int columns) {
  Rcpp::List result =
      Rcpp::List::create(Rcpp::_["log_det"] = sums.log_det, Rcpp::_["gram"] = square(sums.gram, columns),
                         Rcpp::_["failed"] = failed_row(sums.failed));
  if (sums.information.empty()) return result;
  const int parameters = int(sums.d_log_det.size());
  Rcpp::NumericVector d_gram(sums.d_gram.begin(), sums.d_gram.end());
  d_gram.attr("dim") = Rcpp::IntegerVector::create(columns, columns, parameters);
  result["d_log_det"] = Rcpp::NumericVector(sums.d_log_det.begin(), sums.d_log_det.end());
  result["d_gram"] = d_gram;
  result["information"] = square(sums.information, parameters);
  return result;
}

Rcpp::List simulation_to_r(const neargp::Simulation& simulation, int draws) {
  Rcpp::List result =
      Rcpp::List::create(Rcpp::_["jitter"] = simulation.jitter, Rcpp::_["failed"] = failed_row(simulation.failed));
  if (simulation.failed < 0) result["field"] = from_row_major(simulation.field, draws);
  return result;
}

Rcpp::List objective_to_r(const neargp::ObjectiveGradient& objective) {
  return Rcpp::List::create(
      Rcpp::_["value"] = objective.value,
      Rcpp::_["gradient"] = Rcpp::NumericVector(objective.gradient.begin(), objective.gradient.end()),
      Rcpp::_["failed"] = failed_row(objective.failed));
}

Rcpp::List kriging_to_r(const neargp::Kriging& kriging) {
  return Rcpp::List::create(Rcpp::_["weighted"] = from_row_major(kriging.weighted, kriging.columns),
                            Rcpp::_["variance"] = kriging.variance, Rcpp::_["failed"] = failed_row(kriging.failed));
}

std::vector<double> to_doubles(const Rcpp::NumericVector& x) { return {x.begin(), x.end()}; }

}  // namespace

// [[Rcpp::export]]
SEXP core_problem(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                  const Rcpp::NumericVector& noise_scale, SEXP neighbors, const Rcpp::List& context,
                  Rcpp::Nullable<Rcpp::IntegerVector> targets = R_NilValue,
                  Rcpp::Nullable<Rcpp::IntegerVector> outputs = R_NilValue, int block = 1) {
  const DataStore data(coords, columns, noise_scale, outputs);
  std::vector<int> rows;
  if (targets.isNotNull()) rows = to_rows(Rcpp::IntegerVector(targets));
  const Neighbors sets(neighbors);
  neargp::NeighborRows table = sets.rows();
  if (block < 1 || block > table.k + 1) throw neargp::Error("A block must fit into its row of the table.");
  table.block = block;
  return ProblemPointer(new neargp::LocalProblem(data.view(), table, rows, run_context(context)), true);
}

// Frees a problem at once: R collects garbage by the size of its own objects, not of the core's.
// [[Rcpp::export]]
void core_release_problem(SEXP problem) { ProblemPointer(problem).release(); }

// Sets the noise to nugget * noise_scale. `derivatives`: of each row's noise variance, a column for each parameter of
// its model.
// [[Rcpp::export]]
void core_set_noise(SEXP problem, const Rcpp::NumericVector& noise_scale, const Rcpp::NumericMatrix& derivatives) {
  ProblemPointer pointer(problem);
  if (noise_scale.size() != pointer->data() || derivatives.nrow() != pointer->data())
    throw neargp::Error("There must be a noise for each row.");
  pointer->set_noise(noise_scale.begin(), derivatives.ncol(), row_major(derivatives).data());
}

// Replaces the columns, of which there may be another number.
// [[Rcpp::export]]
void core_set_values(SEXP problem, const Rcpp::NumericMatrix& columns) {
  ProblemPointer pointer(problem);
  if (columns.nrow() != pointer->data()) throw neargp::Error("There must be values for each row.");
  pointer->set_values(row_major(columns).data(), columns.ncol());
}

// [[Rcpp::export]]
Rcpp::List core_evaluate(SEXP problem, const Rcpp::List& covariance, double nugget, bool information,
                         const Rcpp::List& context) {
  ProblemPointer pointer(problem);
  const neargp::Covariance spec = to_covariance(covariance, nugget);
  return sums_to_r(neargp::vecchia_sums(*pointer, spec, information, run_context(context)), pointer->columns());
}

// [[Rcpp::export]]
Rcpp::List core_gradient(SEXP problem, const Rcpp::List& covariance, double nugget, const Rcpp::NumericVector& beta,
                         const Rcpp::List& context) {
  ProblemPointer pointer(problem);
  return objective_to_r(neargp::conditional_gradient(*pointer, to_covariance(covariance, nugget), to_doubles(beta),
                                                     run_context(context)));
}

// [[Rcpp::export]]
Rcpp::List core_evaluate_joint(SEXP problem, const Rcpp::List& covariance, double nugget, const Rcpp::List& context) {
  ProblemPointer pointer(problem);
  const neargp::Covariance spec = to_covariance(covariance, nugget);
  return sums_to_r(neargp::joint_sums(*pointer, spec, run_context(context)), pointer->columns());
}

// [[Rcpp::export]]
Rcpp::List core_gradient_joint(SEXP problem, const Rcpp::List& covariance, double nugget,
                               const Rcpp::NumericVector& beta, const Rcpp::List& context) {
  ProblemPointer pointer(problem);
  return objective_to_r(
      neargp::joint_gradient(*pointer, to_covariance(covariance, nugget), to_doubles(beta), run_context(context)));
}

// Data made ready for predictions from them.
// [[Rcpp::export]]
SEXP core_kriging(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                  const Rcpp::NumericVector& noise_scale, const Rcpp::List& covariance, double nugget,
                  Rcpp::Nullable<Rcpp::IntegerVector> outputs = R_NilValue) {
  return KrigingPointer(
      new KrigingData(DataStore(coords, columns, noise_scale, outputs), to_covariance(covariance, nugget)), true);
}

// [[Rcpp::export]]
Rcpp::List core_krige(SEXP kriging, const Rcpp::NumericMatrix& newcoords, SEXP neighbors, bool local_mean,
                      const Rcpp::List& context, Rcpp::Nullable<Rcpp::IntegerVector> new_outputs = R_NilValue,
                      bool keep_weights = false, Rcpp::Nullable<Rcpp::NumericMatrix> taper = R_NilValue) {
  KrigingPointer pointer(kriging);
  const PointStore targets(newcoords);
  const OutputStore target_outputs(new_outputs, newcoords.nrow());
  Neighbors sets(neighbors);
  const std::vector<double> tapers =
      taper.isNull() ? std::vector<double>() : row_major(Rcpp::NumericMatrix(taper.get()));
  if (taper.isNotNull() && tapers.size() != std::size_t(sets.n() * sets.k()))
    throw neargp::Error("The taper must have a weight for each neighbour.");
  std::vector<double> weights(keep_weights ? std::size_t(sets.n() * sets.k()) : 0);
  Rcpp::List result = kriging_to_r(pointer->predictor.at(targets.view(), sets.table(), local_mean, run_context(context),
                                                         target_outputs.data(), keep_weights ? weights.data() : nullptr,
                                                         taper.isNull() ? nullptr : tapers.data()));
  if (keep_weights) result["weights"] = from_row_major(weights, sets.k());
  return result;
}

// [[Rcpp::export]]
Rcpp::List core_simulate(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& values,
                         const Rcpp::NumericVector& noise_scale, const Rcpp::NumericMatrix& newcoords,
                         const Rcpp::IntegerVector& order_new, SEXP neighbors, const Rcpp::List& covariance,
                         double nugget, const Rcpp::NumericMatrix& normals, const Rcpp::List& context,
                         Rcpp::Nullable<Rcpp::IntegerVector> outputs = R_NilValue,
                         Rcpp::Nullable<Rcpp::IntegerVector> new_outputs = R_NilValue) {
  const DataStore data(coords, values, noise_scale, outputs);
  const PointStore targets(newcoords);
  const OutputStore target_outputs(new_outputs, newcoords.nrow());
  const std::vector<double> normal_rows = row_major(normals);
  return simulation_to_r(neargp::simulate_conditional(data.view(), targets.view(), to_rows(order_new),
                                                      Neighbors(neighbors).table(), to_covariance(covariance, nugget),
                                                      normal_rows.data(), run_context(context), target_outputs.data()),
                         data.columns);
}

// [[Rcpp::export]]
Rcpp::List core_exact_simulate(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& values,
                               const Rcpp::NumericVector& noise_scale, const Rcpp::NumericMatrix& newcoords,
                               const Rcpp::List& covariance, double nugget, const Rcpp::NumericMatrix& normals,
                               const Rcpp::List& context, Rcpp::Nullable<Rcpp::IntegerVector> outputs = R_NilValue,
                               Rcpp::Nullable<Rcpp::IntegerVector> new_outputs = R_NilValue) {
  const DataStore data(coords, values, noise_scale, outputs);
  const PointStore targets(newcoords);
  const OutputStore target_outputs(new_outputs, newcoords.nrow());
  const std::vector<double> normal_rows = row_major(normals);
  return simulation_to_r(neargp::exact_simulate(data.view(), targets.view(), to_covariance(covariance, nugget),
                                                normal_rows.data(), run_context(context), target_outputs.data()),
                         data.columns);
}

// [[Rcpp::export]]
Rcpp::List core_exact(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                      const Rcpp::NumericVector& noise_scale, const Rcpp::List& covariance, double nugget,
                      bool information, const Rcpp::List& context,
                      Rcpp::Nullable<Rcpp::IntegerVector> outputs = R_NilValue,
                      Rcpp::Nullable<Rcpp::NumericMatrix> noise_derivatives = R_NilValue) {
  const DataStore data(coords, columns, noise_scale, outputs);
  neargp::LocalData view = data.view();
  std::vector<double> derivatives;
  if (noise_derivatives.isNotNull()) {
    const Rcpp::NumericMatrix given(noise_derivatives);
    if (given.nrow() != coords.nrow()) throw neargp::Error("There must be a noise for each row.");
    derivatives = row_major(given);
    view.noise_parameters = given.ncol();
    view.noise_derivatives = derivatives.data();
  }
  const neargp::Covariance spec = to_covariance(covariance, nugget);
  return sums_to_r(neargp::exact_sums(view, spec, information, run_context(context)), data.columns);
}

// [[Rcpp::export]]
Rcpp::List core_exact_gradient(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                               const Rcpp::NumericVector& noise_scale, const Rcpp::List& covariance, double nugget,
                               const Rcpp::NumericVector& beta, const Rcpp::List& context,
                               Rcpp::Nullable<Rcpp::IntegerVector> outputs = R_NilValue) {
  const DataStore data(coords, columns, noise_scale, outputs);
  return objective_to_r(
      neargp::exact_gradient(data.view(), to_covariance(covariance, nugget), to_doubles(beta), run_context(context)));
}

// Data made ready for predictions from all of them.
// [[Rcpp::export]]
SEXP core_exact_kriging(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                        const Rcpp::NumericVector& noise_scale, const Rcpp::List& covariance, double nugget,
                        const Rcpp::List& context, Rcpp::Nullable<Rcpp::IntegerVector> outputs = R_NilValue) {
  return ExactPointer(new ExactData(DataStore(coords, columns, noise_scale, outputs), to_covariance(covariance, nugget),
                                    run_context(context)),
                      true);
}

// [[Rcpp::export]]
Rcpp::List core_exact_krige(SEXP kriging, const Rcpp::NumericMatrix& newcoords, const Rcpp::List& context,
                            Rcpp::Nullable<Rcpp::IntegerVector> new_outputs = R_NilValue) {
  const PointStore targets(newcoords);
  const OutputStore target_outputs(new_outputs, newcoords.nrow());
  return kriging_to_r(ExactPointer(kriging)->predictor.at(targets.view(), run_context(context), target_outputs.data()));
}
