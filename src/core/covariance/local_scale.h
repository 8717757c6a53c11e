// Covariances whose standard deviation and range change from row to row. The log sd s and the log range l of each row
// are linear in covariates. Let x be a column of the rows, 1 where there is none, and let z be the scaled coordinates.
// Then
//
//   k_ij = variance x_i x_j e^(s_i + s_j) p_ij rho(r2),   r2 = |z_i - z_j|^2 / m_ij.
//
// Here m_ij = [e^(2 l_i) + e^(2 l_j)] / 2 and p_ij = [e^(l_i + l_j) / m_ij]^(dim / 2). The covariance is positive
// definite for each correlation that is so in any number of coordinates, as all families here except the cosine are.
// See Paciorek and Schervish (2006, Spatial modelling using a new class of nonstationary covariance functions, eq. 4).
// Let a_i = e^(2 l_i) / m_ij. Then
//
//   dk_ij/ds_i = k_ij,   dk_ij/dl_i = k_ij (1 - a_i) dim / 2 - a_i r2 dk_ij/dr2.
#pragma once

#include "base/hd.h"
#include "covariance/prepared.h"
#include "simd/simd.h"

namespace neargp {

// The effect of the local range on a pair of rows with local ranges e^l `ri` and `rj`.
template <class Real>
struct LocalPair {
  Real inverse_mean;  // 1 / m_ij
  Real density;       // p_ij
};

template <class Real>
LocalPair<Real> local_pair(Real ri, Real rj, int dim) {
  const Real inverse_mean = 2.0 / (ri * ri + rj * rj);
  const Real ratio = ri * rj * inverse_mean;
  Real density = ratio;
  if (dim % 2 == 1) density = math::sqrt(ratio);
  for (int d = 3 + (dim + 1) % 2; d <= dim; d += 2) density *= ratio;
  return {inverse_mean, density};
}

// dk_ij/dl_i from the covariance, its derivative in r2 times r2, and e^l of row i.
template <class Real>
Real in_log_range(Real value, Real moved, Real range, Real inverse_mean, int dim) {
  const Real share = range * range * inverse_mean;
  return value * (0.5 * dim) * (1.0 - share) - moved * share;
}

// e to the power of a local field at a row whose covariates `covariate(column)` gives.
template <class Real, class Covariate>
Real exp_local_field(const LocalField& field, const Covariate& covariate) {
  Real sum = Real{};
  for (int m = 0; m < field.size(); ++m) sum += field.coefficients[m] * covariate(field.columns[m]);
  return math::exp(sum);
}

// x_i e^(s_i), with the sign of x_i.
template <class Real, class Covariate>
Real row_deviation(const PreparedComponent& component, const Covariate& covariate) {
  if (component.by < 0) return exp_local_field<Real>(component.log_sd.field, covariate);
  if (!component.log_sd.present()) return covariate(component.by);
  return covariate(component.by) * exp_local_field<Real>(component.log_sd.field, covariate);
}

}  // namespace neargp
