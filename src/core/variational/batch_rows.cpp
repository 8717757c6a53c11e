#include "variational/batch_rows.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "likelihoods/marginal.h"
#include "linalg/products.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index piece_rows = 256;

struct GradientSums {
  InducingGradient covariance;
  MatrixXd of_features;  // dJ/dA A', of which only the lower triangle is used
  VectorXd mean;
  MatrixXd root;  // lower triangle

  void add(const GradientSums& other) {
    covariance.add(other.covariance);
    of_features += other.of_features;
    mean += other.mean;
    root += other.root;
  }
};

// log|S| of the field, the trend integrated out, and the trace of S.
std::pair<double, double> log_det_and_trace(const RootedPosterior& q, Index trend) {
  const Index m = q.mean.size() - trend;
  if (q.of_precision) {
    const MatrixXd own = q.lower.bottomRightCorner(m, m);
    MatrixXd root = MatrixXd::Identity(m, m);
    lower_solve(own, root);
    return {-2.0 * own.diagonal().array().log().sum(), root.squaredNorm()};
  }
  if (trend == 0) return {2.0 * q.lower.diagonal().array().abs().log().sum(), q.lower.squaredNorm()};
  const MatrixXd rows = q.lower.bottomRows(m);
  MatrixXd covariance = MatrixXd::Zero(m, m);
  rank_update(rows, covariance);
  if (!cholesky(covariance)) throw Error("The covariance matrix of the field at the inducing points is singular.");
  return {2.0 * covariance.diagonal().array().log().sum(), rows.squaredNorm()};
}

}  // namespace

RowBatch take_batch(Points coords, const LatentResponse& response, const std::vector<int>& rows) {
  RowBatch batch;
  batch.weight = double(coords.n) / double(rows.size());
  batch.response.coefficients = response.coefficients;
  for (const Index i : rows) {
    batch.coords.insert(batch.coords.end(), coords[i], coords[i] + coords.dim);
    batch.response.y.push_back(response.y[i]);
    batch.response.weights.push_back(response.weights[i]);
    batch.response.offset.push_back(response.offset[i]);
    if (!response.trials.empty()) batch.response.trials.push_back(response.trials[i]);
    const double* x = response.design.data() + i * response.coefficients;
    batch.response.design.insert(batch.response.design.end(), x, x + response.coefficients);
  }
  return batch;
}

MatrixXd RootedPosterior::half_transformed(const MatrixXd& columns) const {
  if (of_precision) {
    MatrixXd half = columns;
    lower_solve(lower, half);
    return half;
  }
  MatrixXd half(columns.rows(), columns.cols());
  multiply_transposed(lower, columns, half);
  return half;
}

MatrixXd RootedPosterior::completed(const MatrixXd& half) const {
  if (of_precision) {
    MatrixXd weighted = half;
    lower_transposed_solve(lower, weighted);
    return weighted;
  }
  MatrixXd weighted(half.rows(), half.cols());
  multiply(lower, half, weighted);
  return weighted;
}

double divergence_from_prior(const RootedPosterior& q, Index trend) {
  const auto [log_det, trace] = log_det_and_trace(q, trend);
  const VectorXd field = q.mean.tail(q.mean.size() - trend);
  return 0.5 * (trace + field.squaredNorm() - double(field.size()) - log_det);
}

void BatchRows::Sums::add(const Sums& other) {
  square += other.square;
  linear += other.linear;
}

BatchRows::BatchRows(const InducingFactor& factor, const RowBatch& batch, const Likelihood& likelihood,
                     const BatchObjective& objective, const RunContext& context)
    : factor_(factor), batch_(batch), likelihood_(likelihood), context_(context), objective_(objective),
      gaussian_(likelihood.family == ResponseFamily::gaussian),
      tight_(gaussian_ && objective.kind == BoundKind::tight && objective.score == RowScore::expected),
      trend_(batch.response.coefficients), size_(trend_ + factor.points().size()),
      pieces_(std::size_t((batch.response.n() + piece_rows - 1) / piece_rows)), columns_(pieces_.size()) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int dim = factor.points().dim();
  over_pieces([&](Index piece, Index first, Index n) {
    pieces_[piece] =
        std::make_unique<const CrossBlock>(factor_, Points{batch_.coords.data() + first * dim, n, dim}, true);
    columns_[piece].resize(size_, n);
    columns_[piece]
        << Eigen::Map<const RowMajor>(batch_.response.design.data() + first * trend_, n, trend_).transpose(),
        pieces_[piece]->features();
  });
}

template <class Body>
void BatchRows::over_pieces(const Body& body) const {
  const Index n = batch_.response.n();
  parallel_for(context_, Index(pieces_.size()), [&](Index piece) {
    const Index first = piece * piece_rows;
    body(piece, first, std::min(piece_rows, n - first));
  });
}

BatchRows::Sums BatchRows::sums(const VectorXd& square_weights, const VectorXd& linear_weights) const {
  const Sums zero{MatrixXd::Zero(size_, size_), VectorXd::Zero(size_)};
  return sum_rows(batch_.response.n(), piece_rows, size_ * size_, context_, zero,
                  [&](Index first, Index last, Sums& sum) {
                    const MatrixXd& columns = columns_[first / piece_rows];
                    weighted_rank_update(columns, square_weights.segment(first, last - first), sum.square);
                    sum.linear += columns * linear_weights.segment(first, last - first);
                  });
}

RowMoments BatchRows::moments(const RootedPosterior& q) const {
  const Index n = batch_.response.n();
  RowMoments at;
  at.mean.resize(n);
  at.variance.resize(n);
  at.unexplained.resize(n);
  at.half.resize(pieces_.size());
  at.weighted.resize(pieces_.size());
  over_pieces([&](Index piece, Index first, Index count) {
    at.half[piece] = q.half_transformed(columns_[piece]);
    at.variance.segment(first, count) = at.half[piece].colwise().squaredNorm();
    at.unexplained.segment(first, count) = pieces_[piece]->unexplained().cwiseMax(0.0);
    at.weighted[piece] = q.completed(at.half[piece]);
    at.mean.segment(first, count) = columns_[piece].transpose() * q.mean;
  });
  score_rows(at);
  return at;
}

void BatchRows::score_rows(RowMoments& at) const {
  const LatentResponse& response = batch_.response;
  const VectorXd predictor = at.mean + Eigen::Map<const VectorXd>(response.offset.data(), response.n());
  const VectorXd variance = tight_ ? at.variance : at.variance + at.unexplained;
  if (objective_.score == RowScore::predictive) {
    MarginalDensity density = density_of_rows(
        likelihood_, {response.observations(), predictor.data(), variance.data(), nullptr}, true, context_);
    at.score = 0.0;
    for (const double value : density.value) at.score += value;
    at.slope = Eigen::Map<const VectorXd>(density.d_mean.data(), response.n());
    at.curvature = -2.0 * Eigen::Map<const VectorXd>(density.d_variance.data(), response.n());
    at.d_likelihood = std::move(density.d_log_parameters);
    return;
  }
  at.slope.resize(response.n());
  at.curvature.resize(response.n());
  at.d_likelihood.assign(likelihood_.parameters.size(), 0.0);
  at.score = expectations(likelihood_, response.observations(), predictor.data(), variance.data(),
                          {nullptr, at.slope.data(), at.curvature.data(), nullptr}, at.d_likelihood.data(), context_);
  if (tight_) {
    const Eigen::ArrayXd ratio = at.curvature.array() * at.unexplained.array() / objective_.kl_weight;
    at.score -= 0.5 * objective_.kl_weight * ratio.log1p().sum();
    at.d_likelihood[0] += 0.5 * objective_.kl_weight * (ratio / (1.0 + ratio)).sum();
  }
}

RowMoments BatchRows::moments_of_prior_mean() const {
  const Index n = batch_.response.n();
  RowMoments at;
  at.mean = VectorXd::Zero(n);
  at.slope.resize(n);
  at.curvature.resize(n);
  expectations(likelihood_, batch_.response.observations(), batch_.response.offset.data(), nullptr,
               {nullptr, at.slope.data(), at.curvature.data(), nullptr}, nullptr, context_);
  return at;
}

// For features, dJ/dA = m g' + A diag(tau) - S A W and dJ/dk_ii = -tau_i / 2. Here tau = W except for the tight lower
// bound. S covers the trend's columns and the features. The derivative in a root R of S = R R' is 2 dJ/dS R = -A W
// (R'A)'.
BatchGradient BatchRows::gradient(const RootedPosterior& q, const RowMoments& at, bool in_posterior) const {
  const Index m = size_ - trend_, own = in_posterior ? size_ : 0;
  const VectorXd field = q.mean.tail(m);
  const GradientSums zero{factor_.points().zero_gradient(), MatrixXd::Zero(m, m), VectorXd::Zero(own),
                          MatrixXd::Zero(own, own)};
  MatrixXd coords_bar(batch_.moves ? batch_.response.n() : 0, factor_.points().dim());
  const auto add_rows = [&](Index first, Index last, GradientSums& sum) {
    const Index n = last - first, piece = first / piece_rows;
    const CrossBlock& block = *pieces_[piece];
    const VectorXd slope = batch_.weight * at.slope.segment(first, n),
                   curvature = batch_.weight * at.curvature.segment(first, n);
    VectorXd tau = curvature;
    if (tight_)
      tau.array() /= 1.0 + at.curvature.segment(first, n).array() * block.unexplained().array() / objective_.kl_weight;
    MatrixXd bar(m, n);
    for (Index i = 0; i < n; ++i)
      bar.col(i) =
          tau[i] * block.features().col(i) + slope[i] * field - curvature[i] * at.weighted[piece].col(i).tail(m);
    add_lower_product_transposed(bar, block.features(), sum.of_features);
    MatrixXd rows_bar = MatrixXd::Zero(batch_.moves ? n : 0, factor_.points().dim());
    block.adjoint(bar, -0.5 * tau, sum.covariance, batch_.moves ? &rows_bar : nullptr);
    if (batch_.moves) coords_bar.middleRows(first, n) = rows_bar;
    if (!in_posterior) return;
    sum.mean += columns_[piece] * slope;
    const MatrixXd weighted = columns_[piece] * (-curvature).asDiagonal();
    add_lower_product_transposed(weighted, at.half[piece], sum.root);
  };
  GradientSums total = sum_rows(batch_.response.n(), piece_rows, m * m + own * own, context_, zero, add_rows);
  factor_.adjoint(total.of_features, total.covariance);
  BatchGradient gradient{batch_.weight * at.score,
                         std::move(total.covariance),
                         at.d_likelihood,
                         std::move(total.mean),
                         total.root.triangularView<Eigen::Lower>(),
                         std::move(coords_bar)};
  for (double& slope : gradient.likelihood) slope *= batch_.weight;
  return gradient;
}

}  // namespace neargp
