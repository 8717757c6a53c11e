#include "variational/collapsed_bound.h"

#include <optional>

#include "variational/device_products.h"
#include "variational/streamed_bound.h"

namespace neargp {

CollapsedBound collapsed_bound(const RegressionData& data, Points inducing, const Covariance& covariance,
                               const BoundSettings& settings, bool derivatives, const RunContext& context) {
  std::optional<DeviceProducts> products;
  if (context.dense) products.emplace(*context.dense);
  StreamedBound rows({data.coords.n, data.columns, derivatives, true, context.dense}, inducing, covariance, settings);
  if (rows.regular()) rows.add_to_value(data, context);
  CollapsedBound bound = rows.value();
  if (!derivatives || bound.failure != BoundFailure::none) return bound;
  rows.add_to_gradient(data, context);
  bound.gradient = rows.gradient();
  return bound;
}

}  // namespace neargp
