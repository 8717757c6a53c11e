// Rows of data, each whitened by the conditional distribution of its residual given its neighbours: the decorrelated
// rows of residual_vecchia.h.
#pragma once

#include "geometry/neighbors.h"
#include "variational/collapsed_bound.h"
#include "variational/residual_rows.h"

namespace neargp {

// A column for each row of the data.
struct WhitenedRows {
  Index failed = -1;         // the first row whose neighbours' covariance matrix is singular
  Eigen::MatrixXd features;  // a~, with the zeros of ResidualRows
  Eigen::MatrixXd values;    // y~ of response and design
  Eigen::MatrixXd weights;   // b, zero where there is no neighbour
  Eigen::VectorXd variance;  // D
  Eigen::MatrixXd factors;   // the Cholesky factors of the neighbours, column by column; empty unless kept

  Index size() const { return variance.size(); }
};

// `noise`: variances.
WhitenedRows whiten_rows(const RegressionData& data, const ResidualRows& rows, const Eigen::VectorXd& noise,
                         const NeighborTable& neighbors, bool keep_factors, const RunContext& context);

}  // namespace neargp
