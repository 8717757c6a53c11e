// Derivatives of a tile's matrix in the covariance parameters, times a vector and summed against weights: the team's
// counterpart of conditional/cpu/contract.h.
#pragma once

#include "conditional/formulas.h"
#include "conditional/gpu/coregionalisation.h"
#include "conditional/gpu/tile.h"

namespace neargp {

// g = (dS / d parameter) x for a length parameter.
template <class Tile, class Real>
NEARGP_HD inline void multiply_scale_derivative(const Tile& tile, int c, const TeamForm<Real>& form, const Real* x,
                                                Real* g) {
  const TeamComponent<Real>& component = tile.covariance().component[c];
  const Real* slope = tile.component(c).slope;
  const Real* coords = tile.coords(c);
  const int rows = tile.rows();
  if (component.single_scale)
    return multiply_symmetric(
        tile.team(), rows, [&](int, int, int place) { return slope[place]; }, x, g);
  multiply_symmetric(
      tile.team(), rows,
      [&](int i, int j, int place) {
        return slope[place] * quadratic_form(tile.covariance(), form, coords, rows, i, j);
      },
      x, g);
}

// The sum over pairs of `weight(i, j) entry(i, j, place)`, the same for each thread. A thread sums its own share in
// Reals, since it has few terms. The sum that leaves the team is a double.
template <class Real, class Team, class Weight, class Entry>
NEARGP_HD inline double sum_pairs(const Team& team, int rows, const Weight& weight, const Entry& entry) {
  Real sum = 0;
  for_each_pair(team, rows, [&](int i, int j, int place) { sum += weight(i, j) * entry(i, j, place); });
  return team.sum(sum);
}

// The length parameters of a component. One pass over the pairs serves several of them, with the same weight and slope.
template <class Team, class Real, class Weight>
NEARGP_HD inline void contract_scales(const TeamTile<Team, true, Real>& tile, int c, const Weight& weight,
                                      double factor, double* gradient) {
  constexpr int together = 4;
  const TeamCovariance<Real>& covariance = tile.covariance();
  const TeamComponent<Real>& component = covariance.component[c];
  const Real* slope = tile.component(c).slope;
  const Real* coords = tile.coords(c);
  const int rows = tile.rows();
  for (int first = 0; first < component.forms; first += together) {
    const TeamForm<Real>* form = covariance.form + component.first_form + first;
    const int count = smaller(together, component.forms - first);
    Real sum[together] = {};
    for_each_pair(tile.team(), rows, [&](int i, int j, int place) {
      const Real entry = weight(i, j) * slope[place];
      for (int f = 0; f < together; ++f)
        if (f < count)
          sum[f] += component.single_scale ? entry : entry * quadratic_form(covariance, form[f], coords, rows, i, j);
    });
    for (int f = 0; f < together; ++f) {
      if (f >= count) continue;
      const double total = tile.team().sum(sum[f]);
      if (tile.team().rank() == 0) gradient[form[f].parameter] += factor * total;
    }
  }
}

// The shape parameter of a component.
template <class Team, class Real, class Weight>
NEARGP_HD inline void contract_shape(const TeamTile<Team, true, Real>& tile, int c, const Weight& weight, double factor,
                                     double* gradient) {
  const TeamComponent<Real>& component = tile.covariance().component[c];
  if (!component.wants_shape) return;
  const Real* shape = tile.component(c).shape;
  const int rows = tile.rows();
  const double sum = sum_pairs<Real>(tile.team(), rows, weight, [&](int, int, int place) { return shape[place]; });
  if (tile.team().rank() == 0) gradient[component.shape_parameter] += factor * sum;
}

// All log variances and the log nugget of one output.
template <class Team, class Real, class Weight, class Diagonal>
NEARGP_HD inline void contract_variances(const TeamTile<Team, true, Real>& tile, const Weight& weight,
                                         const Diagonal& diagonal, double total, double factor, double* gradient) {
  const Team& team = tile.team();
  const TeamCovariance<Real>& covariance = tile.covariance();
  const int rows = tile.rows();
  Real own_trace = 0, own_noise = 0;
  for (int i = team.rank(); i < rows; i += team.size()) {
    if (tile.present(i)) own_trace += diagonal(i);
    own_noise += diagonal(i) * tile.noise()[i];
  }
  const double trace = team.sum(own_trace);
  const double noise = covariance.nugget * team.sum(own_noise);
  double rest = noise;
  for (int c = 1; c < covariance.components; ++c) {
    const TeamComponent<Real>& component = covariance.component[c];
    const Real* values = tile.component(c).covariance;
    const double in_variance = trace * component.variance +
                               sum_pairs<Real>(team, rows, weight, [&](int, int, int place) { return values[place]; });
    if (team.rank() == 0) gradient[component.variance_parameter] += factor * in_variance;
    rest += in_variance;
  }
  if (team.rank() != 0) return;
  gradient[covariance.component[0].variance_parameter] += factor * (total - rest);
  gradient[covariance.nugget_parameter()] += factor * noise;
}

// gradient[a] += factor * sum over entries (i, j) of W_ij dS_ij / d parameter a, by one thread for each parameter.
// `weight(i, j)` for i > j is W_ij + W_ji, `diagonal(i)` is W_ii, and `total` is <W, S>. The derivative in the first
// variance follows from `total`, because S is the sum of its derivatives in all log variances and the log nugget.
template <class Team, class Real, class Weight, class Diagonal>
NEARGP_HD inline void contract(const TeamTile<Team, true, Real>& tile, const Weight& weight, const Diagonal& diagonal,
                               double total, double factor, double* gradient) {
  const TeamCovariance<Real>& covariance = tile.covariance();
  for (int c = 0; c < covariance.components; ++c) {
    contract_scales(tile, c, weight, factor, gradient);
    contract_shape(tile, c, weight, factor, gradient);
  }
  if (covariance.outputs > 0)
    contract_outputs(tile, weight, diagonal, factor, gradient);
  else
    contract_variances(tile, weight, diagonal, total, factor, gradient);
}

}  // namespace neargp
