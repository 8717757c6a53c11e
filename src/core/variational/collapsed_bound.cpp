#include "variational/collapsed_bound.h"

#include <memory>

#include "base/error.h"
#include "linalg/products.h"
#include "variational/bound_moments.h"
#include "variational/posterior_adjoint.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Some rows of the data.
struct Rows {
  Points coords;
  MatrixXd values;
  VectorXd precision;
};

Rows take_rows(const RegressionData& data, double nugget, Index first, Index last) {
  const Index n = last - first;
  const Eigen::Map<const Eigen::ArrayXd> scale(data.noise_scale + first, n);
  return {{data.coords[first], n, data.coords.dim},
          Eigen::Map<const RowMajor>(data.values + first * data.columns, n, data.columns),
          (nugget * scale).inverse()};
}

// What the gradient needs of them further.
struct Adjoints {
  InducingGradient gradient;
  MatrixXd traced;  // A diag(tau) A', lower triangle

  void add(const Adjoints& other) {
    gradient.add(other.gradient);
    if (traced.size()) traced += other.traced;
  }
};

class Evaluation {
 public:
  Evaluation(const RegressionData& data, const InducingFactor& factor, const BoundSettings& settings,
             const RunContext& context)
      : data_(data), factor_(factor), settings_(settings), context_(context),
        nugget_(factor.points().covariance().nugget), m_(factor.points().size()) {}

  CollapsedBound value(bool derivatives) {
    const BoundMoments moments = sum_moments(derivatives);
    gram_ = moments.gram;
    traces_ = moments.traces;
    return solve_bound(moments, data_.coords.n, settings_.reml, contrasts_);
  }

  // With alpha = W (e - A'm), m = B^-1 A W e, S = B^-1, and tau_i = dt_i / dd_i: dF/dA = m alpha' - S A W + A
  // diag(tau), dF/dk_ii = -tau_i / 2. REML adds columns V = (A'A + W^-1)^-1 H C to alpha and A V to m, C C' = (H'(A'A
  // + W^-1)^-1 H)^-1: the derivative of -1/2 log|H'(A'A + W^-1)^-1 H| in A'A + W^-1 is 1/2 V V', as that of the
  // density's quadratic form is 1/2 alpha alpha'.
  void add_gradient(CollapsedBound& bound) const {
    const MatrixXd covariance = posterior_covariance(bound);
    const MatrixXd means = bound.weights * contrasts_;
    Adjoints adjoints = settings_.kind == BoundKind::tight ? sum_tight_adjoints(means, covariance)
                                                           : sum_standard_adjoints(means, covariance);
    add_prior_adjoint(factor_, means, covariance, adjoints.traced, adjoints.gradient);
    bound.gradient = std::move(adjoints.gradient);
  }

 private:
  template <class Sum, class Body>
  Sum over_rows(const Sum& zero, const Body& body) const {
    return sum_rows(data_.coords.n, settings_.chunk_rows, m_ * m_, context_, zero, body);
  }

  // Keeps what the gradient of the tight bound needs again, unless it is too much.
  BoundMoments sum_moments(bool derivatives) {
    const bool keep = derivatives && settings_.kind == BoundKind::tight &&
                      cross_block_bytes(factor_.points(), data_.coords.n) < settings_.most_bytes;
    kept_.resize(keep ? std::size_t((data_.coords.n + settings_.chunk_rows - 1) / settings_.chunk_rows) : 0);
    const BoundMoments zero = zero_moments(m_, data_.columns);
    return over_rows(zero, [&](Index first, Index last, BoundMoments& sum) {
      const Rows rows = take_rows(data_, nugget_, first, last);
      auto block = std::make_unique<const CrossBlock>(factor_, rows.coords, keep);
      const MatrixXd weighted = rows.precision.asDiagonal() * rows.values;
      sum.cross += block->features() * weighted;
      sum.columns += rows.values.transpose() * weighted;
      weighted_rank_update(block->features(), rows.precision, sum.gram);
      sum.traces += trace_terms(settings_.kind, rows.precision, block->unexplained());
      sum.log_precision += rows.precision.array().log().sum();
      sum.unexplained += block->unexplained().sum();
      if (keep) kept_[first / settings_.chunk_rows] = std::move(block);
    });
  }

  Adjoints sum_tight_adjoints(const MatrixXd& means, const MatrixXd& covariance) const {
    const Adjoints zero{factor_.points().zero_gradient(), MatrixXd::Zero(m_, m_)};
    return over_rows(zero, [&](Index first, Index last, Adjoints& sum) {
      const Index chunk = first / settings_.chunk_rows;
      if (!kept_.empty()) return add_tight_adjoints(first, last, *kept_[chunk], means, covariance, sum);
      const CrossBlock block(factor_, {data_.coords[first], last - first, data_.coords.dim}, true);
      add_tight_adjoints(first, last, block, means, covariance, sum);
    });
  }

  void add_tight_adjoints(Index first, Index last, const CrossBlock& block, const MatrixXd& means,
                          const MatrixXd& covariance, Adjoints& sum) const {
    const Rows rows = take_rows(data_, nugget_, first, last);
    const MatrixXd& features = block.features();
    const VectorXd& precision = rows.precision;
    const VectorXd slopes = trace_slopes(settings_.kind, precision, block.unexplained());
    const MatrixXd residuals = rows.values * contrasts_ - features.transpose() * means;
    VectorXd spread(last - first);
    MatrixXd bar(m_, last - first);
    multiply(covariance, features, bar);
    for (Index i = 0; i < last - first; ++i) {
      spread[i] = features.col(i).dot(bar.col(i));
      bar.col(i) = slopes[i] * features.col(i) - precision[i] * bar.col(i) +
                   means * (precision[i] * residuals.row(i)).transpose();
    }
    sum.gradient.parameters.back() += nugget_slope(rows, residuals, spread, slopes, block.unexplained());
    weighted_rank_update(features, slopes, sum.traced);
    block.adjoint(bar, -0.5 * slopes, sum.gradient);
  }

  // tau = W. The sum over rows of W_i A_i'S A_i is tr S(B - I) = M - tr S.
  Adjoints sum_standard_adjoints(const MatrixXd& means, const MatrixXd& covariance) const {
    const PosteriorAdjoint posterior(factor_, means, covariance);
    const Adjoints zero{factor_.points().zero_gradient(), MatrixXd()};
    Adjoints total = over_rows(zero, [&](Index first, Index last, Adjoints& sum) {
      const Rows rows = take_rows(data_, nugget_, first, last);
      double fit = 0.0;
      const auto alpha = [&](const MatrixXd& fitted) -> MatrixXd {
        const MatrixXd residuals = rows.values * contrasts_ - fitted;
        fit = rows.precision.dot(residuals.rowwise().squaredNorm());
        return rows.precision.asDiagonal() * residuals;
      };
      posterior.add_rows(rows.coords, rows.precision, alpha, sum.gradient);
      sum.gradient.parameters.back() += 0.5 * (fit - double(last - first));
    });
    total.gradient.parameters.back() += 0.5 * (double(m_) - covariance.trace() + traces_);
    total.traced = gram_;
    return total;
  }

  // In the logarithm of the nugget: -sum W_i dF/dW_i, dF/dW_i = 1/2 [ 1/W_i - (e_i - A_i'm)^2 - A_i'S A_i - d_i tau_i
  // / W_i ].
  static double nugget_slope(const Rows& rows, const MatrixXd& residuals, const VectorXd& spread,
                             const VectorXd& slopes, const VectorXd& unexplained) {
    const Eigen::ArrayXd per_row = rows.precision.array() * (residuals.rowwise().squaredNorm() + spread).array() +
                                   unexplained.array() * slopes.array() - 1.0;
    return 0.5 * per_row.sum();
  }

  const RegressionData& data_;
  const InducingFactor& factor_;
  const BoundSettings& settings_;
  const RunContext& context_;
  double nugget_;
  Index m_;
  double traces_ = 0.0;
  MatrixXd gram_, contrasts_;
  std::vector<std::unique_ptr<const CrossBlock>> kept_;
};

}  // namespace

CollapsedBound collapsed_bound(const RegressionData& data, Points inducing, const Covariance& covariance,
                               const BoundSettings& settings, bool derivatives, const RunContext& context) {
  if (!(covariance.nugget > 0.0)) throw Error("A bound on inducing points needs noise: a nugget above zero.");
  const PreparedCovariance prepared = prepare(covariance, data.coords.dim, derivatives);
  const InducingPoints points(prepared, inducing);
  const InducingFactor factor(points, settings.jitter, derivatives);
  if (!factor.regular()) return failed_bound(BoundFailure::prior);
  Evaluation evaluation(data, factor, settings, context);
  CollapsedBound bound = evaluation.value(derivatives);
  if (!derivatives || bound.failure != BoundFailure::none) return bound;
  evaluation.add_gradient(bound);
  bound.gradient.parameters = active_part(std::move(bound.gradient.parameters), covariance);
  return bound;
}

}  // namespace neargp
