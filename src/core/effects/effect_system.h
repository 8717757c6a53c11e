// Henderson's system of random effects u ~ N(0, I) whose whitened columns are W: C = I + W'W, the precision of u given
// response and trend. An implementation says how C is factorised, and its inverse P known.
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

  // Takes the rows' present entries. False where a pivot is not positive and finite.
  virtual bool factorize(const RunContext& context) = 0;
  virtual double log_det() const = 0;
  // Whether there are conjugate gradients in the place of a factor: log_det() is then a mean over random signs, as are
  // the entries below. Its standard error; and more of the signs for both.
  virtual bool iterates() const { return false; }
  virtual double log_det_error() const { return 0.0; }
  virtual void refine_log_det(const RunContext&) {}
  // C^-1 X in place. False where it is not found, and X may be anything.
  virtual bool solve(Eigen::MatrixXd& x) = 0;
  // The same by way of `near`, what it is near to.
  virtual bool solve_near(Eigen::MatrixXd& x, const Eigen::MatrixXd&) { return solve(x); }
  // An iterative system starts in factorize() from the solution at the present entries, made more precise, until it is
  // let go; log_det() stays about what it is. Where it cannot be made so precise nothing is held.
  virtual void hold(const RunContext&) {}
  virtual void let_go() {}

  // Makes what the next two are of.
  virtual void invert(const RunContext& context) = 0;
  // h = P w in the columns of row t of W, w that row.
  virtual void multiply_inverse(Index t, double* h) const = 0;
  // P_ij of two columns that a row has both, or 0 of two terms of a level that no row has.
  virtual double inverse(int i, int j) const = 0;

  // |L^-1 x|^2 = x'P x for the sparse vector x with so many `count` entries in distinct columns.
  virtual double inverse_form(const int* column, const double* x, int count) const = 0;
};

// The exact one that takes less time for these rows: with a sparse factor where levels are near each other, with a
// dense one where they are scattered over the field, so that a sparse factor would be nearly full. Null where neither
// takes less than `most_work` multiplications. Where that takes more than `most_exact` dense multiplications, the
// iterative one with it behind, of few signs where `roughly`.
std::unique_ptr<EffectSystem> effect_system(EffectRows& rows, double most_work, double most_exact, bool roughly,
                                            const RunContext& context);

}  // namespace neargp
