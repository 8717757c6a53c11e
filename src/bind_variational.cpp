// Gaussian processes on inducing points, as R calls them.
#include "base/error.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "variational/collapsed_prediction.h"

namespace {

using Eigen::MatrixXd;

Rcpp::NumericMatrix to_r(const MatrixXd& matrix) {
  return Rcpp::NumericMatrix(int(matrix.rows()), int(matrix.cols()), matrix.data());
}

Rcpp::NumericVector to_r(const Eigen::VectorXd& vector) { return {vector.data(), vector.data() + vector.size()}; }

MatrixXd to_eigen(const Rcpp::NumericMatrix& matrix) {
  return Eigen::Map<const MatrixXd>(matrix.begin(), matrix.nrow(), matrix.ncol());
}

// "" where nothing failed.
const char* failure_name(neargp::BoundFailure failure) {
  switch (failure) {
    case neargp::BoundFailure::none: return "";
    case neargp::BoundFailure::prior: return "prior";
    case neargp::BoundFailure::posterior: return "posterior";
    case neargp::BoundFailure::trend: return "trend";
  }
  return "";
}

neargp::BoundKind bound_kind(const std::string& name) {
  if (name == "tight") return neargp::BoundKind::tight;
  if (name == "standard") return neargp::BoundKind::standard;
  throw neargp::Error("There is no such bound: " + name + ".");
}

}  // namespace

// [[Rcpp::export]]
Rcpp::List core_collapsed_bound(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                                const Rcpp::NumericVector& noise_scale, const Rcpp::NumericMatrix& inducing,
                                const Rcpp::List& covariance, double nugget, const std::string& bound, double jitter,
                                bool derivatives, int threads) {
  if (columns.nrow() != coords.nrow() || noise_scale.size() != coords.nrow())
    throw neargp::Error("Coordinates, values and noise must have the same number of rows.");
  const PointStore points(coords), positions(inducing);
  const std::vector<double> values = row_major(columns);
  const neargp::RegressionData data{points.view(), columns.ncol(), values.data(), noise_scale.begin()};
  neargp::BoundSettings settings;
  settings.kind = bound_kind(bound);
  settings.jitter = jitter;
  const neargp::CollapsedBound result = neargp::collapsed_bound(data, positions.view(), to_covariance(covariance, nugget),
                                                                settings, derivatives, make_run_context(threads));
  Rcpp::List list = Rcpp::List::create(
      Rcpp::_["failure"] = failure_name(result.failure), Rcpp::_["value"] = result.value,
      Rcpp::_["beta"] = to_r(result.beta), Rcpp::_["beta_vcov"] = to_r(result.beta_covariance),
      Rcpp::_["weights"] = to_r(result.weights), Rcpp::_["factor"] = to_r(result.factor),
      Rcpp::_["unexplained"] = result.unexplained);
  if (!derivatives || result.failure != neargp::BoundFailure::none) return list;
  list["gradient"] = Rcpp::NumericVector(result.gradient.parameters.begin(), result.gradient.parameters.end());
  list["d_inducing"] = to_r(result.gradient.positions);
  return list;
}

// [[Rcpp::export]]
Rcpp::List core_collapsed_predict(const Rcpp::NumericMatrix& newcoords, const Rcpp::NumericMatrix& inducing,
                                  const Rcpp::List& covariance, double jitter, const Rcpp::NumericMatrix& weights,
                                  const Rcpp::NumericMatrix& factor, int threads) {
  const PointStore targets(newcoords), positions(inducing);
  const neargp::CollapsedPrediction result =
      neargp::collapsed_prediction(targets.view(), positions.view(), to_covariance(covariance, 0.0), jitter,
                                   to_eigen(weights), to_eigen(factor), make_run_context(threads));
  return Rcpp::List::create(Rcpp::_["failure"] = failure_name(result.failure), Rcpp::_["weighted"] = to_r(result.weighted),
                            Rcpp::_["unexplained"] = to_r(result.unexplained),
                            Rcpp::_["posterior"] = to_r(result.posterior));
}

// [[Rcpp::export]]
Rcpp::List core_inducing_features(const Rcpp::NumericMatrix& newcoords, const Rcpp::NumericMatrix& inducing,
                                  const Rcpp::List& covariance, double jitter, int threads) {
  const PointStore targets(newcoords), positions(inducing);
  const neargp::InducingFeatures result = neargp::inducing_features(
      targets.view(), positions.view(), to_covariance(covariance, 0.0), jitter, make_run_context(threads));
  return Rcpp::List::create(Rcpp::_["failure"] = failure_name(result.failure), Rcpp::_["features"] = to_r(result.features),
                            Rcpp::_["unexplained"] = to_r(result.unexplained));
}
