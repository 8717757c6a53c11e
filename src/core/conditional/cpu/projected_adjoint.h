// Gradient of a sum over targets. Its terms depend on the covariance through three numbers:
//
//   mean = sum_l b_l m_l,   projected = sum_l b_l^2 s_l,   and the conditional variance f.
//
// Here b are the weights, and m_l and s_l are the values in the view of the members l of the
// conditioning set. The first two numbers are the mean and variance of b'u for independent
// u_l ~ N(m_l, s_l). All terms of the mean-field ELBO are of this form (Wu, Pleiss and
// Cunningham 2022, appendix A). A term's derivatives p, q, r in the three numbers give
//
//   bbar = p m + 2 q b s (element by element),   fbar = r.
//
// Weights, term and adjoint are computed in one pass, with one factorisation. The two kernels conditional_weights.h and
// conditional_adjoint.h would need two.
//
// The objective also depends on the locations. Let W_ij be the weight of the pair of entries S_ij, S_ji
// (adjoint_tile.h) and z the scaled coordinates. Each S_ij is a function of r2 = |z_i - z_j|^2. The gradient in z_i
// therefore gets W_ij 2 dS_ij/dr2 (z_i - z_j), and the gradient in z_j gets minus the same.
//
// If the divergence of the members is wanted (members_divergence.h), its weights of pairs are added. The weights of all
// pairs then overwrite the factor. The derivatives of term and divergence in m_l and log s_l are written in place of b.
#pragma once

#include "conditional/cpu/adjoint_tile.h"
#include "conditional/cpu/assemble.h"
#include "conditional/cpu/kernels.h"
#include "conditional/cpu/members_divergence.h"

namespace neargp {

template <int Lanes>
class CpuKernel<ProjectedAdjoint, Lanes> {
 public:
  using V = typename Pack<Lanes>::Real;

  CpuKernel(const LocalView& view, const PreparedCovariance& covariance, const ProjectedAdjoint& operation,
            Arena& arena)
      : covariance_(covariance), operation_(operation), tile_(view, covariance, {true, true, 4}, arena),
        gradient_(arena.take<V>(covariance.parameters)), sums_(arena.take<V>(covariance.parameters)),
        contribution_(arena.take<V>(contribution_size())), raw_contribution_(arena.take<V>(contribution_size())),
        divergence_(operation.divergence.weight > 0.0 ? view.k : 0, arena) {}

  Index run(Index first, Index last, double* sums) {
    return sum_tiles(covariance_, tile_, true, tile_.k(), first, last, sums_, covariance_.parameters, sums,
                     [&] { add_tile(); });
  }

 private:
  std::size_t contribution_size() const {
    return operation_.d_locations ? std::size_t(tile_.rows()) * covariance_.dim : 0;
  }

  bool present(int lane) const { return get_lane(tile_.weight(), lane) > 0.0; }

  void store(V x, double* by_target) const {
    for (int lane = 0; lane < Lanes; ++lane)
      if (present(lane)) by_target[tile_.target(lane)] = get_lane(x, lane);
  }

  V load(const double* by_target) const {
    V x = V{};
    for (int lane = 0; lane < Lanes; ++lane) set_lane(x, lane, by_target[tile_.target(lane)]);
    return x;
  }

  void differentiate() const {
    Index last = tile_.target(0);
    for (int lane = 0; lane < Lanes; ++lane)
      if (present(lane)) last = tile_.target(lane) + 1;
    operation_.differentiate(operation_.context, tile_.target(0), last);
  }

  void add_tile() {
    const int k = tile_.k();
    V* u = tile_.vector(0);
    V* t = tile_.vector(1);
    V* m = tile_.vector(2);
    V* s = tile_.vector(3);
    const V f = solve_contrast(tile_, u);
    tile_.load_values(0, m);
    tile_.load_values(1, s);
    V mean = V{}, projected = V{};
    for (int l = 0; l < k; ++l) {
      mean -= u[l] * m[l];
      projected += u[l] * u[l] * s[l];
    }
    store(mean, operation_.mean);
    store(projected, operation_.projected);
    store(f, operation_.variance);
    differentiate();

    const V in_mean = load(operation_.d_mean);
    const V in_projected = 2.0 * load(operation_.d_projected);
    const V fbar = load(operation_.d_variance);
    for (int l = 0; l < k; ++l) t[l] = in_mean * m[l] - in_projected * u[l] * s[l];
    if (operation_.divergence.weight > 0.0) {
      const V value = divergence_.evaluate(tile_.factor(), m, s, t);
      store(value, operation_.divergence.value);
      write_derivatives(u, in_mean, 0.5 * in_projected, m, s);
      add_contrast(u, fbar, t, k);
      return contract_with_divergence(u, t, fbar * f);
    }
    write_members([&](int l) { return -u[l]; }, operation_.weights);
    solve_adjoint(tile_, u, fbar, t);
    contract_adjoint(tile_, covariance_, u, t, fbar * f, gradient_, sums_);
    if (operation_.d_locations) pull_locations([&](int i, int j) { return pair_weight(t, u, i, j); });
  }

  // Writes derivatives of the terms and of the divergence in m_l and log s_l. They replace m and s.
  void write_derivatives(const V* u, V in_mean, V in_projected, V* m, V* s) const {
    const MembersDivergence& wanted = operation_.divergence;
    for (int l = 0; l < tile_.k(); ++l) {
      m[l] = -u[l] * in_mean - wanted.weight * divergence_.solved(l);
      s[l] = u[l] * u[l] * in_projected * s[l] + 0.5 * wanted.weight * (1.0 - divergence_.diagonal(l));
    }
    write_members([&](int l) { return m[l]; }, wanted.in_mean);
    write_members([&](int l) { return s[l]; }, wanted.in_log_variance);
  }

  // The weights of all pairs, those of the divergence added, replace the factor. `total`: as in contract_adjoint().
  void contract_with_divergence(const V* u, const V* t, V total) {
    const int k = tile_.k();
    const double weight = operation_.divergence.weight;
    divergence_.write_weights(
        tile_.matrix(), [&](int i, int j, V in_entry) __attribute__((always_inline)) {
          return pair_weight(t, u, i, j) + 2.0 * weight * in_entry;
        });
    for (int j = 0; j <= k; ++j) tile_.matrix().row(k)[j] = pair_weight(t, u, k, j);
    for (int i = 0; i <= k; ++i) tile_.matrix().row(i)[i] *= 0.5;  // one entry, not a pair
    const auto pair = [&](int i, int j) { return tile_.factor().row(i)[j]; };
    contract_weights(
        tile_, covariance_, pair, [&](int i) { return pair(i, i); }, total + weight * divergence_.total(), gradient_,
        sums_);
    if (operation_.d_locations) pull_locations(pair);
  }

  // Numbers of each member of the conditioning set.
  template <class Number>
  void write_members(const Number& number, double* by_target) const {
    const int k = tile_.k();
    for (int lane = 0; lane < Lanes; ++lane) {
      if (!present(lane)) continue;
      double* row = by_target + tile_.target(lane) * k;
      for (int l = 0; l < k; ++l) row[l] = get_lane(number(l), lane);
    }
  }

  // ---- locations ----

  // pair(i, j), j < i, is W_ij + W_ji.
  template <class Weight>
  void pull_locations(const Weight& pair) {
    const int entries = tile_.rows() * covariance_.dim;
    for (int e = 0; e < entries; ++e) raw_contribution_[e] = V{};
    for (int c = 0; c < int(covariance_.components.size()); ++c) {
      for (int e = 0; e < entries; ++e) contribution_[e] = V{};
      for (int i = 1; i < tile_.rows(); ++i) add_row_contribution(c, i, pair);
      add_unscaled(covariance_.components[c]);
    }
    for (int lane = 0; lane < Lanes; ++lane) {
      if (!present(lane)) continue;
      double* out = operation_.d_locations + tile_.target(lane) * entries;
      for (int row = 0; row < tile_.rows(); ++row)
        for (int d = 0; d < covariance_.dim; ++d)
          out[row * covariance_.dim + d] = get_lane(raw_contribution_[d * tile_.rows() + row], lane);
    }
  }

  template <class Weight>
  void add_row_contribution(int c, int i, const Weight& pair) {
    const auto& store = tile_.component(c);
    const V* slope = store.slope + triangle_size(i);
    V* weight = tile_.row_r2();
    for (int j = 0; j < i; ++j) weight[j] = 2.0 * pair(i, j) * slope[j];
    for (int d = 0; d < covariance_.dim; ++d) {
      const V* z = store.coords + std::size_t(d) * tile_.rows();
      V* contribution = contribution_ + std::size_t(d) * tile_.rows();
      V sum = V{};
      for (int j = 0; j < i; ++j) {
        const V move = weight[j] * (z[i] - z[j]);
        sum += move;
        contribution[j] -= move;
      }
      contribution[i] += sum;
    }
  }

  // z = D E x, D the inverse ranges and E symmetric: d/dx = E D d/dz.
  void add_unscaled(const PreparedComponent& component) {
    const int rows = tile_.rows();
    for (int d = 0; d < covariance_.dim; ++d)
      for (int row = 0; row < rows; ++row) contribution_[d * rows + row] *= component.inverse_range[d];
    for (int row = 0; row < rows && component.turned > 0; ++row) turn(component, contribution_ + row, rows);
    for (int e = 0; e < rows * covariance_.dim; ++e) raw_contribution_[e] += contribution_[e];
  }

  const PreparedCovariance& covariance_;
  const ProjectedAdjoint& operation_;
  Tile<Lanes> tile_;
  V* gradient_;
  V* sums_;
  V* contribution_;
  V* raw_contribution_;
  DivergenceTile<Lanes> divergence_;
};

}  // namespace neargp
