#include "methods/site_model.h"

#include <numeric>
#include <utility>

#include "backend/backend.h"
#include "base/error.h"
#include "local/kernels.h"

namespace neargp {

SiteModel::SiteModel(const LocalData& data, Points targets, NeighborTable neighbors)
    : dim_(data.coords.dim),
      columns_(data.columns),
      coords_(data.coords.data, data.coords.data + data.coords.n * data.coords.dim),
      values_(data.values, data.values + data.coords.n * data.columns),
      noise_scale_(data.noise_scale, data.noise_scale + data.coords.n),
      target_coords_(targets.data, targets.data + targets.n * targets.dim),
      neighbors_(std::move(neighbors)) {
  if (targets.dim != dim_) throw Error("Pseudo-observations and targets must have the same coordinates.");
  if (neighbors_.n != targets.n) throw Error("The table of neighbours must have one row for each target.");
  check_coordinates(data.coords);
  check_coordinates(targets);
  check_rows(neighbors_.index, -1, data.coords.n);
}

LocalView SiteModel::view(Index first, Index last) const {
  if (first < 0 || last > targets() || first >= last) throw Error("There are no such targets.");
  LocalView view;
  view.dim = dim_;
  view.k = neighbors_.k;
  view.columns = columns_;
  view.coords = coords_.data();
  view.values = values_.data();
  view.noise_scale = noise_scale_.data();
  view.targets = last - first;
  view.target_coords = target_coords_.data() + first * dim_;
  view.neighbors = neighbors_[first];
  return view;
}

SiteMoments SiteModel::moments(Index first, Index last, const Covariance& covariance, const RunContext& context) const {
  const PreparedCovariance ready = prepare(covariance, dim_, false, local_kernels().fill_matern_table);
  SiteMoments result;
  result.weighted.resize((last - first) * columns_);
  result.variance.resize(last - first);
  const DeviceView device(backend_of(context), view(first, last));
  result.failed =
      device.conditional_weights(ready, false, context, {result.weighted.data(), result.variance.data(), nullptr});
  if (result.failed >= 0) result.failed += first;
  return result;
}

// b'x_c for every column: bbar = sum_c bar_c x_c.
std::vector<double> SiteModel::adjoint(Index first, Index last, const Covariance& covariance, const SiteMoments& bar,
                                       const RunContext& context) const {
  const PreparedCovariance ready = prepare(covariance, dim_, true, local_kernels().fill_matern_table);
  const LocalView part = view(first, last);
  std::vector<double> weights_bar(std::size_t(part.targets) * part.k, 0.0);
  for (Index t = 0; t < part.targets; ++t) {
    const double* weighted_bar = bar.weighted.data() + t * columns_;
    for (int m = 0; m < part.k; ++m) {
      const Index row = part.neighbors[t * part.k + m];
      if (row < 0) continue;
      const double* x = values_.data() + row * columns_;
      weights_bar[t * part.k + m] = std::inner_product(x, x + columns_, weighted_bar, 0.0);
    }
  }
  const DeviceView device(backend_of(context), part);
  const TargetSums sums = device.conditional_adjoint(ready, {weights_bar.data(), bar.variance.data()}, context);
  std::vector<double> gradient(covariance.parameters(), 0.0);
  for (int a = 0; a < covariance.parameters(); ++a)
    if (covariance.is_active(a)) gradient[a] = sums.sums[a];
  return gradient;
}

}  // namespace neargp
