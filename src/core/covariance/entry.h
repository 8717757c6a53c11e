// Entries of a covariance matrix and its derivatives from two points. The tiles of the CPU evaluate these expressions
// with packs, and teams of threads with doubles or Singles.
#pragma once

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

// delta' M delta of a planar ScaleDerivative.
template <class Form, class Real>
NEARGP_HD inline Real planar_form(const Form& form, Real dx, Real dy) {
  return form.m11 * dx * dx + 2.0 * (form.m12 * dx * dy) + form.m22 * dy * dy;
}

// delta' M delta of any ScaleDerivative, delta the difference of x and y.
template <class Form, class Real>
inline Real difference_form(const Form& form, const Real* x, const Real* y) {
  if (form.planar()) return planar_form(form, x[0] - y[0], x[1] - y[1]);
  Real sum = Real{};
  for (const int d : form.coordinates) sum += (x[d] - y[d]) * (x[d] - y[d]);
  return -2.0 * sum;
}

}  // namespace neargp
