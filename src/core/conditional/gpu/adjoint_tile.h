// The steps that make up every gradient by way of weights and conditional variances, by a team. For the formulas see
// conditional/cpu/adjoint_tile.h.
#pragma once

#include "conditional/gpu/contract.h"

namespace neargp {

// Fills u = (-b, 1) and returns f, which rounding cannot make negative. The factor excludes the target's row.
template <class Team, bool derivatives>
NEARGP_HD inline double solve_contrast(const TeamTile<Team, derivatives>& tile, double* u) {
  const Team& team = tile.team();
  const int k = tile.k();
  for (int i = team.rank(); i < tile.vector_stride(); i += team.size()) u[i] = i < k ? -tile.cross()[i] : 0.0;
  team.barrier();
  tile.factor().solve_forward(team, u, 1, tile.vector_stride());
  const double f = larger(tile.cross()[k] - team_dot(team, u, u, k), 0.0);
  tile.factor().solve_backward(team, u);
  if (team.rank() == 0) u[k] = 1.0;
  team.barrier();
  return f;
}

// Turns bbar, the first k elements of `t` with zeros behind them, into t = fbar u + (K^-1 bbar, 0).
template <class Team>
NEARGP_HD inline void solve_adjoint(const TeamTile<Team, true>& tile, const double* u, double fbar, double* t) {
  const Team& team = tile.team();
  const int k = tile.k();
  team.barrier();
  tile.factor().solve_forward(team, t, 1, tile.vector_stride());
  tile.factor().solve_backward(team, t);
  for (int i = team.rank(); i <= k; i += team.size()) t[i] = i < k ? t[i] + fbar * u[i] : fbar;
  team.barrier();
}

// sums += weight t' dS u for the covariance parameters; `total` is fbar f.
template <class Team>
NEARGP_HD inline void contract_adjoint(const TeamTile<Team, true>& tile, const double* u, const double* t, double total,
                                       double weight, double* sums) {
  contract(
      tile, [&](int i, int j) { return pair_weight(t, u, i, j); }, [&](int i) { return t[i] * u[i]; }, total, weight,
      sums);
}

}  // namespace neargp
