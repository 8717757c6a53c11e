// The part of a contraction that belongs to the parameters of more than one output, by a team. For the formulas see
// conditional/cpu/coregionalisation.h. Unlike with one output, no parameter follows from the total: each takes a sum.
#pragma once

#include "conditional/gpu/tile.h"

namespace neargp {

// gradient[first + stride * output] += factor * the sum of row_sum() over the rows of the output, by one thread for
// each output.
template <class Team, class Real>
NEARGP_HD inline void add_by_output(const TeamTile<Team, true, Real>& tile, int first, int stride, double factor,
                                    double* gradient) {
  const Team& team = tile.team();
  team.barrier();
  for (int output = team.rank(); output < tile.covariance().outputs; output += team.size()) {
    double sum = 0.0;
    for (int i = 0; i < tile.rows(); ++i)
      if (tile.output(i) == output) sum += tile.row_sum()[i];
    gradient[first + stride * output] += factor * sum;
  }
  team.barrier();
}

// The loadings of component c. Correlations of absent rows are zero.
template <class Team, class Real, class Weight, class Diagonal>
NEARGP_HD inline void contract_loadings(const TeamTile<Team, true, Real>& tile, int c, const Weight& weight,
                                        const Diagonal& diagonal, double factor, double* gradient) {
  const Team& team = tile.team();
  const TeamComponent<Real>& component = tile.covariance().component[c];
  const Real* correlation = tile.component(c).covariance;
  const int rows = tile.rows();
  Real* loading = tile.row_loading();
  Real* sum = tile.row_sum();
  for (int q = 0; q < component.rank; ++q) {
    for (int i = team.rank(); i < rows; i += team.size())
      loading[i] = component.loadings[tile.output(i) * component.rank + q];
    team.barrier();
    multiply_symmetric(
        team, rows, [&](int i, int j, int place) { return weight(i, j) * correlation[place]; }, loading, sum);
    for (int i = team.rank(); i < rows; i += team.size())
      if (tile.present(i)) sum[i] += 2 * diagonal(i) * loading[i];
    add_by_output(tile, component.variance_parameter + q, component.rank, factor, gradient);
  }
}

// All loadings and the outputs' log nuggets.
template <class Team, class Real, class Weight, class Diagonal>
NEARGP_HD inline void contract_outputs(const TeamTile<Team, true, Real>& tile, const Weight& weight,
                                       const Diagonal& diagonal, double factor, double* gradient) {
  const Team& team = tile.team();
  for (int c = 0; c < tile.covariance().components; ++c) contract_loadings(tile, c, weight, diagonal, factor, gradient);
  for (int i = team.rank(); i < tile.rows(); i += team.size()) tile.row_sum()[i] = diagonal(i) * tile.noise()[i];
  add_by_output(tile, tile.covariance().nugget_parameter(), 1, factor, gradient);
}

}  // namespace neargp
