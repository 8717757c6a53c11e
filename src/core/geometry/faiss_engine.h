#pragma once

#include <string>

#include "geometry/faiss_module.h"
#include "geometry/neighbor_engine.h"

namespace neargp {

// The FAISS module in the shared object `file`, opened at the first call; throws an Error where it cannot be used.
const FaissModule& faiss_module(const std::string& file);

// When a search is FAISS's: always; or where a trial with a few queries, on the CPU, finds it to be faster than the
// kd-tree, and never where the module cannot be opened.
enum class FaissUse { always, where_faster };

// The searches of that module, on the GPU of CUDA's number `gpu` if the module can use one. One file and one GPU for a
// process: the last ones named.
const NeighborEngine& faiss_engine(const std::string& file, FaissUse use, int gpu = no_gpu);

}  // namespace neargp
