// Derivatives in the coefficients of warped coordinates in a tile. For the formulas see covariance/warp.h. In a
// coefficient with column phi the derivative S' is a constant times D T - T D, with D = diag(phi). T is antisymmetric,
// so that for symmetric W and a constant of 1
//
//   sum over j < i of W_ij S'_ij = sum_i phi_i sum_j W_ij T_ij.
//
// Once the sums over j are made for a coordinate, each of its coefficients takes one sum over rows.
#pragma once

#include "conditional/cpu/tile.h"
#include "covariance/warp.h"

namespace neargp {

// T of each warped coordinate, from the slopes in r2.
template <int Lanes>
void assemble_warps(const PreparedComponent& component, int c, Tile<Lanes>& tile) {
  using V = typename Pack<Lanes>::Real;
  const auto& store = tile.component(c);
  for (int w = 0; w < int(component.warps.size()); ++w) {
    const V* z = store.coords + std::size_t(component.warps[w].coordinate) * tile.rows();
    V* along = tile.along_warp(c, w);
    for (int i = 1; i < tile.rows(); ++i) {
      const std::size_t first = triangle_size(i);
      for (int j = 0; j < i; ++j) along[first + j] = 2.0 * store.slope[first + j] * (z[i] - z[j]);
    }
  }
}

// g = T x, T antisymmetric, its lower triangle packed.
template <class V>
inline void multiply_antisymmetric(const V* triangle, int rows, const V* x, V* g) {
  for (int i = 0; i < rows; ++i) {
    const V* row = triangle + triangle_size(i);
    const V xi = x[i];
    V sum = V{};
    for (int j = 0; j < i; ++j) {
      sum += row[j] * x[j];
      g[j] -= row[j] * xi;
    }
    g[i] = sum;
  }
}

// g = (dS / d parameter) x for each coefficient, g = want(parameter).
template <int Lanes, class Want>
void multiply_warp_derivatives(Tile<Lanes>& tile, const PreparedComponent& component, int c,
                               const typename Pack<Lanes>::Real* x, const Want& want) {
  using V = typename Pack<Lanes>::Real;
  const int rows = tile.rows();
  V* product = tile.warp_product();
  V* scaled = tile.row_r2();
  for (int w = 0; w < int(component.warps.size()); ++w) {
    const PreparedWarp& warp = component.warps[w];
    const V* along = tile.along_warp(c, w);
    multiply_antisymmetric(along, rows, x, product);
    for (int m = 0; m < warp.size(); ++m) {
      const V* column = tile.raw_coordinate(warp.columns[m]);
      V* g = want(warp.first_parameter + m);
      for (int i = 0; i < rows; ++i) scaled[i] = column[i] * x[i];
      multiply_antisymmetric(along, rows, scaled, g);
      for (int i = 0; i < rows; ++i) g[i] = warp.slopes[m] * (column[i] * product[i] - g[i]);
    }
  }
}

// The part of contract() that belongs to warped coordinates.
template <int Lanes, class Weight>
void contract_warps(Tile<Lanes>& tile, const PreparedComponent& component, int c, const Weight& weight,
                    typename Pack<Lanes>::Real* gradient) {
  using V = typename Pack<Lanes>::Real;
  const int rows = tile.rows();
  V* by_row = tile.warp_product();
  for (int w = 0; w < int(component.warps.size()); ++w) {
    const PreparedWarp& warp = component.warps[w];
    const V* along = tile.along_warp(c, w);
    for (int i = 0; i < rows; ++i) {
      V sum = V{};
      for (int j = 0; j < i; ++j) {
        const V weighted = weight(i, j) * along[triangle_size(i) + j];
        sum += weighted;
        by_row[j] -= weighted;
      }
      by_row[i] = sum;
    }
    for (int m = 0; m < warp.size(); ++m) {
      const V* column = tile.raw_coordinate(warp.columns[m]);
      V sum = V{};
      for (int i = 0; i < rows; ++i) sum += by_row[i] * column[i];
      gradient[warp.first_parameter + m] += warp.slopes[m] * sum;
    }
  }
}

}  // namespace neargp
