// Selects neighbours by the correlation of the residual field (residual_rows.h). This field is what inducing points
// leave unexplained, and it is not correlated as the field itself is.
#pragma once

#include "geometry/neighbors.h"
#include "variational/residual_rows.h"

namespace neargp {

// For each query, the `k` candidates among the rows with the largest absolute correlation, largest first. Among equal
// correlations, the earlier candidate comes first. If almost no variance of a query is left unexplained, its first k
// candidates are selected.
NeighborTable most_correlated(const ResidualRows& rows, const ResidualRows& queries, const NeighborTable& candidates,
                              int k, const RunContext& context);

}  // namespace neargp
