// The square of four rows and columns on the diagonal of a team's triangle (conditional/gpu/triangle.h), in registers.
// Every thread computes with a copy of its own. That costs less than to pass results between threads.
#pragma once

#include "conditional/gpu/team.h"
#include "simd/simd.h"

namespace neargp {

template <class Real>
class DiagonalBlock {
 public:
  static constexpr int width = Four<Real>::width;

  NEARGP_HD DiagonalBlock() {}

  // Takes the block of a factor from its columns, at a distance of `length`, and the reciprocals of its diagonal.
  NEARGP_HD DiagonalBlock(const Real* corner, int length, const Real* inverse_diagonal)
      : l10(corner[1]), l20(corner[2]), l21(corner[length + 2]), l30(corner[3]), l31(corner[length + 3]),
        l32(corner[2 * length + 3]), inverse(Four<Real>::load(inverse_diagonal)) {}

  // Factorises the block of a matrix. See TeamTriangle::factorize() for pivots that are too small.
  NEARGP_HD bool factorize(const Real* corner, int length, const Real* diagonal, Real tolerance) {
    const Real* column1 = corner + length;
    const Real* column2 = column1 + length;
    const Real* column3 = column2 + length;
    bool good = pivot(0, corner[0], diagonal, tolerance);
    l10 = corner[1] * inverse.x[0];
    l20 = corner[2] * inverse.x[0];
    l30 = corner[3] * inverse.x[0];
    good &= pivot(1, column1[1] - l10 * l10, diagonal, tolerance);
    l21 = (column1[2] - l20 * l10) * inverse.x[1];
    l31 = (column1[3] - l30 * l10) * inverse.x[1];
    good &= pivot(2, column2[2] - l20 * l20 - l21 * l21, diagonal, tolerance);
    l32 = (column2[3] - l30 * l20 - l31 * l21) * inverse.x[2];
    good &= pivot(3, column3[3] - l30 * l30 - l31 * l31 - l32 * l32, diagonal, tolerance);
    return good;
  }

  NEARGP_HD void store(Real* corner, int length, Real* inverse_diagonal) const {
    corner[0] = root[0];
    corner[1] = l10;
    corner[2] = l20;
    corner[3] = l30;
    corner[length + 1] = root[1];
    corner[length + 2] = l21;
    corner[length + 3] = l31;
    corner[2 * length + 2] = root[2];
    corner[2 * length + 3] = l32;
    corner[3 * length + 3] = root[3];
    inverse.store(inverse_diagonal);
  }

  // Returns L^-1 x. A row y of the factor is computed in the same way, from y L' = x.
  NEARGP_HD Four<Real> forward(const Four<Real>& x) const {
    Four<Real> y;
    y.x[0] = x.x[0] * inverse.x[0];
    y.x[1] = (x.x[1] - y.x[0] * l10) * inverse.x[1];
    y.x[2] = (x.x[2] - y.x[0] * l20 - y.x[1] * l21) * inverse.x[2];
    y.x[3] = (x.x[3] - y.x[0] * l30 - y.x[1] * l31 - y.x[2] * l32) * inverse.x[3];
    return y;
  }

  // Returns L^-T x.
  NEARGP_HD Four<Real> backward(const Four<Real>& x) const {
    Four<Real> y;
    y.x[3] = x.x[3] * inverse.x[3];
    y.x[2] = (x.x[2] - y.x[3] * l32) * inverse.x[2];
    y.x[1] = (x.x[1] - y.x[3] * l31 - y.x[2] * l21) * inverse.x[1];
    y.x[0] = (x.x[0] - y.x[3] * l30 - y.x[2] * l20 - y.x[1] * l10) * inverse.x[0];
    return y;
  }

 private:
  NEARGP_HD bool pivot(int b, Real value, const Real* diagonal, Real tolerance) {
    const bool good = value > tolerance * diagonal[b];
    if (!good) value = diagonal[b];
    inverse.x[b] = inverse_root(value);
    root[b] = value * inverse.x[b];
    return good;
  }

  NEARGP_HD static Real inverse_root(Real x) {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(Real) == sizeof(double))
      return device::inverse_root(x);
    else
      return ::rsqrt(x);
#else
    return 1 / math::sqrt(x);
#endif
  }

  Real l10, l20, l21, l30, l31, l32;
  Real root[width];
  Four<Real> inverse;
};

}  // namespace neargp
