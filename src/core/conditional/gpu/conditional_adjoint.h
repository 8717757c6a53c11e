// The gradient of conditional/cpu/conditional_adjoint.h, one target to a team.
#pragma once

#include "conditional/gpu/adjoint_tile.h"
#include "conditional/operations.h"

namespace neargp {

class TeamConditionalAdjoint {
 public:
  LocalView view;
  TeamCovariance<> covariance;
  ConditionalAdjoint operation;

  NEARGP_HD int outputs() const { return operation.sums(view.columns, covariance.parameters); }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamConditionalAdjoint& task, const Team& team, TeamArena& arena)
        : task_(task), team_(team), tile_(team, task.view, task.covariance, {false, 2}, arena) {}

    NEARGP_HD bool add(Index target, double weight, double* sums) {
      const int k = tile_.k();
      double* u = tile_.vector(0);
      double* t = tile_.vector(1);
      const bool good = tile_.load(target);
      const double f = solve_contrast(tile_, u);
      for (int i = team_.rank(); i < tile_.vector_stride(); i += team_.size())
        t[i] = i < k && tile_.present(i) ? weight_bar(target, i) : 0.0;
      const double fbar = task_.operation.variance[target];
      solve_adjoint(tile_, u, fbar, t);
      contract_adjoint(tile_, u, t, fbar * f, weight, sums);
      if (task_.operation.noise && weight > 0.0)
        for (int i = team_.rank(); i < k; i += team_.size()) task_.operation.noise[target * k + i] = t[i] * u[i];
      return good;
    }

   private:
    NEARGP_HD double weight_bar(Index target, int i) const {
      if (!task_.operation.weighted) return task_.operation.weights[target * tile_.k() + i];
      const int columns = task_.view.columns;
      double sum = 0.0;
      for (int c = 0; c < columns; ++c) sum += task_.operation.weighted[target * columns + c] * tile_.value(i, c);
      return sum;
    }

    const TeamConditionalAdjoint& task_;
    const Team& team_;
    TeamTile<Team, true> tile_;
  };
};

}  // namespace neargp
