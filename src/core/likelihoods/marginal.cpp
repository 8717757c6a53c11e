#include "likelihoods/marginal.h"

#include <algorithm>
#include <cmath>

#include "base/constants.h"
#include "base/error.h"
#include "likelihoods/kernels.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

// A chunk takes about a millisecond.
constexpr Index density_chunk_rows = 512;

void check_input(const Likelihood& likelihood, const MarginalInput& input) {
  check_parameters(likelihood);
  for (Index i = 0; i < input.observations.n; ++i)
    if (!std::isfinite(input.mean[i]) || !std::isfinite(input.variance[i]) || input.variance[i] < 0.0)
      throw Error("Linear predictors need finite means and variances of at least 0.");
}

auto density_of(ResponseFamily family) {
  switch (family) {
    case ResponseFamily::gaussian: return detail::marginal_of_gaussian;
    case ResponseFamily::student_t: return detail::marginal_of_student_t;
    case ResponseFamily::censored_gaussian: return detail::marginal_of_censored_gaussian;
    default: return detail::marginal_by_quadrature;
  }
}

}  // namespace

namespace detail {

void marginal_of_gaussian(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                          MarginalDensity& result, double* d_log_parameters) {
  const Observations& data = input.observations;
  for (Index i = first; i < last; ++i) {
    const double noise = likelihood.parameters[0] / (data.weights ? data.weights[i] : 1.0);
    const double variance = input.variance[i] + noise, scaled = (data.y[i] - input.mean[i]) / variance;
    result.value[i] = -0.5 * (log_two_pi + std::log(variance) + scaled * scaled * variance);
    result.d_mean[i] = scaled;
    result.d_variance[i] = 0.5 * (scaled * scaled - 1.0 / variance);
    if (d_log_parameters) d_log_parameters[0] += (input.count ? input.count[i] : 1.0) * result.d_variance[i] * noise;
  }
}

// Before censoring, the variable is normal about the mean of its linear predictor, and the variances of predictor and
// noise add up. Its density is therefore p(y | eta) at eta = mean, with this total variance. The second derivative of
// the density in the mean is twice its derivative in the variance.
void marginal_of_censored_gaussian(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                                   MarginalDensity& result, double* d_log_parameters) {
  const Observations& data = input.observations;
  const Index n = last - first;
  std::vector<double> noise(n), precision(n), curvature(n);
  for (Index i = 0; i < n; ++i) {
    noise[i] = likelihood.parameters[0] * likelihood.parameters[0] / (data.weights ? data.weights[first + i] : 1.0);
    precision[i] = 1.0 / (input.variance[first + i] + noise[i]);
  }
  Likelihood unit = likelihood;
  unit.parameters[0] = 1.0;
  double sums[2] = {0.0, 0.0};
  likelihood_kernels().expectations(
      unit, {n, data.y + first, data.trials + first, precision.data()}, input.mean + first, nullptr,
      {result.value.data() + first, result.d_mean.data() + first, curvature.data(), nullptr}, 0, n, sums);
  for (Index i = 0; i < n; ++i) {
    const double slope = result.d_mean[first + i];
    const double d_variance = 0.5 * (slope * slope - curvature[i]), count = input.count ? input.count[first + i] : 1.0;
    result.d_variance[first + i] = d_variance;
    if (d_log_parameters) d_log_parameters[0] += count * 2.0 * d_variance * noise[i];
  }
}

}  // namespace detail

MarginalDensity marginal_density(const Likelihood& likelihood, const MarginalInput& input, bool parameters,
                                 const RunContext& context) {
  check_input(likelihood, input);
  const Index n = input.observations.n;
  MarginalDensity result;
  result.value.resize(n);
  result.d_mean.resize(n);
  result.d_variance.resize(n);
  const int width = parameters ? int(likelihood.parameters.size()) : 0;
  const Index chunks = (n + density_chunk_rows - 1) / density_chunk_rows;
  const auto of_chunk = density_of(likelihood.family);
  std::vector<double> partial(std::size_t(chunks) * width, 0.0);
  parallel_for(context, chunks, [&](Index chunk) {
    const Index first = chunk * density_chunk_rows;
    of_chunk(likelihood, input, first, std::min(first + density_chunk_rows, n), result,
             width ? partial.data() + chunk * width : nullptr);
  });
  result.d_log_parameters.assign(width, 0.0);
  for (Index chunk = 0; chunk < chunks; ++chunk)
    for (int p = 0; p < width; ++p) result.d_log_parameters[p] += partial[chunk * width + p];
  return result;
}

MarginalDensity density_of_rows(const Likelihood& likelihood, const MarginalInput& input, bool parameters,
                                const RunContext& context) {
  const double* weights = input.observations.weights;
  if (!weights || !weights_count(likelihood.family)) return marginal_density(likelihood, input, parameters, context);
  MarginalInput counted = input;
  counted.observations.weights = nullptr;
  counted.count = weights;
  MarginalDensity density = marginal_density(likelihood, counted, parameters, context);
  for (Index i = 0; i < input.observations.n; ++i) {
    density.value[i] *= weights[i];
    density.d_mean[i] *= weights[i];
    density.d_variance[i] *= weights[i];
  }
  return density;
}

}  // namespace neargp
