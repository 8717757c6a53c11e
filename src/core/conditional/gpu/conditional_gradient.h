// The sum and gradient of conditional/cpu/conditional_gradient.h, where the formulas are derived, one target to a team.
#pragma once

#include "conditional/gpu/contract.h"
#include "conditional/operations.h"
#include "likelihoods/normal_log_density.h"

namespace neargp {

template <class Real = double>
class TeamConditionalGradient {
 public:
  LocalView view;
  TeamCovariance<Real> covariance;

  NEARGP_HD int outputs() const { return ConditionalGradient().sums(view.columns, covariance.parameters); }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamConditionalGradient& task, const Team& team, TeamArena& arena)
        : team_(team), tile_(team, task.view, task.covariance, {true, 3, 1}, arena) {}

    NEARGP_HD bool add(Index target, double weight, double* sums) {
      const int k = tile_.k();
      Real* z = tile_.vector(0);
      Real* u = tile_.vector(1);
      Real* t = tile_.vector(2);
      const bool good = tile_.load(target);
      const TeamTriangle<Real>& factor = tile_.factor();
      tile_.copy_solved_values(0, z);
      team_.barrier();
      const double root_f = factor.at(k, k);
      const double f = root_f * root_f;
      const double residual = z[k] * root_f;
      double ebar, fbar;
      const double value = normal_log_density(residual, f, ebar, fbar);
      team_.barrier();
      // (-b, 1) = root_f L^-T e_k; K^-1 r_n is what the factor without its last row makes of z
      for (int i = team_.rank(); i < tile_.vector_stride(); i += team_.size()) {
        u[i] = i == k ? Real(root_f) : 0;
        if (i >= k) z[i] = 0;
      }
      team_.barrier();
      factor.solve_backward(team_, u);
      factor.solve_backward(team_, z);
      for (int i = team_.rank(); i <= k; i += team_.size()) t[i] = Real(fbar) * u[i] - Real(ebar) * z[i];
      if (team_.rank() == 0) sums[0] += weight * value;
      team_.barrier();
      contract(
          tile_, [&](int i, int j) { return pair_weight(t, u, i, j); }, [&](int i) { return t[i] * u[i]; }, fbar * f,
          weight, sums + 1);
      return good;
    }

   private:
    const Team& team_;
    TeamTile<Team, true, Real> tile_;
  };
};

}  // namespace neargp
