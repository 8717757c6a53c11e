// The two passes over the rows for the lower bound of collapsed_bound.h: one for its value, one for its gradient. The
// rows come in pieces, in the same order in both passes. Each piece but the last contains a multiple of
// settings.chunk_rows rows.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "variational/collapsed_bound_sums.h"
#include "variational/device_block.h"
#include "variational/posterior_adjoint.h"
#include "variational/sum_rows.h"

namespace neargp {

// The sums over rows that the gradient needs.
struct BoundAdjoints {
  InducingGradient gradient;
  Eigen::MatrixXd traced;  // A diag(tau) A', lower triangle

  void add(const BoundAdjoints& other);
};

// The sums over all rows that each row needs for its part in the gradient.
struct BoundMoments {
  Eigen::MatrixXd contrasts, means, covariance;
};

class CollapsedBoundPasses {
 public:
  // n: rows of all pieces. `keep`: whether the features of the value are kept for the gradient. `device`: null for the
  // CPU.
  CollapsedBoundPasses(const InducingFactor& factor, Index n, int columns, const BoundSettings& settings, bool keep,
                       const DenseDevice* device);

  void add_to_value(const RegressionData& piece, const RunContext& context);
  CollapsedBound value();

  // The gradient of a value that did not fail.
  void begin_gradient(const CollapsedBound& bound);
  void add_to_gradient(const RegressionData& piece, const RunContext& context);
  InducingGradient gradient() const;

  // The CPU can divide the passes into parts, each over some of the rows. The caller adds up the sums() of the parts.
  // It sets the total in passes without rows, which compute the value. Each part begins its gradient with the moments()
  // of these passes. The adjoints() of the parts are then added up and set in the same way.
  CollapsedBoundSums sums() const { return sums_.total(); }
  void set_sums(CollapsedBoundSums sums) { given_sums_ = std::move(sums); }
  BoundMoments moments() const { return {contrasts_, means_, covariance_}; }
  void begin_gradient(const BoundMoments& moments);
  BoundAdjoints adjoints() const { return adjoints_->total(); }
  void set_adjoints(BoundAdjoints adjoints) { given_adjoints_ = std::move(adjoints); }

 private:
  void begin_adjoints();
  void add_tight(const RegressionData& piece, const RunContext& context);
  void add_standard(const RegressionData& piece, const RunContext& context);
  void add_tight_adjoints(const RegressionData& rows, const CrossBlock& block, BoundAdjoints& sum) const;

  template <class Body>
  void for_each_chunk_on_device(const RegressionData& piece, const RunContext& context, const Body& body);
  void add_to_value_on_device(const RegressionData& piece, const RunContext& context);
  void add_to_gradient_on_device(const RegressionData& piece, const RunContext& context);
  InducingGradient gradient_on_device() const;

  const InducingFactor& factor_;
  BoundSettings settings_;
  Index n_, m_, value_rows_ = 0, gradient_rows_ = 0;  // added so far to value and gradient
  bool keep_;
  RowSums<CollapsedBoundSums> sums_;
  std::vector<std::unique_ptr<const CrossBlock>> kept_;
  Eigen::MatrixXd contrasts_, means_, covariance_, gram_;
  double traces_ = 0.0;
  std::optional<PosteriorAdjoint> posterior_;
  std::optional<RowSums<BoundAdjoints>> adjoints_;
  std::optional<CollapsedBoundSums> given_sums_;
  std::optional<BoundAdjoints> given_adjoints_;
  std::unique_ptr<DeviceBlock> on_device_;  // null: the CPU
  CollapsedBoundSums sums_on_device_;       // without gram and cross, which stay on the device
  InducingGradient gradient_on_device_;     // without the part of the features
};

}  // namespace neargp
