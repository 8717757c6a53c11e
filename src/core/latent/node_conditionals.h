// Weights and conditional variances of targets given nodes, whose noise is the jitter.
#pragma once

#include <optional>
#include <vector>

#include "conditional/conditional_moments.h"
#include "geometry/neighbors.h"
#include "latent/data_weights.h"

namespace neargp {

class NodeConditionals {
 public:
  // Targets are the nodes themselves, with noise as the nodes, or other points without noise. The coordinates, those of
  // nodes checked by the caller, and `unit_noise`, a 1 for each node, outlive the object. Rows of `neighbors` are
  // nodes, -1 where there are fewer.
  NodeConditionals(Points nodes, const std::vector<double>& unit_noise, Points targets, bool targets_are_nodes,
                   NeighborTable neighbors, const RunContext& context);

  Index targets() const { return moments_->targets(); }
  int k() const { return moments_->k(); }
  const NeighborTable& neighbors() const { return neighbors_; }
  const double* weights(Index target) const { return moments_->weights(target); }
  const std::vector<double>& weights() const { return moments_->weights(); }
  const std::vector<double>& variance() const { return moments_->variance(); }
  DataWeights view() const { return {&neighbors_, &weights(), &variance()}; }

  // Computes weights and variances. Returns the first target whose covariance matrix is singular, or -1.
  Index update(const PreparedCovariance& covariance, const RunContext& context) {
    return moments_->update(covariance, context);
  }

  // The gradient in the covariance parameters of an objective with these partial derivatives in weights and variances.
  std::vector<double> adjoint(const PreparedCovariance& covariance, const std::vector<double>& weights_bar,
                              const std::vector<double>& variance_bar, const RunContext& context) const {
    return moments_->adjoint(covariance, {weights_bar.data(), variance_bar.data()}, context);
  }

 private:
  NeighborTable neighbors_;
  std::optional<ConditionalMoments> moments_;
};

}  // namespace neargp
