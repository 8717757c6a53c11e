// The likelihoods of several responses in one table of rows. A single response is a table of one.
#pragma once

#include <utility>
#include <vector>

#include "likelihoods/likelihood.h"

namespace neargp {

class Likelihoods {
 public:
  Likelihoods() : Likelihoods(Likelihood()) {}
  // All rows are those of one response.
  Likelihoods(Likelihood likelihood) : responses_{std::move(likelihood)} {}
  // Rows end[m - 1] .. end[m] - 1 are those of response m.
  Likelihoods(std::vector<Likelihood> responses, std::vector<Index> end);

  const std::vector<Likelihood>& responses() const { return responses_; }
  // The number of parameters, of one response after the other.
  std::size_t parameters() const;
  // Whether all responses are of this family.
  bool all_are(ResponseFamily family) const;

  // As of one likelihood (likelihood.h). `d_parameters`: for the parameters of all responses.
  double expectations(const Observations& observations, const double* mean, const double* variance,
                      const ExpectationOutput& out, double* d_parameters, const RunContext& context) const;

 private:
  std::vector<Likelihood> responses_;
  std::vector<Index> end_;  // empty for one response
};

}  // namespace neargp
