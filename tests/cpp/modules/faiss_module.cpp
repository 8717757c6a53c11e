// A plain loop in single precision in place of FAISS, by the least exact of the formulas that FAISS uses.
#include <algorithm>
#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "geometry/faiss_module.h"

using neargp::Index;

namespace {

// Few, for tests to exceed.
constexpr int candidates_on_gpu = 60;

std::atomic<int> searches_on_gpu{0}, last_gpu{neargp::no_gpu};

struct PlainIndex {
  int dim;
  int gpu;
  std::vector<float> points;
};

void* open(int dim, int gpu) {
  if (gpu != neargp::no_gpu) last_gpu = gpu;
  return new PlainIndex{dim, gpu, {}};
}
void close(void* index) { delete static_cast<PlainIndex*>(index); }

void add(void* index, const float* points, Index n) {
  auto& plain = *static_cast<PlainIndex*>(index);
  plain.points.insert(plain.points.end(), points, points + n * plain.dim);
}

// |x|^2 + |y|^2 - 2 x'y, which loses what the differences would keep.
float expanded(const float* x, const float* y, int dim) {
  float xx = 0.0f, yy = 0.0f, xy = 0.0f;
  for (int c = 0; c < dim; ++c) {
    xx += x[c] * x[c];
    yy += y[c] * y[c];
    xy += x[c] * y[c];
  }
  const float distance2 = xx + yy - 2.0f * xy;
  return distance2 >= 0.0f ? distance2 : distance2 < 0.0f ? 0.0f : std::numeric_limits<float>::infinity();
}

// Like FAISS, finds nothing where the distance overflows.
void search(const void* index, const float* queries, Index m, int count, float* distance2, Index* row) {
  const auto& plain = *static_cast<const PlainIndex*>(index);
  const bool on_gpu = plain.gpu != neargp::no_gpu;
  if (on_gpu && count > candidates_on_gpu) throw neargp::Error("So many candidates a GPU does not give.");
  if (on_gpu) ++searches_on_gpu;
  const Index n = Index(plain.points.size()) / plain.dim;
  std::vector<std::pair<float, Index>> all(n);
  for (Index j = 0; j < m; ++j) {
    for (Index i = 0; i < n; ++i)
      all[i] = {expanded(queries + j * plain.dim, plain.points.data() + i * plain.dim, plain.dim), i};
    std::partial_sort(all.begin(), all.begin() + count, all.end());
    for (int s = 0; s < count; ++s) {
      const bool found = all[s].first < std::numeric_limits<float>::max();
      distance2[j * count + s] = found ? all[s].first : std::numeric_limits<float>::max();
      row[j * count + s] = found ? all[s].second : -1;
    }
  }
}

}  // namespace

extern "C" const neargp::FaissModule* neargp_faiss_module() {
  static const neargp::FaissModule module = {
      neargp::faiss_module_abi_version, "a plain loop", candidates_on_gpu, open, close, add, search};
  return &module;
}

// In the form of R's .C().
extern "C" void plain_searches_on_gpu(int* count) { *count = searches_on_gpu; }
extern "C" void plain_last_gpu(int* gpu) { *gpu = last_gpu; }
