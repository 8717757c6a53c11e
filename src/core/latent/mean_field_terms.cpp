#include "latent/mean_field_terms.h"

#include <cmath>

namespace neargp {

namespace {

std::vector<double> taken(const std::vector<double>& values, const std::vector<int>& rows) {
  std::vector<double> result;
  if (values.empty()) return result;
  result.reserve(rows.size());
  for (const int row : rows) result.push_back(values[row]);
  return result;
}

void differentiate_prior(PriorTerms& terms, Index t) {
  ProjectedBatch& batch = terms.batch;
  const double m = terms.moments[2 * terms.nodes[t]], s = terms.moments[2 * terms.nodes[t] + 1];
  const double residual = m - batch.mean[t], inverse = 1.0 / batch.variance[t];
  const double square = s + batch.projected[t] + residual * residual;
  terms.value[t] = -0.5 * (std::log(batch.variance[t] / s) - 1.0 + square * inverse);
  batch.d_mean[t] = terms.weight * residual * inverse;
  batch.d_projected[t] = -0.5 * terms.weight * inverse;
  batch.d_variance[t] = -0.5 * terms.weight * inverse * (1.0 - square * inverse);
}

}  // namespace

void PriorTerms::differentiate(void* self, Index first, Index last) {
  for (Index t = first; t < last; ++t) differentiate_prior(*static_cast<PriorTerms*>(self), t);
}

DataTerms::DataTerms(const LatentResponse& response, const MeanFieldPoint& point, const MeanFieldBatch& rows)
    : y(taken(response.y, rows.data)), trials(taken(response.trials, rows.data)),
      weights(taken(response.weights, rows.data)), trend(taken(response.offset, rows.data)), mean(y.size()),
      variance(y.size()), value(y.size()), slope(y.size()), curvature(y.size()),
      d_parameters(y.size() * point.likelihood.parameters.size(), 0.0), likelihood(point.likelihood),
      weight(rows.data_weight) {
  const int p = response.coefficients;
  for (std::size_t t = 0; t < y.size(); ++t)
    for (int c = 0; c < p; ++c) trend[t] += response.design[std::size_t(rows.data[t]) * p + c] * point.beta[c];
}

// The derivatives in the likelihood's parameters are stored as a sum with the first of these data.
void DataTerms::expect(Index first, Index last, const RunContext& context) {
  const Observations observations{last - first, y.data() + first, trials.empty() ? nullptr : trials.data() + first,
                                  weights.empty() ? nullptr : weights.data() + first};
  expectations(likelihood, observations, mean.data() + first, variance.data() + first,
               {value.data() + first, slope.data() + first, curvature.data() + first, nullptr},
               likelihood.parameters.empty() ? nullptr : d_parameters.data() + first * likelihood.parameters.size(),
               context);
}

void DataTerms::differentiate(void* self, Index first, Index last) {
  DataTerms& data = *static_cast<DataTerms*>(self);
  ProjectedBatch& batch = *data.batch;
  for (Index t = first; t < last; ++t) {
    data.mean[t] = data.trend[t] + batch.mean[t];
    data.variance[t] = batch.variance[t] + batch.projected[t];
  }
  data.expect(first, last, RunContext{});
  for (Index t = first; t < last; ++t) {
    batch.d_mean[t] = data.weight * data.slope[t];
    batch.d_projected[t] = batch.d_variance[t] = -0.5 * data.weight * data.curvature[t];
  }
}

void DataTerms::add_to(MeanFieldGradient& gradient, const LatentResponse& response,
                       const std::vector<int>& rows) const {
  const std::size_t parameters = gradient.likelihood.size();
  const int p = response.coefficients;
  double sum = 0.0;
  for (std::size_t t = 0; t < y.size(); ++t) {
    sum += value[t];
    for (std::size_t a = 0; a < parameters; ++a) gradient.likelihood[a] += weight * d_parameters[t * parameters + a];
    for (int c = 0; c < p; ++c) gradient.beta[c] += weight * slope[t] * response.design[std::size_t(rows[t]) * p + c];
  }
  gradient.value += weight * sum;
}

}  // namespace neargp
