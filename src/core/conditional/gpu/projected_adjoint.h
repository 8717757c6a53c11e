// The two halves of conditional/cpu/projected_adjoint.h, one target to a team. The first computes the mean, the
// projected and the conditional variance. The second computes the adjoint, once the host has found the derivatives of
// the terms. In between, the factors stay in the device's memory, k^2/2 doubles for each target of a chunk. To write
// and read them takes a fraction of the time of a second factorisation.
#pragma once

#include "conditional/gpu/adjoint_tile.h"
#include "conditional/operations.h"

namespace neargp {

class TeamProjectedMoments {
 public:
  LocalView view;
  TeamCovariance<> covariance;
  ProjectedMoments found;
  double* factors;  // targets x TeamTriangle<double>::size(k)

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamProjectedMoments& task, const Team& team, TeamArena& arena)
        : task_(task), team_(team), tile_(team, task.view, task.covariance, {false, 1}, arena) {}

    NEARGP_HD bool add(Index target, double weight, double*) {
      const int k = tile_.k();
      const bool good = tile_.load(target);
      double* u = tile_.vector(0);
      const double f = solve_contrast(tile_, u);
      double mean = 0.0, projected = 0.0;
      for (int i = team_.rank(); i < k; i += team_.size()) {
        mean -= u[i] * tile_.value(i, 0);
        projected += u[i] * u[i] * tile_.value(i, 1);
      }
      mean = team_.sum(mean);
      projected = team_.sum(projected);
      if (weight > 0.0) write(target, mean, projected, f, u);
      return good;
    }

   private:
    NEARGP_HD void write(Index target, double mean, double projected, double f, const double* u) const {
      const int k = tile_.k();
      tile_.factor().copy_to(team_, task_.factors + target * TeamTriangle<double>::size(k));
      for (int i = team_.rank(); i < k; i += team_.size()) task_.found.weights[target * k + i] = -u[i];
      if (team_.rank() != 0) return;
      task_.found.mean[target] = mean;
      task_.found.projected[target] = projected;
      task_.found.variance[target] = f;
    }

    const TeamProjectedMoments& task_;
    const Team& team_;
    TeamTile<Team, false> tile_;
  };
};

class TeamProjectedAdjoint {
 public:
  LocalView view;
  TeamCovariance<> covariance;
  ProjectedMoments found;
  ProjectedDerivatives given;
  const double* factors;

  NEARGP_HD int outputs() const { return covariance.parameters; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamProjectedAdjoint& task, const Team& team, TeamArena& arena)
        : task_(task), team_(team), tile_(team, task.view, task.covariance, {false, 2}, arena) {}

    NEARGP_HD bool add(Index target, double weight, double* sums) {
      const int k = tile_.k();
      tile_.load(target, task_.factors + target * TeamTriangle<double>::size(k));
      double* u = tile_.vector(0);
      double* t = tile_.vector(1);
      load_contrast(target, u);
      const double f = task_.found.variance[target];
      const double in_mean = task_.given.d_mean[target];
      const double in_projected = 2.0 * task_.given.d_projected[target];
      const double fbar = task_.given.d_variance[target];
      for (int i = team_.rank(); i < tile_.vector_stride(); i += team_.size())
        t[i] = i < k ? in_mean * tile_.value(i, 0) - in_projected * u[i] * tile_.value(i, 1) : 0.0;
      solve_adjoint(tile_, u, fbar, t);
      contract_adjoint(tile_, u, t, fbar * f, weight, sums);
      if (task_.given.d_locations && weight > 0.0) pull_locations(target, u, t);
      return true;  // failed targets are known from the moments
    }

   private:
    // u = (-b, 1).
    NEARGP_HD void load_contrast(Index target, double* u) const {
      const int k = tile_.k();
      const double* b = task_.found.weights + target * k;
      for (int i = team_.rank(); i < tile_.vector_stride(); i += team_.size())
        u[i] = i < k ? -b[i] : i == k ? 1.0 : 0.0;
      team_.barrier();
    }

    // Let w_ij be the weight of the pair of entries S_ij, S_ji times 2 dS_ij/dr2, and z the scaled coordinates. The
    // gradient in z_i is the sum over j of w_ij (z_i - z_j). One thread computes a row, so no two write to one
    // location.
    NEARGP_HD void pull_locations(Index target, const double* u, const double* t) const {
      const int rows = tile_.rows(), dim = task_.covariance.dim;
      double* out = task_.given.d_locations + target * rows * dim;
      for (int i = team_.rank(); i < rows; i += team_.size()) {
        double* contribution = out + i * dim;
        for (int d = 0; d < dim; ++d) contribution[d] = 0.0;
        for (int c = 0; c < task_.covariance.components; ++c) add_row_contribution(c, i, u, t, contribution);
      }
    }

    NEARGP_HD void add_row_contribution(int c, int i, const double* u, const double* t, double* contribution) const {
      const TeamComponent<double>& component = task_.covariance.component[c];
      // z = D E x, D the inverse ranges and E symmetric: d/dx = E D d/dz
      if (component.turned > 0) {
        double along[3];
        for (int d = 0; d < component.turned; ++d)
          along[d] = component.inverse_range[d] * contribution_along(c, i, d, u, t);
        turn(component, along, 1);
        for (int d = 0; d < component.turned; ++d) contribution[d] += along[d];
      }
      for (int d = component.turned; d < task_.covariance.dim; ++d)
        contribution[d] += component.inverse_range[d] * contribution_along(c, i, d, u, t);
    }

    NEARGP_HD double contribution_along(int c, int i, int d, const double* u, const double* t) const {
      const double* slope = tile_.component(c).slope;
      const int rows = tile_.rows();
      const double* z = tile_.coords(c) + d * rows;
      double sum = 0.0;
      for (int j = 0; j < rows; ++j) {
        if (j == i) continue;
        const int place = pair_place(larger(i, j), smaller(i, j), rows);
        sum += 2.0 * pair_weight(t, u, i, j) * slope[place] * (z[i] - z[j]);
      }
      return sum;
    }

    const TeamProjectedAdjoint& task_;
    const Team& team_;
    TeamTile<Team, true> tile_;
  };
};

}  // namespace neargp
