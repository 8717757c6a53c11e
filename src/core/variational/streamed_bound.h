// The lower bound of collapsed_bound.h for rows that are not all in memory. The rows come in pieces, twice, and only
// sums over them are kept.
#pragma once

#include "variational/collapsed_bound_passes.h"

namespace neargp {

struct StreamedRows {
  Index n = 0;                         // of all pieces
  int columns = 1;                     // response and design
  bool derivatives = false;            // whether there is a second pass
  bool keep_features = false;          // from the first pass for the second, as far as settings.most_bytes allow
  const DenseDevice* dense = nullptr;  // that matrices are on; null: the CPU
};

class StreamedBound {
 public:
  // Throws an Error unless the nugget is above zero.
  StreamedBound(const StreamedRows& rows, Points inducing, const Covariance& covariance, const BoundSettings& settings);

  // False where the prior's covariance matrix is singular: no rows are wanted then.
  bool regular() const { return factor_.regular(); }

  // Pieces come in the same order in both passes. Each piece but the last contains a multiple of settings.chunk_rows
  // rows. The second pass follows a value that did not fail.
  void add_to_value(const RegressionData& piece, const RunContext& context) { passes_.add_to_value(piece, context); }
  CollapsedBound value();
  void add_to_gradient(const RegressionData& piece, const RunContext& context) {
    passes_.add_to_gradient(piece, context);
  }
  InducingGradient gradient() const;

  // Sums of a part of the rows, see CollapsedBoundPasses.
  CollapsedBoundSums sums() const { return passes_.sums(); }
  void set_sums(CollapsedBoundSums sums) { passes_.set_sums(std::move(sums)); }
  BoundMoments moments() const { return passes_.moments(); }
  void begin_gradient(const BoundMoments& moments) { passes_.begin_gradient(moments); }
  BoundAdjoints adjoints() const { return passes_.adjoints(); }
  void set_adjoints(BoundAdjoints adjoints) { passes_.set_adjoints(std::move(adjoints)); }

 private:
  Covariance covariance_;
  bool derivatives_;
  PreparedCovariance prepared_;
  InducingPoints points_;
  InducingFactor factor_;
  CollapsedBoundPasses passes_;
};

}  // namespace neargp
