// Covariance matrices in full, for small problems and as the reference of the local
// computations.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "base/run_context.h"
#include "covariance/prepared.h"
#include "geometry/points.h"

namespace neargp {

// Entry (i, j) is the covariance of the noise-free field at a[i] and b[j]. With several responses `outputs_a` and
// `outputs_b` name the response at each point.
Eigen::MatrixXd covariance_matrix(const PreparedCovariance& covariance, Points a, Points b,
                                  const int* outputs_a = nullptr, const int* outputs_b = nullptr,
                                  const RunContext& context = {});

// The noise variances of rows with these noise scales.
Eigen::VectorXd noise_variances(const PreparedCovariance& covariance, const double* noise_scale, Index n,
                                const int* outputs = nullptr);

// The variances of the noise-free field at points.
Eigen::VectorXd field_variances(const PreparedCovariance& covariance, Points points, const int* outputs = nullptr);

// Derivatives of the n x n matrix of one set of points in every parameter that is
// wanted, noise included; an empty matrix where it is not.
std::vector<Eigen::MatrixXd> covariance_derivatives(const PreparedCovariance& covariance, Points points,
                                                    const double* noise_scale, const int* outputs = nullptr,
                                                    const RunContext& context = {});

// Correlation of an isotropic component at a distance.
double correlation_at(const PreparedComponent& component, double distance);

}  // namespace neargp
