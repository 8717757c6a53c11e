// C = I + W'W as a full matrix, for effects whose levels are scattered over the field: their rows share neighbours with
// all other levels.
#pragma once

#include <Eigen/Core>

#include "effects/effect_system.h"

namespace neargp {

class DenseEffectSystem : public EffectSystem {
 public:
  // The rows outlive the object.
  explicit DenseEffectSystem(const EffectRows& rows) : rows_(rows) {}

  bool factorize(const RunContext& context) override;
  double log_det() const override;
  bool solve(Eigen::MatrixXd& x) override;
  void invert(const RunContext& context) override;
  void multiply_inverse(Index t, double* h) const override;
  double inverse(int i, int j) const override { return inverse_(i, j); }
  double inverse_form(const int* column, const double* x, int count) const override;

 private:
  const EffectRows& rows_;
  Eigen::MatrixXd lower_;    // the factor
  Eigen::MatrixXd inverse_;  // symmetric
};

}  // namespace neargp
