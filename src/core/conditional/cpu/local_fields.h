// Local standard deviations and ranges in a tile. For the formulas see covariance/local_scale.h. The derivative in a
// coefficient with covariate x is
//
//   dS_ij = in_row_ij x_i + in_column_ij x_j.
//
// Here in_row and in_column are the derivatives in the fields at rows i and j. For the log sd both are k_ij, and the
// diagonal also changes, by 2 k_ii x_i.
#pragma once

#include "conditional/cpu/tile.h"
#include "covariance/entry.h"
#include "covariance/local_scale.h"

namespace neargp {

template <int Lanes>
void load_local_scales(const PreparedComponent& component, int c, Tile<Lanes>& tile) {
  using V = typename Pack<Lanes>::Real;
  const auto& store = tile.component(c);
  for (int i = 0; i < tile.rows(); ++i) {
    const auto covariate = [&](int column) { return tile.raw_coordinate(column)[i]; };
    if (store.sd) store.sd[i] = row_deviation<V>(component, covariate);
    if (store.range) store.range[i] = exp_local_field<V>(component.log_range.field, covariate);
  }
}

// Fills row i of a component's covariances and derivatives, in place of a stationary one's. `r2`: squared distances.
template <int Lanes, bool slope, bool shape, class Correlation>
void assemble_local_row(const Correlation& correlation, const PreparedComponent& component, int c, int dim, int i,
                        const typename Pack<Lanes>::Real* r2, Tile<Lanes>& tile) {
  using V = typename Pack<Lanes>::Real;
  const auto& store = tile.component(c);
  const std::size_t first = triangle_size(i);
  V* matrix_row = tile.matrix().row(i);
  for (int j = 0; j < i; ++j) {
    LocalPair<V> pair{broadcast<V>(1.0), broadcast<V>(1.0)};
    if (store.range) pair = local_pair(store.range[i], store.range[j], dim);
    V scale = pair.density;
    if (store.sd) scale *= store.sd[i] * store.sd[j];
    const V local_r2 = r2[j] * pair.inverse_mean;
    V value, in_length, in_shape;
    covariance_entry<slope, shape>(correlation, component, local_r2, value, in_length, in_shape);
    value *= scale;
    matrix_row[j] = c == 0 ? value : matrix_row[j] + value;
    if (store.covariance) store.covariance[first + j] = value;
    if (shape) store.shape[first + j] = scale * in_shape;
    if (!slope) continue;
    in_length *= scale;
    store.slope[first + j] = component.single_scale ? in_length : in_length * pair.inverse_mean;
    if (!store.in_row) continue;
    const V moved = component.single_scale ? -0.5 * in_length : in_length * local_r2;
    store.in_row[first + j] = in_log_range(value, moved, store.range[i], pair.inverse_mean, dim);
    store.in_column[first + j] = in_log_range(value, moved, store.range[j], pair.inverse_mean, dim);
  }
}

// The variance of a component at row i, which may be an area.
template <int Lanes>
typename Pack<Lanes>::Real variance_at(const PreparedComponent& component, int c, const Tile<Lanes>& tile, int i) {
  const auto& store = tile.component(c);
  if (store.row_variance) return store.row_variance[i];
  const auto* sd = store.sd;
  return sd ? component.variance * sd[i] * sd[i] : broadcast<typename Pack<Lanes>::Real>(component.variance);
}

// Calls action(parameter, covariate of the rows, in_row, in_column, whether the diagonal moves) for each coefficient
// whose derivative is wanted.
template <int Lanes, class Action>
void for_each_local_derivative(const Tile<Lanes>& tile, const PreparedComponent& component, int c,
                               const Action& action) {
  const auto& store = tile.component(c);
  const auto visit = [&](const PreparedLocal& local, const auto* in_row, const auto* in_column, bool diagonal) {
    for (int m = 0; local.wanted && m < local.field.size(); ++m)
      action(local.first_parameter + m, tile.raw_coordinate(local.field.columns[m]), in_row, in_column, diagonal);
  };
  visit(component.log_sd, store.covariance, store.covariance, true);
  visit(component.log_range, store.in_row, store.in_column, false);
}

// g = (dS / d parameter) x for each coefficient, g = want(parameter), which is zero before.
template <int Lanes, class Want>
void multiply_local_derivatives(const Tile<Lanes>& tile, const PreparedComponent& component, int c,
                                const typename Pack<Lanes>::Real* x, const Want& want) {
  using V = typename Pack<Lanes>::Real;
  for_each_local_derivative(tile, component, c,
                            [&](int parameter, const V* covariate, const V* in_row, const V* in_column, bool diagonal) {
                              V* g = want(parameter);
                              for (int i = 0; i < tile.rows(); ++i) {
                                const V* row = in_row + triangle_size(i);
                                const V* column = in_column + triangle_size(i);
                                V sum = V{};
                                if (diagonal) sum = 2.0 * variance_at(component, c, tile, i) * covariate[i] * x[i];
                                for (int j = 0; j < i; ++j) {
                                  const V e = row[j] * covariate[i] + column[j] * covariate[j];
                                  sum += e * x[j];
                                  g[j] += e * x[i];
                                }
                                g[i] += sum;
                              }
                            });
}

// The part of contract() that belongs to local fields. Sums the derivatives in a field at each row, then multiplies by
// the covariates of the row.
template <int Lanes, class Weight, class Diagonal>
void contract_local(Tile<Lanes>& tile, const PreparedComponent& component, int c, const Weight& weight,
                    const Diagonal& diagonal, typename Pack<Lanes>::Real* gradient) {
  using V = typename Pack<Lanes>::Real;
  const V* found = nullptr;
  V* by_row = tile.row_r2();
  for_each_local_derivative(
      tile, component, c,
      [&](int parameter, const V* covariate, const V* in_row, const V* in_column, bool moves_diagonal) {
        if (found != in_row) {
          for (int i = 0; i < tile.rows(); ++i) {
            V sum = V{};
            if (moves_diagonal) sum = 2.0 * diagonal(i) * tile.mask()[i] * variance_at(component, c, tile, i);
            for (int j = 0; j < i; ++j) {
              const V weighted = weight(i, j);
              sum += weighted * in_row[triangle_size(i) + j];
              by_row[j] += weighted * in_column[triangle_size(i) + j];
            }
            by_row[i] = sum;
          }
          found = in_row;
        }
        for (int i = 0; i < tile.rows(); ++i) gradient[parameter] += by_row[i] * covariate[i];
      });
}

}  // namespace neargp
