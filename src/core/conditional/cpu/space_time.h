// Covariances of space and time in a tile. For the formulas see covariance/space_time.h. A row is filled in three
// steps: squared distances, correlations of the margins, and the covariances and derivatives that a model makes of
// them. Each family is therefore compiled once, not once with each other family. Local ranges change the squared
// distances after the first step and the correlations after the second.
#pragma once

#include "conditional/cpu/local_fields.h"
#include "conditional/cpu/squared_distances.h"
#include "conditional/cpu/tile.h"
#include "covariance/space_time.h"

namespace neargp {

template <class V>
struct MarginRows {
  V *value, *slope, *shape;

  Margin<V> at(int j) const { return {value[j], slope[j], shape[j]}; }
};

// Correlations of the first `count` squared distances; slopes where `derivatives` are wanted, and the shape's.
template <class V>
void fill_margin(const FamilyChoice<double>& family, bool derivatives, bool shape, const V* r2, int count,
                 const MarginRows<V>& rows) {
  with_family(family, [&](const auto& correlation) {
    if (derivatives && shape) {
      for (int j = 0; j < count; ++j)
        correlation.template evaluate<true, true>(r2[j], rows.value[j], rows.slope[j], rows.shape[j]);
    } else if (derivatives) {
      for (int j = 0; j < count; ++j)
        correlation.template evaluate<true, false>(r2[j], rows.value[j], rows.slope[j], rows.shape[j]);
    } else {
      for (int j = 0; j < count; ++j)
        correlation.template evaluate<false, false>(r2[j], rows.value[j], rows.slope[j], rows.shape[j]);
    }
  });
}

template <int Lanes>
struct SpaceTimeRows {
  using V = typename Pack<Lanes>::Real;

  explicit SpaceTimeRows(Tile<Lanes>& tile)
      : p(tile.row_r2()), q(tile.margin_row(0)), space{tile.margin_row(1), tile.margin_row(2), tile.margin_row(3)},
        time{tile.margin_row(4), tile.margin_row(5), tile.margin_row(6)}, reach(tile.margin_row(7)),
        inverse_mean(tile.margin_row(8)), density(tile.margin_row(9)) {}

  // In a Gneiting row, the terms of time replace a margin in time.
  void keep(int j, const GneitingTime<V>& of_time) const {
    q[j] = of_time.log_q;
    time.value[j] = of_time.share;
    time.slope[j] = of_time.g;
    time.shape[j] = of_time.log_g;
    reach[j] = of_time.reach;
  }
  GneitingTime<V> kept(int j) const { return {q[j], time.value[j], time.slope[j], time.shape[j], reach[j]}; }

  V *p, *q;
  MarginRows<V> space, time;
  V* reach;
  V *inverse_mean, *density;  // of local ranges, see LocalPair
};

// Squared distances of row i in space, in units of local ranges.
template <int Lanes>
void use_local_ranges(const PreparedComponent& component, int c, int i, Tile<Lanes>& tile) {
  const SpaceTimeRows<Lanes> rows(tile);
  const auto* range = tile.component(c).range;
  for (int j = 0; j < i; ++j) {
    const auto pair = local_pair(range[i], range[j], component.local_dim());
    rows.inverse_mean[j] = pair.inverse_mean;
    rows.density[j] = pair.density;
    rows.p[j] *= pair.inverse_mean;
  }
}

// The correlation in space of rows i and j.
template <int Lanes>
Margin<typename Pack<Lanes>::Real> space_margin(const PreparedComponent& component, const SpaceTimeRows<Lanes>& rows,
                                                int j) {
  return component.log_range.present() ? times_density(rows.space.at(j), rows.density[j]) : rows.space.at(j);
}

// Derivatives where ranges are local: of p before it is divided, and of the ranges at both rows.
template <int Lanes>
void store_local_range(const PreparedComponent& component, int c, Tile<Lanes>& tile, std::size_t at, int i, int j,
                       const SpaceTimeEntry<typename Pack<Lanes>::Real>& entry) {
  const auto& store = tile.component(c);
  const auto inverse_mean = SpaceTimeRows<Lanes>(tile).inverse_mean[j];
  if (store.slope && !component.single_scale) store.slope[at] *= inverse_mean;
  if (!store.in_row) return;
  const int dim = component.local_dim();
  store.in_row[at] = in_log_range(entry.of_space, entry.moved, store.range[i], inverse_mean, dim);
  store.in_column[at] = in_log_range(entry.of_space, entry.moved, store.range[j], inverse_mean, dim);
}

template <int Lanes, bool derivatives>
void store_entry(const PreparedComponent& component, int c, Tile<Lanes>& tile, int i, int j,
                 SpaceTimeEntry<typename Pack<Lanes>::Real> entry) {
  const auto& store = tile.component(c);
  if (store.sd) multiply_entry(entry, store.sd[i] * store.sd[j]);
  const std::size_t at = triangle_size(i) + j;
  auto& matrix_entry = tile.matrix().row(i)[j];
  matrix_entry = c == 0 ? entry.value : matrix_entry + entry.value;
  if (store.covariance) store.covariance[at] = entry.value;
  if (!derivatives) return;
  if (store.slope) store.slope[at] = entry.in_space;
  if (store.range) store_local_range(component, c, tile, at, i, j, entry);
  if (store.shape) store.shape[at] = entry.in_shape;
  for (int term = 0; term < space_time_terms; ++term)
    if (component.wants_term(term)) store.term[term][at] = entry.term[term];
}

template <int Lanes, bool derivatives>
void assemble_gneiting_row(const PreparedComponent& component, int c, int i, Tile<Lanes>& tile) {
  using V = typename Pack<Lanes>::Real;
  const SpaceTimeRows<Lanes> rows(tile);
  const SpaceTime& model = component.space_time;
  for (int j = 0; j < i; ++j) {
    const GneitingTime<V> time = gneiting_time(model.alpha, model.beta, rows.q[j]);
    rows.keep(j, time);
    rows.p[j] *= time.reach;
  }
  fill_margin(family_choice(component), derivatives, component.wants_shape(), rows.p, i, rows.space);
  for (int j = 0; j < i; ++j) {
    SpaceTimeEntry<V> entry;
    gneiting_entry<derivatives>(component, rows.kept(j), rows.p[j], space_margin(component, rows, j), entry);
    store_entry<Lanes, derivatives>(component, c, tile, i, j, entry);
  }
}

template <int Lanes, bool derivatives>
void assemble_metric_row(const PreparedComponent& component, int c, int i, Tile<Lanes>& tile) {
  using V = typename Pack<Lanes>::Real;
  const SpaceTimeRows<Lanes> rows(tile);
  V* r2 = rows.reach;
  for (int j = 0; j < i; ++j) r2[j] = rows.p[j] + rows.q[j];
  fill_margin(family_choice(component), derivatives, component.wants_shape(), r2, i, rows.space);
  for (int j = 0; j < i; ++j) {
    SpaceTimeEntry<V> entry;
    metric_entry<derivatives>(component, rows.p[j], rows.q[j], space_margin(component, rows, j), entry);
    store_entry<Lanes, derivatives>(component, c, tile, i, j, entry);
  }
}

template <int Lanes, bool derivatives>
void assemble_margins_row(const PreparedComponent& component, int c, int i, Tile<Lanes>& tile) {
  using V = typename Pack<Lanes>::Real;
  const SpaceTimeRows<Lanes> rows(tile);
  fill_margin(family_choice(component), derivatives, component.wants_shape(), rows.p, i, rows.space);
  fill_margin(time_family_choice(component), derivatives, component.wants_term(in_time_shape), rows.q, i, rows.time);
  for (int j = 0; j < i; ++j) {
    SpaceTimeEntry<V> entry;
    margins_entry<derivatives>(component, rows.p[j], rows.q[j], space_margin(component, rows, j), rows.time.at(j),
                               entry);
    store_entry<Lanes, derivatives>(component, c, tile, i, j, entry);
  }
}

// Calls action(parameter, triangle) for each further parameter whose derivatives are wanted.
template <int Lanes, class Action>
void for_each_term(const Tile<Lanes>& tile, const PreparedComponent& component, int c, const Action& action) {
  for (int term = 0; term < space_time_terms; ++term)
    if (component.wants_term(term)) action(component.term_parameter[term], tile.component(c).term[term]);
}

// The part of contract() that belongs to these parameters.
template <int Lanes, class Weight>
void contract_terms(const Tile<Lanes>& tile, const PreparedComponent& component, int c, const Weight& weight,
                    typename Pack<Lanes>::Real* gradient) {
  using V = typename Pack<Lanes>::Real;
  for_each_term(tile, component, c, [&](int parameter, const V* triangle) {
    V sum = V{};
    for (int i = 1; i < tile.rows(); ++i)
      for (int j = 0; j < i; ++j) sum += weight(i, j) * triangle[triangle_size(i) + j];
    gradient[parameter] += sum;
  });
}

template <int Lanes, bool derivatives>
void assemble_space_time(const PreparedComponent& component, int c, Tile<Lanes>& tile) {
  const SpaceTimeRows<Lanes> rows(tile);
  const int space = component.places() - 1;
  const auto* coords = tile.component(c).coords;
  if (component.is_local()) load_local_scales(component, c, tile);
  for (int i = 1; i < tile.rows(); ++i) {
    squared_distances(coords, tile.rows(), space, i, rows.p);
    add_squared_distances(coords, tile.rows(), space + 1, component.dim(), i, rows.p);
    squared_distances(coords + std::size_t(space) * tile.rows(), tile.rows(), 1, i, rows.q);
    if (component.log_range.present()) use_local_ranges(component, c, i, tile);
    if (component.space_time.is_gneiting()) {
      assemble_gneiting_row<Lanes, derivatives>(component, c, i, tile);
    } else if (!component.space_time.has_time_family()) {
      assemble_metric_row<Lanes, derivatives>(component, c, i, tile);
    } else {
      assemble_margins_row<Lanes, derivatives>(component, c, i, tile);
    }
  }
}

}  // namespace neargp
