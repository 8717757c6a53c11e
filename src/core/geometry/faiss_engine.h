#pragma once

#include <string>

#include "geometry/faiss_module.h"
#include "geometry/neighbor_engine.h"

namespace neargp {

// The FAISS module in the shared object `file`, opened at the first call; throws an Error where it cannot be used.
const FaissModule& faiss_module(const std::string& file);

// When a search is FAISS's: always, on the GPU if the module can use one, or on the CPU; or where a trial with a few
// queries finds it to be faster than the kd-tree, and never where the module cannot be opened.
enum class FaissUse { always_on_gpu, always, where_faster };

// The searches of that module. One file for a process: the last one named.
const NeighborEngine& faiss_engine(const std::string& file, FaissUse use);

}  // namespace neargp
