#include "variational/whitened_rows.h"

#include <algorithm>
#include <cmath>

#include "base/memory.h"
#include "parallel/parallel_for.h"
#include "variational/residual_conditional.h"

namespace neargp {

namespace {

constexpr Index whitening_chunk_rows = 128;

// The lower triangle of the leading rows and columns.
void pack_triangle(const Eigen::MatrixXd& matrix, int count, double* packed) {
  for (int j = 0; j < count; ++j) packed = std::copy_n(matrix.col(j).data() + j, count - j, packed);
}

class Whitening {
 public:
  Whitening(const RegressionData& data, const ResidualRows& rows, const Eigen::VectorXd& noise,
            const NeighborTable& neighbors, bool keep_factors)
      : data_(data), rows_(rows), noise_(noise), neighbors_(neighbors) {
    const Index n = rows.size(), k = neighbors.k;
    check_memory("The features of all rows, whitened", double(n), double(rows.stride()));
    if (keep_factors) check_memory("The factors of all rows' neighbours", double(n), 0.5 * double(k) * double(k + 1));
    result_.features.resize(rows.stride(), n);
    result_.values.resize(data.columns, n);
    result_.weights.setZero(k, n);
    result_.variance.resize(n);
    if (keep_factors) result_.factors.resize(k * (k + 1) / 2, n);
  }

  WhitenedRows run(const RunContext& context) {
    const Index chunks = (rows_.size() + whitening_chunk_rows - 1) / whitening_chunk_rows;
    std::vector<Index> failed(std::size_t(chunks), -1);
    parallel_for(context, chunks, [&](Index chunk) {
      ResidualConditional conditional(rows_.covariance(), neighbors_.k);
      for (Index i = chunk * whitening_chunk_rows; i < std::min((chunk + 1) * whitening_chunk_rows, rows_.size());
           ++i) {
        if (conditional.update(rows_, rows_, i, neighbors_[i], noise_.data(), noise_[i]) &&
            !conditional.is_rounding(conditional.variance(), noise_[i])) {
          keep(i, conditional);
        } else if (failed[chunk] < 0) {
          failed[chunk] = i;
        }
      }
    });
    for (const Index row : failed)
      if (result_.failed < 0) result_.failed = row;
    return std::move(result_);
  }

 private:
  void keep(Index i, const ResidualConditional& conditional) {
    const double scale = 1.0 / std::sqrt(conditional.variance());
    conditional.unseen_features(result_.features.col(i).data());
    result_.features.col(i) *= scale;
    for (int c = 0; c < data_.columns; ++c) {
      double value = data_.values[i * data_.columns + c];
      for (int a = 0; a < conditional.count(); ++a)
        value -= conditional.weights()[a] * data_.values[Index(neighbors_[i][a]) * data_.columns + c];
      result_.values(c, i) = scale * value;
    }
    result_.weights.col(i).head(conditional.count()) = conditional.weights();
    result_.variance[i] = conditional.variance();
    if (result_.factors.size()) pack_triangle(conditional.factor(), conditional.count(), result_.factors.col(i).data());
  }

  const RegressionData& data_;
  const ResidualRows& rows_;
  const Eigen::VectorXd& noise_;
  const NeighborTable& neighbors_;
  WhitenedRows result_;
};

}  // namespace

WhitenedRows whiten_rows(const RegressionData& data, const ResidualRows& rows, const Eigen::VectorXd& noise,
                         const NeighborTable& neighbors, bool keep_factors, const RunContext& context) {
  return Whitening(data, rows, noise, neighbors, keep_factors).run(context);
}

}  // namespace neargp
