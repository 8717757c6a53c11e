// The units of a layer on a device, all of them at a time, by the formulas of variational_unit.h. Features and their
// adjoints stay on the device, a row for each row of the inputs. At each step, positions and posteriors go to the
// device, and moments come back. The derivatives in the moments then go to the device, and the gradient comes back.
#pragma once

#include <deque>

#include "deep/layer.h"
#include "variational/device_matrix.h"

namespace neargp {

class DeviceLayer : public Layer {
 public:
  // The states outlive the object. `derivatives`: whether adjoint() and finish() are to be called. Throws an Error
  // unless all units use equally many inducing points.
  DeviceLayer(const DenseDevice& device, const DeepState& state, const LayerState& layer, bool derivatives);

  Index parts() const override { return 1; }
  void prepare(Index part) override;
  std::optional<Index> singular() const override;
  double row_bytes() const override;
  void moments(bool derivatives, const ProductEngine& engine, LayerRows& at) override;
  std::vector<UnitSums> zero_sums() const override { return {}; }
  void adjoint(LayerRows& at, const Eigen::MatrixXd& mean_bar, const Eigen::MatrixXd& variance_bar,
               std::vector<UnitSums>& sums, Eigen::MatrixXd* kernel_inputs_bar) override;
  void finish(Index part, std::vector<UnitSums>& sums, double divergence_weight, LayerState& gradient) override;

 private:
  // The part of a unit on the host. It contains two sums over rows: `outer` is X'EX in the notation of
  // InducingPoints::add_slopes(), and `variance_bar` the sum of the derivatives in the variance.
  struct Unit {
    PreparedCovariance covariance;
    InducingPoints points;
    Eigen::MatrixXd outer;
    double variance_bar = 0.0;

    Unit(const UnitState& state, Family kernel, double shape);
    Unit(const Unit&) = delete;  // the points keep a reference to the covariance
  };

  // Numbers and matrices of the units, side by side.
  struct Posterior {
    DeviceMatrix mean, shrinkage, factor;  // m; s^2 - 1, or -1 of a full S = C C'; C

    explicit Posterior(const DenseDevice& device) : mean(device), shrinkage(device), factor(device) {}
  };

  Index units() const { return Index(units_.size()); }
  bool full() const { return layer_.units[0].full(); }
  ScaledPoints places(const DeviceMatrix& scaled) const {
    return {scaled.data(), scaled.rows(), scaled.rows() * (dim_ + 1)};
  }
  ConstStack row_of_ones() const { return {{ones_.data(), 1, inducing_, 1}, units(), 0}; }
  Stack diagonals(DeviceMatrix& matrices);
  Eigen::MatrixXd with_ones(const Eigen::MatrixXd& scaled) const;
  void upload_posterior();
  void factorize();
  void invert();
  void multiply(double alpha, ConstStack a, ConstStack b, DeviceMatrix& result);
  void to_adjoint(DeviceMatrix& features, const DeviceMatrix& spread, const DeviceMatrix& mean_bar);
  void contract_rows(Eigen::MatrixXd* kernel_inputs_bar);
  Eigen::MatrixXd contract_prior();
  InducingGradient prior_sums(const Unit& unit, const Eigen::MatrixXd& of_rows, const Eigen::MatrixXd& of_prior,
                              double trace) const;
  Eigen::MatrixXd of_unit(const Eigen::MatrixXd& all, std::size_t unit) const;

  const DenseDevice& device_;
  const DeepState& state_;
  const LayerState& layer_;
  bool derivatives_;
  Index inducing_;
  int dim_;
  PreparedCovariance correlation_;  // of variance 1, that keeps slopes
  std::deque<Unit> units_;
  std::vector<bool> regular_;

  DeviceMatrix points_, variances_, ones_;  // [Z, 1] in the units' metrics
  DeviceMatrix factored_, inverse_;         // K_zz and then L, L^-1
  Posterior posterior_;
  Eigen::MatrixXd scaled_;                           // [X, 1] of the last rows, unit by unit
  DeviceMatrix rows_, cross_, features_, spread_;    // the same, K_xz, A', A'C
  DeviceMatrix mean_, variance_;                     // of the rows, or derivatives in them
  DeviceMatrix gram_, projected_, weighted_, seen_;  // R, t, T [X, 1] and T'[Z, 1]
};

}  // namespace neargp
