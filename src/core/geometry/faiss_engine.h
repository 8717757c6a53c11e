#pragma once

#include <string>

#include "geometry/faiss_module.h"
#include "geometry/neighbor_engine.h"

namespace neargp {

// The FAISS module in the shared object `file`, opened at the first call; throws an Error where it cannot be used.
const FaissModule& faiss_module(const std::string& file);

// The searches of that module: all of them with `always`; otherwise those that a trial with a few queries finds to be
// faster than by the kd-tree, and none where the module cannot be opened. One file for a process: the last one named.
const NeighborEngine& faiss_engine(const std::string& file, bool always);

}  // namespace neargp
