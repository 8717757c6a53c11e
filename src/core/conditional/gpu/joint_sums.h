// The sums of conditional/cpu/joint_sums.h, where the formulas are derived, one target to a team.
#pragma once

#include "conditional/gpu/contract.h"
#include "conditional/operations.h"

namespace neargp {

template <bool gradient, class Real = double>
class TeamJointSums {
 public:
  LocalView view;
  TeamCovariance<Real> covariance;

  NEARGP_HD int outputs() const { return JointSums{gradient}.sums(view.columns, covariance.parameters); }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamJointSums& task, const Team& team, TeamArena& arena)
        : columns_(task.view.columns), team_(team),
          tile_(team, task.view, task.covariance, {true, columns_, columns_}, arena),
          inverse_(arena.take<Real>(gradient ? triangle() : 0)), weights_(arena.take<Real>(gradient ? triangle() : 0)) {
    }

    NEARGP_HD bool add(Index target, double weight, double* sums) {
      const int rows = tile_.rows();
      const bool good = tile_.load(target);
      for (int c = 0; c < columns_; ++c) tile_.copy_solved_values(c, tile_.vector(c));
      team_.barrier();
      double count = 0.0, log_det = 0.0;
      for (int i = team_.rank(); i < rows; i += team_.size()) {
        count += tile_.present(i) ? 1.0 : 0.0;
        log_det += 2.0 * math::log(double(tile_.factor().at(i, i)));
      }
      count = team_.sum(count);
      log_det = team_.sum(log_det);
      weight /= count;
      if constexpr (gradient)
        add_gradient(weight, count, log_det, sums);
      else
        add_values(weight, log_det, sums);
      return good;
    }

   private:
    NEARGP_HD int triangle() const { return place(tile_.rows(), tile_.rows()); }

    // Entry (i, j), i >= j, of a triangle with its diagonal, by columns.
    NEARGP_HD int place(int i, int j) const { return j * (2 * tile_.rows() - j + 1) / 2 + (i - j); }

    NEARGP_HD void add_values(double weight, double log_det, double* sums) {
      if (team_.rank() == 0) sums[0] += weight * log_det;
      for (int s = team_.rank(); s < columns_ * columns_; s += team_.size()) {
        const int i = s / columns_, j = s % columns_;
        if (j <= i) sums[1 + s] += weight * thread_dot(tile_.vector(i), tile_.vector(j), tile_.factor().padded());
      }
    }

    NEARGP_HD void add_gradient(double weight, double count, double log_det, double* sums) {
      Real* alpha = tile_.vector(0);
      const double square = team_dot(team_, alpha, alpha, tile_.rows());
      if (team_.rank() == 0) sums[0] += weight * -0.5 * (count * log_two_pi + log_det + square);
      tile_.factor().solve_backward(team_, alpha);
      invert_factor();
      team_.barrier();
      fill_weights(alpha);
      team_.barrier();
      contract(
          tile_, [&](int i, int j) { return 2 * weights_[place(i, j)]; }, [&](int i) { return weights_[place(i, i)]; },
          0.5 * (square - count), weight, sums + 1);
    }

    // The inverse of the factor, a column to a thread, by forward substitution.
    NEARGP_HD void invert_factor() const {
      const TeamTriangle<Real>& factor = tile_.factor();
      for (int j = team_.rank(); j < tile_.rows(); j += team_.size()) {
        inverse_[place(j, j)] = factor.inverse_diagonal()[j];
        for (int i = j + 1; i < tile_.rows(); ++i) {
          Real sum = 0;
          for (int m = j; m < i; ++m) sum += factor.at(i, m) * inverse_[place(m, j)];
          inverse_[place(i, j)] = -sum * factor.inverse_diagonal()[i];
        }
      }
    }

    // (alpha alpha' - S^-1)/2, S^-1 = L^-T L^-1.
    NEARGP_HD void fill_weights(const Real* alpha) const {
      const int rows = tile_.rows();
      for_each_pair(team_, rows + 1, [&](int row, int j, int) {
        const int i = row - 1;
        Real entry = 0;
        for (int m = i; m < rows; ++m) entry += inverse_[place(m, i)] * inverse_[place(m, j)];
        weights_[place(i, j)] = joint_weight(alpha[i], alpha[j], entry);
      });
    }

    int columns_;
    const Team& team_;
    TeamTile<Team, gradient, Real> tile_;
    Real* inverse_;
    Real* weights_;
  };
};

}  // namespace neargp
