// The exact Gaussian process without its n x n matrix K, noise included (Gardner et al. 2018, Wang et al. 2019). K is
// multiplied by columns, and its entries are computed each time.
//
// Vecchia's approximation of K is P with P^-1 = W'W. Row i of W is (e_i - b_i) / D_i^(1/2), where b_i contains the
// weights of the neighbours before it and D_i is its conditional variance. A = W K W' is near the identity, so that a
// few iterations of conjugate gradients solve equations with it. For random signs z
//
//   log|K| = sum log D_i + log|A|,   log|A| = E z'log(A) z,   z'log(A) z ~ n (log T)_11.
//
// T is the tridiagonal matrix of Lanczos, which follows from the steps of the solution of A x = z. Row i of W is exact
// for i and its neighbours, so that A_ii = 1 and E z'(A - I)z = 0. As the control variate `z'Az = n T_11` is known, the
// estimate is that of log(A) - (A - I), whose entries are smaller than those of log(A).
#pragma once

#include <Eigen/Core>
#include <vector>

#include "base/run_context.h"
#include "covariance/prepared.h"
#include "geometry/neighbors.h"
#include "geometry/points.h"

namespace neargp {

// W. Owns nothing; `weights` n x k, row-major, as the table of neighbours.
struct VecchiaRoot {
  const NeighborTable& neighbors;
  const double* weights;
  Eigen::VectorXd deviations;  // D_i^(1/2)

  Eigen::MatrixXd times(const Eigen::MatrixXd& r, const RunContext& context) const;
  Eigen::MatrixXd transposed_times(const Eigen::MatrixXd& x, const RunContext& context) const;
  // W^-1 z. In `order` each row must come after its neighbours.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& z, const std::vector<int>& order, const RunContext& context) const;
};

struct IterativeSettings {
  double tolerance = 1e-6;  // of the norm of residuals, relative
  int max_iterations = 200;
};

// K is the covariance matrix of the points plus diag(`noise`).
struct IterativeEquations {
  Points coords;
  Eigen::VectorXd noise;
  const PreparedCovariance& covariance;
  const VecchiaRoot& root;
};

struct IterativeSolution {
  Eigen::MatrixXd solved;    // K^-1 C of the columns C
  Eigen::MatrixXd gram;      // C'K^-1 C
  Eigen::MatrixXd left;      // W'A^-1 z, and
  Eigen::MatrixXd right;     // W'z: tr(K^-1 dK) = E left'dK right
  Eigen::VectorXd log_dets;  // of each z the estimate of log|A|
  int iterations = 0;
  double residual = 0.0;
};

IterativeSolution iterative_solve(const IterativeEquations& equations, const Eigen::MatrixXd& columns,
                                  const Eigen::MatrixXd& probes, const IterativeSettings& settings,
                                  const RunContext& context);

// The derivatives of the sum of left'K right over columns in the parameters of the covariance, of the nugget as well.
std::vector<double> iterative_gradient(const IterativeEquations& equations, const Eigen::MatrixXd& left,
                                       const Eigen::MatrixXd& right, const RunContext& context);

// At targets: their covariances with the data, multiplied by `solved`, and the variances of the field given the data.
struct IterativePrediction {
  Eigen::MatrixXd weighted;
  Eigen::VectorXd variance;
};

IterativePrediction iterative_predict(const IterativeEquations& equations, Points targets,
                                      const Eigen::MatrixXd& solved, const IterativeSettings& settings,
                                      const RunContext& context);

}  // namespace neargp
