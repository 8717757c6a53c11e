// Geometric anisotropy. Points are transformed by S = exp(-B) before they are divided by a range, with B symmetric and
// of trace 0. The eigenvectors of B are the axes. With the eigenvalue l of an axis the range along it is range *
// exp(l), and `range` is the geometric mean of these ranges.
//
// In a plane B = [u v; v -u]. In space B = [t + b1, b2, b3; b2, t - b1, b4; b3, b4, -2 t], t = b5 / sqrt(3).
// These five numbers are coordinates in a basis of orthogonal matrices of one length. In both cases h^2 = |b|^2 is half
// the sum of the squared eigenvalues. With b3 = b4 = b5 = 0 this is the anisotropy (b1, b2) of the plane.
#pragma once

#include <vector>

#include "covariance/prepared.h"

namespace neargp {

// Fills the transform of `component`, and the derivatives of r^2 in b: d r^2 = delta' M delta, one M for each number of
// `axes`, with delta in transformed coordinates.
std::vector<ScaleDerivative> rotate(const std::vector<double>& axes, PreparedComponent& component);

}  // namespace neargp
