// The precision A = Q + C'WC of a latent model's posterior on the pattern of the model's cliques, and its factor. They
// give log|A|, Z = d log|A| / dA, and the variances s_i = v_i + c_i'Z c_i of the field at the data. These include the
// low-rank part where there is one (low_rank_factor.h).
#pragma once

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <vector>

#include "latent/latent_model.h"
#include "latent/low_rank_factor.h"
#include "linalg/sparse/sparse_factor.h"

namespace neargp {

// Kinds of q(u): the variational optimum with A's sparse factor, Laplace's approximation, and the best q of independent
// nodes.
enum class PosteriorKind { sparse, laplace, mean_field };

struct FactorSettings {
  // An exact factor instead of an incomplete one. If an incomplete factor breaks down or differs too much from A, an
  // exact one replaces it where there are at most a few thousand nodes.
  bool exact = false;
  // The most memory for the pattern of an incomplete factor. Where the pattern of Q would take more, it is restricted
  // (linalg/sparse/sparse_pattern.h).
  double most_bytes = std::numeric_limits<double>::infinity();
  // Whether an exact factor may replace an incomplete one. The pivots of an incomplete factor are those of each node
  // given the nodes before it, which bound_share.h needs. An exact factor orders the nodes differently.
  bool may_be_exact = true;
};

class PosteriorFactor {
 public:
  // Variances and log determinant of the mean field are those of the diagonal of A (linalg/sparse/mean_field_factor.h).
  // The model outlives the object; its covariance may change, followed by set_prior().
  PosteriorFactor(const LatentModel& model, PosteriorKind kind, FactorSettings settings, const RunContext& context);

  // Computes Q from the model's present covariance, unless that was done before.
  void set_prior();

  // Factorizes A for these precisions W by datum, with Z and the variances. Laplace's approximation computes those
  // later, at the mode alone. Returns false where A or an incomplete factor of it is not positive definite, or where
  // that factor differs too much from A and an exact one can be had.
  bool factorize(const std::vector<double>& precision, const RunContext& context);
  void find_inverse(const RunContext& context);

  bool is_exact() const { return exact_; }
  bool is_restricted() const { return pattern_.is_restricted(); }
  bool can_be_exact() const;
  void become_exact(const RunContext& context);

  const SparseFactor& factor() const { return *factor_; }
  const LowRankFactor& low_rank() const { return low_rank_; }
  double log_det() const;
  const std::vector<double>& variance_at_data() const { return variance_; }  // s
  std::vector<double> node_variance() const;                                 // diag Z

  // 1/2 tr(Z dA Z dA) on the pattern for dA = C'dW C, by which the evidence bound rises at most for a change dW of the
  // precisions. Infinite where it is not known.
  double gain_of_change(const std::vector<double>& change) const;

  // Z_cc v_c for the cliques c of a table: 0 of the prior, 1 of the data.
  void multiply_cliques(int table, const double* vectors, double* products, const RunContext& context) const {
    if (table == 0) return pattern_.multiply_cliques(table, inverse_.data(), vectors, products, context);
    pattern_.multiply_joint_cliques(table, inverse_.data(), vectors, products, context);
  }

  // A^-1 h by conjugate gradients, of the residual field alone (of columns together in place) and of the field.
  std::vector<double> solve_residual(const std::vector<double>& h, double tolerance, const RunContext& context) const;
  void solve_residual(Eigen::MatrixXd& columns, double tolerance, const Eigen::MatrixXd& guess = {},
                      Eigen::MatrixXd* left = nullptr) const;
  std::vector<double> solve(const std::vector<double>& h, const RunContext& context) const;

  // Solves in place for columns of one number for each node, to a tolerance of the conjugate gradients. Without one, by
  // the factor alone.
  static constexpr double precise = 1e-10, by_factor = std::numeric_limits<double>::infinity();
  void solve_columns(std::vector<double>& columns, double tolerance, const RunContext& context) const;

  // The same for several fields, where the first columns start from solutions of nearby equations. Returns the
  // residuals that the tolerance leaves.
  std::vector<double> solve_near(std::vector<double>& columns, const std::vector<double>& guess, double tolerance,
                                 const RunContext& context) const;

 private:
  void solve_block(double* columns, Index count, double tolerance, const Eigen::MatrixXd& guess = {},
                   double* left = nullptr) const;
  SparsePattern make_pattern(double most_bytes, const RunContext& context) const;
  std::unique_ptr<SparseFactor> make_factor() const;
  bool factorize_low_rank(const RunContext& context);
  double relative_error(const std::vector<double>& precision, const RunContext& context) const;
  bool find_variances(const RunContext& context);

  const LatentModel& model_;
  PosteriorKind kind_;
  bool exact_, may_be_exact_;
  int prior_revision_ = 0;  // the model's when Q was taken
  SparsePattern pattern_;
  std::unique_ptr<SparseFactor> factor_;
  LowRankFactor low_rank_;
  std::vector<double> prior_values_, inverse_;  // Q and Z on the pattern
  std::vector<double> factorized_;              // the precisions that factor_ has, empty if it has none
  std::vector<double> variance_;
};

}  // namespace neargp
