// Derivatives of a tile's matrix S in the covariance parameters, in the two forms that the
// kernels need: times a vector, and summed against weights.
#pragma once

#include "conditional/cpu/areal.h"
#include "conditional/cpu/coregionalisation.h"
#include "conditional/cpu/local_fields.h"
#include "conditional/cpu/space_time.h"
#include "conditional/cpu/tile.h"
#include "conditional/cpu/warps.h"
#include "conditional/formulas.h"
#include "covariance/entry.h"

namespace neargp {

// delta' M delta of a full block, delta the difference of rows i and j in scaled coordinates.
template <int Block, class V>
inline V block_form(const ScaleDerivative& form, const V* coords, int rows, int i, int j) {
  const V dx = coords[i] - coords[j];
  const V dy = coords[rows + i] - coords[rows + j];
  const V planar = planar_form(form, dx, dy);
  if (Block == 2) return planar;
  return planar + vertical_form(form, dx, dy, coords[2 * rows + i] - coords[2 * rows + j]);
}

// r2[j] = delta' M delta, delta the difference of rows i and j < i in scaled coordinates.
template <class V>
inline void quadratic_forms(const ScaleDerivative& form, const V* coords, int rows, int i, V* r2) {
  if (form.block == 2)
    for (int j = 0; j < i; ++j) r2[j] = block_form<2>(form, coords, rows, i, j);
  if (form.block == 3)
    for (int j = 0; j < i; ++j) r2[j] = block_form<3>(form, coords, rows, i, j);
  bool first = true;
  for (const int d : form.coordinates) {
    const V* x = coords + std::size_t(d) * rows;
    for (int j = 0; j < i; ++j) {
      const V square = -2.0 * (x[i] - x[j]) * (x[i] - x[j]);
      r2[j] = first ? square : r2[j] + square;
    }
    first = false;
  }
}

// weighted_form() of a full block.
template <int Block, class V>
inline V weighted_block(const ScaleDerivative& form, const V* coords, int rows, int i, const V* weighted) {
  V sum = V{};
  for (int j = 0; j < i; ++j) sum += weighted[j] * block_form<Block>(form, coords, rows, i, j);
  return sum;
}

// sum over j < i of weighted[j] delta' M delta.
template <class V>
inline V weighted_form(const ScaleDerivative& form, const V* coords, int rows, int i, const V* weighted) {
  if (form.block == 2) return weighted_block<2>(form, coords, rows, i, weighted);
  if (form.block == 3) return weighted_block<3>(form, coords, rows, i, weighted);
  V sum = V{};
  for (const int d : form.coordinates) {
    const V* x = coords + std::size_t(d) * rows;
    for (int j = 0; j < i; ++j) sum += weighted[j] * (x[i] - x[j]) * (x[i] - x[j]);
  }
  return -2.0 * sum;
}

// g = E x, E symmetric with zero diagonal, its lower triangle packed.
template <class V>
inline void multiply_symmetric(const V* triangle, int rows, const V* x, V* g) {
  for (int i = 0; i < rows; ++i) {
    const V* row = triangle + triangle_size(i);
    const V xi = x[i];
    V sum = V{};
    for (int j = 0; j < i; ++j) {
      sum += row[j] * x[j];
      g[j] += row[j] * xi;
    }
    g[i] = sum;
  }
}

// g = (dS / d parameter) x for a length parameter.
template <int Lanes>
void multiply_scale_derivative(Tile<Lanes>& tile, const PreparedComponent& component, int c,
                               const ScaleDerivative& form, const typename Pack<Lanes>::Real* x,
                               typename Pack<Lanes>::Real* g) {
  using V = typename Pack<Lanes>::Real;
  const auto& store = tile.component(c);
  if (component.single_scale) return multiply_symmetric(store.slope, tile.rows(), x, g);
  V* form_row = tile.row_r2();
  for (int i = 0; i < tile.rows(); ++i) {
    const V* slope = store.slope + triangle_size(i);
    quadratic_forms(form, store.coords, tile.rows(), i, form_row);
    const V xi = x[i];
    V sum = V{};
    for (int j = 0; j < i; ++j) {
      const V e = slope[j] * form_row[j];
      sum += e * x[j];
      g[j] += e * xi;
    }
    g[i] = sum;
  }
}

// gradient[a] += sum over entries (i, j) of W_ij dS_ij / d parameter a, by lane.
// `weight(i, j)` for j < i is W_ij + W_ji, `diagonal(i)` is W_ii, and `total` is <W, S>. The
// derivative in the first variance follows from `total`, because S is the sum of its
// derivatives in all log variances and the log nugget.
template <int Lanes, class Weight, class Diagonal>
void contract(Tile<Lanes>& tile, const PreparedCovariance& covariance, const Weight& weight, const Diagonal& diagonal,
              typename Pack<Lanes>::Real total, typename Pack<Lanes>::Real* gradient) {
  using V = typename Pack<Lanes>::Real;
  const int rows = tile.rows();
  const bool several_outputs = covariance.outputs() > 0;
  V trace = V{};
  V noise = V{};
  for (int i = 0; i < rows; ++i) {
    trace += diagonal(i) * tile.mask()[i];
    noise += diagonal(i) * tile.noise()[i];
  }
  noise *= covariance.nugget;
  V rest = noise;
  for (int m = 0; m < covariance.noise_parameters; ++m) {
    V sum = V{};
    for (int i = 0; i < rows; ++i) sum += diagonal(i) * tile.noise_derivative(m)[i];
    gradient[covariance.noise_parameter(m)] += sum;
  }

  for (int c = 0; c < int(covariance.components.size()); ++c) {
    const PreparedComponent& component = covariance.components[c];
    const auto& store = tile.component(c);
    V variance_sum = trace * component.variance;
    if (component.has_row_deviations() || covariance.is_areal()) {
      variance_sum = V{};
      for (int i = 0; i < rows; ++i) variance_sum += diagonal(i) * tile.mask()[i] * variance_at(component, c, tile, i);
    }
    for (int i = 1; i < rows; ++i) {
      if (c > 0 && !several_outputs)
        for (int j = 0; j < i; ++j) variance_sum += weight(i, j) * store.covariance[triangle_size(i) + j];
      if (covariance.is_areal()) continue;
      if (component.wants_shape()) {
        V sum = V{};
        for (int j = 0; j < i; ++j) sum += weight(i, j) * store.shape[triangle_size(i) + j];
        gradient[component.shape_parameter] += sum;
      }
      if (!component.scale_derivatives.empty()) contract_scale_row(tile, component, c, i, weight, gradient);
    }
    if (covariance.is_areal()) contract_areal(tile, component, c, weight, diagonal, gradient);
    if (component.is_space_time()) contract_terms(tile, component, c, weight, gradient);
    if (component.wants_local()) contract_local(tile, component, c, weight, diagonal, gradient);
    if (component.wants_warps) contract_warps(tile, component, c, weight, gradient);
    if (several_outputs) {
      contract_loadings(tile, component, c, weight, diagonal, gradient);
    } else if (c > 0) {
      gradient[component.variance_parameter] += variance_sum;
      rest += variance_sum;
    }
  }
  if (several_outputs) return contract_nuggets(tile, covariance, diagonal, gradient);
  gradient[covariance.components[0].variance_parameter] += total - rest;
  gradient[covariance.nugget_parameter()] += noise;
}

template <int Lanes, class Weight>
void contract_scale_row(Tile<Lanes>& tile, const PreparedComponent& component, int c, int i, const Weight& weight,
                        typename Pack<Lanes>::Real* gradient) {
  using V = typename Pack<Lanes>::Real;
  const auto& store = tile.component(c);
  const int rows = tile.rows();
  const V* slope = store.slope + triangle_size(i);
  if (component.single_scale) {
    V sum = V{};
    for (int j = 0; j < i; ++j) sum += weight(i, j) * slope[j];
    gradient[component.scale_derivatives[0].parameter] += sum;
    return;
  }
  V* weighted = tile.row_r2();
  for (int j = 0; j < i; ++j) weighted[j] = weight(i, j) * slope[j];
  for (const ScaleDerivative& form : component.scale_derivatives)
    gradient[form.parameter] += weighted_form(form, store.coords, rows, i, weighted);
}

}  // namespace neargp
