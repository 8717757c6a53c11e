// The Gaussian process by conjugate gradients, as R calls it.
#include "base/error.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "bind_neighbors.h"
#include "random/philox.h"
#include "response/iterative_gp.h"

namespace {

// The equations and all that they look at. `root`: list(neighbors, weights, deviations).
class IterativeData {
 public:
  IterativeData(const Rcpp::NumericMatrix& coords, const Rcpp::NumericVector& noise, const Rcpp::List& covariance,
                double nugget, const Rcpp::List& root, bool derivatives)
      : points_(coords), prepared_(neargp::prepare(to_covariance(covariance, nugget), coords.ncol(), derivatives)),
        neighbors_(root["neighbors"]),
        weights_(row_major(Rcpp::as<Rcpp::NumericMatrix>(root["weights"]))), root_{neighbors_.table(), weights_.data(),
                                                                                   to_eigen_vector(root["deviations"])},
        equations_{points_.view(), to_eigen_vector(noise), prepared_, root_} {
    if (noise.size() != coords.nrow() || root_.deviations.size() != coords.nrow() ||
        neargp::Index(weights_.size()) != neargp::Index(coords.nrow()) * neighbors_.k())
      throw neargp::Error("There must be noise, weights and a deviation for each row.");
  }
  IterativeData(const IterativeData&) = delete;
  IterativeData& operator=(const IterativeData&) = delete;

  const neargp::IterativeEquations& equations() const { return equations_; }
  const neargp::VecchiaRoot& root() const { return root_; }

 private:
  PointStore points_;
  neargp::PreparedCovariance prepared_;
  Neighbors neighbors_;
  std::vector<double> weights_;
  neargp::VecchiaRoot root_;
  neargp::IterativeEquations equations_;
};

neargp::IterativeSettings to_iterative_settings(double tolerance, int most) {
  neargp::IterativeSettings settings;
  settings.tolerance = tolerance;
  settings.max_iterations = most;
  return settings;
}

}  // namespace

// [[Rcpp::export]]
Rcpp::List core_iterative_solve(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& columns,
                                const Rcpp::NumericVector& noise, const Rcpp::List& covariance, double nugget,
                                const Rcpp::List& root, const Rcpp::NumericMatrix& probes, double tolerance,
                                int max_iterations, const Rcpp::List& context) {
  const IterativeData data(coords, noise, covariance, nugget, root, false);
  const neargp::IterativeSolution result =
      neargp::iterative_solve(data.equations(), to_eigen(columns), to_eigen(probes),
                              to_iterative_settings(tolerance, max_iterations), run_context(context));
  return Rcpp::List::create(Rcpp::_["solved"] = to_r(result.solved), Rcpp::_["gram"] = to_r(result.gram),
                            Rcpp::_["left"] = to_r(result.left), Rcpp::_["right"] = to_r(result.right),
                            Rcpp::_["log_dets"] = to_r(result.log_dets), Rcpp::_["iterations"] = result.iterations,
                            Rcpp::_["residual"] = result.residual);
}

// [[Rcpp::export]]
std::vector<double> core_iterative_gradient(const Rcpp::NumericMatrix& coords, const Rcpp::NumericVector& noise,
                                            const Rcpp::List& covariance, double nugget, const Rcpp::List& root,
                                            const Rcpp::NumericMatrix& left, const Rcpp::NumericMatrix& right,
                                            const Rcpp::List& context) {
  const IterativeData data(coords, noise, covariance, nugget, root, true);
  return neargp::iterative_gradient(data.equations(), to_eigen(left), to_eigen(right), run_context(context));
}

// Columns of -1 and 1, the same ones in each call.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_random_signs(int rows, int columns) {
  Rcpp::NumericMatrix signs(rows, columns);
  const neargp::Philox random(1);
  for (R_xlen_t i = 0; i < signs.size(); ++i) signs[i] = random.bits(std::uint64_t(i)) & 1 ? 1.0 : -1.0;
  return signs;
}

// W^-1 of the columns, see iterative_gp.h; `order` from 1.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_iterative_color(const Rcpp::NumericMatrix& coords, const Rcpp::NumericVector& noise,
                                         const Rcpp::List& covariance, double nugget, const Rcpp::List& root,
                                         const Rcpp::NumericMatrix& probes, const Rcpp::IntegerVector& order,
                                         const Rcpp::List& context) {
  const IterativeData data(coords, noise, covariance, nugget, root, false);
  return to_r(data.root().solve(to_eigen(probes), to_rows(order), run_context(context)));
}

// [[Rcpp::export]]
Rcpp::List core_iterative_predict(const Rcpp::NumericMatrix& newcoords, const Rcpp::NumericMatrix& coords,
                                  const Rcpp::NumericVector& noise, const Rcpp::List& covariance, double nugget,
                                  const Rcpp::List& root, const Rcpp::NumericMatrix& solved, double tolerance,
                                  int max_iterations, const Rcpp::List& context) {
  const IterativeData data(coords, noise, covariance, nugget, root, false);
  const PointStore targets(newcoords);
  const neargp::IterativePrediction result =
      neargp::iterative_predict(data.equations(), targets.view(), to_eigen(solved),
                                to_iterative_settings(tolerance, max_iterations), run_context(context));
  return Rcpp::List::create(Rcpp::_["weighted"] = to_r(result.weighted), Rcpp::_["variance"] = to_r(result.variance),
                            Rcpp::_["failed"] = 0);
}
