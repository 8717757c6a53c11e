#include "variational/inducing_posterior.h"

#include "linalg/products.h"
#include "parallel/parallel_for.h"
#include "variational/sum_rows.h"

namespace neargp {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void RegressionMoments::add(const RegressionMoments& other) {
  gram += other.gram;
  cross += other.cross;
  columns += other.columns;
}

namespace {

// The coefficients of the last `effects` columns of the design follow a unit normal prior.
bool solve_trend(const RegressionMoments& moments, int effects, InducingPosterior& posterior) {
  const Eigen::Index p = moments.columns.rows();
  MatrixXd whitened = moments.cross;
  lower_solve(posterior.factor, whitened);
  posterior.beta = VectorXd::Zero(p);
  posterior.beta_covariance.resize(p, p);
  if (p > 0) {
    MatrixXd columns = moments.columns - whitened.rightCols(p).transpose() * whitened;
    columns.rightCols(p).diagonal().tail(effects).array() += 1.0;
    MatrixXd lower = columns.rightCols(p), of_effects = columns.bottomRightCorner(effects, effects);
    if (!cholesky(lower) || !cholesky(of_effects)) return false;
    posterior.effects_root = MatrixXd::Identity(effects, effects);
    lower_transposed_solve(of_effects, posterior.effects_root);
    MatrixXd solved(p, p + 1);
    solved << columns.col(0), MatrixXd::Identity(p, p);
    lower_solve(lower, solved);
    lower_transposed_solve(lower, solved);
    posterior.beta = solved.col(0);
    posterior.beta_covariance = solved.rightCols(p);
  }
  lower_transposed_solve(posterior.factor, whitened);
  posterior.weights = std::move(whitened);
  posterior.mean = posterior.weights.col(0) - posterior.weights.rightCols(p) * posterior.beta;
  return true;
}

}  // namespace

BoundFailure solve_regression(RegressionMoments moments, InducingPosterior& posterior, int effects) {
  posterior.factor = moments.gram;
  posterior.factor.diagonal().array() += 1.0;
  if (!cholesky(posterior.factor)) return BoundFailure::posterior;
  if (!solve_trend(moments, effects, posterior)) return BoundFailure::trend;
  posterior.gram = std::move(moments.gram);
  return BoundFailure::none;
}

MatrixXd InducingPosterior::covariance() const {
  MatrixXd inverse = MatrixXd::Identity(factor.rows(), factor.rows());
  lower_solve(factor, inverse);
  lower_transposed_solve(factor, inverse);
  if (effects() > 0) {
    const MatrixXd shared = shared_root();
    inverse += shared * shared.transpose();
  }
  return inverse;
}

MatrixXd InducingPosterior::shared_root() const { return weights.rightCols(effects()) * effects_root; }

double InducingPosterior::effects_divergence() const {
  return 0.5 * (effects_root.squaredNorm() + beta.tail(effects()).squaredNorm() - double(effects())) -
         effects_root.diagonal().array().log().sum();
}

VectorXd InducingPosterior::solution(const VectorXd& right) const {
  const Eigen::Index m = factor.rows(), p = beta.size();
  VectorXd result(m + p);
  const auto cross = weights.rightCols(p);  // S A W X
  result.tail(p) = beta_covariance * (right.tail(p) - cross.transpose() * right.head(m));
  MatrixXd field = right.head(m);
  lower_solve(factor, field);
  lower_transposed_solve(factor, field);
  result.head(m) = field - cross * result.tail(p);
  return result;
}

double divergence(const VectorXd& mean, const MatrixXd& covariance, const MatrixXd& factor) {
  const double log_det = 2.0 * factor.diagonal().array().log().sum();
  return 0.5 * (covariance.trace() + mean.squaredNorm() - double(mean.size()) + log_det);
}

InducingRegression::InducingRegression(const InducingFactor& factor, Points coords, const double* design,
                                       int coefficients, Index chunk_rows, const RunContext& context, int effects)
    : coords_(coords), design_(design), coefficients_(coefficients), effects_(effects),
      inducing_(factor.points().size()), chunk_rows_(chunk_rows), context_(context),
      features_(factor, coords, chunk_rows, context), unexplained_(coords.n) {
  over_chunks([&](Index first, const MatrixXd&, const VectorXd& unexplained) {
    unexplained_.segment(first, unexplained.size()) = unexplained.cwiseMax(0.0);
  });
}

template <class Body>
void InducingRegression::over_chunks(const Body& body) const {
  parallel_for(context_, (coords_.n + chunk_rows_ - 1) / chunk_rows_, [&](Index chunk) {
    const Index first = chunk * chunk_rows_;
    features_.with(first,
                   [&](const MatrixXd& features, const VectorXd& unexplained) { body(first, features, unexplained); });
  });
}

MatrixXd InducingRegression::design(Index first, Index n) const {
  return Eigen::Map<const RowMajor>(design_ + first * coefficients_, n, coefficients_);
}

RegressionMoments InducingRegression::moments(const VectorXd& precision, const VectorXd& natural) const {
  const int p = coefficients_;
  const RegressionMoments zero{MatrixXd::Zero(inducing_, inducing_), MatrixXd::Zero(inducing_, p + 1),
                               MatrixXd::Zero(p, p + 1)};
  return sum_rows(coords_.n, chunk_rows_, inducing_ * inducing_, context_, zero,
                  [&](Index first, Index last, RegressionMoments& sum) {
                    const VectorXd weight = precision.segment(first, last - first);
                    const MatrixXd x = design(first, last - first);
                    MatrixXd columns(last - first, p + 1), product(inducing_, p + 1), of_design(p, p + 1);
                    columns << natural.segment(first, last - first), weight.asDiagonal() * x;
                    features_.with(first, [&](const MatrixXd& features, const VectorXd&) {
                      multiply(features, columns, product);
                      sum.cross += product;
                      weighted_rank_update(features, weight, sum.gram);
                    });
                    if (p == 0) return;
                    multiply_transposed(x, columns, of_design);
                    sum.columns += of_design;
                  });
}

void InducingRegression::add_moments(const InducingPosterior& posterior, VectorXd& mean, VectorXd& variance) const {
  variance.resize(coords_.n);
  over_chunks([&](Index first, const MatrixXd& features, const VectorXd&) {
    MatrixXd whitened = features;
    lower_solve(posterior.factor, whitened);
    variance.segment(first, features.cols()) = whitened.colwise().squaredNorm();
    mean.segment(first, features.cols()) += features.transpose() * posterior.mean;
  });
}

VectorXd InducingRegression::effects_variance(const InducingPosterior& posterior) const {
  VectorXd variance = VectorXd::Zero(coords_.n);
  if (effects_ == 0) return variance;
  const MatrixXd shared = posterior.shared_root();
  over_chunks([&](Index first, const MatrixXd& features, const VectorXd&) {
    MatrixXd seen(features.cols(), effects_);
    multiply_transposed(features, shared, seen);
    variance.segment(first, features.cols()) =
        (effects_features(posterior, first, features.cols()) - seen).rowwise().squaredNorm();
  });
  return variance;
}

MatrixXd InducingRegression::effects_features(const InducingPosterior& posterior, Index first, Index n) const {
  const MatrixXd x = design(first, n);
  MatrixXd features(n, effects_);
  multiply(x.rightCols(effects_), posterior.effects_root, features);
  return features;
}

MatrixXd InducingRegression::predictors(const MatrixXd& features, const MatrixXd& x,
                                        const MatrixXd& coefficients) const {
  MatrixXd result(features.cols(), coefficients.cols());
  multiply_transposed(features, coefficients.topRows(inducing_), result);
  if (coefficients_ > 0) result += x * coefficients.bottomRows(coefficients_);
  return result;
}

MatrixXd InducingRegression::linear_predictors(const MatrixXd& coefficients) const {
  MatrixXd result(coords_.n, coefficients.cols());
  over_chunks([&](Index first, const MatrixXd& features, const VectorXd&) {
    result.middleRows(first, features.cols()) = predictors(features, design(first, features.cols()), coefficients);
  });
  return result;
}

MatrixXd InducingRegression::sum_mapped(const MatrixXd& coefficients, const RowMap& map) const {
  struct Sum {
    MatrixXd value;
    void add(const Sum& other) { value += other.value; }
  };
  const Sum zero{MatrixXd::Zero(coefficients.rows(), coefficients.cols())};
  return sum_rows(coords_.n, chunk_rows_, coefficients.size(), context_, zero,
                  [&](Index first, Index last, Sum& sum) {
                    const MatrixXd x = design(first, last - first);
                    features_.with(first, [&](const MatrixXd& features, const VectorXd&) {
                      const MatrixXd mapped = map(first, predictors(features, x, coefficients));
                      MatrixXd product(inducing_, mapped.cols());
                      multiply(features, mapped, product);
                      sum.value.topRows(inducing_) += product;
                      if (coefficients_ > 0) sum.value.bottomRows(coefficients_) += x.transpose() * mapped;
                    });
                  })
      .value;
}

}  // namespace neargp
