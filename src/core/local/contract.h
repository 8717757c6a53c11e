// Derivatives of a tile's matrix S in the covariance parameters, in the two forms that
// anyone needs: times a vector, and summed against weights.
#pragma once

#include "local/tile.h"

namespace neargp {

// delta' M delta for the difference of two points in scaled coordinates.
template <class V>
inline V quadratic_form(const ScaleDerivative& form, const PreparedComponent& component, int dim,
                        const V* xi, const V* xj) {
  if (form.planar) {
    const V d0 = xi[0] - xj[0];
    const V d1 = xi[1] - xj[1];
    return form.m11 * d0 * d0 + (2.0 * form.m12) * d0 * d1 + form.m22 * d1 * d1;
  }
  V sum = V{};
  for (int d = 0; d < dim; ++d)
    if (component.group[d] == form.group) sum += (xi[d] - xj[d]) * (xi[d] - xj[d]);
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
void multiply_scale_derivative(const Tile<Lanes>& tile, const PreparedComponent& component, int c, int dim,
                               const ScaleDerivative& form, const typename Pack<Lanes>::Real* x,
                               typename Pack<Lanes>::Real* g) {
  using V = typename Pack<Lanes>::Real;
  const auto& store = tile.component(c);
  if (component.single_scale) return multiply_symmetric(store.slope, tile.rows(), x, g);
  for (int i = 0; i < tile.rows(); ++i) {
    const V* row = store.slope + triangle_size(i);
    const V* point = store.coords + std::size_t(i) * dim;
    const V xi = x[i];
    V sum = V{};
    for (int j = 0; j < i; ++j) {
      const V e = row[j] * quadratic_form(form, component, dim, point, store.coords + std::size_t(j) * dim);
      sum += e * x[j];
      g[j] += e * xi;
    }
    g[i] = sum;
  }
}

// gradient[a] += sum over entries (i, j) of W_ij dS_ij / d parameter a, by lane.
// weight(i, j), j < i, is W_ij + W_ji; diagonal(i) is W_ii; total is <W, S>, from which
// the first variance gets its derivative: S is the sum of all variances' and the
// nugget's derivatives.
template <int Lanes, class Weight, class Diagonal>
void contract(Tile<Lanes>& tile, const PreparedCovariance& covariance, const Weight& weight,
              const Diagonal& diagonal, typename Pack<Lanes>::Real total,
              typename Pack<Lanes>::Real* gradient) {
  using V = typename Pack<Lanes>::Real;
  const int rows = tile.rows();
  const int dim = covariance.dim;
  V trace = V{};
  V noise = V{};
  for (int i = 0; i < rows; ++i) {
    trace += diagonal(i) * tile.mask()[i];
    noise += diagonal(i) * tile.noise()[i];
  }
  noise *= covariance.nugget;
  V rest = noise;

  for (int c = 0; c < int(covariance.components.size()); ++c) {
    const PreparedComponent& component = covariance.components[c];
    const auto& store = tile.component(c);
    V variance_sum = trace * component.variance;
    for (int i = 1; i < rows; ++i) {
      if (c > 0)
        for (int j = 0; j < i; ++j) variance_sum += weight(i, j) * store.covariance[triangle_size(i) + j];
      if (component.wants_shape()) {
        V sum = V{};
        for (int j = 0; j < i; ++j) sum += weight(i, j) * store.shape[triangle_size(i) + j];
        gradient[component.shape_parameter] += sum;
      }
      if (component.wants_slope()) contract_scale_row(tile, component, c, dim, i, weight, gradient);
    }
    if (c > 0) {
      gradient[component.variance_parameter] += variance_sum;
      rest += variance_sum;
    }
  }
  gradient[covariance.components[0].variance_parameter] += total - rest;
  gradient[covariance.nugget_parameter()] += noise;
}

template <int Lanes, class Weight>
void contract_scale_row(Tile<Lanes>& tile, const PreparedComponent& component, int c, int dim, int i,
                        const Weight& weight, typename Pack<Lanes>::Real* gradient) {
  using V = typename Pack<Lanes>::Real;
  const auto& store = tile.component(c);
  const V* slope = store.slope + triangle_size(i);
  if (component.single_scale) {
    V sum = V{};
    for (int j = 0; j < i; ++j) sum += weight(i, j) * slope[j];
    gradient[component.scale_derivatives[0].parameter] += sum;
    return;
  }
  V* weighted = tile.row_r2();
  for (int j = 0; j < i; ++j) weighted[j] = weight(i, j) * slope[j];
  const V* point = store.coords + std::size_t(i) * dim;
  for (const ScaleDerivative& form : component.scale_derivatives) {
    V sum = V{};
    for (int j = 0; j < i; ++j)
      sum += weighted[j] * quadratic_form(form, component, dim, point, store.coords + std::size_t(j) * dim);
    gradient[form.parameter] += sum;
  }
}

}  // namespace neargp
