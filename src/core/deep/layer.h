// The units of one layer of a deep Gaussian process: their moments at some rows, without the units' own means, and the
// adjoint of these moments. See cpu_layer.h for the CPU and device_layer.h for a device.
#pragma once

#include <memory>
#include <optional>

#include "deep/variational_unit.h"

namespace neargp {

// Moments at a layer, a column for each of its units.
struct LayerRows {
  RowMajorMatrix kernel_inputs, mean_inputs;
  std::vector<UnitRows> units;  // of the CPU
  Eigen::MatrixXd mean, variance;
};

class Layer {
 public:
  virtual ~Layer() = default;

  // The number of parts. All prepare() calls come before everything else, and all finish() calls after it. Calls for
  // different parts may run side by side.
  virtual Index parts() const = 0;
  virtual void prepare(Index part) = 0;
  // The first unit whose covariance matrix is singular. If there is one, nothing else may be called.
  virtual std::optional<Index> singular() const = 0;

  // Bytes of a device that a row of the inputs takes.
  virtual double row_bytes() const = 0;
  // Mean and variance at the kernel's inputs, with derivatives only if the object was made with them. Blocks of rows
  // are computed on several threads on the CPU, and one after the other on a device.
  virtual void moments(bool derivatives, const ProductEngine& engine, LayerRows& at) = 0;

  virtual std::vector<UnitSums> zero_sums() const = 0;
  // Adds to the sums, given derivatives in the moments of the last rows. Unless kernel_inputs_bar is null, adds the
  // derivatives in the kernel's inputs to it.
  virtual void adjoint(LayerRows& at, const Eigen::MatrixXd& mean_bar, const Eigen::MatrixXd& variance_bar,
                       std::vector<UnitSums>& sums, Eigen::MatrixXd* kernel_inputs_bar) = 0;
  // The gradient of the sums' objective minus divergence_weight times the units' divergences, without the units' means.
  virtual void finish(Index part, std::vector<UnitSums>& sums, double divergence_weight, LayerState& gradient) = 0;
};

}  // namespace neargp
