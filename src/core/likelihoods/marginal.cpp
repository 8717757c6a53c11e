#include "likelihoods/marginal.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

// A chunk takes about a millisecond.
constexpr Index chunk_size = 512;

void check_input(const Likelihood& likelihood, const MarginalInput& input) {
  if (likelihood.family == ResponseFamily::gaussian) throw Error("A gaussian response has a density in closed form.");
  check_parameters(likelihood);
  for (Index i = 0; i < input.observations.n; ++i)
    if (!std::isfinite(input.mean[i]) || !std::isfinite(input.variance[i]) || input.variance[i] < 0.0)
      throw Error("Linear predictors need finite means and variances of at least 0.");
}

}  // namespace

MarginalDensity marginal_density(const Likelihood& likelihood, const MarginalInput& input, bool parameters,
                                 const RunContext& context) {
  check_input(likelihood, input);
  const Index n = input.observations.n;
  MarginalDensity result;
  result.value.resize(n);
  result.d_mean.resize(n);
  result.d_variance.resize(n);
  const int width = parameters ? parameter_count(likelihood.family) : 0;
  const Index chunks = (n + chunk_size - 1) / chunk_size;
  const auto of_chunk =
      likelihood.family == ResponseFamily::student_t ? detail::marginal_of_student_t : detail::marginal_by_quadrature;
  std::vector<double> partial(std::size_t(chunks) * width, 0.0);
  parallel_for(context, chunks, [&](Index chunk) {
    const Index first = chunk * chunk_size;
    of_chunk(likelihood, input, first, std::min(first + chunk_size, n), result,
             width ? partial.data() + chunk * width : nullptr);
  });
  result.d_log_parameters.assign(width, 0.0);
  for (Index chunk = 0; chunk < chunks; ++chunk)
    for (int p = 0; p < width; ++p) result.d_log_parameters[p] += partial[chunk * width + p];
  return result;
}

}  // namespace neargp
