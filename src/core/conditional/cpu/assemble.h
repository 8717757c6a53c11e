// Fills a tile's matrix with covariances and, where derivatives are wanted, the
// triangles from which conditional/cpu/contract.h computes them.
#pragma once

#include "conditional/cpu/areal.h"
#include "conditional/cpu/coregionalisation.h"
#include "conditional/cpu/local_fields.h"
#include "conditional/cpu/space_time.h"
#include "conditional/cpu/squared_distances.h"
#include "conditional/cpu/tile.h"
#include "conditional/cpu/warps.h"
#include "covariance/entry.h"
#include "covariance/with_family.h"

namespace neargp {

// Squared distances of row i to the rows before it, in the metric of the component.
template <int Lanes>
void component_distances(const PreparedComponent& component, int c, int i, Tile<Lanes>& tile) {
  squared_distances(tile.component(c).coords + std::size_t(component.first) * tile.rows(), tile.rows(),
                    component.last - component.first, i, tile.row_r2());
}

template <int Lanes, bool slope, bool shape, class Correlation>
void assemble_component(const Correlation& correlation, const PreparedComponent& component, int c, Tile<Lanes>& tile) {
  using V = typename Pack<Lanes>::Real;
  const typename Tile<Lanes>::ComponentTile& store = tile.component(c);
  V* r2 = tile.row_r2();
  for (int i = 1; i < tile.rows(); ++i) {
    component_distances(component, c, i, tile);
    V* matrix_row = tile.matrix().row(i);
    V* slope_row = slope ? store.slope + triangle_size(i) : nullptr;
    V* shape_row = shape ? store.shape + triangle_size(i) : nullptr;
    V* covariance_row = store.covariance ? store.covariance + triangle_size(i) : nullptr;
    for (int j = 0; j < i; ++j) {
      V value, in_length, in_shape;
      covariance_entry<slope, shape>(correlation, component, r2[j], value, in_length, in_shape);
      matrix_row[j] = c == 0 ? value : matrix_row[j] + value;
      if (covariance_row) covariance_row[j] = value;
      if (slope) slope_row[j] = in_length;
      if (shape) shape_row[j] = in_shape;
    }
  }
}

template <int Lanes, bool slope, bool shape, class Correlation>
void assemble_local_component(const Correlation& correlation, const PreparedComponent& component, int c, int dim,
                              Tile<Lanes>& tile) {
  load_local_scales(component, c, tile);
  for (int i = 1; i < tile.rows(); ++i) {
    component_distances(component, c, i, tile);
    assemble_local_row<Lanes, slope, shape>(correlation, component, c, dim, i, tile.row_r2(), tile);
  }
}

// Chooses by the kind of component outside of all loops over entries.
template <int Lanes, bool slope, bool shape, class Correlation>
void assemble_any_component(const Correlation& correlation, const PreparedComponent& component, int c, int dim,
                            Tile<Lanes>& tile) {
  if (component.is_local()) {
    assemble_local_component<Lanes, slope, shape>(correlation, component, c, dim, tile);
  } else {
    assemble_component<Lanes, slope, shape>(correlation, component, c, tile);
  }
}

template <int Lanes>
void assemble_diagonal(const PreparedCovariance& covariance, Tile<Lanes>& tile) {
  using V = typename Pack<Lanes>::Real;
  if (!covariance.is_local() && !covariance.is_areal()) {
    for (int i = 0; i < tile.rows(); ++i)
      tile.matrix().row(i)[i] = covariance.variance + covariance.nugget * tile.noise()[i];
    return;
  }
  for (int i = 0; i < tile.rows(); ++i) {
    V variance = covariance.nugget * tile.noise()[i];
    for (int c = 0; c < int(covariance.components.size()); ++c)
      variance += variance_at(covariance.components[c], c, tile, i);
    tile.matrix().row(i)[i] = variance;
  }
}

// Masked rows become unit vectors. The triangles of derivatives stay as they are. They are
// finite, because a masked row stands at the target's own location. Code that multiplies by
// them uses zeros at masked rows or clears these rows in the product.
template <int Lanes>
void apply_mask(Tile<Lanes>& tile) {
  using V = typename Pack<Lanes>::Real;
  const V* mask = tile.mask();
  for (int i = 0; i < tile.rows(); ++i) {
    V* row = tile.matrix().row(i);
    for (int j = 0; j < i; ++j) row[j] *= mask[i] * mask[j];
    row[i] = mask[i] > 0.5 ? row[i] : mask[i] + 1.0;
  }
}

template <int Lanes>
void assemble_metric(const PreparedComponent& component, int c, Tile<Lanes>& tile, bool derivatives) {
  with_family(component, [&](const auto& correlation) {
    if (derivatives && component.wants_shape()) {
      assemble_any_component<Lanes, true, true>(correlation, component, c, component.dim(), tile);
    } else if (derivatives && component.wants_slope()) {
      assemble_any_component<Lanes, true, false>(correlation, component, c, component.dim(), tile);
    } else {
      assemble_any_component<Lanes, false, false>(correlation, component, c, component.dim(), tile);
    }
  });
}

template <int Lanes>
void assemble_areal(const PreparedComponent& component, int c, const SupportColumns& columns, Tile<Lanes>& tile,
                    bool derivatives) {
  if (c == 0) count_support(columns, tile);
  scale_support(component, columns, tile);
  with_family(component, [&](const auto& correlation) {
    if (derivatives && component.wants_shape()) {
      assemble_areal_component<Lanes, true, true>(correlation, component, c, columns, tile);
    } else if (derivatives && component.wants_slope()) {
      assemble_areal_component<Lanes, true, false>(correlation, component, c, columns, tile);
    } else {
      assemble_areal_component<Lanes, false, false>(correlation, component, c, columns, tile);
    }
  });
}

template <int Lanes>
void assemble(const PreparedCovariance& covariance, Tile<Lanes>& tile, bool derivatives) {
  for (int c = 0; c < int(covariance.components.size()); ++c) {
    const PreparedComponent& component = covariance.components[c];
    if (covariance.is_areal()) {
      assemble_areal(component, c, covariance.support, tile, derivatives);
      continue;
    }
    tile.scale_coords(component, c);
    if (!component.is_space_time()) {
      assemble_metric(component, c, tile, derivatives);
    } else if (derivatives && (component.wants_slope() || component.wants_shape())) {
      assemble_space_time<Lanes, true>(component, c, tile);
    } else {
      assemble_space_time<Lanes, false>(component, c, tile);
    }
    if (derivatives && component.wants_warps) assemble_warps(component, c, tile);
  }
  if (covariance.outputs() > 0) {
    couple_outputs(covariance, tile, derivatives);
  } else {
    assemble_diagonal(covariance, tile);
  }
  if (tile.masked()) apply_mask(tile);
}

// Loads, assembles and factorises the tiles of the targets first .. last-1 one after the
// other, and calls action() on each: only the leading `factor_rows` rows are factorised.
// Returns the smallest target whose factor failed, or -1.
template <int Lanes, class Action>
Index for_each_tile(const PreparedCovariance& covariance, Tile<Lanes>& tile, bool derivatives, int factor_rows,
                    Index first, Index last, const Action& action) {
  Index failed = -1;
  for (Index target = first; target < last; target += Lanes) {
    tile.load(target, last);
    if (covariance.outputs() > 0) tile.load_outputs(covariance);
    assemble(covariance, tile, derivatives);
    const Index tile_failed = tile.factorize(factor_rows);
    if (failed < 0) failed = tile_failed;
    action();
  }
  return failed;
}

// Goes over tiles as for_each_tile() does, for an action that adds to lane_sums[0 .. count-1]. Clears these sums first,
// and adds their totals over the lanes to `sums` at the end.
template <int Lanes, class Action>
Index sum_tiles(const PreparedCovariance& covariance, Tile<Lanes>& tile, bool derivatives, int factor_rows, Index first,
                Index last, typename Pack<Lanes>::Real* lane_sums, int count, double* sums, const Action& action) {
  using V = typename Pack<Lanes>::Real;
  for (int s = 0; s < count; ++s) lane_sums[s] = V{};
  const Index failed = for_each_tile(covariance, tile, derivatives, factor_rows, first, last, action);
  for (int s = 0; s < count; ++s) sums[s] += sum_lanes(lane_sums[s]);
  return failed;
}

}  // namespace neargp
