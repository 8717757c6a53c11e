// The FAISS module: FAISS's flat index, whose distances come from one matrix product for a block of queries.
#include <faiss/Index.h>
#include <faiss/IndexFlat.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <exception>
#include <string>

#include "base/error.h"
#include "geometry/faiss_module.h"

namespace {

using neargp::Index;

#define NEARGP_TEXT(x) #x
#define NEARGP_VERSION(major, minor, patch) "FAISS " NEARGP_TEXT(major) "." NEARGP_TEXT(minor) "." NEARGP_TEXT(patch)

// What FAISS throws is a class of its library, unknown beyond this module.
template <class Action>
auto translated(const Action& action) {
  try {
    return action();
  } catch (const std::exception& exception) {
    throw neargp::Error(std::string("FAISS failed: ") + exception.what());
  }
}

void* open(int dim) {
  return translated([&]() -> void* { return new faiss::IndexFlatL2(dim); });
}

void close(void* index) { delete static_cast<faiss::IndexFlatL2*>(index); }

void add(void* index, const float* points, Index n) {
  translated([&] { static_cast<faiss::IndexFlatL2*>(index)->add(n, points); });
}

// One thread: the caller has its own.
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

void search(const void* index, const float* queries, Index m, int count, float* distance2, Index* row) {
  const OneThread one_thread;
  translated([&] { static_cast<const faiss::IndexFlatL2*>(index)->search(m, queries, count, distance2, row); });
}

constexpr neargp::FaissModule module = {neargp::faiss_module_abi_version,
                                        NEARGP_VERSION(FAISS_VERSION_MAJOR, FAISS_VERSION_MINOR, FAISS_VERSION_PATCH),
                                        open,
                                        close,
                                        add,
                                        search};

}  // namespace

extern "C" const neargp::FaissModule* neargp_faiss_module() { return &module; }
