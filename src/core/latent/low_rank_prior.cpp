#include "latent/low_rank_prior.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "conditional/data.h"
#include "covariance/covariance_matrix.h"
#include "linalg/products.h"
#include "variational/residual_weights_adjoint.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const InducingFactor& checked(const InducingFactor& factor) {
  if (!factor.regular())
    throw Error(
        "The covariance matrix of the inducing points of the low-rank part is not positive definite to working "
        "precision: raise the jitter.");
  return factor;
}

struct Gram {
  MatrixXd matrix;
  void add(const Gram& other) { matrix += other.matrix; }
};

}  // namespace

struct LowRankPrior::State {
  PreparedCovariance prepared;
  InducingPoints points;
  InducingFactor factor;
  ResidualRows rows;
  VectorXd noise;
  WhitenedRows whitened;
  MatrixXd inner;  // lower triangle of the factor of E

  State(const Covariance& covariance, Points nodes, Points inducing, double jitter, const NeighborTable& neighbors,
        const RunContext& context)
      : prepared(prepare(covariance, nodes.dim, true)), points(prepared, inducing), factor(points, jitter, true),
        rows(checked(factor), nodes, product_engine(), context), noise(VectorXd::Constant(nodes.n, prepared.nugget)),
        whitened(whiten_rows({nodes, 0, nullptr, nullptr}, rows, noise, neighbors, true, context)) {
    if (whitened.failed < 0) find_inner(context);
  }

  void find_inner(const RunContext& context) {
    constexpr Index chunk_rows = 1024;
    const Index m = points.size();
    inner = sum_rows(rows.size(), chunk_rows, m * m, context, Gram{MatrixXd::Zero(m, m)},
                     [&](Index first, Index last, Gram& sum) {
                       rank_update(whitened.features.block(0, first, m, last - first), sum.matrix);
                     })
                .matrix;
    inner.diagonal().array() += 1.0;
    if (!cholesky(inner))
      throw Error("The precision matrix of the low-rank part is not positive definite: raise the jitter.");
  }
};

LowRankPrior::LowRankPrior(Points nodes, Points inducing, double jitter, const NeighborTable& neighbors)
    : nodes_(nodes), inducing_(inducing.data, inducing.data + inducing.n * inducing.dim), jitter_(jitter),
      neighbors_(neighbors) {
  if (inducing.dim != nodes.dim) throw Error("Nodes and inducing points must have the same coordinates.");
  check_coordinates(inducing);
}

LowRankPrior::~LowRankPrior() = default;

Index LowRankPrior::update(const Covariance& covariance, const RunContext& context) {
  state_ = std::make_unique<State>(covariance, nodes_, Points{inducing_.data(), size(), nodes_.dim}, jitter_,
                                   neighbors_, context);
  return state_->whitened.failed;
}

const double* LowRankPrior::weights(Index node) const { return state_->whitened.weights.col(node).data(); }
const VectorXd& LowRankPrior::variance() const { return state_->whitened.variance; }
const ResidualRows& LowRankPrior::rows() const { return state_->rows; }
const VectorXd& LowRankPrior::noise() const { return state_->noise; }

double LowRankPrior::log_det_inner() const { return 2.0 * state_->inner.diagonal().array().log().sum(); }

MatrixXd LowRankPrior::whitened_rows_of(const Eigen::Ref<const MatrixXd>& columns) const {
  MatrixXd rows(columns.cols(), nodes_.n);
  for (Index j = 0; j < nodes_.n; ++j) {
    rows.col(j) = columns.row(j);
    const int* member = neighbors_[j];
    for (int m = 0; m < neighbors_.k && member[m] >= 0; ++m)
      rows.col(j) -= weights(j)[m] * columns.row(member[m]).transpose();
    rows.col(j) /= std::sqrt(variance()[j]);
  }
  return rows;
}

LowRankPrior::Split LowRankPrior::split(const Eigen::Ref<const MatrixXd>& columns) const {
  Split parts;
  parts.whitened = state_->whitened.features.topRows(size()) * whitened_rows_of(columns).transpose();
  lower_solve(state_->inner, parts.whitened);
  lower_transposed_solve(state_->inner, parts.whitened);
  parts.residual = columns - features().transpose() * parts.whitened;
  return parts;
}

std::vector<double> LowRankPrior::adjoint(const std::vector<double>& weights_bar,
                                          const std::vector<double>& variance_bar, const MatrixXd& features_bar,
                                          const RunContext& context) const {
  constexpr Index chunk_rows = 128;
  ResidualWeightsAdjoint adjoint(rows(), noise(), neighbors_, state_->whitened);
  InducingGradient gradient =
      sum_rows(nodes_.n, chunk_rows, 1, context, state_->points.zero_gradient(),
               [&](Index first, Index last, InducingGradient& sum) {
                 ResidualCovariance places(state_->prepared, neighbors_.k + 1);
                 for (Index j = first; j < last; ++j) {
                   const int count = adjoint.gather(j, places);
                   std::copy_n(weights_bar.data() + j * neighbors_.k, count, adjoint.covariance_bars(j).data());
                   adjoint.add_row(j, places, variance_bar[j], nullptr, sum);
                 }
               });
  adjoint.add_features(&features_bar, gradient, context);
  return gradient.parameters;
}

}  // namespace neargp
