// Classes with Polya-Gamma variables, as R calls them.
#include "base/error.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_neighbors.h"
#include "loo/polya_gamma.h"

using neargp::Index;

namespace {

// R's matrices by rows: data x outputs, targets x outputs.
struct PolyaGammaStore {
  PointStore coords, target_coords;
  std::vector<double> sign, omega, shift;
  std::vector<int> observed;
  neargp::PolyaGammaData data;
  neargp::PolyaGammaTargets targets;

  PolyaGammaStore(const Rcpp::NumericMatrix& coords_matrix, const Rcpp::NumericMatrix& sign_matrix,
                  const Rcpp::NumericMatrix& omega_matrix, const Rcpp::NumericMatrix& target_matrix, SEXP neighbors,
                  const Rcpp::NumericMatrix& shift_matrix, const std::vector<int>& classes)
      : coords(coords_matrix), target_coords(target_matrix), sign(row_major(sign_matrix)),
        omega(row_major(omega_matrix)), shift(row_major(shift_matrix)), observed(classes) {
    const int outputs = sign_matrix.ncol();
    if (sign_matrix.nrow() != coords_matrix.nrow() || omega_matrix.nrow() != sign_matrix.nrow() ||
        omega_matrix.ncol() != outputs || shift_matrix.nrow() != target_matrix.nrow() || shift_matrix.ncol() != outputs)
      throw neargp::Error(
          "Labels, variables and shifts must have a row for each location and a column for each process.");
    data = {coords.view(), outputs, sign.data(), omega.data()};
    targets = {target_coords.view(), Neighbors(neighbors).table(), shift.data(), observed.data()};
  }
};

}  // namespace

// [[Rcpp::export]]
Rcpp::List core_polya_gamma_score(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& sign,
                                  const Rcpp::NumericMatrix& omega, const Rcpp::NumericMatrix& targets, SEXP neighbors,
                                  const Rcpp::NumericMatrix& shift, const Rcpp::IntegerVector& observed,
                                  const Rcpp::List& covariance, const Rcpp::List& context) {
  const PolyaGammaStore store(coords, sign, omega, targets, neighbors, shift, to_rows(observed));
  const int classes = sign.ncol() == 1 ? 2 : sign.ncol();
  if (Index(store.observed.size()) != targets.nrow()) throw neargp::Error("There must be a class for each target.");
  for (const int c : store.observed)
    if (c < 0 || c >= classes) throw neargp::Error("There is no such class.");
  const neargp::PolyaGammaScore score =
      neargp::polya_gamma_score(store.data, store.targets, to_covariance(covariance, 1.0), run_context(context));
  if (score.failed >= 0) return Rcpp::List::create(Rcpp::_["failed"] = int(score.failed + 1));
  return Rcpp::List::create(Rcpp::_["value"] = score.value, Rcpp::_["gradient"] = score.gradient,
                            Rcpp::_["d_log_omega"] = from_row_major(score.d_log_omega, sign.ncol()),
                            Rcpp::_["d_shift"] = from_row_major(score.d_shift, sign.ncol()), Rcpp::_["failed"] = 0);
}

// No rows where a covariance matrix is singular.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_polya_gamma_probabilities(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& sign,
                                                   const Rcpp::NumericMatrix& omega, const Rcpp::NumericMatrix& targets,
                                                   SEXP neighbors, const Rcpp::NumericMatrix& shift,
                                                   const Rcpp::List& covariance, const Rcpp::List& context) {
  const PolyaGammaStore store(coords, sign, omega, targets, neighbors, shift, {});
  return from_row_major(neargp::polya_gamma_probabilities(store.data, store.targets, to_covariance(covariance, 1.0),
                                                          run_context(context)),
                        sign.ncol() == 1 ? 2 : sign.ncol());
}

// Logarithm of the density of Polya-Gamma variables, and its derivative in their logarithm.
// [[Rcpp::export]]
Rcpp::List core_log_polya_gamma(const Rcpp::NumericVector& omega) {
  Rcpp::NumericVector value(omega.size()), slope(omega.size());
  for (R_xlen_t i = 0; i < omega.size(); ++i) {
    const neargp::LogDensity density = neargp::log_polya_gamma(omega[i]);
    value[i] = density.value;
    slope[i] = density.slope;
  }
  return Rcpp::List::create(Rcpp::_["value"] = value, Rcpp::_["slope"] = slope);
}
