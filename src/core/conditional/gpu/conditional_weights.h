// Kriging as in conditional/cpu/conditional_weights.h, one target to a team.
#pragma once

#include "conditional/gpu/adjoint_tile.h"
#include "conditional/operations.h"

namespace neargp {

class TeamConditionalWeights {
 public:
  LocalView view;
  TeamCovariance<> covariance;
  ConditionalWeights operation;

  NEARGP_HD int outputs() const { return operation.sums(view.columns, covariance.parameters); }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamConditionalWeights& task, const Team& team, TeamArena& arena)
        : task_(task), team_(team), tile_(team, task.view, task.covariance, {false, 2}, arena) {}

    NEARGP_HD bool add(Index target, double weight, double*) {
      const bool good = tile_.load(target);
      double* u = tile_.vector(0);
      double f = solve_contrast(tile_, u);
      if (task_.operation.local_mean) f += constrain(u);
      if (weight > 0.0) write(target, u, f);
      return good;
    }

   private:
    // Weights that sum to one; returns by how much the variance grows.
    NEARGP_HD double constrain(double* u) {
      const int k = tile_.k();
      double* h = tile_.vector(1);
      for (int i = team_.rank(); i < tile_.vector_stride(); i += team_.size())
        h[i] = i < k && tile_.present(i) ? 1.0 : 0.0;
      team_.barrier();
      tile_.factor().solve_forward(team_, h, 1, tile_.vector_stride());
      const double s = team_dot(team_, h, h, k);
      tile_.factor().solve_backward(team_, h);
      double sum = 0.0;
      for (int i = team_.rank(); i < k; i += team_.size()) sum += u[i];
      const double deficit = 1.0 + team_.sum(sum);  // u is the weights' negative
      for (int i = team_.rank(); i < k; i += team_.size()) u[i] -= deficit / s * h[i];
      team_.barrier();
      return deficit * deficit / s;
    }

    NEARGP_HD void write(Index target, const double* u, double f) const {
      const int k = tile_.k(), columns = task_.view.columns;
      if (team_.rank() == 0) task_.operation.variance[target] = f;
      for (int i = team_.rank(); i < k && task_.operation.weights; i += team_.size())
        task_.operation.weights[target * k + i] = -u[i];
      for (int c = team_.rank(); c < columns; c += team_.size()) {
        double sum = 0.0;
        for (int i = 0; i < k; ++i) sum -= u[i] * tile_.value(i, c);
        task_.operation.weighted[target * columns + c] = sum;
      }
    }

    const TeamConditionalWeights& task_;
    const Team& team_;
    TeamTile<Team, false> tile_;
  };
};

}  // namespace neargp
