// Every response family with parameters, responses of its support, and its log density written out plainly.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "likelihoods/likelihood.h"

namespace fixtures {

struct Response {
  double y, trials;
};

struct FamilyCase {
  const char* name;
  neargp::Likelihood likelihood;
  std::vector<Response> responses;  // of censored_gaussian the lower and the upper end
  bool discrete;
  double least = 0, most = 3000;  // of discrete ones without trials, or as good as the most
};

std::vector<FamilyCase> response_families();

template <class Action>
void for_each_family(const Action& action) {
  for (const FamilyCase& family : response_families()) {
    CAPTURE(std::string(family.name));
    action(family);
  }
}

// Means of the linear predictor.
const std::vector<double> moderate_means = {-3.0, -0.7, 0.4, 2.5};

// log p(y | eta) at weight 1, by the standard library in long double.
long double reference_log_density(const neargp::Likelihood& likelihood, const Response& response, double eta);

// The log density's expectation under eta ~ N(mean, variance), by a sum over a fine grid.
double reference_expectation(const neargp::Likelihood& likelihood, const Response& response, double mean,
                             double variance);

// All responses of a family at all means.
struct Grid {
  std::vector<Response> responses;
  std::vector<double> y, trials, mean;

  Grid(const FamilyCase& family, const std::vector<double>& means);

  neargp::Observations observations() const;
};

struct Expectations {
  double total;
  std::vector<double> value, slope, curvature, third, d_parameters;
};

// variance empty: at points
Expectations expectations_of(const neargp::Likelihood& likelihood, const neargp::Observations& observations,
                             const std::vector<double>& mean, const std::vector<double>& variance, int threads = 1);

}  // namespace fixtures
