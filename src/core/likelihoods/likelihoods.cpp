#include "likelihoods/likelihoods.h"

#include "base/error.h"

namespace neargp {

namespace {

template <class Number>
Number* from(Number* values, Index row) {
  return values ? values + row : nullptr;
}

}  // namespace

Likelihoods::Likelihoods(std::vector<Likelihood> responses, std::vector<Index> end)
    : responses_(std::move(responses)), end_(std::move(end)) {
  if (responses_.empty() || responses_.size() != end_.size())
    throw Error("There must be one end of rows for each response.");
}

std::size_t Likelihoods::parameters() const {
  std::size_t count = 0;
  for (const Likelihood& response : responses_) count += response.parameters.size();
  return count;
}

bool Likelihoods::all_are(ResponseFamily family) const {
  for (const Likelihood& response : responses_)
    if (response.family != family) return false;
  return true;
}

double Likelihoods::expectations(const Observations& observations, const double* mean, const double* variance,
                                 const ExpectationOutput& out, double* d_parameters, const RunContext& context) const {
  if (end_.empty())
    return neargp::expectations(responses_[0], observations, mean, variance, out, d_parameters, context);
  double sum = 0.0;
  Index first = 0;
  for (std::size_t m = 0; m < responses_.size(); ++m) {
    const Observations rows{end_[m] - first, observations.y + first, from(observations.trials, first),
                            from(observations.weights, first), observations.without_constant};
    sum += neargp::expectations(responses_[m], rows, mean + first, from(variance, first),
                                {from(out.value, first), from(out.slope, first), from(out.curvature, first),
                                 from(out.third, first), from(out.fourth, first)},
                                d_parameters, context);
    if (d_parameters) d_parameters += responses_[m].parameters.size();
    first = end_[m];
  }
  return sum;
}

}  // namespace neargp
