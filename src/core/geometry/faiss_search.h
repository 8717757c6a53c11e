// Exact neighbours in many dimensions, where a kd-tree excludes little. FAISS finds candidates in single precision.
// They are ordered again by their distances in double precision, and certified to be complete.
#pragma once

#include "geometry/faiss_module.h"
#include "geometry/neighbor_engine.h"

namespace neargp {

// Searches on a GPU, by CUDA's number, or on the CPU (no_gpu). The CPU also searches where more candidates are wanted
// than the module can return from a GPU.
void search_by_faiss(const FaissModule& module, int gpu, const NeighborRequest& request, const RunContext& context);

// Returns the largest squared distance that single precision can give a point whose true distance from a query is
// within `reach`. Points and queries are centred, and query_norm is the query's distance from the centre. Let `reach`
// be the distance of the k-th candidate. If all points that are not candidates are farther than the result, no
// neighbour was missed.
//
// Let X be the norm of the query and Y that of a point, so that Y <= X + reach. Rounding the coordinates with unit
// roundoff u = 2^-24 changes the distance by at most u (X + Y). Its square is then computed as X^2 + Y^2 - 2 x'y, or
// from the differences. With d = (dim + 2) u let gamma = d/(1 - d). In any order of summation, with or without fused
// operations, the error is at most gamma (X + Y)^2. See Higham 2002, Accuracy and Stability of Numerical
// Algorithms, section 3.1. Numbers below 2^-126 may be lost altogether.
double largest_single_distance2(double reach, double query_norm, int dim);

}  // namespace neargp
