// The layers of a deep Gaussian process, one after the other, at some rows, and their adjoint.
//
// Rows are independent given the parameters, but the paths of a row are not. Therefore a block of rows goes through all
// layers, to the score and back, and only sums of it are kept. Row i on path s is row s * n + i of a layer's inputs and
// moments, where n is the number of rows of the block. Behind a hidden layer with moments mu and v, the values of the
// path are mu + site sqrt(v).
#pragma once

#include "deep/layer.h"
#include "deep/quadrature_paths.h"
#include "geometry/points.h"

namespace neargp {

// A unit whose covariance matrix of the positions is singular, and its two nearest positions. Layers and units are
// counted from 0.
struct SingularUnit {
  Index layer, unit, first, second;
};

// Sums over rows that determine a layer's gradient.
struct LayerSums {
  std::vector<UnitSums> units;  // of the CPU: a device keeps its own
  Eigen::MatrixXd weights;      // inputs of the mean x units
  Eigen::VectorXd constants;

  void add(const LayerSums& other);
};

struct ChainSums {
  std::vector<LayerSums> layers;
  std::vector<Eigen::MatrixXd> sites;  // of each hidden layer: paths x units

  void add(const ChainSums& other);
};

// Some rows, and which of the data's rows they are (null: those from `first` on).
struct ChainRows {
  Points x;
  const int* of_data = nullptr;
  Index first = 0;

  Index row(Index i) const { return of_data ? of_data[i] : first + i; }
};

// The least number of rows in a sum, which consists of M x M matrices.
inline constexpr Index rows_per_sum = 64;

class DeepChain {
 public:
  // The state outlives the object. `derivatives`: whether adjoint() and finish() are to be called. `step`: see
  // QuadraturePaths.
  DeepChain(const DeepState& state, int dim, bool derivatives, const RunContext& context, std::uint64_t step = 0);

  // If this contains a value, nothing else may be called.
  const std::optional<SingularUnit>& failure() const { return failure_; }
  const QuadraturePaths& paths() const { return paths_; }

  // How many of n rows to take at a time, at least one. On a device, blocks come one after the other.
  Index block_rows(Index n) const;
  bool on_device() const { return device_ != nullptr; }
  // The context, with a single thread if the computation is on a device.
  RunContext computing(RunContext context) const;

  // Computes the layers. The last one contains the moments of all components. `result` may come from an earlier call,
  // whose memory is used again.
  void layers(const ChainRows& rows, bool derivatives, const ProductEngine& engine,
              std::vector<LayerRows>& result) const;

  ChainSums zero_sums() const;
  // The number of doubles in sums.
  Index sums_size() const;
  // Adds to the sums, given derivatives in the moments of the last layer. Unless `x_bar` is null, adds the derivatives
  // in x to its rows from rows.first on.
  void adjoint(std::vector<LayerRows>& layers, const ChainRows& rows, Eigen::MatrixXd mean_bar,
               Eigen::MatrixXd variance_bar, ChainSums& sums, Eigen::MatrixXd* x_bar) const;

  // The sum of the units' divergences from their priors.
  double divergence() const;
  // Fills in the layers and sites of a gradient. Its objective is that of the sums, minus
  // divergence_weight * divergence().
  void finish(ChainSums& sums, double divergence_weight, const RunContext& context, DeepState& gradient) const;

 private:
  Index width(std::size_t layer) const { return Index(state_.layers[layer].units.size()); }
  RowMajorMatrix inputs_of(const LayerInputs& wanted, std::size_t layer, const RowMajorMatrix& hidden,
                           const ChainRows& rows) const;
  RowMajorMatrix values_behind(std::size_t layer, const LayerRows& at, const ChainRows& rows) const;
  Eigen::MatrixXd hidden_bar(std::size_t layer, LayerRows& at, const ChainRows& rows, const Eigen::MatrixXd& mean_bar,
                             const Eigen::MatrixXd& variance_bar, ChainSums& sums, Eigen::MatrixXd* x_bar) const;
  void add_to_rows(std::size_t layer, const ChainRows& rows, const Eigen::MatrixXd& kernel_bar,
                   const Eigen::MatrixXd& mean_bar, Eigen::MatrixXd& x_bar) const;
  void through_sites(std::size_t layer, const LayerRows& at, const ChainRows& rows, const Eigen::MatrixXd& bar,
                     Eigen::MatrixXd& mean_bar, Eigen::MatrixXd& variance_bar, Eigen::MatrixXd& sites_bar) const;
  void find_failure();

  const DeepState& state_;
  const DenseDevice* device_;  // null: the CPU
  int dim_;
  QuadraturePaths paths_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::optional<SingularUnit> failure_;
};

}  // namespace neargp
