// C = I + W'W without a factor. With the approximate inverse F'F of approximate_inverse.h, A = F C F' = I + E for a
// small E of trace 0. Then
//
//   log|C| = -2 sum log F_jj + tr log A,     P = C^-1 = F'F + F'(A^-1 - I) F.
//
// The last terms are means over random signs z (Hutchinson 1990): of z'(log A - E) z, and of the matrix
// F'(A^-1 - I) z z'F. Conjugate gradients for A x = z yield both, since their coefficients are those of Lanczos'
// tridiagonal matrix (Ubaru, Chen and Saad 2017). The mean of z'E z is known to be 0, and without z'E z the rest of the
// value varies only by the order of E^2. The signs are the same at all parameters, so that values and derivatives are
// smooth.
//
// Where conjugate gradients do not converge at some parameters, for random signs or for the right-hand sides, an exact
// factor is used there.
//
// Near parameters that are kept by hold(), the solutions begin from those there, and only the difference is solved for,
// to some digits. Differences of derivatives then keep as many digits for any step.
#pragma once

#include <memory>
#include <vector>

#include "effects/approximate_inverse.h"
#include "effects/effect_system.h"
#include "effects/gram_columns.h"

namespace neargp {

class IterativeEffectSystem : public EffectSystem {
 public:
  static constexpr int many_probes = 16, few_probes = 4;

  // The rows outlive the object. Their present entries determine the columns of F. `probes` is one of the two numbers.
  // Where conjugate gradients need more than `most_steps` steps, they do not converge.
  IterativeEffectSystem(const EffectRows& rows, std::unique_ptr<EffectSystem> exact, int probes,
                        const RunContext& context, int most_steps = 200);

  bool factorize(const RunContext& context) override;
  double log_det() const override;
  bool iterates() const override { return true; }
  double log_det_error() const override;
  void refine_log_det(const RunContext& context) override;
  bool solve(Eigen::MatrixXd& x) override;
  bool solve_near(Eigen::MatrixXd& x, const Eigen::MatrixXd& near) override;
  void hold(const RunContext& context) override;
  void let_go() override { held_.clear(); }
  void invert(const RunContext& context) override;
  void multiply_inverse(Index t, double* h) const override;
  double inverse(int i, int j) const override;
  double inverse_form(const int* column, const double* x, int count) const override;

 private:
  using Block = std::vector<double>;  // columns x width, row-major

  struct Lanczos;
  struct Workspace {
    Block first, second, residual, direction, product;
  };
  Block random_signs(int set) const;
  // Replaces z by (A^-1 - I) z, and appends the remainders of all z to the known ones. Returns false where they are not
  // found.
  bool solve_probes(Block& z, double tolerance, const RunContext& context);
  bool find_solutions(const RunContext& context);
  bool correct_probes(const Block& start, double tolerance, const RunContext& context);
  bool conjugate_gradients(Block& x, int width, double tolerance, std::vector<Lanczos>* lanczos,
                           const RunContext& context) const;
  void multiply(const Block& x, int width, Block& y, const RunContext& context) const;
  bool solve_blocks(Eigen::MatrixXd& x, double tolerance) const;
  double own_tolerance() const;
  bool take_exact();

  const EffectRows& rows_;
  std::unique_ptr<EffectSystem> exact_;
  bool is_exact_ = false;
  const int probes_, most_steps_;
  RunContext context_;
  GramColumns gram_;
  ApproximateInverse inverse_;
  Block signs_, solved_, held_;  // z, (A^-1 - I) z, and that at held parameters
  Block pairs_;                  // columns x (F'(A^-1 - I) z, F'z)
  mutable Workspace work_;
  std::vector<double> remainder_;  // z'(log A - E) z of each z
};

}  // namespace neargp
