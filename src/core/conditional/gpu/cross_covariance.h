// Covariances between many rows and a few hundred or thousand points, one component at a time, and an adjoint of them
// times their slopes. Coordinates are in the component's metric. Neighbouring threads take neighbouring rows.
#pragma once

#include "conditional/gpu/covariance.h"
#include "conditional/gpu/run_targets.h"
#include "conditional/gpu/stack_columns.h"
#include "covariance/dense_device.h"

namespace neargp {

// A target is the pairs of one point and a run of rows. Its number is (w * points + j) * runs + r for run r of point j
// of matrix w.
struct CrossPairs {
  int dim;
  ScaledPoints rows, points;
  const double* factor = nullptr;  // of each matrix, or null
  Index matrices = 1;

  // Few rows are cut into more runs, so that all multiprocessors get some.
  NEARGP_HD Index run() const { return rows.n < (1 << 14) ? 256 : 1024; }
  NEARGP_HD Index runs() const { return (rows.n + run() - 1) / run(); }
  NEARGP_HD Index targets() const { return runs() * points.n * matrices; }
  NEARGP_HD Index column(Index target) const { return target / runs() % points.n; }
  NEARGP_HD Index matrix(Index target) const { return target / runs() / points.n; }
  NEARGP_HD double factor_of(Index target) const { return factor ? factor[matrix(target)] : 1.0; }

  // body(i, r2) for the rows of a target.
  template <class Team, class Body>
  NEARGP_HD void for_each_row(const Team& team, Index target, const Body& body) const {
    const Index first = target % runs() * run(), end = first + run() < rows.n ? first + run() : rows.n;
    const double* row = rows.data + matrix(target) * rows.step;
    const double* point = points.data + matrix(target) * points.step + column(target);
    for (Index i = first + team.rank(); i < end; i += team.size()) {
      double r2 = 0.0;
      for (int d = 0; d < dim; ++d) {
        const double delta = row[d * rows.n + i] - point[d * points.n];
        r2 += delta * delta;
      }
      body(i, r2);
    }
  }
};

struct TeamCrossCovariance {
  CrossPairs pairs;
  TeamCovariance<double> covariance;
  int component;
  Stack sum;

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamCrossCovariance& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index target, double, double*) {
      const TeamComponent<double>& component = task_.covariance.component[task_.component];
      double* column = column_of(task_.sum, task_.pairs.matrix(target), task_.pairs.column(target));
      const double factor = task_.pairs.factor_of(target);
      task_.pairs.for_each_row(team_, target, [&](Index i, double r2) {
        double value, slope, shape;
        covariance_entry<false>(component, r2, value, slope, shape);
        column[i] += factor * value;
      });
      return true;
    }

   private:
    const TeamCrossCovariance& task_;
    const Team& team_;
  };
};

// sums[2 t] and sums[2 t + 1] are the two sums of PairSums over target t. `sums` may be null.
struct TeamCrossSlopes {
  CrossPairs pairs;
  TeamCovariance<double> covariance;
  int component;
  ConstStack bar;
  Stack slopes;
  double* sums;

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamCrossSlopes& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index target, double, double*) {
      const TeamComponent<double>& component = task_.covariance.component[task_.component];
      const Index matrix = task_.pairs.matrix(target), point = task_.pairs.column(target);
      const double* bar = column_of(task_.bar, matrix, point);
      double* slopes = column_of(task_.slopes, matrix, point);
      const double factor = task_.pairs.factor_of(target);
      double in_value = 0.0, in_shape = 0.0;
      task_.pairs.for_each_row(team_, target, [&](Index i, double r2) {
        double value, slope, shape;
        covariance_entry<true>(component, r2, value, slope, shape);
        const double weight = factor * bar[i];
        in_value += weight * value;
        in_shape += weight * shape;
        // a pair at one location gets zero, because the exponential's slope is infinite there
        slopes[i] = r2 > 0.0 ? weight * slope : 0.0;
      });
      if (!task_.sums) return true;
      in_value = team_.sum(in_value);
      in_shape = team_.sum(in_shape);
      if (team_.rank() == 0) {
        task_.sums[2 * target] = in_value;
        task_.sums[2 * target + 1] = in_shape;
      }
      return true;
    }

   private:
    const TeamCrossSlopes& task_;
    const Team& team_;
  };
};

}  // namespace neargp
