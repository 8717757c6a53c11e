#include "variational/exact_mean.h"

#include <algorithm>

#include "base/error.h"
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

// P^-1 of the head of this file.
class InducingPreconditioner {
 public:
  InducingPreconditioner(const InducingFactor& prior, Points coords, const VectorXd& noise, const RunContext& context)
      : n_(coords.n), m_(prior.points().size()), features_(prior, coords, 1024, context), inverse_(noise.size()) {
    const WeightedFeatures zero{MatrixXd::Zero(m_, m_), MatrixXd::Zero(m_, 0)};
    factor_ = sum(zero, context, [&](Index first, const MatrixXd& a, const VectorXd& unexplained, WeightedFeatures& sum) {
      VectorXd inverse = (unexplained.cwiseMax(0.0) + noise.segment(first, a.cols())).cwiseInverse();
      inverse_.segment(first, a.cols()) = inverse;
      weighted_rank_update(a, inverse, sum.gram);
    }).gram;
    factor_.diagonal().array() += 1.0;
    regular_ = cholesky(factor_);
  }

  bool regular() const { return regular_; }

  MatrixXd solve(const MatrixXd& r, const RunContext& context) const {
    const MatrixXd scaled = inverse_.asDiagonal() * r;
    const WeightedFeatures zero{MatrixXd::Zero(0, 0), MatrixXd::Zero(m_, r.cols())};
    MatrixXd inner = sum(zero, context, [&](Index first, const MatrixXd& a, const VectorXd&, WeightedFeatures& sum) {
      sum.cross += a * scaled.middleRows(first, a.cols());
    }).cross;
    lower_solve(factor_, inner);
    lower_transposed_solve(factor_, inner);
    MatrixXd result = scaled;
    parallel_for(context, (n_ + features_.chunk_rows() - 1) / features_.chunk_rows(), [&](Index chunk) {
      const Index first = chunk * features_.chunk_rows();
      features_.with(first, [&](const MatrixXd& a, const VectorXd&) {
        result.middleRows(first, a.cols()) -=
            inverse_.segment(first, a.cols()).asDiagonal() * (a.transpose() * inner).eval();
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
  VectorXd inverse_;
  MatrixXd factor_;
  bool regular_ = false;
};

// (K + diag(noise)) V
MatrixXd covariance_times(const InducingPoints& all, Points coords, const VectorXd& noise, const MatrixXd& v,
                          Index chunk_rows, const RunContext& context) {
  MatrixXd product = noise.asDiagonal() * v;
  parallel_for(context, (coords.n + chunk_rows - 1) / chunk_rows, [&](Index chunk) {
    const Index first = chunk * chunk_rows, count = std::min(chunk_rows, coords.n - first);
    const MatrixXd k = all.covariances({coords[first], count, coords.dim}, nullptr);
    product.middleRows(first, count) += k.transpose() * v;
  });
  return product;
}

VectorXd column_products(const MatrixXd& a, const MatrixXd& b) { return a.cwiseProduct(b).colwise().sum(); }

// In an order that does not depend on where the numbers lie in memory.
double ordered_product(const double* x, const double* y, Index n) {
  double sums[4] = {};
  for (Index i = 0; i < n; ++i) sums[i % 4] += x[i] * y[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// x += p diag(step)
void move(MatrixXd& x, const MatrixXd& p, const VectorXd& step) { x += p * step.asDiagonal(); }

}  // namespace

ExactMean exact_mean(const RegressionData& data, Points inducing, const Covariance& covariance,
                     const ExactMeanSettings& settings, const RunContext& context) {
  const Index n = data.coords.n;
  const PreparedCovariance prepared = prepare(covariance, data.coords.dim, false);
  const InducingPoints points(prepared, inducing), all(prepared, data.coords);
  const InducingFactor prior(points, settings.jitter, false);
  ExactMean result;
  if (!prior.regular()) {
    result.failure = BoundFailure::prior;
    return result;
  }
  const VectorXd noise = covariance.nugget * Eigen::Map<const VectorXd>(data.noise_scale, n);
  const InducingPreconditioner preconditioner(prior, data.coords, noise, context);
  if (!preconditioner.regular()) {
    result.failure = BoundFailure::posterior;
    return result;
  }
  const MatrixXd columns =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(data.values, n, data.columns);
  const VectorXd size = columns.colwise().norm().cwiseMax(1e-300);
  result.solved = preconditioner.solve(columns, context);
  MatrixXd r = columns - covariance_times(all, data.coords, noise, result.solved, settings.chunk_rows, context);
  MatrixXd z = preconditioner.solve(r, context), p = z;
  VectorXd rz = column_products(r, z);
  const auto relative = [&] { return (r.colwise().norm().transpose().array() / size.array()).maxCoeff(); };
  for (result.residual = relative(); result.residual > settings.tolerance && result.iterations < settings.max_iterations;
       ++result.iterations, result.residual = relative()) {
    const MatrixXd kp = covariance_times(all, data.coords, noise, p, settings.chunk_rows, context);
    const VectorXd step = rz.cwiseQuotient(column_products(p, kp).cwiseMax(1e-300));
    move(result.solved, p, step);
    move(r, kp, -step);
    z = preconditioner.solve(r, context);
    const VectorXd next = column_products(r, z);
    p = z + (p * next.cwiseQuotient(rz.cwiseMax(1e-300)).asDiagonal()).eval();
    rz = next;
  }
  return result;
}

MatrixXd exact_mean_at(Points targets, Points rows, const MatrixXd& solved, const Covariance& covariance,
                       const RunContext& context) {
  if (solved.rows() != rows.n || targets.dim != rows.dim)
    throw Error("There must be a row of what was solved for each row, and as many coordinates of targets as of rows.");
  const PreparedCovariance prepared = prepare(covariance, rows.dim, false);
  const InducingPoints all(prepared, rows);
  MatrixXd result(targets.n, solved.cols());
  parallel_for(context, (targets.n + target_rows - 1) / target_rows, [&](Index chunk) {
    const Index first = chunk * target_rows, count = std::min(target_rows, targets.n - first);
    const MatrixXd k = all.covariances({targets[first], count, targets.dim}, nullptr);
    for (Index i = 0; i < count; ++i)
      for (Index c = 0; c < solved.cols(); ++c) result(first + i, c) = ordered_product(k.col(i).data(), solved.col(c).data(), rows.n);
  });
  return result;
}

}  // namespace neargp
