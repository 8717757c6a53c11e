#include "conditional/conditional_moments.h"

#include "base/memory.h"

namespace neargp {

namespace {

std::vector<double> new_weights(Index targets, int k) {
  check_memory("The table of weights", double(targets), k);
  return std::vector<double>(std::size_t(targets) * k);
}

}  // namespace

ConditionalMoments::ConditionalMoments(const LocalData& data, const LocalTargets& targets, Weights wanted,
                                       const RunContext& context)
    : view_(view_of(data, targets)), device_view_(backend_of(context), view_),
      weights_(wanted == Weights::kept ? new_weights(view_.targets, view_.k) : std::vector<double>()),
      weighted_(std::size_t(view_.targets) * view_.columns), variance_(view_.targets) {}

Index ConditionalMoments::update(const PreparedCovariance& covariance, const RunContext& context, bool local_mean,
                                 const double* taper) {
  const auto wanted = [](std::vector<double>& x) { return x.empty() ? nullptr : x.data(); };
  const ConditionalWeights operation{local_mean, wanted(weighted_), variance_.data(), wanted(weights_), taper};
  return device_view_.run(operation, covariance, context).failed;
}

std::vector<double> ConditionalMoments::adjoint(const PreparedCovariance& covariance, const ConditionalAdjoint& bar,
                                                const RunContext& context) const {
  return device_view_.run(bar, covariance, context).sums;
}

}  // namespace neargp
