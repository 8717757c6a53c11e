// The view that a local computation reads: data, targets, and for each target the rows of its
// conditioning set. Non-owning; all arrays row-major.
#pragma once

#include "base/hd.h"
#include "base/types.h"

namespace neargp {

struct LocalView {
  int dim = 0;
  int k = 0;        // largest conditioning set
  int columns = 0;  // values carried by each datum: the response and the trend's design

  const double* coords = nullptr;             // data x dim
  const double* values = nullptr;             // data x columns
  const double* noise_scale = nullptr;        // data: noise variance = nugget * noise_scale
  int noise_parameters = 0;                   // on which noise variances depend beside the nugget: see LocalData
  const double* noise_derivatives = nullptr;  // data x noise_parameters; CPU only
  const int* outputs = nullptr;               // data: which of several outputs, from 0; null: one

  Index targets = 0;
  const double* target_coords = nullptr;             // targets x dim
  const double* target_values = nullptr;             // targets x columns; null: not needed
  const double* target_noise_scale = nullptr;        // targets; null: the noise-free field
  const double* target_noise_derivatives = nullptr;  // targets x noise_parameters
  const int* target_outputs = nullptr;               // targets
  const int* neighbors = nullptr;                    // targets x k, -1 where there are fewer

  // For a mini-batch, the arrays contain more targets, and target t is at chosen[t]. Null: at t.
  const int* chosen = nullptr;
  NEARGP_HD Index place(Index target) const { return chosen ? chosen[target] : target; }
};

// Data that changed since a view was opened: the values of `count` rows and, with `coords`, their coordinates.
struct ChangedData {
  const int* rows = nullptr;
  Index count = 0;
  bool coords = false;
};

}  // namespace neargp
