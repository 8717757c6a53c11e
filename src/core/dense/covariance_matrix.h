// Covariance matrices in full, for small problems and as the reference of the local
// computations.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "covariance/prepared.h"
#include "geometry/points.h"

namespace neargp {

// Entry (i, j) is the covariance of the noise-free field at a[i] and b[j].
Eigen::MatrixXd covariance_matrix(const PreparedCovariance& covariance, Points a, Points b);

// Derivatives of the n x n matrix of one set of points in every parameter that is
// wanted, noise included; an empty matrix where it is not.
std::vector<Eigen::MatrixXd> covariance_derivatives(const PreparedCovariance& covariance, Points points,
                                                    const double* noise_scale);

// Correlation of an isotropic component at a distance.
double correlation_at(const PreparedComponent& component, double distance);

}  // namespace neargp
