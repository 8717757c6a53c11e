// Entries of covariance matrices in full, of points that are in the metric of a component: what the matrices and their
// derivatives are made of.
#pragma once

#include <algorithm>
#include <vector>

#include "base/run_context.h"
#include "covariance/entry.h"
#include "covariance/local_scale.h"
#include "covariance/prepared.h"
#include "covariance/space_time.h"
#include "covariance/with_family.h"
#include "geometry/points.h"
#include "parallel/parallel_for.h"

namespace neargp {

// Points in the metric of a component, with the local standard deviations and ranges where it has them.
struct MetricPoints {
  std::vector<double> z, sd, range;
  int dim, local_dim, first, last;

  MetricPoints(const PreparedComponent& component, Points points)
      : dim(component.dim()), local_dim(component.local_dim()), first(component.first), last(component.last) {
    z.resize(std::size_t(points.n) * dim);
    for (Index i = 0; i < points.n; ++i) scale_point(component, dim, points[i], z.data() + i * dim);
    if (component.has_row_deviations())
      sd = at_points(points, [&](const auto& at) { return row_deviation<double>(component, at); });
    if (component.log_range.present())
      range = at_points(points, [&](const auto& at) { return exp_local_field<double>(component.log_range.field, at); });
  }
  const double* at(Index i) const { return z.data() + i * dim; }
  double squared_distance(Index i, const MetricPoints& other, Index j) const {
    return neargp::squared_distance(at(i) + first, other.at(j) + first, last - first);
  }

 private:
  // value(covariates of a point) of each point.
  template <class Value>
  static std::vector<double> at_points(Points points, const Value& value) {
    std::vector<double> result(points.n);
    for (Index i = 0; i < points.n; ++i) result[i] = value([&](int column) { return points[i][column]; });
    return result;
  }
};

// Factors of the correlation of points i and j, and of r2 before it, by local standard deviations and ranges.
struct PairScale {
  double deviations = 1.0, density = 1.0, of_r2 = 1.0;

  double factor() const { return density * deviations; }
};

inline PairScale pair_scale(const MetricPoints& a, Index i, const MetricPoints& b, Index j) {
  PairScale scale;
  if (!a.range.empty()) {
    const LocalPair<double> pair = local_pair(a.range[i], b.range[j], a.local_dim);
    scale.density = pair.density;
    scale.of_r2 = pair.inverse_mean;
  }
  if (!a.sd.empty()) scale.deviations = a.sd[i] * b.sd[j];
  return scale;
}

// Covariance of two responses at one location.
inline double loading_product(const PreparedComponent& component, int p, int q) {
  double sum = 0.0;
  for (int f = 0; f < component.rank; ++f)
    sum += component.loadings[p * component.rank + f] * component.loadings[q * component.rank + f];
  return sum;
}

struct CorrelationAt {
  double value, slope, shape;
};

template <class Correlation>
CorrelationAt evaluate_correlation(const Correlation& correlation, double r2, bool want_shape) {
  CorrelationAt at{1.0, 0.0, 0.0};
  if (want_shape) {
    correlation.template evaluate<true, true>(r2, at.value, at.slope, at.shape);
  } else {
    correlation.template evaluate<true, false>(r2, at.value, at.slope, at.shape);
  }
  return at;
}

// body(j) for each column, 16 of them at a time.
template <class Body>
void for_each_column(Index n, const RunContext& context, const Body& body) {
  constexpr Index chunk_size = 16;
  parallel_for(context, (n + chunk_size - 1) / chunk_size, [&](Index chunk) {
    for (Index j = chunk * chunk_size; j < std::min((chunk + 1) * chunk_size, n); ++j) body(j);
  });
}

inline Margin<double> margin(const FamilyChoice<double>& family, double r2, bool wants_shape) {
  Margin<double> result{};
  with_family(family, [&](const auto& correlation) {
    const CorrelationAt at = evaluate_correlation(correlation, r2, wants_shape);
    result = {at.value, at.slope, at.shape};
  });
  return result;
}

// The entry of points in the metric of a component of space and time. Time is the last coordinate but for the further
// ones of a warp, which belong to space.
inline SpaceTimeEntry<double> space_time_entry(const PreparedComponent& component, const MetricPoints& a, Index i,
                                               const MetricPoints& b, Index j) {
  SpaceTimeEntry<double> entry{};
  const double *x = a.at(i), *y = b.at(j);
  const PairScale scale = pair_scale(a, i, b, j);
  const int space = component.places() - 1;
  const int further = component.dim() - component.places();
  const double distance = squared_distance(x, y, space) + squared_distance(x + space + 1, y + space + 1, further);
  const double p = distance * scale.of_r2, q = (x[space] - y[space]) * (x[space] - y[space]);
  const auto in_space = [&](double r2) {
    return times_density(margin(family_choice(component), r2, component.wants_shape()), scale.density);
  };
  if (component.space_time.is_gneiting()) {
    const GneitingTime<double> time = gneiting_time(component.space_time.alpha, component.space_time.beta, q);
    const double r2 = p * time.reach;
    gneiting_entry<true>(component, time, r2, in_space(r2), entry);
  } else if (!component.space_time.has_time_family()) {
    metric_entry<true>(component, p, q, in_space(p + q), entry);
  } else {
    margins_entry<true>(component, p, q, in_space(p),
                        margin(time_family_choice(component), q, component.wants_term(in_time_shape)), entry);
  }
  if (!component.single_scale) entry.in_space *= scale.of_r2;
  multiply_entry(entry, scale.deviations);
  return entry;
}

}  // namespace neargp
