// Henderson's system of random effects u ~ N(0, I) whose whitened columns are W: C = I + W'W, the precision of u given
// response and trend. An implementation chooses how to factorise C and how to represent its inverse P.
#pragma once

#include <Eigen/Core>
#include <memory>

#include "base/run_context.h"
#include "effects/effect_rows.h"

namespace neargp {

inline constexpr const char* no_solution =
    "The precision of random effects is singular to working precision: leave out a term, or rescale its covariate.";

class EffectSystem {
 public:
  virtual ~EffectSystem() = default;

  // Uses the rows' present entries. Returns false where a pivot is not positive and finite.
  virtual bool factorize(const RunContext& context) = 0;
  virtual double log_det() const = 0;
  // Whether conjugate gradients replace a factor. Then log_det() and the entries of the inverse below are means over
  // random signs. log_det_error() returns the standard error of log_det(), and refine_log_det() uses more signs for
  // both.
  virtual bool iterates() const { return false; }
  virtual double log_det_error() const { return 0.0; }
  virtual void refine_log_det(const RunContext&) {}
  // Computes C^-1 X in place. Returns false where it is not found, and X may then be anything.
  virtual bool solve(Eigen::MatrixXd& x) = 0;
  // The same, starting from `near`, which is near to the solution.
  virtual bool solve_near(Eigen::MatrixXd& x, const Eigen::MatrixXd&) { return solve(x); }
  // After hold(), an iterative system starts in factorize() from the solution at the present entries, made more
  // precise. let_go() ends this. In between log_det() stays about the same. hold() does nothing where the solution
  // cannot be made precise enough.
  virtual void hold(const RunContext&) {}
  virtual void let_go() {}

  // Prepares the next two functions.
  virtual void invert(const RunContext& context) = 0;
  // h = P w in the columns of row t of W, w that row.
  virtual void multiply_inverse(Index t, double* h) const = 0;
  // P_ij of two columns that share a row, or 0 for two terms of a level that occurs in no row.
  virtual double inverse(int i, int j) const = 0;

  // Returns |L^-1 x|^2 = x'P x for the sparse vector x with `count` entries in distinct columns.
  virtual double inverse_form(const int* column, const double* x, int count) const = 0;
};

// Returns the exact system that takes less time for these rows. It uses a sparse factor where levels are near each
// other, and a dense one where they are scattered over the field, where a sparse factor would be nearly full. Returns
// null where neither takes less than `most_work` multiplications. Where the exact system takes more than `most_exact`
// dense multiplications, returns the iterative one, with the exact one to fall back on. `roughly` gives it few random
// signs.
std::unique_ptr<EffectSystem> effect_system(EffectRows& rows, double most_work, double most_exact, bool roughly,
                                            const RunContext& context);

}  // namespace neargp
