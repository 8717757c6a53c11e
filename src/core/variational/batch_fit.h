// Stochastic optimisers of objectives on inducing points (batch_rows.h). Each step uses some of the rows. A natural
// gradient (natural_step.h) or Adam moves q, see adam_posterior.h. Adam moves the covariance, the likelihood and the
// positions. It also moves the weights of a network whose outputs are the coordinates of the rows. The positions are
// then in the space of these outputs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "covariance/parameters.h"
#include "networks/perceptron.h"
#include "variational/adam_posterior.h"
#include "variational/family_bound.h"

namespace neargp {

enum class PosteriorMoves { natural, adam };

// The state of a run in addition to its result.
struct BatchMemory {
  int epochs = 0;              // that are done
  std::vector<double> shared;  // covariance and likelihood on the scale on which Adam moves them
  AdamMemory shared_adam, position_adam, network_adam;
  Index moves = 0;  // of q
  NaturalPosterior natural;
  AdamPosteriorMemory adam;
};

struct BatchFit {
  Covariance covariance;
  Likelihood likelihood;
  std::vector<double> positions;  // row-major
  std::optional<Perceptron> network;
  RootedPosterior posterior;  // where q ended
  std::vector<double> trace;  // estimates of the objective, by epoch
  int skipped = 0;            // steps that were not taken, since the gradient overflowed
  BatchMemory memory;
};

struct BatchFitSettings {
  BatchObjective objective;  // of the expected score for natural gradients
  PosteriorMoves moves = PosteriorMoves::natural;
  double jitter = 1e-6;
  int epochs = 20;
  int until = 0;  // the epoch at which this piece of the run ends; 0: the last one
  Index batch_size = 1024;
  double learning_rate = 0.01;   // of Adam, cut by ten at 75% and 90% of the steps
  bool goes_on = false;          // whether these are further epochs of an earlier fit: all at the last rate
  double natural_rate = 0.1;     // of q by natural gradients; the first steps, t = 1, 2, .., use the larger 1 / t
  std::uint64_t key = 0;         // of the batches
  WorkingParameters covariance;  // the core's covariance parameters
  WorkingParameters likelihood;
  std::vector<double> position_unit;  // in which each coordinate moves; empty: positions are fixed
  bool spherical = false;             // positions stay on the sphere about the origin
  double weight_decay = 0.0;          // c: the objective has - c n/2 |w|^2 of the network's weights w
  std::function<void(int epoch, const BatchFit& reached)> report;  // may be empty
};

// The start of q. Adam starts at `posterior`, a mean and a root of the covariance matrix. Natural gradients start at
// the posterior given the pseudo-observations of the first batch. Adam does the same where `posterior` is empty.
struct BatchFitStart {
  FamilyPosterior pseudo_observations;  // of all rows
  RootedPosterior posterior;
  std::optional<Perceptron> network;  // its inputs are the rows' coordinates
  std::optional<BatchFit> before;     // the piece before this one: a run in pieces ends where an uncut run ends
};

// The noise of a Gaussian response is a parameter of the likelihood. The columns of the design should be as large as
// the features of the field, since Adam moves the coefficients of both by the same steps. Throws an Error where a
// matrix is singular.
BatchFit batch_fit(const LatentResponse& response, Points coords, Points inducing, const Covariance& covariance,
                   const Likelihood& likelihood, const BatchFitStart& start, const BatchFitSettings& settings,
                   const RunContext& context);

}  // namespace neargp
