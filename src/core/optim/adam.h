// Adam (Kingma and Ba 2014, Algorithm 1, with its decays), uphill, for rows of parameters. A step moves only some rows,
// the nodes of a batch.
//
// Each row counts its steps with its own clock. A row without a gradient keeps its moments and its clock. When the row
// is next moved, its moments decay by one step, and their bias is corrected for the number of its own steps. A row is
// therefore moved exactly as Adam would move it on its own gradients. With one clock for all rows, as in sparse
// variants of Adam, rows that are seldom drawn take too short steps. Decaying the moments of rows at rest would
// lengthen the steps.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "base/constants.h"
#include "base/types.h"

namespace neargp {

// The state from step to step.
struct AdamMemory {
  std::vector<double> moments;  // of each row its parameters' first and second moments in turn
  std::vector<int> clock;
};

// The learning rate when the share `done` of the steps is done: divided by ten at 75% and again at 90%.
inline double decayed_rate(double rate, double done) { return rate * (done >= 0.9 ? 0.01 : done >= 0.75 ? 0.1 : 1.0); }

// The same, but the rate falls along a cosine to a hundredth.
inline double cosine_rate(double rate, double done) { return rate * (0.505 + 0.495 * std::cos(pi * done)); }

class RowAdam {
 public:
  RowAdam(Index rows, int width)
      : width_(width), memory_{std::vector<double>(std::size_t(rows) * 2 * width, 0.0),
                               std::vector<int>(std::size_t(rows), 0)} {
    double first = 1.0, second = 1.0;
    for (Correction& correction : corrections_) {
      correction = {1.0 / (1.0 - first), 1.0 / (1.0 - second)};
      first *= decay_first;
      second *= decay_second;
    }
  }

  // An optimiser with the memory of another one continues exactly as the other would have done.
  const AdamMemory& memory() const { return memory_; }
  void restore(AdamMemory memory) { memory_ = std::move(memory); }

  // Moves the row at `x` by its gradient. If units are given, column c moves as if it were measured in unit[c].
  void step(Index row, double* x, const double* gradient, double rate, const double* unit = nullptr) {
    if (memory_.clock[row] + 1 < corrected) ++memory_.clock[row];
    const Correction& correction = corrections_[memory_.clock[row]];
    double* moments = memory_.moments.data() + std::size_t(row) * 2 * width_;
    for (int c = 0; c < width_; ++c) {
      double& first = moments[2 * c];
      double& second = moments[2 * c + 1];
      first += (1.0 - decay_first) * (gradient[c] - first);
      second += (1.0 - decay_second) * (gradient[c] * gradient[c] - second);
      const double size = unit ? unit[c] : 1.0;
      x[c] += rate * size * first * correction.first / (std::sqrt(second * correction.second) + 1e-8 / size);
    }
  }

 private:
  static constexpr double decay_first = 0.9, decay_second = 0.999;
  // After this many steps 0.999^t < 1e-16, and no bias is left to correct.
  static constexpr int corrected = 36900;

  struct Correction {
    double first, second;
  };

  int width_;
  AdamMemory memory_;
  std::vector<Correction> corrections_ = std::vector<Correction>(corrected);
};

}  // namespace neargp
