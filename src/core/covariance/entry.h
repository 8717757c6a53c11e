// Entries of a covariance matrix and its derivatives from two points. The tiles of the CPU evaluate these expressions
// with packs, and teams of threads with doubles or Singles.
#pragma once

#include <cstddef>

#include "base/hd.h"

namespace neargp {

// Computes variance * correlation at the squared scaled distance r2, and its derivative in the shape parameter. The
// derivatives in the lengths are made of `in_length`: the derivative in r2, or that times -2 r2 where one range divides
// all coordinates (single_scale). Component is a type with the members of PreparedComponent.
template <bool slope, bool shape, class Correlation, class Component, class Real>
NEARGP_HD inline void covariance_entry(const Correlation& correlation, const Component& component, Real r2, Real& value,
                                       Real& in_length, Real& in_shape) {
  Real dvalue_dr2 = Real{}, dvalue_dshape = Real{};
  correlation.template evaluate<slope, shape>(r2, value, dvalue_dr2, dvalue_dshape);
  value *= component.variance;
  if (slope) {
    dvalue_dr2 *= component.variance;
    in_length = component.single_scale ? -2.0 * r2 * dvalue_dr2 : dvalue_dr2;
  }
  if (shape) in_shape = component.variance * dvalue_dshape;
}

// x := exp(-B) x for the coordinates that a component's anisotropy mixes. Coordinate d is at x[d * stride].
template <class Component, class Real>
NEARGP_HD inline void turn(const Component& component, Real* coordinates, std::size_t stride) {
  Real& x = coordinates[0];
  Real& y = coordinates[stride];
  const Real old_x = x, old_y = y;
  x = component.a11 * old_x + component.a12 * old_y;
  y = component.a12 * old_x + component.a22 * old_y;
  if (component.turned < 3) return;
  Real& z = coordinates[2 * stride];
  const Real old_z = z;
  x += component.a13 * old_z;
  y += component.a23 * old_z;
  z = component.a13 * old_x + component.a23 * old_y + component.a33 * old_z;
}

// delta' M delta of a ScaleDerivative with a block of two coordinates.
template <class Form, class Real>
NEARGP_HD inline Real planar_form(const Form& form, Real dx, Real dy) {
  return form.m11 * dx * dx + 2.0 * (form.m12 * dx * dy) + form.m22 * dy * dy;
}

// The terms that a third coordinate adds.
template <class Form, class Real>
NEARGP_HD inline Real vertical_form(const Form& form, Real dx, Real dy, Real dz) {
  return (2.0 * (form.m13 * dx + form.m23 * dy) + form.m33 * dz) * dz;
}

// The sum of delta' M delta over pairs for a full block, given the sums of delta delta'.
template <class Form, class Moments>
inline double moment_form(const Form& form, const Moments& moments) {
  double sum = form.m11 * moments(0, 0) + 2.0 * form.m12 * moments(0, 1) + form.m22 * moments(1, 1);
  if (form.block == 3) sum += 2.0 * (form.m13 * moments(0, 2) + form.m23 * moments(1, 2)) + form.m33 * moments(2, 2);
  return sum;
}

// delta' M delta of any ScaleDerivative, delta the difference of x and y.
template <class Form, class Real>
inline Real difference_form(const Form& form, const Real* x, const Real* y) {
  if (form.block == 2) return planar_form(form, x[0] - y[0], x[1] - y[1]);
  if (form.block == 3)
    return planar_form(form, x[0] - y[0], x[1] - y[1]) + vertical_form(form, x[0] - y[0], x[1] - y[1], x[2] - y[2]);
  Real sum = Real{};
  for (const int d : form.coordinates) sum += (x[d] - y[d]) * (x[d] - y[d]);
  return -2.0 * sum;
}

}  // namespace neargp
