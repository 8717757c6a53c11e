// Terms of the mean-field bound at the targets of a projected batch: their values, and the derivatives by which the
// batch answers to its covariance. A ProjectedAdjoint calls `differentiate` with the terms as its context.
#pragma once

#include <vector>

#include "latent/mean_field.h"

namespace neargp {

// Minus the divergence of q(u_j) from its normal distribution given other nodes, times `weight`, for the node of each
// target.
struct PriorTerms {
  ProjectedBatch& batch;
  const std::vector<int>& nodes;
  const std::vector<double>& moments;
  double weight;
  std::vector<double> value;

  static void differentiate(void* self, Index first, Index last);
};

// The responses of a batch, and what is expected of them.
struct DataTerms {
  std::vector<double> y, trials, weights, trend, mean, variance, value, slope, curvature, d_parameters;
  const Likelihood& likelihood;
  double weight;
  ProjectedBatch* batch = nullptr;

  DataTerms(const LatentResponse& response, const MeanFieldPoint& point, const MeanFieldBatch& rows);

  // Expectations from mean and variance, of the data first .. last - 1.
  void expect(Index first, Index last, const RunContext& context);
  static void differentiate(void* self, Index first, Index last);
  void add_to(MeanFieldGradient& gradient, const LatentResponse& response, const std::vector<int>& rows) const;
};

}  // namespace neargp
