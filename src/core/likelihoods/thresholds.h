// Thresholds of ordered categories 1, ..., K: P(Y <= k) = F(t_k - eta) with t_k = t_(k-1) + gap_k. The first threshold
// t_1 is 0, since the trend contains a constant. The parameters of the families are the K - 2 gaps. A datum of category
// k lies between two ends, t_(k-1) and t_k. The first category is without a lower end, the last one without an upper
// end.
#pragma once

#include "likelihoods/terms.h"

namespace neargp {

template <class V>
class Thresholds {
 public:
  // Allocates without std::vector, because its functions would be shared with code for other processors.
  Thresholds(const double* gaps, int count)
      : count_(count), gaps_(new double[3 * count + 2]()), at_(gaps_ + count), d_at_(at_ + count + 1) {
    for (int g = 0; g < count; ++g) {
      gaps_[g] = gaps[g];
      at_[g + 1] = at_[g] + gaps[g];
    }
  }

  ~Thresholds() { delete[] gaps_; }
  Thresholds(const Thresholds&) = delete;
  Thresholds& operator=(const Thresholds&) = delete;

  void load(V y) {
    for (int lane = 0; lane < PackTraits<V>::lanes; ++lane) {
      const int category = int(get_lane(y, lane));
      const bool first = category <= 1, last = category > count_ + 1;
      category_[lane] = category;
      set_lane(has_lower, lane, first ? 0.0 : 1.0);
      set_lane(has_upper, lane, last ? 0.0 : 1.0);
      set_lane(lower, lane, first ? 0.0 : at_[category - 2]);
      set_lane(upper, lane, last ? 0.0 : at_[category - 1]);
      set_lane(gap, lane, first || last ? 1.0 : gaps_[category - 2]);
    }
  }

  // Adds the derivatives of a pack in its upper and lower ends.
  void add(V d_upper, V d_lower) {
    for (int lane = 0; lane < PackTraits<V>::lanes; ++lane) {
      if (get_lane(has_upper, lane) > 0.0) d_at_[category_[lane] - 1] += get_lane(d_upper, lane);
      if (get_lane(has_lower, lane) > 0.0) d_at_[category_[lane] - 2] += get_lane(d_lower, lane);
    }
  }

  // Adds the derivatives in the logarithms of the gaps. A gap moves all thresholds beyond it.
  void add_to(double* d_log_gaps) const {
    double beyond = 0.0;
    for (int g = count_ - 1; g >= 0; --g) {
      beyond += d_at_[g + 1];
      d_log_gaps[g] += gaps_[g] * beyond;
    }
  }

  V lower, upper, gap, has_lower, has_upper;

 private:
  int count_;
  double *gaps_, *at_, *d_at_;
  int category_[PackTraits<V>::lanes];
};

}  // namespace neargp
