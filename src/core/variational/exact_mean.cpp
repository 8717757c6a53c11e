#include "variational/exact_mean.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "linalg/block_conjugate_gradient.h"
#include "linalg/products.h"
#include "parallel/parallel_for.h"
#include "variational/row_features.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index target_rows = 64;

struct WeightedFeatures {
  MatrixXd gram, cross;
  void add(const WeightedFeatures& other) {
    gram += other.gram;
    cross += other.cross;
  }
};

// P^-1 in the notation of exact_mean.h.
class InducingPreconditioner {
 public:
  InducingPreconditioner(const InducingFactor& prior, Points coords, const VectorXd& precision,
                         const RunContext& context)
      : n_(coords.n), m_(prior.points().size()), features_(prior, coords, 1024, context), inverse_(coords.n),
        root_(coords.n) {
    const WeightedFeatures zero{MatrixXd::Zero(m_, m_), MatrixXd::Zero(m_, 0)};
    factor_ =
        sum(zero, context, [&](Index first, const MatrixXd& a, const VectorXd& unexplained, WeightedFeatures& sum) {
          const Eigen::ArrayXd w = precision.segment(first, a.cols());
          const VectorXd inverse = (1.0 + w * unexplained.array().max(0.0)).inverse();
          inverse_.segment(first, a.cols()) = inverse;
          root_.segment(first, a.cols()) = w.sqrt() * inverse.array();
          weighted_rank_update(a, (w * inverse.array()).matrix(), sum.gram);
        }).gram;
    factor_.diagonal().array() += 1.0;
    regular_ = cholesky(factor_);
  }

  bool regular() const { return regular_; }

  MatrixXd solve(const MatrixXd& r, const RunContext& context) const {
    const MatrixXd scaled = root_.asDiagonal() * r;
    const WeightedFeatures zero{MatrixXd::Zero(0, 0), MatrixXd::Zero(m_, r.cols())};
    MatrixXd inner = sum(zero, context, [&](Index first, const MatrixXd& a, const VectorXd&, WeightedFeatures& sum) {
                       sum.cross += a * scaled.middleRows(first, a.cols());
                     }).cross;
    lower_solve(factor_, inner);
    lower_transposed_solve(factor_, inner);
    MatrixXd result = inverse_.asDiagonal() * r;
    parallel_for(context, (n_ + features_.chunk_rows() - 1) / features_.chunk_rows(), [&](Index chunk) {
      const Index first = chunk * features_.chunk_rows();
      features_.with(first, [&](const MatrixXd& a, const VectorXd&) {
        result.middleRows(first, a.cols()) -=
            root_.segment(first, a.cols()).asDiagonal() * (a.transpose() * inner).eval();
      });
    });
    return result;
  }

 private:
  template <class Body>
  WeightedFeatures sum(const WeightedFeatures& zero, const RunContext& context, const Body& body) const {
    return sum_rows(n_, features_.chunk_rows(), m_ * m_, context, zero, [&](Index first, Index, WeightedFeatures& sum) {
      features_.with(first, [&](const MatrixXd& a, const VectorXd& unexplained) { body(first, a, unexplained, sum); });
    });
  }

  Index n_, m_;
  RowFeatures features_;
  VectorXd inverse_, root_;  // E^-1 and W^1/2 E^-1
  MatrixXd factor_;
  bool regular_ = false;
};

// The order of this sum does not depend on where the numbers lie in memory.
double ordered_product(const double* x, const double* y, Index n) {
  double sums[4] = {};
  for (Index i = 0; i < n; ++i) sums[i % 4] += x[i] * y[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

class ConjugateGradients {
 public:
  ConjugateGradients(const MeanEquations& equations, const InducingPoints& all,
                     const InducingPreconditioner& preconditioner, const ExactMeanSettings& settings,
                     const RunContext& context)
      : equations_(equations), all_(all), preconditioner_(preconditioner), settings_(settings), context_(context),
        root_(equations.precision.cwiseSqrt()) {}

  MeanSolution run() const {
    const Index natural = equations_.natural.cols(), values = equations_.values.cols();
    const MatrixXd field = times_covariance(equations_.natural);
    MatrixXd right(equations_.coords.n, natural + values);
    right << root_.asDiagonal() * field, root_.asDiagonal() * equations_.values;
    MeanSolution result = solve(right);
    result.solved = (root_.asDiagonal() * result.solved).eval();
    result.solved.leftCols(natural) = (equations_.natural - result.solved.leftCols(natural)).eval();
    result.field.leftCols(natural) = (field - result.field.leftCols(natural)).eval();
    return result;
  }

 private:
  // b of (I + W^1/2 K W^1/2) b = right, and K W^1/2 b as its field.
  MeanSolution solve(const MatrixXd& right) const {
    BlockSolution at;
    const VectorXd size = right.colwise().norm().cwiseMax(1e-300);
    at.solved = preconditioner_.solve(right, context_);
    at.field = times_covariance(root_.asDiagonal() * at.solved);
    const MatrixXd r = right - at.solved - root_.asDiagonal() * at.field;
    const auto multiply = [&](const MatrixXd& p, MatrixXd& field) -> MatrixXd {
      field = times_covariance(root_.asDiagonal() * p);
      return p + root_.asDiagonal() * field;
    };
    const auto precondition = [&](const MatrixXd& r) { return preconditioner_.solve(r, context_); };
    block_conjugate_gradients(multiply, precondition, r, size, settings_.tolerance, settings_.max_iterations, at);
    MeanSolution result;
    result.solved = std::move(at.solved);
    result.field = std::move(at.field);
    result.iterations = at.iterations;
    result.residual = at.residual;
    return result;
  }

  MatrixXd times_covariance(const MatrixXd& v) const {
    const Points coords = equations_.coords;
    MatrixXd product(coords.n, v.cols());
    if (v.cols() == 0) return product;
    parallel_for(context_, (coords.n + settings_.chunk_rows - 1) / settings_.chunk_rows, [&](Index chunk) {
      const Index first = chunk * settings_.chunk_rows, count = std::min(settings_.chunk_rows, coords.n - first);
      const MatrixXd k = all_.covariances({coords[first], count, coords.dim}, nullptr);
      product.middleRows(first, count) = k.transpose() * v;
    });
    return product;
  }

  const MeanEquations& equations_;
  const InducingPoints& all_;
  const InducingPreconditioner& preconditioner_;
  const ExactMeanSettings& settings_;
  const RunContext& context_;
  VectorXd root_;
};

}  // namespace

MeanSolution exact_mean(const MeanEquations& equations, Points inducing, const Covariance& covariance,
                        const ExactMeanSettings& settings, const RunContext& context) {
  const PreparedCovariance prepared = prepare(covariance, equations.coords.dim, false);
  const InducingPoints points(prepared, inducing), all(prepared, equations.coords);
  const InducingFactor prior(points, settings.jitter, false);
  MeanSolution failed;
  failed.failure = BoundFailure::prior;
  if (!prior.regular()) return failed;
  const InducingPreconditioner preconditioner(prior, equations.coords, equations.precision, context);
  failed.failure = BoundFailure::posterior;
  if (!preconditioner.regular()) return failed;
  return ConjugateGradients(equations, all, preconditioner, settings, context).run();
}

MatrixXd exact_mean_at(Points targets, Points rows, const MatrixXd& weights, const Covariance& covariance,
                       const RunContext& context) {
  if (weights.rows() != rows.n || targets.dim != rows.dim)
    throw Error("There must be a row of what was solved for each row, and as many coordinates of targets as of rows.");
  const PreparedCovariance prepared = prepare(covariance, rows.dim, false);
  const InducingPoints all(prepared, rows);
  MatrixXd result(targets.n, weights.cols());
  parallel_for(context, (targets.n + target_rows - 1) / target_rows, [&](Index chunk) {
    const Index first = chunk * target_rows, count = std::min(target_rows, targets.n - first);
    const MatrixXd k = all.covariances({targets[first], count, targets.dim}, nullptr);
    for (Index i = 0; i < count; ++i)
      for (Index c = 0; c < weights.cols(); ++c)
        result(first + i, c) = ordered_product(k.col(i).data(), weights.col(c).data(), rows.n);
  });
  return result;
}

}  // namespace neargp
