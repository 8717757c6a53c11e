// Covariances of space and time that are not functions of one distance. Let p and q be the squared scaled distances of
// a pair of points in space and in time. Let M be the correlation family in space and N that in time.
//
// Gneiting (2002, Nonseparable, stationary covariance functions for space-time data, eq. 14), with the power 1 of g in
// front, which does not depend on beta. In d coordinates of space, 0 < alpha <= 1 and 0 <= beta <= min(1, 2/d).
//
//   C = variance M(p g^-beta) / g,   g = 1 + q^alpha.
//
// At one location the correlation is 1/g, which is 1/2 at q = 1. Let r2 = p g^-beta and A = variance / g. Then
//
//   dC/dp = A M' g^-beta,   dC/dlog g = -C - beta A M' r2,   dlog g/dlog q = alpha q^alpha / g.
//
// The derivatives in the parameters are
//
//   dC/dalpha = dC/dlog g q^alpha log(q) / g,   dC/dbeta = -A M' r2 log g.
//
// At q = 0 q^(alpha - 1) is infinite, but each derivative contains it times q, and q^alpha stands for the product.
//
// Product-sum, of De Iaco, Myers and Posa (2001, Space-time analysis using a general product-sum model). The shares l
// and k lie between 0 and 1.
//
//   C = variance [l M N + m M + n N],   m = (1 - l) k,   n = 1 - l - m.
//
// Here l is the share of the product in the variance, and k that of M in the rest. At p = q = 0 the bracket is 1 for
// all l and k. These are therefore parameters of the correlation, as a shape is. Separable is l = 1.
//
// Metric, of one distance. It is a model of its own only with local ranges, which divide p and not q.
//
//   C = variance M(p + q)
//
// With local ranges e^l in space, p_ij M(p / m_ij) replaces M, see local_scale.h, in the coordinates of space alone.
// The metric model becomes p_ij M(p / m_ij + q). That is the covariance of Paciorek and Schervish (2006, eq. 4) with
// kernel matrices diag(e^(2 l_i), ..., e^(2 l_i), 1), where the last entry belongs to time.
// Products and sums of positive definite functions are positive definite. A Gneiting covariance is one of them only
// with beta = 0: otherwise g^beta m_ij, a product of two variograms, is no variogram. Let B M be the part of C that is
// a multiple of M. Then dC/dl_i is B times that of M in local_scale.h.
#pragma once

#include "covariance/prepared.h"
#include "covariance/with_family.h"

namespace neargp {

// A correlation with its derivatives in the squared distance and in the shape.
template <class Real>
struct Margin {
  Real value, slope, shape;
};

// A covariance with its derivatives in p, in the shape of M, and in those parameters of SpaceTimeTerm that the model
// contains. If there is only one range of space, `in_space` is the derivative in its logarithm, that in p times -2 p.
// `of_space` is the part of the value that is a multiple of M, and `moved` its derivative in log p.
template <class Real>
struct SpaceTimeEntry {
  Real value, in_space, in_shape;
  Real of_space, moved;
  Real term[space_time_terms];
};

// The part of the Gneiting model that depends on time alone.
template <class Real>
struct GneitingTime {
  Real log_q, share, g, log_g, reach;  // share: q^alpha / g, reach: g^-beta
};

template <class Real>
inline GneitingTime<Real> gneiting_time(double alpha, double beta, Real q) {
  GneitingTime<Real> time;
  const Real zero = Real{};
  time.log_q = math::log(away_from_zero(q));
  const Real power = q > 0.0 ? math::exp(alpha * time.log_q) : zero;
  time.g = 1.0 + power;
  time.share = power / time.g;
  time.log_g = math::log(time.g);
  time.reach = math::exp(-beta * time.log_g);
  return time;
}

// A factor of the covariance multiplies its derivatives.
template <class Real>
inline void multiply_entry(SpaceTimeEntry<Real>& entry, Real factor) {
  entry.value *= factor;
  entry.in_space *= factor;
  entry.in_shape *= factor;
  entry.of_space *= factor;
  entry.moved *= factor;
  for (Real& term : entry.term) term *= factor;
}

// The local form of M, from its values at p / m_ij.
template <class Real>
inline Margin<Real> times_density(const Margin<Real>& space, Real density) {
  return {space.value * density, space.slope * density, space.shape * density};
}

// `space`: M at r2 = p * time.reach.
template <bool derivatives, class Real>
inline void gneiting_entry(const PreparedComponent& component, const GneitingTime<Real>& time, Real r2,
                           const Margin<Real>& space, SpaceTimeEntry<Real>& entry) {
  const Real scale = component.variance / time.g;
  entry.value = scale * space.value;
  if (!derivatives) return;
  const Real moved = scale * space.slope * r2;
  entry.of_space = entry.value;
  entry.moved = moved;
  entry.in_space = component.single_scale ? -2.0 * moved : scale * space.slope * time.reach;
  const Real in_log_g = -entry.value - component.space_time.beta * moved;
  entry.term[in_time_range] = -2.0 * component.space_time.alpha * in_log_g * time.share;
  entry.term[in_alpha] = in_log_g * time.share * time.log_q;
  entry.term[in_beta] = -moved * time.log_g;
  entry.in_shape = scale * space.shape;
}

// `space`: M at p + q.
template <bool derivatives, class Real>
inline void metric_entry(const PreparedComponent& component, Real p, Real q, const Margin<Real>& space,
                         SpaceTimeEntry<Real>& entry) {
  entry.value = component.variance * space.value;
  if (!derivatives) return;
  const Real slope = component.variance * space.slope;
  entry.of_space = entry.value;
  entry.moved = p * slope;
  entry.in_space = component.single_scale ? -2.0 * entry.moved : slope;
  entry.term[in_time_range] = -2.0 * q * slope;
  entry.in_shape = component.variance * space.shape;
}

// Separable, and product-sum.
template <bool derivatives, class Real>
inline void margins_entry(const PreparedComponent& component, Real p, Real q, const Margin<Real>& space,
                          const Margin<Real>& time, SpaceTimeEntry<Real>& entry) {
  const double variance = component.variance;
  const double product = component.space_time.product, space_share = component.space_time.space;
  const double of_space = (1.0 - product) * space_share, of_time = (1.0 - product) * (1.0 - space_share);
  entry.value = variance * (product * space.value * time.value + of_space * space.value + of_time * time.value);
  if (!derivatives) return;
  const Real by_space = variance * (product * time.value + of_space);
  const Real by_time = variance * (product * space.value + of_time);
  entry.of_space = space.value * by_space;
  entry.moved = p * space.slope * by_space;
  entry.in_space = component.single_scale ? -2.0 * p * space.slope * by_space : space.slope * by_space;
  entry.term[in_time_range] = -2.0 * q * time.slope * by_time;
  entry.in_shape = space.shape * by_space;
  entry.term[in_time_shape] = time.shape * by_time;
  entry.term[in_product] =
      variance * (space.value * time.value - space_share * space.value - (1.0 - space_share) * time.value);
  entry.term[in_space_share] = variance * (1.0 - product) * (space.value - time.value);
}

}  // namespace neargp
