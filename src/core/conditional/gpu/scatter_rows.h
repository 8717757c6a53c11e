// Rows of an array on a device, replaced by others that were sent side by side.
#pragma once

#include "conditional/gpu/launch.h"

namespace neargp {

// Scatters rows. Its targets are runs of `run` numbers of `from`, which has rows of `width` numbers: row r goes to
// row[r] of `to`.
struct ScatterRows {
  static constexpr Index run = 1024;

  double* to;
  const double* from;
  const int* row;
  Index rows, width;

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const ScatterRows& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index target, double, double*) {
      const Index end = target * run + run < task_.rows * task_.width ? target * run + run : task_.rows * task_.width;
      for (Index e = target * run + team_.rank(); e < end; e += team_.size())
        task_.to[task_.row[e / task_.width] * task_.width + e % task_.width] = task_.from[e];
      return true;
    }

   private:
    const ScatterRows& task_;
    const Team& team_;
  };
};

}  // namespace neargp
