// How data depend on the nodes of a latent model: w_i | u ~ N(c_i'u, v_i), with c_i on the members of row i.
#pragma once

#include <vector>

#include "geometry/neighbors.h"

namespace neargp {

// A view; its owner outlives it.
struct DataWeights {
  const NeighborTable* members;  // -1 where there are fewer
  const std::vector<double>*c, *v;

  Index targets() const { return members->n; }
  int k() const { return members->k; }
  const NeighborTable& neighbors() const { return *members; }
  const double* weights(Index datum) const { return c->data() + datum * members->k; }
  const std::vector<double>& weights() const { return *c; }
  const std::vector<double>& variance() const { return *v; }
};

}  // namespace neargp
