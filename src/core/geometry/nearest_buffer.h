#pragma once

#include <algorithm>
#include <limits>
#include <vector>

namespace neargp {

struct Candidate {
  double distance2;
  int row;

  bool operator<(const Candidate& other) const {
    return distance2 < other.distance2 || (distance2 == other.distance2 && row < other.row);
  }
};

// Finds the k smallest of a stream of candidates. Candidates that are not above `bound()` are appended without
// branches. Whenever the store is full, only the k smallest stay, and the largest of them becomes the new `bound()`.
// This is several times faster than a heap when candidates arrive in runs, roughly nearest first.
class NearestBuffer {
 public:
  explicit NearestBuffer(int k)
      : k_(k), capacity_(2 * k + 64), store_(capacity_ + run_length), sorted_(capacity_ + run_length) {}

  // Begins a new query, for which candidates farther than the root of `bound2` are known not to matter.
  void start(double bound2) {
    bound_ = {bound2, std::numeric_limits<int>::max()};
    size_ = 0;
  }

  // Nothing that comes after this candidate can be among the nearest.
  const Candidate& bound() const { return bound_; }
  int size() const { return size_; }

  static constexpr int run_length = 16;

  // Offers a run of candidates; accept(s) returns which of them are eligible. A distance of NaN never is.
  template <class Accept>
  void offer(const double* distance2, const int* rows, Accept accept) {
    Candidate* store = store_.data();
    int size = size_;
    const double bound2 = bound_.distance2;
    for (int s = 0; s < run_length; ++s) {
      store[size] = {distance2[s], rows[s]};
      size += int(distance2[s] <= bound2) & int(accept(s));
    }
    size_ = size;
    if (size_ > capacity_) keep_nearest();
  }

  void offer(const Candidate& candidate) {
    if (!(candidate.distance2 <= bound_.distance2)) return;
    store_[size_++] = candidate;
    if (size_ > capacity_) keep_nearest();
  }

  // Sorts what was found, at most k candidates, and returns how many there are.
  int finish() {
    const double bound2 = bound_.distance2;
    if (bound2 > 1e-290 && bound2 < std::numeric_limits<double>::infinity()) {  // then 64 / bound2 is a number
      sort_by_buckets();
    } else {
      std::sort(store_.begin(), store_.begin() + size_);
    }
    size_ = std::min(size_, k_);
    return size_;
  }

  const Candidate& operator[](int i) const { return store_[i]; }

 private:
  void keep_nearest() {
    std::nth_element(store_.begin(), store_.begin() + (k_ - 1), store_.begin() + size_);
    bound_ = store_[k_ - 1];
    size_ = k_;
  }

  // In the plane, the squared distances of evenly spread points are evenly spread, and in other dimensions not too
  // unevenly. Cuts [0, bound2] in equal buckets, and puts every candidate behind those of lower buckets. Little is then
  // left to sort. Where that fails (many equal distances, high dimensions) the second sort does the work.
  void sort_by_buckets() {
    constexpr int buckets = 64;
    int begin[buckets + 1] = {};
    const double scale = (buckets - 1) / bound_.distance2;
    for (int i = 0; i < size_; ++i) ++begin[int(store_[i].distance2 * scale) + 1];
    const int largest = *std::max_element(begin, begin + buckets + 1);
    for (int b = 1; b <= buckets; ++b) begin[b] += begin[b - 1];
    for (int i = 0; i < size_; ++i) sorted_[begin[int(store_[i].distance2 * scale)]++] = store_[i];
    store_.swap(sorted_);
    if (largest > 8) return std::sort(store_.begin(), store_.begin() + size_);
    insertion_sort();
  }

  void insertion_sort() {
    for (int i = 1; i < size_; ++i) {
      const Candidate candidate = store_[i];
      int place = i;
      for (; place > 0 && candidate < store_[place - 1]; --place) store_[place] = store_[place - 1];
      store_[place] = candidate;
    }
  }

  int k_;
  int capacity_;
  int size_ = 0;
  Candidate bound_ = {std::numeric_limits<double>::infinity(), std::numeric_limits<int>::max()};
  std::vector<Candidate> store_;
  std::vector<Candidate> sorted_;
};

}  // namespace neargp
