// More than one output in a tile: the linear model of coregionalisation. The covariance of
// rows i and j with outputs p and q is
//
//   S_ij = sum over components c of corr_c(i, j) a_c[p] . a_c[q].
//
// Here a_c[p] is the row of loadings of output p. S_ii also includes the nugget of p. A
// component is evaluated once, whatever its rank, as a correlation, slope and shape. The
// function couple_outputs() then multiplies by the loadings.
#pragma once

#include "conditional/cpu/tile.h"

namespace neargp {

// products[j] = a[p_i] . a[p_j] for j < i, from loadings by row (rank x rows).
template <class V>
inline void loading_products(const V* loadings, int rank, int rows, int i, V* products) {
  for (int j = 0; j < i; ++j) products[j] = loadings[i] * loadings[j];
  for (int q = 1; q < rank; ++q) {
    const V* a = loadings + std::size_t(q) * rows;
    const V ai = a[i];
    for (int j = 0; j < i; ++j) products[j] += ai * a[j];
  }
}

// Turns the correlations in the components' triangles into the matrix. Multiplies the derivatives in place by the
// products of the loadings.
template <int Lanes>
void couple_outputs(const PreparedCovariance& covariance, Tile<Lanes>& tile, bool derivatives) {
  using V = typename Pack<Lanes>::Real;
  const int rows = tile.rows();
  V* products = tile.row_r2();
  for (int i = 0; i < rows; ++i) {
    V* matrix_row = tile.matrix().row(i);
    V variance = V{};
    for (int c = 0; c < int(covariance.components.size()); ++c) {
      const PreparedComponent& component = covariance.components[c];
      const auto& store = tile.component(c);
      loading_products(store.loadings, component.rank, rows, i, products);
      const V* correlation = store.covariance + triangle_size(i);
      for (int j = 0; j < i; ++j) {
        const V value = products[j] * correlation[j];
        matrix_row[j] = c == 0 ? value : matrix_row[j] + value;
      }
      for (int q = 0; q < component.rank; ++q) {
        const V loading = store.loadings[std::size_t(q) * rows + i];
        variance += loading * loading;
      }
      if (!derivatives) continue;
      V* slope = component.wants_slope() || component.wants_shape() ? store.slope + triangle_size(i) : nullptr;
      V* shape = component.wants_shape() ? store.shape + triangle_size(i) : nullptr;
      for (int j = 0; slope && j < i; ++j) slope[j] *= products[j];
      for (int j = 0; shape && j < i; ++j) shape[j] *= products[j];
      for (int term = 0; term < space_time_terms; ++term)
        for (int j = 0; component.wants_term(term) && j < i; ++j) store.term[term][triangle_size(i) + j] *= products[j];
    }
    matrix_row[i] = variance + tile.noise()[i];
  }
}

// gradient[first + output of row i] += x[i], by lane.
template <int Lanes>
void add_by_output(const Tile<Lanes>& tile, const typename Pack<Lanes>::Real* x, int first, int stride,
                   typename Pack<Lanes>::Real* gradient) {
  for (int i = 0; i < tile.rows(); ++i)
    for (int lane = 0; lane < Lanes; ++lane) {
      auto& sum = gradient[first + stride * tile.output(i, lane)];
      set_lane(sum, lane, get_lane(sum, lane) + get_lane(x[i], lane));
    }
}

// The part of contract() that belongs to the loadings of component c. The derivative of S_ij in the loading of row i on
// factor q is corr_ij times the loading of row j. The derivative of S_ii is twice the loading of row i.
template <int Lanes, class Weight, class Diagonal>
void contract_loadings(Tile<Lanes>& tile, const PreparedComponent& component, int c, const Weight& weight,
                       const Diagonal& diagonal, typename Pack<Lanes>::Real* gradient) {
  using V = typename Pack<Lanes>::Real;
  const int rows = tile.rows();
  V* by_row = tile.row_r2();
  for (int q = 0; q < component.rank; ++q) {
    const V* a = tile.component(c).loadings + std::size_t(q) * rows;
    for (int i = 0; i < rows; ++i) {
      const V* correlation = tile.component(c).covariance + triangle_size(i);
      V sum = 2.0 * diagonal(i) * tile.mask()[i] * a[i];
      for (int j = 0; j < i; ++j) {
        const V weighted = weight(i, j) * correlation[j];
        sum += weighted * a[j];
        by_row[j] += weighted * a[i];
      }
      by_row[i] = sum;
    }
    add_by_output(tile, by_row, component.variance_parameter + q, component.rank, gradient);
  }
}

// Adds the gradient in the log nuggets.
template <int Lanes, class Diagonal>
void contract_nuggets(Tile<Lanes>& tile, const PreparedCovariance& covariance, const Diagonal& diagonal,
                      typename Pack<Lanes>::Real* gradient) {
  using V = typename Pack<Lanes>::Real;
  V* by_row = tile.row_r2();
  for (int i = 0; i < tile.rows(); ++i) by_row[i] = diagonal(i) * tile.noise()[i];
  add_by_output(tile, by_row, covariance.nugget_parameter(), 1, gradient);
}

}  // namespace neargp
