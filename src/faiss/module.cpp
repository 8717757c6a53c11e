// The FAISS module: FAISS's flat index, whose distances come from one matrix product for a block of queries.
#include <faiss/Index.h>
#include <faiss/IndexFlat.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <exception>
#include <memory>
#include <string>

#include "base/error.h"
#include "flat_index.h"
#include "geometry/faiss_module.h"

namespace {

using neargp::FlatIndex;
using neargp::Index;

#define NEARGP_TEXT(x) #x
#define NEARGP_VERSION(major, minor, patch) "FAISS " NEARGP_TEXT(major) "." NEARGP_TEXT(minor) "." NEARGP_TEXT(patch)

// FAISS throws a class of its own library, unknown beyond this module. An error of CUDA it does not throw: it asserts
// that there was none, and ends the process otherwise. Lack of the GPU's memory it throws.
template <class Action>
auto translated(const Action& action) {
  try {
    return action();
  } catch (const std::exception& exception) {
    throw neargp::Error(std::string("FAISS failed: ") + exception.what());
  }
}

class IndexOnCpu : public FlatIndex {
 public:
  explicit IndexOnCpu(int dim) : index_(dim) {}

  void add(const float* points, Index n) override { index_.add(n, points); }

  void search(const float* queries, Index m, int count, float* distance2, Index* row) const override {
    const OneThread one_thread;
    index_.search(m, queries, count, distance2, row);
  }

 private:
  // The caller has threads of its own.
  class OneThread {
   public:
    OneThread() { set(1); }  // after before_ has its value
    ~OneThread() { set(before_); }

   private:
#ifdef _OPENMP
    static void set(int threads) { omp_set_num_threads(threads); }
    const int before_ = omp_get_max_threads();
#else
    static void set(int) {}
    const int before_ = 1;
#endif
  };

  faiss::IndexFlatL2 index_;
};

void* open(int dim, int gpu) {
  return translated([&]() -> FlatIndex* {
    if (gpu != neargp::no_gpu) return neargp::new_index_on_gpu(dim, gpu).release();
    return std::make_unique<IndexOnCpu>(dim).release();
  });
}

void close(void* index) { delete static_cast<FlatIndex*>(index); }

void add(void* index, const float* points, Index n) {
  translated([&] { static_cast<FlatIndex*>(index)->add(points, n); });
}

void search(const void* index, const float* queries, Index m, int count, float* distance2, Index* row) {
  translated([&] { static_cast<const FlatIndex*>(index)->search(queries, m, count, distance2, row); });
}

}  // namespace

extern "C" const neargp::FaissModule* neargp_faiss_module() {
  static const neargp::FaissModule module = {
      neargp::faiss_module_abi_version,
      NEARGP_VERSION(FAISS_VERSION_MAJOR, FAISS_VERSION_MINOR, FAISS_VERSION_PATCH),
      neargp::candidates_on_gpu(),
      open,
      close,
      add,
      search};
  return &module;
}
