#include "likelihoods/likelihood.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.h"
#include "likelihoods/family_structs.h"
#include "likelihoods/kernels.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

struct FamilyName {
  const char* name;
  int parameters;
  bool at_least;  // or more
  bool scaled;
};

// In the order of ResponseFamily.
constexpr FamilyName families[] = {
#define NEARGP_FAMILY_NAME(name, Response) \
  {#name, Response<double>::parameters, HasThresholds<Response<double>>::value, Response<double>::scaled},
    NEARGP_RESPONSE_FAMILIES(NEARGP_FAMILY_NAME)
#undef NEARGP_FAMILY_NAME
};

// A multiple of every number of lanes; a chunk takes about a millisecond at most.
constexpr Index expectation_chunk_rows = 1024;

// Adds the values of data first .. last-1, each with parameters of its own, to `sum`. A kernel computes what depends on
// the parameters alone once for each datum.
void add_by_datum(const Likelihood& likelihood, const Observations& observations, const double* mean,
                  const double* variance, const ExpectationOutput& out, Index first, Index last, double* d_parameters,
                  double* sum) {
  const LikelihoodKernels& kernels = likelihood_kernels();
  const std::size_t kinds = likelihood.kinds(observations.n);
  Likelihood own{likelihood.family, std::vector<double>(kinds)};
  std::vector<double> sums(1 + kinds);
  for (Index i = first; i < last; ++i) {
    const double* parameters = likelihood.parameters.data() + i * kinds;
    std::copy(parameters, parameters + kinds, own.parameters.begin());
    std::fill(sums.begin(), sums.end(), 0.0);
    kernels.expectations(own, observations, mean, variance, out, i, i + 1, sums.data());
    *sum += sums[0];
    if (d_parameters) std::copy(sums.begin() + 1, sums.end(), d_parameters + i * kinds);
  }
}

}  // namespace

ResponseFamily response_family_from_name(const std::string& name) {
  const auto* found = std::find_if(std::begin(families), std::end(families),
                                   [&](const FamilyName& family) { return name == family.name; });
  if (found == std::end(families)) throw Error("There is no response family '" + name + "'.");
  return ResponseFamily(found - std::begin(families));
}

Likelihood Likelihood::with_parameter_times(std::size_t a, std::size_t kinds, double factor) const {
  Likelihood moved = *this;
  for (; a < parameters.size(); a += kinds) moved.parameters[a] *= factor;
  return moved;
}

bool weights_count(ResponseFamily family) { return !families[int(family)].scaled; }

void check_parameters(const Likelihood& likelihood, Index n) {
  const FamilyName& family = families[int(likelihood.family)];
  const auto valid = [](double value) { return std::isfinite(value) && value > 0.0; };
  const int count = int(likelihood.kinds(n));
  if (count < family.parameters || (count > family.parameters && !family.at_least) ||
      (likelihood.by_datum && Index(likelihood.parameters.size()) != n * count) ||
      !std::all_of(likelihood.parameters.begin(), likelihood.parameters.end(), valid))
    throw Error(std::string("The response family ") + family.name + " needs " + (family.at_least ? "at least " : "") +
                std::to_string(family.parameters) + " parameters, finite and greater than 0.");
}

double expectations(const Likelihood& likelihood, const Observations& observations, const double* mean,
                    const double* variance, const ExpectationOutput& out, double* d_parameters,
                    const RunContext& context) {
  check_parameters(likelihood, observations.n);
  const LikelihoodKernels& kernels = likelihood_kernels();
  const Index chunks = (observations.n + expectation_chunk_rows - 1) / expectation_chunk_rows;
  const int width = likelihood.by_datum ? 1 : 1 + int(likelihood.parameters.size());
  std::vector<double> partial(std::size_t(chunks) * width, 0.0);
  parallel_for(context, chunks, [&](Index chunk) {
    const Index first = chunk * expectation_chunk_rows;
    const Index last = std::min(first + expectation_chunk_rows, observations.n);
    double* sums = partial.data() + chunk * width;
    if (likelihood.by_datum)
      return add_by_datum(likelihood, observations, mean, variance, out, first, last, d_parameters, sums);
    kernels.expectations(likelihood, observations, mean, variance, out, first, last, sums);
  });
  std::vector<double> total(width, 0.0);
  for (Index chunk = 0; chunk < chunks; ++chunk)
    for (int s = 0; s < width; ++s) total[s] += partial[chunk * width + s];
  if (d_parameters && !likelihood.by_datum) std::copy(total.begin() + 1, total.end(), d_parameters);
  return total[0];
}

std::vector<double> log_density(const Likelihood& likelihood, const Observations& observations, const double* eta,
                                const RunContext& context) {
  std::vector<double> value(std::size_t(observations.n));
  ExpectationOutput out;
  out.value = value.data();
  expectations(likelihood, observations, eta, nullptr, out, nullptr, context);
  return value;
}

void make_starting_precision(const double* slope, double* curvature, Index n) {
  if (n == 0) return;
  double least = 0.05 * *std::max_element(curvature, curvature + n);
  if (!(least > 0.0)) {
    for (Index i = 0; i < n; ++i) least += slope[i] * slope[i] / double(n);
  }
  for (Index i = 0; i < n; ++i) curvature[i] = std::max(curvature[i], least);
}

}  // namespace neargp
