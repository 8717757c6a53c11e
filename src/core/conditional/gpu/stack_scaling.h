// Operations on stacks of matrices on a device that a layer's posterior needs in addition to products. They scale
// columns, sum squares by row, and copy one triangle to the other. Neighbouring threads take neighbouring rows.
#pragma once

#include "conditional/gpu/run_targets.h"
#include "conditional/gpu/stack_columns.h"

namespace neargp {

// x = x diag(scale)
struct TeamScaleColumns {
  const double* scale;
  Stack x;

  Index targets() const { return ColumnRuns(x).targets(); }
  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamScaleColumns& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index target, double, double*) {
      const ColumnRuns runs(task_.x);
      double* column = column_of(task_.x, runs.matrix(target), runs.column(target));
      const double scale = task_.scale[runs.matrix(target) * task_.x.first.columns + runs.column(target)];
      for (Index i = runs.begin(target) + team_.rank(); i < runs.end(target); i += team_.size()) column[i] *= scale;
      return true;
    }

   private:
    const TeamScaleColumns& task_;
    const Team& team_;
  };
};

// sums_wi += sum_j of_column_wj a_wij^2. Its targets are runs of rows of a matrix.
struct TeamAddSquares {
  static constexpr Index run = 32;

  ConstStack a;
  const double* of_column;
  double* sums;

  NEARGP_HD Index runs() const { return (a.first.rows + run - 1) / run; }
  Index targets() const { return runs() * a.count; }
  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamAddSquares& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index target, double, double*) {
      const Index matrix = target / task_.runs(), rows = task_.a.first.rows, columns = task_.a.first.columns;
      const Index first = target % task_.runs() * run, end = first + run < rows ? first + run : rows;
      for (Index i = first + team_.rank(); i < end; i += team_.size()) {
        double sum = 0.0;
        for (Index j = 0; j < columns; ++j) {
          const double entry = column_of(task_.a, matrix, j)[i];
          sum += task_.of_column[matrix * columns + j] * entry * entry;
        }
        task_.sums[matrix * rows + i] += sum;
      }
      return true;
    }

   private:
    const TeamAddSquares& task_;
    const Team& team_;
  };
};

// Copies the entries above the diagonal to those below it. Its targets are the columns.
struct TeamMirrorUpper {
  Stack x;

  Index targets() const { return x.first.columns * x.count; }
  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamMirrorUpper& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index target, double, double*) {
      const Index columns = task_.x.first.columns, matrix = target / columns, column = target % columns;
      double* below = column_of(task_.x, matrix, column);
      for (Index i = column + 1 + team_.rank(); i < columns; i += team_.size())
        below[i] = column_of(task_.x, matrix, i)[column];
      return true;
    }

   private:
    const TeamMirrorUpper& task_;
    const Team& team_;
  };
};

}  // namespace neargp
