// Covariance matrices of areas in full, see areal.h.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "base/run_context.h"
#include "covariance/prepared.h"
#include "geometry/points.h"

namespace neargp {

// Entry (i, j) is the covariance of rows a[i] and b[j]. For one set of rows with itself half of the pairs are computed.
Eigen::MatrixXd areal_covariance_matrix(const PreparedCovariance& covariance, Points a, Points b,
                                        const RunContext& context);

Eigen::VectorXd areal_variances(const PreparedCovariance& covariance, Points rows);

// The derivatives of the matrix of a set of rows in those parameters of a component that are wanted.
void add_areal_derivatives(const PreparedComponent& component, const SupportColumns& columns, Points rows,
                           std::vector<Eigen::MatrixXd>& derivatives, const RunContext& context);

}  // namespace neargp
