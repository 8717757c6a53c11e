#pragma once

#include <string>

#include "geometry/faiss_module.h"
#include "geometry/neighbor_engine.h"

namespace neargp {

// The FAISS module in the shared object `file`, opened at the first call; throws an Error where it cannot be used.
const FaissModule& faiss_module(const std::string& file);

// When FAISS answers a search. `where_faster`: where it beats the kd-tree in a trial with a few queries on the CPU, and
// never if the module cannot be opened.
enum class FaissUse { always, where_faster };

// The searches of the module in `file`, on the GPU with CUDA's number `gpu` if the module can use one. A process uses
// one file and one GPU: those of the last call.
const NeighborEngine& faiss_engine(const std::string& file, FaissUse use, int gpu = no_gpu);

}  // namespace neargp
