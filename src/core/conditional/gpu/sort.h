// Sorting by a team: pairs of a distance and a label, nearest first and by label where distances are equal.
#pragma once

#include "base/hd.h"

namespace neargp {

NEARGP_HD inline bool is_nearer(double distance, int label, double than_distance, int than_label) {
  return distance < than_distance || (distance == than_distance && label < than_label);
}

// Batcher's bitonic network for `size` = 2^m pairs: at each step every thread compares pairs that no other one touches.
template <class Team>
NEARGP_HD inline void team_sort(const Team& team, int size, double* distance, int* label) {
  for (int sorted = 2; sorted <= size; sorted *= 2)
    for (int step = sorted / 2; step > 0; step /= 2) {
      for (int e = team.rank(); e < size / 2; e += team.size()) {
        const int low = 2 * e - (e & (step - 1));  // 2 step (e / step) + e % step, for powers of two
        const int high = low + step;
        const bool ascending = (low & sorted) == 0;
        if (is_nearer(distance[high], label[high], distance[low], label[low]) == ascending) {
          const double d = distance[low];
          const int l = label[low];
          distance[low] = distance[high];
          label[low] = label[high];
          distance[high] = d;
          label[high] = l;
        }
      }
      team.barrier();
    }
}

}  // namespace neargp
