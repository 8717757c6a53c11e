#include "loo/site_model.h"

#include <utility>

#include "base/error.h"
#include "conditional/cpu/kernels.h"

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

const DeviceView& SiteModel::on_device(Index first, Index last, const RunContext& context) const {
  return open_.get(first, last, context, [&] { return DeviceView(backend_of(context), view(first, last)); });
}

SiteMoments SiteModel::moments(Index first, Index last, const Covariance& covariance, const RunContext& context) const {
  const DeviceView& device = on_device(first, last, context);
  const PreparedCovariance ready = prepare(covariance, dim_, false, local_kernels().fill_matern_table);
  SiteMoments result;
  result.weighted.resize((last - first) * columns_);
  result.variance.resize(last - first);
  result.failed =
      device.conditional_weights(ready, false, context, {result.weighted.data(), result.variance.data(), nullptr});
  if (result.failed >= 0) result.failed += first;
  return result;
}

std::vector<double> SiteModel::adjoint(Index first, Index last, const Covariance& covariance, const SiteMoments& bar,
                                       const RunContext& context) const {
  const PreparedCovariance ready = prepare(covariance, dim_, true, local_kernels().fill_matern_table);
  const TargetSums sums = on_device(first, last, context)
                              .conditional_adjoint(ready, {nullptr, bar.variance.data(), nullptr, bar.weighted.data()}, context);
  std::vector<double> gradient(covariance.parameters(), 0.0);
  for (int a = 0; a < covariance.parameters(); ++a)
    if (covariance.is_active(a)) gradient[a] = sums.sums[a];
  return gradient;
}

}  // namespace neargp
