// The objective of a deep Gaussian process, and its predictions. The objective is the mean score of rows, minus
// beta / N times the divergence of all units from their priors. N is the number of rows of the data.
#pragma once

#include "deep/deep_chain.h"
#include "deep/deep_score.h"

namespace neargp {

// Rows of the data: `of_data` as in ChainRows.
struct DeepRows {
  Points x;
  const DeepResponse& response;
  const int* of_data = nullptr;
};

struct DeepObjectiveSettings {
  DeepScore score = DeepScore::mixture;
  double gamma = 1.03;  // of the robust score
  double beta = 1.0;
  Index rows = 0;          // N
  std::uint64_t step = 0;  // of random sites, see QuadraturePaths
};

struct DeepValue {
  double value = 0.0;
  DeepState gradient;  // see learned_parameters() for the scales
  std::optional<SingularUnit> failure;
};

// Memory of one call, which the next one uses again. Calls with the same workspace must follow each other, with equally
// many rows and states of one shape. The matrices take megabytes, which each call would otherwise allocate again.
class DeepWorkspace {
 public:
  DeepWorkspace();
  ~DeepWorkspace();

  struct Memory;
  Memory& memory() { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

DeepValue deep_objective(const DeepState& state, const DeepRows& rows, const DeepObjectiveSettings& settings,
                         const RunContext& context, DeepWorkspace& workspace);
DeepValue deep_objective(const DeepState& state, const DeepRows& rows, const DeepObjectiveSettings& settings,
                         const RunContext& context);

// Moments of the linear predictor given each component, without offset and trend: rows x components. For multiple
// outputs, one such block of columns follows the other. The moments of a row do not depend on the other rows.
struct DeepPrediction {
  Eigen::MatrixXd mean, variance;
  std::optional<SingularUnit> failure;
};

DeepPrediction deep_components(const DeepState& state, Points x, const RunContext& context);

// The log density of each row's response under its mixture.
struct DeepDensity {
  Eigen::VectorXd value;
  std::optional<SingularUnit> failure;
};

DeepDensity deep_density(const DeepState& state, Points x, const DeepResponse& response, const RunContext& context);

}  // namespace neargp
