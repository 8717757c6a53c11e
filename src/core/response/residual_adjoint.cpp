#include "response/residual_adjoint.h"

#include <cmath>

#include "linalg/column_products.h"
#include "linalg/products.h"
#include "variational/residual_weights_adjoint.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index adjoint_chunk_rows = 128;

// Let r_i = y~_i - a~_i'm, m = B^-1 c and S = B^-1. Let p be the derivative of row i in A_i - A_N b_i, and q that in
// D_i. Its derivative in e_i - b_i'e_N is -r_i / D_i^(1/2). The others are
//
//   p = (r_i m - S a~_i) / D_i^(1/2),   q = 1/2 [r_i^2 + a~_i'S a~_i - 1] / D_i.
//
// Hence the derivative in b_i is bbar = r_i e_N / D_i^(1/2) - A_N'p. ResidualWeightsAdjoint does the rest.
class ResidualAdjoint {
 public:
  ResidualAdjoint(const RegressionData& data, const ResidualRows& rows, const VectorXd& noise,
                  const NeighborTable& neighbors, const WhitenedRows& whitened, const ResidualPosterior& posterior)
      : data_(data), rows_(rows), neighbors_(neighbors), whitened_(whitened), m_(rows.factor().points().size()),
        trend_out_(residuals(posterior)), inverse_(MatrixXd::Identity(m_, m_)),
        mean_(posterior.weights * posterior.contrast),
        whitened_residuals_(whitened.values.transpose() * posterior.contrast -
                            whitened.features.topRows(m_).transpose() * mean_),
        adjoint_(rows, noise, neighbors, whitened) {
    lower_solve(posterior.factor, inverse_);
    lower_transposed_solve(posterior.factor, inverse_);
  }

  InducingGradient run(const RunContext& context) {
    InducingGradient gradient =
        sum_rows(rows_.size(), adjoint_chunk_rows, 1, context, rows_.factor().points().zero_gradient(),
                 [&](Index first, Index last, InducingGradient& sum) { add_rows(first, last, sum); });
    adjoint_.add_features(nullptr, gradient, context);
    return gradient;
  }

 private:
  VectorXd residuals(const ResidualPosterior& posterior) const {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const RowMajor>(data_.values, rows_.size(), data_.columns) * posterior.contrast;
  }

  void add_rows(Index first, Index last, InducingGradient& sum) {
    const auto features = whitened_.features.block(0, first, m_, last - first);
    MatrixXd spread(m_, last - first);
    multiply(inverse_, features, spread);
    ResidualCovariance places(rows_.covariance(), neighbors_.k + 1);
    VectorXd p = VectorXd::Zero(rows_.stride());
    for (Index i = first; i < last; ++i) {
      const double r = whitened_residuals_[i], variance = whitened_.variance[i], scale = 1.0 / std::sqrt(variance);
      const int count = adjoint_.gather(i, places);
      p.head(m_) = scale * (r * mean_ - spread.col(i - first));
      const double q = 0.5 * (r * r + spread.col(i - first).dot(features.col(i - first)) - 1.0) / variance;
      auto bar = adjoint_.covariance_bars(i);
      column_kernels().products(places.features(), count, rows_.stride(), p.data(), bar.data());
      for (int a = 0; a < count; ++a) bar[a] = scale * r * trend_out_[neighbors_[i][a]] - bar[a];
      adjoint_.add_row(i, places, q, p.data(), sum);
    }
  }

  const RegressionData& data_;
  const ResidualRows& rows_;
  const NeighborTable& neighbors_;
  const WhitenedRows& whitened_;
  Index m_;
  VectorXd trend_out_;  // e
  MatrixXd inverse_;    // S
  VectorXd mean_;       // m
  VectorXd whitened_residuals_;
  ResidualWeightsAdjoint adjoint_;
};

}  // namespace

InducingGradient residual_adjoint(const RegressionData& data, const ResidualRows& rows, const VectorXd& noise,
                                  const NeighborTable& neighbors, const WhitenedRows& whitened,
                                  const ResidualPosterior& posterior, const RunContext& context) {
  return ResidualAdjoint(data, rows, noise, neighbors, whitened, posterior).run(context);
}

}  // namespace neargp
