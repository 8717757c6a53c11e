// The interface of the FAISS module: an exact search in single precision. The module is a shared object of its own
// (src/faiss), opened when it is first needed, so that the package loads where libfaiss or its BLAS is missing.
#pragma once

#include "base/types.h"

namespace neargp {

inline constexpr int faiss_module_abi_version = 3;

// Used in place of a GPU's number.
inline constexpr int no_gpu = -1;

// Functions throw an Error, except that FAISS ends the process at errors of CUDA.
struct FaissModule {
  int abi_version;
  const char* version;    // "FAISS 1.7.3"
  int candidates_on_gpu;  // the most that a search on a GPU gives for a query; 0: built without GPUs

  // Opens an index in the memory of a GPU, by CUDA's number, or with no_gpu in that of the CPU.
  void* (*open)(int dim, int gpu);
  void (*close)(void* index);
  // `n` further points, row-major.
  void (*add)(void* index, const float* points, Index n);
  // The `count` points nearest to each of m queries, nearest first: row j of the two results. If there are fewer
  // points, -1 fills the end of `row`. Runs on the calling thread, except for threads that its BLAS may start. Several
  // threads may call it at a time.
  void (*search)(const void* index, const float* queries, Index m, int count, float* distance2, Index* row);
};

}  // namespace neargp

extern "C" const neargp::FaissModule* neargp_faiss_module();
