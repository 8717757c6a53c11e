// The numbers of a deep Gaussian process. They are its layers of Gaussian processes on inducing points, the sites of
// the hidden layers, the weights of the resulting components, and the parameters of the response. The same structure
// stores a gradient.
//
// Two families of models share this structure. The sites of deep sigma point processes (Jankowiak, Pleiss and Gardner
// 2020) are learned or fixed, and the same for all rows. Deep Gaussian processes (Salimbeni and Deisenroth 2017) draw
// their sites for each row.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <vector>

#include "covariance/covariance.h"
#include "likelihoods/likelihood.h"
#include "networks/perceptron.h"

namespace neargp {

// One Gaussian process. Its values at the positions are u = L v, where L L' is their covariance matrix and
// v ~ N(mean, S). Its own mean at a row is constant + inputs' weights.
struct UnitState {
  Eigen::MatrixXd positions;  // M x inputs of the kernel
  Eigen::VectorXd mean;
  Eigen::VectorXd sd;      // S = diag(sd^2)
  Eigen::MatrixXd factor;  // or, unless empty, S = factor factor', lower triangle
  double variance = 1.0;
  Eigen::VectorXd range;    // of each input of the kernel
  Eigen::VectorXd weights;  // of each input of the mean
  double constant = 0.0;

  bool full() const { return factor.rows() > 0; }
  Index inducing() const { return mean.size(); }
};

// The inputs of a layer: the hidden values of the layer below, the rows x themselves, or both. Hidden values come
// first.
struct LayerInputs {
  bool hidden = false, rows = false;

  Index count(Index width, Index dim) const { return (hidden ? width : 0) + (rows ? dim : 0); }
};

struct LayerState {
  std::vector<UnitState> units;
  LayerInputs mean_inputs, kernel_inputs;
};

// Sites of hidden layers. QR1 to QR3 are the names in the paper.
//   `free`: each component uses its own site for each unit (QR3).
//   `grid`: all combinations of the sites of each unit (QR1).
//   `symmetric`: as `grid`, with sites in pairs t and -t (QR2).
//   `hermite`: as `grid`, with sites and weights of Gauss-Hermite quadrature, which are not learned.
//   `random`: standard normal draws for each row and component.
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
  // Where there is a network, the layers take its features in place of the rows x. The objective of each row has
  // - weight_decay / 2 |w|^2 of its weights w.
  std::optional<Perceptron> network;
  double weight_decay = 0.0;

  int outputs() const { return mixed() ? int(output_noise.size()) : 1; }
  bool mixed() const { return mixing.rows() > 0; }
  bool learns_sites() const { return rule != SiteRule::hermite && rule != SiteRule::random; }
};

// Some of a state's numbers, one after the other in memory. `logarithmic`: an optimiser moves their logarithms, and a
// gradient contains its derivatives in these.
struct ParameterBlock {
  double* data;
  Index size;
  bool logarithmic;
};

// All learned numbers of a state, or the derivatives in them from a gradient in the shape of that state.
std::vector<ParameterBlock> learned_parameters(DeepState& state);

// The state with all learned numbers zero.
DeepState zero_gradient(const DeepState& state);

// Parameters on the scale of an optimiser; a gradient's entries as they are.
Eigen::VectorXd to_working(DeepState& state);
void from_working(const Eigen::VectorXd& working, DeepState& state);
Eigen::VectorXd as_working(DeepState& gradient);

}  // namespace neargp
