// Vecchia's likelihood with random effects u ~ N(0, I) integrated out. E is the whitened response and trend, W the
// whitened effects, and C = I + W'W. Then
//
//   log_det = log|V| = sum log f + log|C|,     gram = E'E - E'W C^-1 W'E.
//
// The latter is E'V^-1 E with E before whitening. Trend and likelihood are made of these sums as without effects
// (vecchia_likelihood.h). The derivative is that of
//
//   J = log_det + sum_s c_s' gram c_s
//
// for contrasts c_s: the residuals' for maximum likelihood, and those of the trend's covariance matrix for REML. The
// envelope theorem keeps u_s = C^-1 W'E c_s and P = C^-1 fixed. Let r_s be E c_s - Z u_s before whitening, for the rows
// target and its neighbours, and M = sum_s r_s r_s' + Z P Z'. With a = [-b, 1],
//
//   dJ/db = -2 [M a]_n / f,     dJ/df = (1 - a'M a / f) / f.
//
// Here Z'a / sqrt(f) is the row of W, and n denotes the neighbours. M enters only through products of P with rows of W,
// and through e_s = E c_s - W u_s.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "base/run_context.h"
#include "conditional/problem.h"
#include "covariance/covariance.h"
#include "effects/effect_rows.h"
#include "effects/effect_system.h"

namespace neargp {

struct EffectSums {
  double log_det = 0.0;
  std::vector<double> gram;  // C x C
  // Row of the first singular covariance matrix. Where C cannot be factorised, the row with the largest whitened
  // effects. Else -1.
  Index failed = -1;
};

struct EffectDerivatives {
  std::vector<double> gradient;  // of J in the covariance parameters
  Eigen::MatrixXd effects;       // u_s, a column for each contrast
  Index failed = -1;
};

class EffectsLikelihood {
 public:
  // Response and trend are the columns of the problem, which outlives the object.
  EffectsLikelihood(const LocalProblem& problem, const EffectColumns& columns, double most_work, double most_exact,
                    bool roughly, const RunContext& context);

  // Whether a factor of the effects takes no more than `most_work` multiplications; else nothing below may be called.
  bool is_affordable() const { return system_ != nullptr; }

  // `values`: the entries of Z, rows x slots in the caller's order.
  EffectSums evaluate(const Covariance& covariance, const double* values, const RunContext& context);
  // Derivatives at the values last evaluated. `contrasts` are those of the columns of the problem.
  EffectDerivatives derivatives(const Eigen::MatrixXd& contrasts, const RunContext& context);

  // Between these two calls, iterative systems find derivatives in fewer steps at values near those evaluated last
  // before hold().
  void hold(const RunContext& context);
  void let_go();

  // C^-1 W'E
  const Eigen::MatrixXd& solved() const { return solved_; }
  EffectSystem& system() { return *system_; }
  int effects() const { return rows_.columns(); }

 private:
  void add_sums(EffectSums& sums, Eigen::MatrixXd& cross) const;
  void find_adjoint(const Eigen::MatrixXd& contrasts, const Eigen::MatrixXd& effects, const RunContext& context);

  const LocalProblem& problem_;
  EffectRows rows_;
  std::unique_ptr<EffectSystem> system_;
  Covariance covariance_;
  std::vector<double> weights_, weighted_, variance_;  // of targets: b, b'x, f with noise
  std::vector<double> d_weights_, d_variance_;
  Eigen::MatrixXd solved_, held_;
};

}  // namespace neargp
