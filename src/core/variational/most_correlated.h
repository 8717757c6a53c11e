// Neighbours by the correlation of the residual field (residual_rows.h): what inducing points leave over of a field is
// not correlated as the field is.
#pragma once

#include "geometry/neighbors.h"
#include "variational/residual_rows.h"

namespace neargp {

// Of each query's candidates among the rows, the `k` of the largest absolute correlation, the largest first and of
// equal ones those that come first. A query of which next to nothing is left over keeps its first k.
NeighborTable most_correlated(const ResidualRows& rows, const ResidualRows& queries, const NeighborTable& candidates,
                              int k, const RunContext& context);

}  // namespace neargp
