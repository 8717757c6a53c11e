// Neighbours by the correlation of the residual field (residual_rows.h): what inducing points leave over of a field is
// not correlated as the field is.
#pragma once

#include "geometry/neighbors.h"
#include "variational/residual_rows.h"

namespace neargp {

// The `k` of each query's candidates among the rows that have the largest absolute correlation, largest first, of
// equal ones those that come first. A query of which next to nothing is left over keeps its first k.
NeighborTable most_correlated(const ResidualRows& rows, const ResidualRows& queries, const NeighborTable& candidates,
                              int k, const RunContext& context);

}  // namespace neargp
