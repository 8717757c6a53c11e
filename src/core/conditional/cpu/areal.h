// Areas in a tile: entries are means over all pairs of points of two rows (covariance/areal.h), and so are their
// derivatives. Each derivative is stored in a triangle of its own, which includes the diagonal.
#pragma once

#include "conditional/cpu/tile.h"
#include "covariance/entry.h"

namespace neargp {

// Finds the largest number of points of each row in any lane.
template <int Lanes>
void count_support(const SupportColumns& columns, Tile<Lanes>& tile) {
  for (int row = 0; row < tile.rows(); ++row) {
    int size = columns.points;
    const auto is_empty = [&](int point) {
      const auto weight = tile.raw_coordinate(columns.weight_column(point))[row];
      for (int lane = 0; lane < Lanes; ++lane)
        if (get_lane(weight, lane) != 0.0) return false;
      return true;
    };
    while (size > 0 && is_empty(size - 1)) --size;
    tile.support_size(row) = size;
  }
}

// The points of all rows in the metric of a component.
template <int Lanes>
void scale_support(const PreparedComponent& component, const SupportColumns& columns, Tile<Lanes>& tile) {
  using V = typename Pack<Lanes>::Real;
  for (int row = 0; row < tile.rows(); ++row)
    for (int point = 0; point < tile.support_size(row); ++point) {
      V* x = tile.support(row, columns) + point * columns.places;
      for (int d = 0; d < columns.places; ++d)
        x[d] = tile.raw_coordinate(columns.column(point) + d)[row] * component.inverse_range[d];
      if (component.turned > 0) turn(component, x, 1);
    }
}

// Computes entry (i, j) of a component, its variance included, and stores the derivatives. Returns the covariance.
template <int Lanes, bool slope, bool shape, class Correlation>
typename Pack<Lanes>::Real areal_entry(const Correlation& correlation, const PreparedComponent& component, int c,
                                       const SupportColumns& columns, int i, int j, Tile<Lanes>& tile) {
  using V = typename Pack<Lanes>::Real;
  const auto& store = tile.component(c);
  const std::size_t triangle = triangle_size(tile.rows()), at = triangle_size(i) + j;
  const int forms = int(component.scale_derivatives.size());
  V sum = V{}, shape_sum = V{};
  if (slope)
    for (int f = 0; f < forms; ++f) store.scale[f * triangle + at] = V{};
  for (int l = 0; l < tile.support_size(i); ++l) {
    const V* x = tile.support(i, columns) + l * columns.places;
    const V own = tile.raw_coordinate(columns.weight_column(l))[i];
    for (int m = 0; m < tile.support_size(j); ++m) {
      const V* y = tile.support(j, columns) + m * columns.places;
      const V weight = own * tile.raw_coordinate(columns.weight_column(m))[j];
      V r2 = V{};
      for (int d = 0; d < columns.places; ++d) r2 += (x[d] - y[d]) * (x[d] - y[d]);
      V value, in_length, in_shape;
      covariance_entry<slope, shape>(correlation, component, r2, value, in_length, in_shape);
      sum += weight * value;
      if (shape) shape_sum += weight * in_shape;
      for (int f = 0; slope && f < forms; ++f)
        store.scale[f * triangle + at] +=
            weight * in_length *
            (component.single_scale ? broadcast<V>(1.0) : difference_form(component.scale_derivatives[f], x, y));
    }
  }
  if (shape) store.shape[at] = shape_sum;
  return sum;
}

template <int Lanes, bool slope, bool shape, class Correlation>
void assemble_areal_component(const Correlation& correlation, const PreparedComponent& component, int c,
                              const SupportColumns& columns, Tile<Lanes>& tile) {
  const auto& store = tile.component(c);
  for (int i = 0; i < tile.rows(); ++i) {
    for (int j = 0; j < i; ++j) {
      const auto value = areal_entry<Lanes, slope, shape>(correlation, component, c, columns, i, j, tile);
      auto& entry = tile.matrix().row(i)[j];
      entry = c == 0 ? value : entry + value;
      if (store.covariance) store.covariance[triangle_size(i) + j] = value;
    }
    store.row_variance[i] = areal_entry<Lanes, slope, shape>(correlation, component, c, columns, i, i, tile);
  }
}

// Calls action(parameter, triangle) for each derivative but that in the variance.
template <int Lanes, class Action>
void for_each_areal_derivative(const Tile<Lanes>& tile, const PreparedComponent& component, int c,
                               const Action& action) {
  const auto& store = tile.component(c);
  for (std::size_t f = 0; f < component.scale_derivatives.size(); ++f)
    action(component.scale_derivatives[f].parameter, store.scale + f * triangle_size(tile.rows()));
  if (component.wants_shape()) action(component.shape_parameter, store.shape);
}

// g = (dS / d parameter) x, g = want(parameter), which is zero before.
template <int Lanes, class Want>
void multiply_areal_derivatives(const Tile<Lanes>& tile, const PreparedComponent& component, int c,
                                const typename Pack<Lanes>::Real* x, const Want& want) {
  using V = typename Pack<Lanes>::Real;
  for_each_areal_derivative(tile, component, c, [&](int parameter, const V* triangle) {
    V* g = want(parameter);
    for (int i = 0; i < tile.rows(); ++i) {
      const V* row = triangle + triangle_size(i);
      V sum = row[i] * x[i];
      for (int j = 0; j < i; ++j) {
        sum += row[j] * x[j];
        g[j] += row[j] * x[i];
      }
      g[i] += sum;
    }
  });
}

// The part of contract() that belongs to areas.
template <int Lanes, class Weight, class Diagonal>
void contract_areal(const Tile<Lanes>& tile, const PreparedComponent& component, int c, const Weight& weight,
                    const Diagonal& diagonal, typename Pack<Lanes>::Real* gradient) {
  using V = typename Pack<Lanes>::Real;
  for_each_areal_derivative(tile, component, c, [&](int parameter, const V* triangle) {
    V sum = V{};
    for (int i = 0; i < tile.rows(); ++i) {
      const V* row = triangle + triangle_size(i);
      sum += diagonal(i) * tile.mask()[i] * row[i];
      for (int j = 0; j < i; ++j) sum += weight(i, j) * row[j];
    }
    gradient[parameter] += sum;
  });
}

}  // namespace neargp
