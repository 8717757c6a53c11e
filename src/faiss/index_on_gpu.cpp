// FAISS's flat index on a GPU: NEARGP_FAISS_GPU is set by configure where libfaiss has it.
#include "flat_index.h"

#include "base/error.h"

#ifdef NEARGP_FAISS_GPU

#include <faiss/gpu/GpuIndexFlat.h>
#include <faiss/gpu/StandardGpuResources.h>
#include <faiss/gpu/impl/IndexUtils.h>

#include <mutex>

namespace neargp {
namespace {

// Products in single precision, all 24 bits of it: the certificate of geometry/faiss_search.h counts on them. FAISS
// asks cuBLAS for no less, but NVIDIA's cuVS, to which it may pass a search on, does not say.
faiss::gpu::GpuIndexFlatConfig on_gpu(int gpu) {
  faiss::gpu::GpuIndexFlatConfig config;
  config.device = gpu;
  config.use_cuvs = false;
  return config;
}

// Threads take turns: an index on a GPU answers one of them at a time.
class IndexOnGpu : public FlatIndex {
 public:
  IndexOnGpu(int dim, int gpu) : index_(&resources_, dim, on_gpu(gpu)) {}

  void add(const float* points, Index n) override { index_.add(n, points); }

  void search(const float* queries, Index m, int count, float* distance2, Index* row) const override {
    const std::lock_guard<std::mutex> turn(one_at_a_time_);
    index_.search(m, queries, count, distance2, row);
  }

 private:
  mutable std::mutex one_at_a_time_;
  faiss::gpu::StandardGpuResources resources_;
  faiss::gpu::GpuIndexFlatL2 index_;
};

}  // namespace

std::unique_ptr<FlatIndex> new_index_on_gpu(int dim, int gpu) { return std::make_unique<IndexOnGpu>(dim, gpu); }

int candidates_on_gpu() { return faiss::gpu::getMaxKSelection(); }

}  // namespace neargp

#else

namespace neargp {

std::unique_ptr<FlatIndex> new_index_on_gpu(int, int) { throw Error("This FAISS was built without GPUs."); }

int candidates_on_gpu() { return 0; }

}  // namespace neargp

#endif
