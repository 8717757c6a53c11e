#pragma once

#include <memory>

#include "base/types.h"

namespace neargp {

// An index of points in single precision; what its functions do is said of FaissModule (geometry/faiss_module.h).
class FlatIndex {
 public:
  virtual ~FlatIndex() = default;
  virtual void add(const float* points, Index n) = 0;
  virtual void search(const float* queries, Index m, int count, float* distance2, Index* row) const = 0;
};

// Makes an index in the memory of that GPU. Throws where FAISS was built without GPUs.
std::unique_ptr<FlatIndex> new_index_on_gpu(int dim, int gpu);

// FaissModule::candidates_on_gpu.
int candidates_on_gpu();

}  // namespace neargp
