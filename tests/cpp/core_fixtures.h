// Data and covariance models of the tests of the local and dense computations.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "dense_reference.h"
#include "geometry_fixtures.h"
#include "response/vecchia_likelihood.h"
#include "simd/instruction_set.h"

namespace fixtures {

// Puts back, when its life ends, the instruction set that was in use when it began.
class KeepInstructionSet {
 public:
  ~KeepInstructionSet() { neargp::use_instruction_set(name_); }

 private:
  const char* name_ = neargp::instruction_set_name(neargp::instruction_set());
};

// All instruction sets that this processor supports, or only the one that main() selects.
std::vector<const char*>& tested_instruction_sets();

// Runs action() once with each of them.
template <class Action>
void with_each_instruction_set(const Action& action) {
  const KeepInstructionSet keep;
  for (const char* name : tested_instruction_sets()) {
    neargp::use_instruction_set(name);
    CAPTURE(name);
    action();
  }
}

// n data with a response, a constant and `columns` - 2 covariates, and unequal noise.
struct Data {
  Cloud cloud;
  int columns;
  std::vector<double> values, noise_scale;

  Data(Cloud cloud_, int columns_);

  neargp::LocalData view() const { return {cloud.view(), columns, values.data(), noise_scale.data()}; }
  std::vector<double> beta() const;
};

neargp::NeighborTable neighbors_before(const Data& data, int k);
neargp::NeighborTable neighbors_others(const Data& data, int k);

// Twelve targets among the rows, or as many as there are: half of them with k earlier neighbours, half with fewer.
neargp::LocalProblem with_few_targets(const Data& data, int k);

neargp::Component component(neargp::Family family, double variance, std::vector<double> range, std::vector<int> group,
                            double shape = 0.0);
neargp::Component anisotropic(neargp::Component result, double u, double v);
// In three coordinates, by the five numbers of covariance/rotation.h.
neargp::Component rotated_in_space(neargp::Component result, std::vector<double> axes);

struct Model {
  std::string name;
  int dim;
  neargp::Covariance covariance;
};

// `fixed_shape`: the derivative in the shape of the first component is not wanted.
Model model(std::string name, std::vector<neargp::Component> components, bool fixed_shape = false);

std::vector<Model> families();    // each correlation family, isotropic in two dimensions
std::vector<Model> structures();  // ranges by coordinate, anisotropy, sums of components
std::vector<Model> all_models();

// The largest difference relative to the largest expected entry (or to 1).
double difference(const Eigen::MatrixXd& value, const Eigen::MatrixXd& expected);

// Matrix number `skip` of those that the entries hold one after the other.
Eigen::MatrixXd square(const std::vector<double>& entries, int size, int skip = 0);

void check_values(const neargp::LikelihoodSums& sums, const reference::Sums& expected);
void check_derivatives(const neargp::LikelihoodSums& sums, const reference::Sums& expected);

// The log density at `beta` and its gradient.
void check_gradient(const neargp::ObjectiveGradient& objective, const reference::Sums& expected,
                    const std::vector<double>& beta, double count);

}  // namespace fixtures
