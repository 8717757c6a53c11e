#include "variational/decoupled_mean.h"

#include "linalg/products.h"
#include "parallel/parallel_for.h"
#include "variational/row_features.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;

constexpr Index moment_chunk_rows = 1024;

struct Moments {
  MatrixXd gram, cross;  // F W F' (lower triangle), F C
  void add(const Moments& other) {
    gram += other.gram;
    cross += other.cross;
  }
};

MatrixXd right_sides(const MeanEquations& equations) {
  MatrixXd columns(equations.coords.n, equations.natural.cols() + equations.values.cols());
  columns << equations.natural, equations.precision.asDiagonal() * equations.values;
  return columns;
}

}  // namespace

// With B = I + F W F' and w = B^-1 F C, (I + W F'F)^-1 C = C - W F'w, and its field is F'w.
MeanSolution decoupled_mean(const MeanEquations& equations, Points points, const Covariance& covariance, double jitter,
                            const RunContext& context) {
  const PreparedCovariance prepared = prepare(covariance, equations.coords.dim, false);
  const InducingPoints inducing(prepared, points);
  const InducingFactor prior(inducing, jitter, false);
  MeanSolution result;
  result.failure = BoundFailure::prior;
  if (!prior.regular()) return result;
  const Index n = equations.coords.n, m = points.n;
  const RowFeatures features(prior, equations.coords, moment_chunk_rows, context);
  const MatrixXd columns = right_sides(equations);
  const Moments zero{MatrixXd::Zero(m, m), MatrixXd::Zero(m, columns.cols())};
  Moments moments = sum_rows(n, moment_chunk_rows, m * m, context, zero, [&](Index first, Index last, Moments& sum) {
    features.with(first, [&](const MatrixXd& f, const Eigen::VectorXd&) {
      weighted_rank_update(f, equations.precision.segment(first, last - first), sum.gram);
      sum.cross += f * columns.middleRows(first, last - first);
    });
  });
  moments.gram.diagonal().array() += 1.0;
  result.failure = BoundFailure::posterior;
  if (!cholesky(moments.gram)) return result;
  result.failure = BoundFailure::none;
  lower_solve(moments.gram, moments.cross);
  lower_transposed_solve(moments.gram, moments.cross);
  result.field.resize(n, columns.cols());
  parallel_for(context, (n + moment_chunk_rows - 1) / moment_chunk_rows, [&](Index chunk) {
    features.with(chunk * moment_chunk_rows, [&](const MatrixXd& f, const Eigen::VectorXd&) {
      result.field.middleRows(chunk * moment_chunk_rows, f.cols()) = f.transpose() * moments.cross;
    });
  });
  result.solved = columns - equations.precision.asDiagonal() * result.field;
  return result;
}

PointWeights point_weights(Points rows, const MatrixXd& solved, Points points, const Covariance& covariance,
                           double jitter, const RunContext& context) {
  const PreparedCovariance prepared = prepare(covariance, rows.dim, false);
  const InducingPoints inducing(prepared, points);
  const InducingFactor prior(inducing, jitter, false);
  PointWeights result;
  result.failure = BoundFailure::prior;
  if (!prior.regular()) return result;
  result.failure = BoundFailure::none;
  const Moments zero{MatrixXd::Zero(0, 0), MatrixXd::Zero(points.n, solved.cols())};
  result.weights = sum_rows(rows.n, moment_chunk_rows, points.n * solved.cols(), context, zero,
                            [&](Index first, Index last, Moments& sum) {
                              sum.cross += inducing.covariances({rows[first], last - first, rows.dim}, nullptr) *
                                           solved.middleRows(first, last - first);
                            })
                       .cross;
  lower_solve(prior.lower(), result.weights);
  lower_transposed_solve(prior.lower(), result.weights);
  return result;
}

}  // namespace neargp
