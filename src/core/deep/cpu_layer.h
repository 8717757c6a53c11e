// The units of a layer on the CPU, one by one.
#pragma once

#include "deep/layer.h"

namespace neargp {

class CpuLayer : public Layer {
 public:
  // The states outlive the object. `derivatives`: whether adjoint() and finish() are to be called.
  CpuLayer(const DeepState& state, const LayerState& layer, bool derivatives);

  Index parts() const override { return Index(units_.size()); }
  void prepare(Index part) override;
  std::optional<Index> singular() const override;
  double row_bytes() const override { return 0.0; }
  void moments(bool derivatives, const ProductEngine& engine, LayerRows& at) override;
  std::vector<UnitSums> zero_sums() const override;
  void adjoint(LayerRows& at, const Eigen::MatrixXd& mean_bar, const Eigen::MatrixXd& variance_bar,
               std::vector<UnitSums>& sums, Eigen::MatrixXd* kernel_inputs_bar) override;
  void finish(Index part, std::vector<UnitSums>& sums, double divergence_weight, LayerState& gradient) override;

 private:
  const DeepState& state_;
  const LayerState& layer_;
  bool derivatives_;
  std::vector<std::unique_ptr<VariationalUnit>> units_;
};

}  // namespace neargp
