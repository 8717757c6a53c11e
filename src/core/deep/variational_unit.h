// One Gaussian process of a layer on whitened inducing points (deep_state.h), without its own mean, and its adjoint.
//
// Let A = L^-1 K_zx, a column for each row, and v ~ N(m, S). Then
//
//   mean = A'm,   variance_n = k - |A_n|^2 + A_n'S A_n,
//   KL[N(m, S) // N(0, I)] = 1/2 (tr S + m'm - M - log|S|).
//
// Let mbar_n and vbar_n be an objective's derivatives in mean and variance. Two sums over rows are needed: t = A mbar
// and R = A diag(vbar) A'. The derivatives are
//
//   dF/dm = t,   dF/dS = R,   dF/dA = m mbar' + 2 (S - I) A diag(vbar).
//
// The derivatives through L need only dF/dA A' = m t' + 2 (S - I) R, see InducingFactor::adjoint. Therefore no factor
// is differentiated, and a row takes two triangular solves and half a product.
#pragma once

#include <memory>

#include "deep/deep_state.h"
#include "variational/inducing_factor.h"

namespace neargp {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Points points_of(const RowMajorMatrix& rows) { return {rows.data(), rows.rows(), int(rows.cols())}; }

// If the covariance matrix of the positions is singular, it is factorised again with ten, a hundred and a thousand
// times the jitter.
inline constexpr int jitter_attempts = 4;
inline constexpr double jitter_growth = 10.0;

// The moments of one unit at some rows. The memory is used again for equally many rows.
struct UnitRows {
  std::vector<ComponentCovariances> parts;
  Eigen::MatrixXd cross;     // K_zx; in adjoint() the objective's derivatives in it
  Eigen::MatrixXd features;  // A
  Eigen::MatrixXd spread;    // C'A, of a full S = C C'
  Eigen::MatrixXd scratch;
  Eigen::VectorXd mean, variance;
};

// Sums over rows that determine the gradient.
struct UnitSums {
  Eigen::MatrixXd gram;       // R, lower triangle
  Eigen::VectorXd projected;  // t
  InducingGradient covariance;

  void add(const UnitSums& other);
};

// KL[N(m, S) // N(0, I)]
double divergence(const UnitState& unit);

// The prior of a unit, with its variance as a parameter.
Covariance unit_covariance(const UnitState& state, Family kernel, double shape);

// The gradient in m and S, given t, the diagonal of R, and R C of a full S.
void posterior_gradient(const UnitState& state, const Eigen::VectorXd& projected, const Eigen::VectorXd& gram_diagonal,
                        const Eigen::MatrixXd& half_slope, double divergence_weight, UnitState& gradient);
// The gradient in the prior's parameters and positions.
void prior_gradient(const InducingGradient& covariance, UnitState& gradient);

class VariationalUnit {
 public:
  // The state outlives the object. `derivatives`: whether adjoint() and finish() are to be called.
  VariationalUnit(const UnitState& state, Family kernel, double shape, double jitter, bool derivatives);

  // False if the covariance matrix of the positions is singular even with a thousand times the jitter. Then nothing
  // else may be called. If ten or a hundred times suffices, that jitter is used.
  bool regular() const { return factor_->regular(); }

  // Moments at rows, with derivatives only if the object was made with them.
  void rows(const RowMajorMatrix& kernel_inputs, bool derivatives, const ProductEngine& engine, UnitRows& result) const;

  UnitSums zero_sums() const;
  // Adds to the sums, given derivatives in mean and variance. Unless kernel_inputs_bar is null, adds the derivatives in
  // the kernel's inputs to it.
  void adjoint(UnitRows& rows, const Eigen::VectorXd& mean_bar, const Eigen::VectorXd& variance_bar, UnitSums& sums,
               Eigen::MatrixXd* kernel_inputs_bar) const;
  // The gradient of the sums' objective minus divergence_weight times the divergence.
  void finish(UnitSums& sums, double divergence_weight, UnitState& gradient) const;

 private:
  void whiten(bool derivatives, const ProductEngine& engine, UnitRows& rows) const;
  void less_prior(const Eigen::MatrixXd& features, const Eigen::MatrixXd& spread, Eigen::MatrixXd& result) const;

  const UnitState& state_;
  PreparedCovariance covariance_;
  std::unique_ptr<InducingPoints> points_;
  std::unique_ptr<InducingFactor> factor_;
  std::unique_ptr<LowerInverse> inverse_;  // of L, for derivatives
};

}  // namespace neargp
