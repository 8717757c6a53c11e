#include "variational/natural_step.h"

#include <algorithm>

#include "base/error.h"
#include "linalg/products.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index piece_rows = 256;

struct PosteriorSums {
  NaturalPosterior of;

  void add(const PosteriorSums& other) {
    of.precision += other.of.precision;
    of.natural += other.of.natural;
  }
};

struct GradientSums {
  InducingGradient covariance;
  MatrixXd of_features;  // dJ/dA A'

  void add(const GradientSums& other) {
    covariance.add(other.covariance);
    of_features += other.of_features;
  }
};

MatrixXd factor_of(const NaturalPosterior& q) {
  MatrixXd factor = q.precision;
  if (!cholesky(factor)) throw Error("The precision of the field at the inducing points is not positive definite.");
  return factor;
}

VectorXd mean_of(const NaturalPosterior& q, const MatrixXd& factor) {
  MatrixXd mean = q.natural;
  lower_solve(factor, mean);
  lower_transposed_solve(factor, mean);
  return mean;
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

// slope, curvature: of E log p at the means, about the offset, and the variances that the posterior of the inducing points
// has there. `weighted`: S A.
struct NaturalStep::State {
  VectorXd weights;  // m
  VectorXd mean, slope, curvature;
  std::vector<MatrixXd> weighted;
  double expected = 0.0;
  std::vector<double> d_likelihood;
};

NaturalStep::NaturalStep(const InducingFactor& factor, const RowBatch& batch, const Likelihood& likelihood, BoundKind kind,
                         const RunContext& context)
    : factor_(factor), batch_(batch), likelihood_(likelihood), context_(context),
      gaussian_(likelihood.family == ResponseFamily::gaussian), tight_(gaussian_ && kind == BoundKind::tight),
      trend_(batch.response.coefficients), size_(trend_ + factor.points().size()),
      pieces_(std::size_t((batch.response.n() + piece_rows - 1) / piece_rows)), columns_(pieces_.size()) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int dim = factor.points().dim();
  over_pieces([&](Index piece, Index first, Index n) {
    pieces_[piece] = std::make_unique<const CrossBlock>(factor_, Points{batch_.coords.data() + first * dim, n, dim}, true);
    columns_[piece].resize(size_, n);
    columns_[piece] << Eigen::Map<const RowMajor>(batch_.response.design.data() + first * trend_, n, trend_).transpose(),
        pieces_[piece]->features();
  });
}

template <class Body>
void NaturalStep::over_pieces(const Body& body) const {
  const Index n = batch_.response.n();
  parallel_for(context_, Index(pieces_.size()), [&](Index piece) {
    const Index first = piece * piece_rows;
    body(piece, first, std::min(piece_rows, n - first));
  });
}

NaturalPosterior NaturalStep::posterior(const VectorXd& precision, const VectorXd& natural) const {
  const VectorXd positive = batch_.weight * precision.cwiseMax(0.0);
  const PosteriorSums zero{{MatrixXd::Zero(size_, size_), VectorXd::Zero(size_)}};
  PosteriorSums total = sum_rows(
      batch_.response.n(), piece_rows, size_ * size_, context_, zero, [&](Index first, Index last, PosteriorSums& sum) {
        const MatrixXd& columns = columns_[first / piece_rows];
        weighted_rank_update(columns, positive.segment(first, last - first), sum.of.precision);
        sum.of.natural += batch_.weight * (columns * natural.segment(first, last - first));
      });
  total.of.precision.diagonal().tail(size_ - trend_).array() += 1.0;
  return std::move(total.of);
}

NaturalStep::State NaturalStep::state_at(const NaturalPosterior& q) const {
  const LatentResponse& response = batch_.response;
  const MatrixXd factor = factor_of(q);
  State state;
  state.weights = mean_of(q, factor);
  state.mean.resize(response.n());
  state.weighted = columns_;
  VectorXd variance(response.n()), unexplained(response.n());
  over_pieces([&](Index piece, Index first, Index n) {
    lower_solve(factor, state.weighted[piece]);
    variance.segment(first, n) = state.weighted[piece].colwise().squaredNorm();
    unexplained.segment(first, n) = pieces_[piece]->unexplained().cwiseMax(0.0);
    lower_transposed_solve(factor, state.weighted[piece]);
    state.mean.segment(first, n) = columns_[piece].transpose() * state.weights;
  });
  if (!tight_) variance += unexplained;
  const VectorXd predictor = state.mean + Eigen::Map<const VectorXd>(response.offset.data(), response.n());
  state.slope.resize(response.n());
  state.curvature.resize(response.n());
  state.d_likelihood.assign(likelihood_.parameters.size(), 0.0);
  const ExpectationOutput out{nullptr, state.slope.data(), state.curvature.data(), nullptr};
  state.expected = expectations(likelihood_, response.observations(), predictor.data(), variance.data(), out,
                                state.d_likelihood.data(), context_);
  if (tight_) {
    const Eigen::ArrayXd ratio = state.curvature.array() * unexplained.array();
    state.expected -= 0.5 * ratio.log1p().sum();
    state.d_likelihood[0] += 0.5 * (ratio / (1.0 + ratio)).sum();
  }
  return state;
}

// g + W mu of a gaussian response is the same at any q.
NaturalStep::State NaturalStep::state_of_prior_mean() const {
  const Index n = batch_.response.n();
  State state;
  state.mean = VectorXd::Zero(n);
  state.slope.resize(n);
  state.curvature.resize(n);
  expectations(likelihood_, batch_.response.observations(), batch_.response.offset.data(), nullptr,
               {nullptr, state.slope.data(), state.curvature.data(), nullptr}, nullptr, context_);
  return state;
}

NaturalPosterior NaturalStep::moved(const NaturalPosterior& from, double rate) const {
  const State state = gaussian_ ? state_of_prior_mean() : state_at(from);
  NaturalPosterior q = posterior(state.curvature, state.curvature.cwiseMax(0.0).cwiseProduct(state.mean) + state.slope);
  q.precision = (1.0 - rate) * from.precision + rate * q.precision;
  q.natural = (1.0 - rate) * from.natural + rate * q.natural;
  return q;
}

// dJ/dA = m g' + A diag(tau) - S A W in the rows of features, dJ/dk_ii = -tau_i / 2; tau = W but for the tight bound. With
// the trend's columns S is that of both.
BatchGradient NaturalStep::gradient(const NaturalPosterior& at) const {
  const State state = state_at(at);
  const Index m = size_ - trend_;
  const VectorXd field = state.weights.tail(m);
  const GradientSums zero{factor_.points().zero_gradient(), MatrixXd::Zero(m, m)};
  const auto add_rows = [&](Index first, Index last, GradientSums& sum) {
    const CrossBlock& block = *pieces_[first / piece_rows];
    const MatrixXd& weighted = state.weighted[first / piece_rows];
    VectorXd slopes = state.curvature.segment(first, last - first);
    if (tight_) slopes.array() /= 1.0 + slopes.array() * block.unexplained().array();
    MatrixXd bar(m, last - first), product(m, m);
    for (Index i = 0; i < last - first; ++i)
      bar.col(i) = batch_.weight * (slopes[i] * block.features().col(i) + state.slope[first + i] * field -
                                    state.curvature[first + i] * weighted.col(i).tail(m));
    multiply(bar, block.features().transpose(), product);
    sum.of_features += product;
    block.adjoint(bar, -0.5 * batch_.weight * slopes, sum.covariance);
  };
  GradientSums total = sum_rows(batch_.response.n(), piece_rows, m * m, context_, zero, add_rows);
  factor_.adjoint(total.of_features, total.covariance);
  BatchGradient gradient{batch_.weight * state.expected, std::move(total.covariance), state.d_likelihood};
  for (double& slope : gradient.likelihood) slope *= batch_.weight;
  return gradient;
}

double divergence_from_prior(const NaturalPosterior& q, Index trend) {
  const Index m = q.natural.size() - trend;
  const MatrixXd factor = factor_of(q);
  MatrixXd root = MatrixXd::Identity(m, m);
  const MatrixXd own = factor.bottomRightCorner(m, m);
  lower_solve(own, root);
  const double log_det = 2.0 * own.diagonal().array().log().sum();
  return 0.5 * (root.squaredNorm() + mean_of(q, factor).tail(m).squaredNorm() - double(m) + log_det);
}

}  // namespace neargp
