#include "response/residual_adjoint.h"

#include <cmath>

#include "base/memory.h"
#include "linalg/column_products.h"
#include "linalg/products.h"
#include "response/neighbor_users.h"
#include "response/residual_covariance.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index chunk_rows = 128;

// What runs through the chunks of the second pass.
struct PriorSums {
  InducingGradient gradient;
  MatrixXd gram;  // Abar A'

  void add(const PriorSums& other) {
    gradient.add(other.gradient);
    gram += other.gram;
  }
};

// L^-T L^-1 x in place, L stored column by column.
void solve_packed(const double* packed, int count, double* x) {
  const double* column = packed;
  for (int j = 0; j < count; column += count - j, ++j) {
    x[j] /= column[0];
    for (int i = j + 1; i < count; ++i) x[i] -= column[i - j] * x[j];
  }
  for (int j = count - 1; j >= 0; --j) {
    column -= count - j;
    for (int i = j + 1; i < count; ++i) x[j] -= column[i - j] * x[i];
    x[j] /= column[0];
  }
}

// With r_i = y~_i - a~_i'm, m = B^-1 c, S = B^-1, row i has the derivatives
//
//   - r_i / D_i^(1/2)                    in e_i - b_i'e_N,
//   p = (r_i m - S a~_i) / D_i^(1/2)     in A_i - A_N b_i,
//   q = (r_i^2 + a~_i'S a~_i - 1) / 2D_i in D_i,
//
// hence bbar = r_i e_N / D_i^(1/2) - A_N'p in b_i. By the adjoint of b = R_NN^-1 r_N and D = r - r_N'b the derivatives
// in the covariance matrix of the residuals of (N, i) are -(g b'  + b g') / 2 with
//
//   b = (b_i, -1),   g = (R_NN^-1 bbar - q b_i, q),
//
// and those in the features of these rows, through rho = k - A'A and through A_i - A_N b_i = -(A_N, A_i) b,
//
//   u b' - v g',   u = (A_N, A_i) g - p,   v = A_i - A_N b_i = D_i^(1/2) a~_i.
//
// A first pass over rows finds g and u and the derivatives through k and the noise; a second one gathers for each row
// the derivatives in its features from all rows that it is a neighbour of.
class ResidualAdjoint {
 public:
  ResidualAdjoint(const RegressionData& data, const ResidualRows& rows, const VectorXd& noise,
                  const NeighborTable& neighbors, const WhitenedRows& whitened, const ResidualPosterior& posterior)
      : data_(data), rows_(rows), noise_(noise), neighbors_(neighbors), whitened_(whitened),
        m_(rows.factor().points().size()), trend_out_(residuals(posterior)), inverse_(MatrixXd::Identity(m_, m_)),
        mean_(posterior.weights * posterior.contrast),
        whitened_residuals_(whitened.values.transpose() * posterior.contrast -
                            whitened.features.topRows(m_).transpose() * mean_),
        users_(neighbors) {
    const Index n = rows.size(), k = neighbors.k;
    lower_solve(posterior.factor, inverse_);
    lower_transposed_solve(posterior.factor, inverse_);
    check_memory("The derivatives in all rows' features", double(n), double(rows.stride()));
    feature_bars_.setZero(rows.stride(), n);
    covariance_bars_.setZero(k + 1, n);
  }

  InducingGradient run(const RunContext& context) {
    const InducingFactor& prior = rows_.factor();
    InducingGradient gradient =
        sum_rows(rows_.size(), chunk_rows, 1, context, prior.points().zero_gradient(),
                 [&](Index first, Index last, InducingGradient& sum) { add_rows(first, last, sum); });
    const PriorSums zero{prior.points().zero_gradient(), MatrixXd::Zero(m_, m_)};
    const PriorSums through =
        sum_rows(rows_.size(), chunk_rows, m_ * m_, context, zero,
                 [&](Index first, Index last, PriorSums& sum) { add_features(first, last, sum); });
    gradient.add(through.gradient);
    prior.adjoint(through.gram, gradient);
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
    VectorXd p = VectorXd::Zero(rows_.stride()), b(neighbors_.k + 1);
    for (Index i = first; i < last; ++i) {
      const double r = whitened_residuals_[i], variance = whitened_.variance[i], scale = 1.0 / std::sqrt(variance);
      const int count = neighbor_count(neighbors_, i);
      places.clear();
      for (int a = 0; a < count; ++a) places.add(rows_, neighbors_[i][a]);
      places.add(rows_, i);
      p.head(m_) = scale * (r * mean_ - spread.col(i - first));
      const double q = 0.5 * (r * r + spread.col(i - first).dot(features.col(i - first)) - 1.0) / variance;
      b.head(count) = whitened_.weights.col(i).head(count);
      b[count] = -1.0;
      auto g = covariance_bars_.col(i);
      column_kernels().products(places.features(), count, rows_.stride(), p.data(), g.data());
      for (int a = 0; a < count; ++a) g[a] = scale * r * trend_out_[neighbors_[i][a]] - g[a];
      solve_packed(whitened_.factors.col(i).data(), count, g.data());
      g.head(count) -= q * b.head(count);
      g[count] = q;
      feature_bars_.col(i) = -p;
      column_kernels().add_combination(places.features(), count + 1, rows_.stride(), g.data(),
                                       feature_bars_.col(i).data());
      places.contract(g.data(), b.data(), sum.parameters);
      for (int a = 0; a < count; ++a) sum.parameters.back() -= g[a] * b[a] * noise_[neighbors_[i][a]];
      sum.parameters.back() += q * noise_[i];
    }
  }

  void add_features(Index first, Index last, PriorSums& sum) const {
    MatrixXd bars(rows_.stride(), last - first);
    std::vector<const double*> columns;
    std::vector<double> weights;
    for (Index j = first; j < last; ++j) {
      columns.clear();
      weights.clear();
      const auto use = [&](Index i, double in_b, double in_g) {
        columns.insert(columns.end(), {feature_bars_.col(i).data(), whitened_.features.col(i).data()});
        weights.insert(weights.end(), {in_b, -std::sqrt(whitened_.variance[i]) * in_g});
      };
      use(j, -1.0, covariance_bars_(neighbor_count(neighbors_, j), j));
      users_.for_each(j, [&](Index i, int place) { use(i, whitened_.weights(place, i), covariance_bars_(place, i)); });
      bars.col(j - first).setZero();
      column_kernels().add_combination(columns.data(), Index(columns.size()), rows_.stride(), weights.data(),
                                       bars.col(j - first).data());
    }
    const InducingFactor& prior = rows_.factor();
    MatrixXd bar = bars.topRows(m_);
    add_product_transposed(bar, rows_.features(first, last - first), sum.gram);
    lower_transposed_solve(prior.lower(), bar);
    std::vector<ComponentCovariances> parts;
    const MatrixXd covariances =
        prior.points().covariances({rows_.coords()[first], last - first, rows_.coords().dim}, &parts);
    const double scale = bar.cwiseProduct(covariances).sum();
    prior.points().contract(parts, bar, scale, sum.gradient);
  }

  const RegressionData& data_;
  const ResidualRows& rows_;
  const VectorXd& noise_;
  const NeighborTable& neighbors_;
  const WhitenedRows& whitened_;
  Index m_;
  VectorXd trend_out_;  // e
  MatrixXd inverse_;    // S
  VectorXd mean_;       // m
  VectorXd whitened_residuals_;
  MatrixXd feature_bars_;     // u, a column for each row
  MatrixXd covariance_bars_;  // g, likewise
  NeighborUsers users_;
};

}  // namespace

InducingGradient residual_adjoint(const RegressionData& data, const ResidualRows& rows, const VectorXd& noise,
                                  const NeighborTable& neighbors, const WhitenedRows& whitened,
                                  const ResidualPosterior& posterior, const RunContext& context) {
  return ResidualAdjoint(data, rows, noise, neighbors, whitened, posterior).run(context);
}

}  // namespace neargp
