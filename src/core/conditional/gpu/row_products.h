// Rows of large matrices on a device: combined with a number for each, and multiplied with each other. Neighbouring
// threads have neighbouring rows, which lie side by side in a column.
#pragma once

#include "conditional/gpu/run_targets.h"
#include "conditional/gpu/stack_columns.h"

namespace neargp {

// to = diag(scale) from + diag(keep) to, without the second where `keep` is null.
struct TeamCombineRows {
  const double* scale;
  ConstStack from;
  const double* keep;
  Stack to;

  Index targets() const { return ColumnRuns(to).targets(); }
  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamCombineRows& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index target, double, double*) {
      const ColumnRuns runs(task_.to);
      const double* from = column_of(task_.from, runs.matrix(target), runs.column(target));
      double* to = column_of(task_.to, runs.matrix(target), runs.column(target));
      const Index before = runs.matrix(target) * task_.to.first.rows;
      for (Index i = runs.begin(target) + team_.rank(); i < runs.end(target); i += team_.size())
        to[i] = task_.scale[before + i] * from[i] + (task_.keep ? task_.keep[before + i] * to[i] : 0.0);
      return true;
    }

   private:
    const TeamCombineRows& task_;
    const Team& team_;
  };
};

// products_i = sum_j a_ij b_ij. Its targets are runs of rows.
struct TeamMultiplyRows {
  static constexpr Index run = 32;

  ConstBlock a, b;
  double* products;

  Index targets() const { return (a.rows + run - 1) / run; }
  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamMultiplyRows& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index target, double, double*) {
      const Index end = target * run + run < task_.a.rows ? target * run + run : task_.a.rows;
      for (Index i = target * run + team_.rank(); i < end; i += team_.size()) {
        double sum = 0.0;
        for (Index j = 0; j < task_.a.columns; ++j)
          sum += task_.a.data[j * task_.a.stride + i] * task_.b.data[j * task_.b.stride + i];
        task_.products[i] = sum;
      }
      return true;
    }

   private:
    const TeamMultiplyRows& task_;
    const Team& team_;
  };
};

}  // namespace neargp
