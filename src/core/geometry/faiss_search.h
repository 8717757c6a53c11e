// Exact neighbours in many dimensions, where a kd-tree excludes little: candidates by FAISS in single precision,
// ordered again by their distances in double precision, and certified to be complete.
#pragma once

#include "geometry/faiss_module.h"
#include "geometry/neighbor_engine.h"

namespace neargp {

// Searches on a GPU, by CUDA's number, or the CPU (no_gpu), which also has to serve where more candidates are wanted
// than the module can give on a GPU.
void search_by_faiss(const FaissModule& module, int gpu, const NeighborRequest& request, const RunContext& context);

// The largest squared distance in single precision that a point can have which is, in truth, within `reach` of a
// query; both are centred, and query_norm is the query's distance from the centre. If all points that are not among
// the candidates are farther than this, for `reach` the distance of the k-th candidate, no neighbour was missed.
//
// With the norms X of the query and Y of a point, Y <= X + reach. Rounding the coordinates (unit roundoff u = 2^-24)
// changes the distance by at most u (X + Y). Its square is then computed as X^2 + Y^2 - 2 x'y, or from the differences:
// either way, in any order of summation and with or without fused operations, with an error of at most
// gamma (X + Y)^2, where gamma = (dim + 2) u / (1 - (dim + 2) u) (Higham 2002, Accuracy and Stability of Numerical
// Algorithms, section 3.1). Numbers below 2^-126 may be lost altogether.
double largest_single_distance2(double reach, double query_norm, int dim);

}  // namespace neargp
