// Training of a deep Gaussian process by Adam on mini-batches, with a rate that falls along a cosine. After each epoch
// the mean of the last steps, about two epochs of them, is scored on held-out rows and kept (Polyak and Juditsky 1992,
// with falling weights). A single step of a high rate is scattered about that mean. Where the response is noisy, the
// best epoch comes before the rate has fallen.
//
// A run may be cut into pieces. A piece starts with the state and the memory of the end of the piece before, at the
// next epoch. It arrives at the same numbers as a run that was not cut.
#pragma once

#include <functional>

#include "deep/deep_objective.h"
#include "optim/adam.h"

namespace neargp {

// The state that one piece of a run hands to the next one.
struct DeepMemory {
  AdamMemory adam;
  std::vector<double> average;  // on the scale of the optimiser
};

struct DeepTraining {
  DeepObjectiveSettings objective;
  int from = 0, to = 100;  // epochs done at the start and at the end of this piece,
  int epochs = 100;        // of so many in all, along which the rate falls
  Index batch_size = 1000;
  double learning_rate = 0.03;
  std::uint64_t key = 0;
  double least_noise = 0.0;                               // variance of Gaussian noise
  std::vector<double> least_parameters, most_parameters;  // of other families; equal bounds fix a parameter
  bool judge_start = false;                               // whether the start is a candidate for the best, as epoch 0
  DeepMemory memory;                                      // of the piece before; none at epoch 0
  std::function<void(int epoch, double objective, double validation)> report;  // may be empty
  std::function<void(const DeepState& best, double validation)> keep;          // of each new best; may be empty
};

struct DeepRun {
  DeepState state;  // of the last step
  DeepMemory memory;
  DeepState best;  // the mean after the epoch whose validation score, the mean log density, was the highest
  int best_epoch = 0;
  double start_score = 0.0;                         // NaN unless the start was judged
  std::vector<double> objective, validation, rate;  // of each epoch; the objective is the mean over its batches
  std::optional<SingularUnit> failure;              // then the run has ended early
};

// `validation` may be empty. Then the last epoch is the best one.
DeepRun train_deep(const DeepState& start, const DeepRows& rows, const DeepRows& validation,
                   const DeepTraining& settings, const RunContext& context);

}  // namespace neargp
