// Vecchia's approximation of what inducing points leave over, as R calls it.
#include "base/error.h"
#include "bind_bound.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "bind_inducing.h"
#include "bind_neighbors.h"
#include "response/residual_leave_one_out.h"
#include "response/residual_neighbors.h"
#include "response/residual_simulation.h"
#include "response/residual_vecchia.h"

namespace {

// The arrays that a RegressionData points to, row-major.
struct Regression {
  PointStore points;
  std::vector<double> values, noise_scale;
  int columns;

  Regression(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& values_matrix,
             const Rcpp::NumericVector& noise)
      : points(coords), values(row_major(values_matrix)), noise_scale(noise.begin(), noise.end()),
        columns(values_matrix.ncol()) {
    if (values_matrix.nrow() != coords.nrow() || noise.size() != coords.nrow())
      throw neargp::Error("Coordinates, values and noise must have the same number of rows.");
  }
  neargp::RegressionData view() const { return {points.view(), columns, values.data(), noise_scale.data()}; }
};

template <class Result>
Rcpp::List moments_to_r(const Result& result) {
  return Rcpp::List::create(Rcpp::_["failure"] = failure_name(result.failure),
                            Rcpp::_["failed"] = failed_row(result.failed_row),
                            Rcpp::_["weighted"] = to_r(result.weighted), Rcpp::_["variance"] = to_r(result.variance));
}

}  // namespace

// [[Rcpp::export]]
Rcpp::List core_residual_vecchia(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                                 const Rcpp::NumericVector& noise_scale, const Rcpp::NumericMatrix& inducing,
                                 SEXP neighbors, const Rcpp::List& covariance, double nugget, double jitter,
                                 bool derivatives, const Rcpp::List& context,
                                 Rcpp::Nullable<Rcpp::NumericMatrix> within = R_NilValue) {
  const Regression data(coords, columns, noise_scale);
  const PointStore positions(inducing);
  Eigen::MatrixXd gram;
  if (within.isNotNull()) gram = to_eigen(Rcpp::NumericMatrix(within.get()));
  if (gram.size() > 0 && (gram.rows() != data.columns || gram.cols() != data.columns))
    throw neargp::Error("The Gram matrix must have a row and a column for each column of the data.");
  const neargp::ResidualVecchia result =
      neargp::residual_vecchia(data.view(), positions.view(), Neighbors(neighbors).table(),
                               to_covariance(covariance, nugget), jitter, derivatives, run_context(context), gram);
  Rcpp::List list = Rcpp::List::create(
      Rcpp::_["failure"] = failure_name(result.failure), Rcpp::_["failed"] = failed_row(result.failed_row),
      Rcpp::_["value"] = result.value, Rcpp::_["beta"] = to_r(result.beta),
      Rcpp::_["beta_vcov"] = to_r(result.beta_covariance), Rcpp::_["weights"] = to_r(result.weights),
      Rcpp::_["factor"] = to_r(result.factor), Rcpp::_["unexplained"] = result.unexplained);
  if (!result.gradient.parameters.empty()) list["gradient"] = result.gradient.parameters;
  return list;
}

// candidates: k x n, as a table of neighbours.
// [[Rcpp::export]]
Rcpp::List core_residual_neighbors(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& inducing,
                                   SEXP candidates, int k, const Rcpp::List& covariance, double jitter,
                                   const Rcpp::List& context) {
  const PointStore points(coords), positions(inducing);
  const neargp::ResidualNeighbors result =
      neargp::residual_neighbors(points.view(), positions.view(), Neighbors(candidates).table(), k,
                                 to_covariance(covariance, 0.0), jitter, run_context(context));
  return Rcpp::List::create(Rcpp::_["failure"] = failure_name(result.failure),
                            Rcpp::_["neighbors"] = to_r(result.neighbors));
}

// [[Rcpp::export]]
Rcpp::List core_residual_predict(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                                 const Rcpp::NumericVector& noise_scale, const Rcpp::NumericMatrix& newcoords,
                                 SEXP candidates, int k, SEXP prior, SEXP posterior, const Rcpp::List& context) {
  const Regression data(coords, columns, noise_scale);
  const PointStore targets(newcoords);
  const InducingPosteriorPointer at_points(posterior);
  return moments_to_r(neargp::residual_prediction(data.view(), targets.view(), Neighbors(candidates).table(), k,
                                                  *InducingPriorPointer(prior), at_points->weights, at_points->factor,
                                                  run_context(context)));
}

// [[Rcpp::export]]
Rcpp::List core_residual_leave_one_out(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                                       const Rcpp::NumericVector& noise_scale, SEXP neighbors,
                                       const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance, double nugget,
                                       double jitter, const Rcpp::NumericMatrix& weights,
                                       const Rcpp::NumericMatrix& factor, const Rcpp::List& context) {
  const Regression data(coords, columns, noise_scale);
  const PointStore positions(inducing);
  const Eigen::MatrixXd posterior_weights = to_eigen(weights), posterior_factor = to_eigen(factor);
  return moments_to_r(neargp::residual_leave_one_out(
      data.view(), Neighbors(neighbors).table(), to_covariance(covariance, nugget),
      {positions.view(), jitter, posterior_weights, posterior_factor}, run_context(context)));
}

// values: the data without trend, a column for each draw; inducing_draws: the whitened field at the inducing points,
// likewise.
// [[Rcpp::export]]
Rcpp::List core_residual_simulate(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& values,
                                  const Rcpp::NumericVector& noise_scale, const Rcpp::NumericMatrix& newcoords,
                                  const Rcpp::IntegerVector& order_new, SEXP neighbors,
                                  const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance, double nugget,
                                  double jitter, const Rcpp::NumericMatrix& inducing_draws,
                                  const Rcpp::NumericMatrix& normals, const Rcpp::List& context) {
  const Regression data(coords, values, noise_scale);
  const PointStore targets(newcoords), positions(inducing);
  const std::vector<double> normal_rows = row_major(normals);
  const Eigen::MatrixXd whitened = to_eigen(inducing_draws);
  const neargp::Simulation result = neargp::simulate_residual(
      data.view(), targets.view(), to_rows(order_new), Neighbors(neighbors).table(), to_covariance(covariance, nugget),
      {positions.view(), jitter, whitened}, normal_rows.data(), run_context(context));
  Rcpp::List list =
      Rcpp::List::create(Rcpp::_["jitter"] = result.jitter, Rcpp::_["failed"] = failed_row(result.failed));
  if (result.failed < 0) list["field"] = from_row_major(result.field, data.columns);
  return list;
}
