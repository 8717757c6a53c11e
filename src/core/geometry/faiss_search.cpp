#include "geometry/faiss_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "geometry/nearest_buffer.h"
#include "parallel/parallel_for.h"

namespace neargp {
namespace {

// An ordered search takes this many points and their queries at a time. The points before this stretch are in the
// index. Points within the stretch are compared one by one.
constexpr int points_per_stretch = 4096;

// `extra_candidates`: the candidates beyond the k that are wanted. The last candidate should be farther than the k-th
// by more than rounding can explain. Otherwise a second round takes `more_candidates` times as many, or the most that
// the index can return. If that fails, the query is compared with all points.
constexpr int extra_candidates = 16, more_candidates = 8, rounds = 2;

// Centres points, and scales them by a power of two so that nothing overflows. Neither changes any rounding in double
// precision that matters. The errors of single precision are relative to the distance from the centre.
class SingleFrame {
 public:
  explicit SingleFrame(Points points) : center_(points.dim, 0.0) {
    for (Index i = 0; i < points.n; ++i)
      for (int c = 0; c < points.dim; ++c) center_[c] += points[i][c] / double(points.n);
    double largest = 0.0;
    for (Index i = 0; i < points.n; ++i)
      for (int c = 0; c < points.dim; ++c) largest = std::max(largest, std::fabs(points[i][c] - center_[c]));
    if (largest > 0.0) scale_ = std::ldexp(1.0, -std::ilogb(largest));
  }

  double scale() const { return scale_; }

  // Writes the point and returns its norm.
  double write(const double* x, float* out) const {
    double sum = 0.0;
    for (std::size_t c = 0; c < center_.size(); ++c) {
      const double centered = (x[c] - center_[c]) * scale_;
      out[c] = float(centered);
      sum += centered * centered;
    }
    return std::sqrt(sum);
  }

 private:
  std::vector<double> center_;
  double scale_ = 1.0;
};

// FAISS's index of the first points of a set.
class SingleIndex {
 public:
  SingleIndex(const FaissModule& module, int dim, int gpu)
      : module_(module), most_candidates_(gpu == no_gpu ? std::numeric_limits<int>::max() : module.candidates_on_gpu),
        handle_(module.open(dim, gpu)) {}
  SingleIndex(const SingleIndex&) = delete;
  SingleIndex& operator=(const SingleIndex&) = delete;
  ~SingleIndex() { module_.close(handle_); }

  Index size() const { return size_; }
  Index most_candidates() const { return most_candidates_; }

  void grow(const SingleFrame& frame, Points points, Index size) {
    constexpr Index block = 65536;
    std::vector<float> rounded(std::size_t(std::min(block, size - size_) * points.dim));
    while (size_ < size) {
      const Index count = std::min(block, size - size_);
      for (Index i = 0; i < count; ++i) frame.write(points[size_ + i], rounded.data() + i * points.dim);
      module_.add(handle_, rounded.data(), count);
      size_ += count;
    }
  }

  void search(const std::vector<float>& queries, Index m, int count, std::vector<float>& distance2,
              std::vector<Index>& row) const {
    distance2.resize(std::size_t(m * count));
    row.resize(std::size_t(m * count));
    module_.search(handle_, queries.data(), m, count, distance2.data(), row.data());
  }

 private:
  const FaissModule& module_;
  Index most_candidates_;
  void* handle_;
  Index size_ = 0;
};

// Answers some queries, whose limits are at least the size of the index.
class QueryBlock {
 public:
  QueryBlock(const NeighborRequest& request, const SingleFrame& frame, const SingleIndex& index)
      : request_(request), frame_(frame), index_(index) {}

  void run(Index first, Index last) {
    std::vector<Index> queries;
    for (Index j = first; j < last; ++j) queries.push_back(j);
    Index count = request_.k + extra_candidates, before = 0;
    for (int round = 0; round < rounds && !queries.empty() && count > before && count < index_.size(); ++round) {
      queries = answer(queries, int(count));
      before = count;
      count = std::min(count * more_candidates, index_.most_candidates());
    }
    for (const Index j : queries) compare_with_all(j);
  }

 private:
  int dim() const { return request_.queries.dim; }

  void offer(Index j, Index i) {
    const int label = request_.label ? request_.label[i] : int(i);
    if (request_.excluded && label == request_.excluded[j]) return;
    found_.push_back({squared_distance(request_.reference[i], request_.queries[j], dim()), label});
  }

  // Offers the points that the query may use and that are not in the index.
  void offer_later_points(Index j) {
    const Index end = request_.limit ? request_.limit[j] : request_.reference.n;
    for (Index i = index_.size(); i < end; ++i) offer(j, i);
  }

  // Sorts the candidates found for the query and writes the nearest k.
  void write(Index j) {
    const Index count = std::min<Index>(request_.k, Index(found_.size()));
    std::partial_sort(found_.begin(), found_.begin() + count, found_.end());
    for (Index i = 0; i < count; ++i) request_.index[j * request_.k + i] = found_[i].row;
  }

  // Answers queries from `count` candidates each. Returns the queries for which they do not suffice.
  std::vector<Index> answer(const std::vector<Index>& queries, int count) {
    const Index m = Index(queries.size());
    rounded_.resize(std::size_t(m * dim()));
    norm_.resize(std::size_t(m));
    for (Index q = 0; q < m; ++q) norm_[q] = frame_.write(request_.queries[queries[q]], rounded_.data() + q * dim());
    index_.search(rounded_, m, count, distance2_, row_);
    std::vector<Index> unanswered;
    for (Index q = 0; q < m; ++q) {
      const Index j = queries[q];
      found_.clear();
      for (Index i = q * count; i < (q + 1) * count; ++i)
        if (row_[i] >= 0) offer(j, row_[i]);  // a distance that overflowed has no row
      offer_later_points(j);
      if (Index(found_.size()) >= request_.k && complete(norm_[q], distance2_[(q + 1) * count - 1])) {
        write(j);
      } else {
        unanswered.push_back(j);
      }
    }
    return unanswered;
  }

  // Equal distances are ordered by label, so no point that was not seen may be just as far as the k-th. Squares below
  // the smallest normal number are inexact.
  bool complete(double query_norm, float last_distance2) {
    std::nth_element(found_.begin(), found_.begin() + (request_.k - 1), found_.end());
    const double lost = dim() * std::numeric_limits<double>::min();
    const double reach = std::sqrt(found_[request_.k - 1].distance2 + lost) * frame_.scale();
    return double(last_distance2) > largest_single_distance2(reach, query_norm, dim());
  }

  void compare_with_all(Index j) {
    constexpr int run = NearestBuffer::run_length;
    NearestBuffer nearest(request_.k);
    nearest.start(std::numeric_limits<double>::infinity());
    const Index end = request_.limit ? request_.limit[j] : request_.reference.n;
    double distance2[run];
    int label[run];
    for (Index first = 0; first < end; first += run) {
      for (int s = 0; s < run; ++s) {
        const Index i = std::min(first + s, end - 1);
        label[s] = request_.label ? request_.label[i] : int(i);
        distance2[s] = squared_distance(request_.reference[i], request_.queries[j], dim());
      }
      nearest.offer(distance2, label,
                    [&](int s) { return first + s < end && !(request_.excluded && label[s] == request_.excluded[j]); });
    }
    const int count = nearest.finish();
    for (int i = 0; i < count; ++i) request_.index[j * request_.k + i] = nearest[i].row;
  }

  const NeighborRequest& request_;
  const SingleFrame& frame_;
  const SingleIndex& index_;
  std::vector<float> rounded_, distance2_;
  std::vector<double> norm_;
  std::vector<Index> row_;
  std::vector<Candidate> found_;
};

// The product of a block of queries with all points takes well under a second, so that an interrupt is answered. A GPU
// does 10^13 multiplications a second, and needs enough queries at a time.
Index queries_per_block(Index points, int dim, bool on_gpu) {
  const Index work = std::max<Index>(points * dim, 1);
  return on_gpu ? std::clamp<Index>((Index(1) << 39) / work, 256, 16384)
                : std::clamp<Index>((Index(1) << 31) / work, 32, 1024);
}

}  // namespace

void search_by_faiss(const FaissModule& module, int gpu, const NeighborRequest& request, const RunContext& context) {
  if (request.k + extra_candidates > module.candidates_on_gpu) gpu = no_gpu;
  const SingleFrame frame(request.reference);
  SingleIndex index(module, request.reference.dim, gpu);
  const Index queries = request.queries.n;
  Index first = 0;
  while (first < queries) {
    index.grow(frame, request.reference, request.limit ? request.limit[first] : request.reference.n);
    Index last = queries;
    if (request.limit)
      last = std::upper_bound(request.limit + first, request.limit + queries, index.size() + points_per_stretch) -
             request.limit;
    const Index block = queries_per_block(index.size(), request.reference.dim, gpu != no_gpu);
    RunContext stretch = context;
    if (context.progress)
      stretch.progress = [&](double part) {
        context.progress((double(first) + part * double(last - first)) / double(queries));
      };
    parallel_for(stretch, (last - first + block - 1) / block, [&](Index chunk) {
      const Index begin = first + chunk * block;
      QueryBlock(request, frame, index).run(begin, std::min(begin + block, last));
    });
    first = last;
  }
}

double largest_single_distance2(double reach, double query_norm, int dim) {
  constexpr double u = 1.0 / (1 << 24);
  const double gamma = (dim + 2) * u / (1.0 - (dim + 2) * u);
  const double norms = 2.0 * query_norm + reach;
  const double distance = reach + u * norms;
  // the factor 1 + 1e-6 covers the rounding of the norms, (1 + u)^2, and that of this formula
  const double largest = distance * distance + gamma * norms * norms;
  return largest * (1.0 + 1e-6) + dim * std::ldexp(1.0, -120);
}

}  // namespace neargp
