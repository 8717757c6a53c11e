// Leave-one-out moments of class labels: the primitive with labels as its columns.
//
// Data are the distinct input locations. Each location comes with the number n_r of its labels of every class r, and m
// labels in all. Two estimators compute a mean mu_r and a variance f_r for each class r at a target.
//
// Shared process: one Gaussian process serves all classes. Its targets are z_r = 2 n_r/m - 1 with noise nugget / m.
// There is one factor, and f is the same for all classes. With two classes there is a single output, z = (n_2 - n_1)/m.
//
// One process per class: each class uses the neighbours that hold labels of that class, with z = 1 and noise
// nugget / n_r. This is the limit of infinite noise for all other labels. Where a class is absent, mu_r = 0 and f_r is
// the prior variance. A target with k neighbours costs sum k_r^3, at most k^3.
//
// The caller removes a target's own label: such a target needs a separate row, whose counts exclude that label.
#pragma once

#include <optional>
#include <vector>

#include "base/run_context.h"
#include "conditional/cached_view.h"
#include "conditional/conditional_moments.h"
#include "covariance/covariance.h"
#include "geometry/neighbors.h"
#include "geometry/points.h"

namespace neargp {

struct LabelsByLocation {
  Points coords;
  int classes = 0;
  const double* counts = nullptr;  // locations x classes
};

// mean: targets x columns, which are the outputs and, for the shared process, b'1. variance: targets x variances(), one
// in all or one for each output.
struct LabelMoments {
  std::vector<double> mean, variance;
  Index failed = -1;  // first target with a singular matrix, or -1
};

class LabelRegression {
 public:
  // Row t of `neighbors` contains the locations that target t is conditioned on, -1 where there are fewer.
  LabelRegression(const LabelsByLocation& locations, bool per_class, Points targets, NeighborTable neighbors);

  Index targets() const { return neighbors_.n; }
  int outputs() const { return per_class_ || classes_ > 2 ? classes_ : 1; }
  bool per_class() const { return per_class_; }
  int columns() const { return per_class_ ? classes_ : outputs() + 1; }
  int variances() const { return per_class_ ? classes_ : 1; }

  // Moments of the targets first .. last-1.
  LabelMoments moments(Index first, Index last, const Covariance& covariance, const RunContext& context) const;

  // The gradient in the covariance parameters of an objective of these moments, given its
  // partial derivatives in them.
  std::vector<double> adjoint(Index first, Index last, const Covariance& covariance, const LabelMoments& bar,
                              const RunContext& context) const;

 private:
  // Targets that are computed together.
  struct Block {
    std::vector<int> slot;  // per class: target * classes + class, counted from the first target; shared: empty
    std::vector<int> neighbors;
    std::vector<double> coords;
    std::optional<ConditionalMoments> moments;
  };
  using Blocks = std::vector<Block>;

  void make_shared_rows(const LabelsByLocation& locations);
  void make_per_class_rows(const LabelsByLocation& locations);
  LocalData rows() const;
  void check_targets(Index first, Index last) const;
  Blocks open(Index first, Index last, const RunContext& context) const;
  Blocks per_class_blocks(Index first, Index last, const RunContext& context) const;
  Blocks& cached_blocks(Index first, Index last, const RunContext& context) const;
  LabelMoments moments_of(Blocks& blocks, Index first, Index last, const Covariance& covariance,
                          const RunContext& context) const;
  void add_adjoint(const Blocks& blocks, const Covariance& covariance, const double* mean_bar,
                   const double* variance_bar, const RunContext& context, std::vector<double>& gradient) const;

  bool per_class_;
  int dim_, classes_;
  std::vector<double> coords_, values_, noise_scale_;  // of rows: locations, or classes at locations
  std::vector<int> row_;                               // per class: locations x classes, -1 where there is no label
  std::vector<double> target_coords_;
  NeighborTable neighbors_;
  mutable CachedView<Blocks> open_;
};

}  // namespace neargp
