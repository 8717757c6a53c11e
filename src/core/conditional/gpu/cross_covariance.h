// Covariances between many rows and a few hundred or thousand points, one component at a time, and an adjoint of them
// times their slopes. Coordinates are in the component's metric. Neighbouring threads have neighbouring rows.
#pragma once

#include "conditional/gpu/covariance.h"
#include "conditional/gpu/run_targets.h"
#include "covariance/dense_device.h"

namespace neargp {

// The pairs of one point and a run of rows: run r of point j has the number j * runs + r.
struct CrossPairs {
  static constexpr Index run = 1024;

  int dim;
  ScaledPoints rows, points;

  NEARGP_HD Index runs() const { return (rows.n + run - 1) / run; }
  NEARGP_HD Index targets() const { return runs() * points.n; }

  // body(i, r2) for the rows of a target.
  template <class Team, class Body>
  NEARGP_HD void for_each_row(const Team& team, Index target, const Body& body) const {
    const Index first = target % runs() * run, end = first + run < rows.n ? first + run : rows.n;
    const double* point = points.data + target / runs();
    for (Index i = first + team.rank(); i < end; i += team.size()) {
      double r2 = 0.0;
      for (int d = 0; d < dim; ++d) {
        const double delta = rows.data[d * rows.n + i] - point[d * points.n];
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
  Block sum;

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamCrossCovariance& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index target, double, double*) {
      const TeamComponent<double>& component = task_.covariance.component[task_.component];
      double* column = task_.sum.data + target / task_.pairs.runs() * task_.sum.stride;
      task_.pairs.for_each_row(team_, target, [&](Index i, double r2) {
        double value, slope, shape;
        covariance_entry<false>(component, r2, value, slope, shape);
        column[i] += value;
      });
      return true;
    }

   private:
    const TeamCrossCovariance& task_;
    const Team& team_;
  };
};

// sums[2 t] and sums[2 t + 1]: what PairSums sums, over target t.
struct TeamCrossSlopes {
  CrossPairs pairs;
  TeamCovariance<double> covariance;
  int component;
  ConstBlock bar;
  Block slopes;
  double* sums;

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamCrossSlopes& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index target, double, double*) {
      const TeamComponent<double>& component = task_.covariance.component[task_.component];
      const Index point = target / task_.pairs.runs();
      const double* bar = task_.bar.data + point * task_.bar.stride;
      double* slopes = task_.slopes.data + point * task_.slopes.stride;
      double in_value = 0.0, in_shape = 0.0;
      task_.pairs.for_each_row(team_, target, [&](Index i, double r2) {
        double value, slope, shape;
        covariance_entry<true>(component, r2, value, slope, shape);
        const double weight = bar[i];
        in_value += weight * value;
        in_shape += weight * shape;
        slopes[i] = weight * slope;
      });
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
