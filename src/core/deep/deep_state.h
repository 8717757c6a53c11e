// A deep Gaussian process as numbers: layers of Gaussian processes on inducing points, the sites at which hidden layers
// are seen, the weights of the components that come of it, and the response's parameters. The same structure holds a
// gradient.
//
// Two families share it. Deep sigma point processes (Jankowiak, Pleiss and Gardner 2020) have learned or fixed sites,
// which are the same for all rows; deep Gaussian processes (Salimbeni and Deisenroth 2017) draw theirs for each row.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "covariance/covariance.h"
#include "likelihoods/likelihood.h"

namespace neargp {

// One Gaussian process: its values at the positions are u = L v, L L' their covariance matrix, v ~ N(mean, S), and its
// own mean at a row is constant + inputs' weights.
struct UnitState {
  Eigen::MatrixXd positions;  // M x inputs of the kernel
  Eigen::VectorXd mean;
  Eigen::VectorXd sd;      // S = diag(sd^2)
  Eigen::MatrixXd factor;  // or, where it has rows, S = factor factor', lower triangle
  double variance = 1.0;
  Eigen::VectorXd range;    // of each input of the kernel
  Eigen::VectorXd weights;  // of each input of the mean
  double constant = 0.0;

  bool full() const { return factor.rows() > 0; }
  Index inducing() const { return mean.size(); }
};

// The inputs that a layer has: the hidden values of the layer below, and the rows x themselves. Where both, hidden ones
// come first.
struct LayerInputs {
  bool hidden = false, rows = false;

  Index count(Index width, Index dim) const { return (hidden ? width : 0) + (rows ? dim : 0); }
};

struct LayerState {
  std::vector<UnitState> units;
  LayerInputs mean_inputs, kernel_inputs;
};

// Sites of hidden layers (QR1 to QR3 are the paper's names):
//   free       each component has a site of its own for each unit (QR3)
//   grid       all combinations of each unit's sites (QR1)
//   symmetric  the same, sites in pairs t and -t (QR2)
//   hermite    the same, sites and weights those of Gauss and Hermite, not learned
//   random     standard normal draws for each row and component
enum class SiteRule { free, grid, symmetric, hermite, random };

struct DeepState {
  std::vector<LayerState> layers;
  SiteRule rule = SiteRule::free;
  std::vector<Eigen::MatrixXd> sites;  // of each hidden layer: sites x units; none of `random`
  Index samples = 1;                   // components of `random`
  std::uint64_t seed = 0;              // and the key of its draws
  Eigen::VectorXd log_weights;         // of the components
  Likelihood likelihood;               // of one output
  Eigen::MatrixXd mixing;              // of several: units of the last layer x outputs,
  Eigen::VectorXd output_noise;        // and the variance of each output's noise
  Eigen::MatrixXd trend;               // coefficients: columns of the response's design x outputs
  Family kernel = Family::matern;
  double shape = 2.5;
  double jitter = 1e-6;  // share of a unit's variance

  int outputs() const { return mixed() ? int(output_noise.size()) : 1; }
  bool mixed() const { return mixing.rows() > 0; }
  bool learns_sites() const { return rule != SiteRule::hermite && rule != SiteRule::random; }
};

// Some of a state's numbers, one after the other in memory. `logarithmic`: an optimiser moves their logarithms, in
// which a gradient holds its derivatives.
struct ParameterBlock {
  double* data;
  Index size;
  bool logarithmic;
};

// All that is learned of a state, or the derivatives in it of a gradient that is shaped as that state.
std::vector<ParameterBlock> learned_parameters(DeepState& state);

// The state with all learned numbers zero.
DeepState zero_gradient(const DeepState& state);

// Parameters on the scale of an optimiser; a gradient's entries as they are.
Eigen::VectorXd to_working(DeepState& state);
void from_working(const Eigen::VectorXd& working, DeepState& state);
Eigen::VectorXd as_working(DeepState& gradient);

}  // namespace neargp
