// C = I + W'W with a sparse factor in an approximate minimum degree ordering. P is computed on the pattern of the
// factor, which contains every two columns of a row of W.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <vector>

#include "effects/effect_system.h"
#include "linalg/sparse/inverse_on_factor.h"
#include "linalg/sparse/ordered_cholesky.h"

namespace neargp {

class SparseEffectSystem : public EffectSystem {
 public:
  // The rows outlive the object.
  SparseEffectSystem(const EffectRows& rows, double most_work);

  // Whether a factorisation takes no more than `most_work` multiplications. Otherwise nothing below may be called. This
  // is known before memory for the factor is allocated.
  bool is_affordable() const { return is_affordable_; }
  double work() const { return solver_.work(); }

  bool factorize(const RunContext& context) override;
  double log_det() const override;
  bool solve(Eigen::MatrixXd& x) override;
  void invert(const RunContext& context) override;
  void multiply_inverse(Index t, double* h) const override;
  double inverse(int i, int j) const override;
  double inverse_form(const int* column, const double* x, int count) const override;

 private:
  using Matrix = OrderedCholesky::Matrix;

  bool list_entries(double most_work);
  void list_pairs();
  void list_places();

  const EffectRows& rows_;
  Matrix matrix_;  // lower triangle
  OrderedCholesky solver_;
  bool is_affordable_;
  Eigen::VectorXd pivots_;
  std::vector<std::size_t> pair_start_;  // of row t, whose pairs are (a, b), b <= a, one after the other
  std::vector<int> pair_entry_;          // which entry of the matrix a pair is
  std::vector<int> place_;               // where that is in the factor; -1 - row on its diagonal
  std::unique_ptr<InverseOnFactor> inverse_;
};

}  // namespace neargp
