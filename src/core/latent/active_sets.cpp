#include "latent/active_sets.h"

#include <algorithm>

#include "base/error.h"
#include "linalg/products.h"
#include "variational/cross_block.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<double> taken_rows(const std::vector<double>& coords, const int* rows, Index number, int dim) {
  std::vector<double> result;
  result.reserve(std::size_t(number) * dim);
  for (Index t = 0; t < number; ++t)
    result.insert(result.end(), coords.begin() + Index(rows[t]) * dim, coords.begin() + Index(rows[t] + 1) * dim);
  return result;
}

double log_determinant(const MatrixXd& lower) { return 2.0 * lower.diagonal().array().log().sum(); }

void require_regular(bool regular) {
  if (!regular)
    throw Error(
        "The covariance matrix of a set of inducing points is not positive definite to working precision: "
        "raise the jitter.");
}

// The posterior of the active nodes, whitened by the factor of their prior, and its divergence from that.
struct WhitenedPosterior {
  VectorXd mean;
  MatrixXd covariance, precision;  // the precision is that of S_AA, not whitened
  double divergence;

  WhitenedPosterior(const MatrixXd& lower, const VectorXd& m, const MatrixXd& s) : mean(m), covariance(s) {
    lower_solve(lower, mean);
    lower_solve(lower, covariance);
    covariance.transposeInPlace();
    lower_solve(lower, covariance);
    MatrixXd factor = s;
    require_regular(cholesky(factor));
    precision = MatrixXd::Identity(s.rows(), s.cols());
    lower_solve(factor, precision);
    lower_transposed_solve(factor, precision);
    divergence = 0.5 * (covariance.trace() + mean.squaredNorm() - double(mean.size()) + log_determinant(lower) -
                        log_determinant(factor));
  }
};

// L^-T X L^-1 of a symmetric X.
MatrixXd to_nodes(const MatrixXd& lower, MatrixXd x) {
  lower_transposed_solve(lower, x);
  x.transposeInPlace();
  lower_transposed_solve(lower, x);
  return x;
}

// The derivatives for the slopes g and curvatures W of the data. S and m are whitened.
//
//   mbar = A g - w m,   Sbar = -1/2 (A W A' + w I).
//   Abar = m g' + (I - S) A W,   kbar = -W / 2.
//   G = Abar A' + mbar m' + 2 Sbar S + w I.
//
// The last term comes from log|K_AA|. From log|S_AA| the derivative in S_AA contains w/2 S_AA^-1.
ActiveSetGradient answer(const InducingFactor& factor, const CrossBlock& block, const WhitenedPosterior& q,
                         const VectorXd& slope, const VectorXd& curvature, double w) {
  const MatrixXd& features = block.features();
  const Index size = features.rows();
  const MatrixXd weighted = features * curvature.asDiagonal();
  MatrixXd of_covariance = -0.5 * w * MatrixXd::Identity(size, size);
  of_covariance.noalias() -= 0.5 * weighted * features.transpose();
  VectorXd of_mean = features * slope - w * q.mean;
  MatrixXd of_features = q.mean * slope.transpose() + weighted - q.covariance * weighted;
  MatrixXd g = w * MatrixXd::Identity(size, size) + of_mean * q.mean.transpose() + 2.0 * of_covariance * q.covariance;
  g.noalias() += of_features * features.transpose();

  ActiveSetGradient gradient;
  gradient.divergence = q.divergence;
  gradient.prior = factor.points().zero_gradient();
  factor.adjoint(g, gradient.prior);
  block.adjoint(of_features, -0.5 * curvature, gradient.prior);
  lower_transposed_solve(factor.lower(), of_mean);
  gradient.mean = of_mean;
  gradient.covariance = to_nodes(factor.lower(), of_covariance) + 0.5 * w * q.precision;
  return gradient;
}

}  // namespace

std::vector<ActiveSet> own_sets(const NeighborTable& neighbors, const std::vector<int>& data) {
  std::vector<ActiveSet> sets;
  for (Index t = 0; t < Index(data.size()); ++t) {
    const int* nearest = neighbors[data[t]];
    sets.push_back({{nearest, nearest + neighbors.k}, t, t + 1});
  }
  return sets;
}

ActiveSet shared_set(const NeighborTable& neighbors, const std::vector<int>& data, Index most) {
  ActiveSet set{{}, 0, Index(data.size())};
  for (int rank = 0; rank < neighbors.k; ++rank) {
    std::vector<int> next;
    for (const int row : data) next.push_back(neighbors[row][rank]);
    for (const int node : next) {
      if (Index(set.nodes.size()) == most) return set;
      if (std::find(set.nodes.begin(), set.nodes.end(), node) == set.nodes.end()) set.nodes.push_back(node);
    }
  }
  return set;
}

ActiveSetGradient differentiate(const ActiveSet& set, const NodePosterior& posterior,
                                const PreparedCovariance& covariance, double jitter,
                                const std::vector<double>& node_coords, const std::vector<double>& data_coords,
                                const std::vector<int>& rows, double divergence_weight, DataTerms& data) {
  const int dim = covariance.dim;
  const Index size = Index(set.nodes.size()), number = set.last - set.first;
  const std::vector<double> at = taken_rows(node_coords, set.nodes.data(), size, dim),
                            places = taken_rows(data_coords, rows.data() + set.first, number, dim);
  const InducingPoints points(covariance, {at.data(), size, dim});
  const InducingFactor factor(points, jitter, true);
  require_regular(factor.regular());
  const CrossBlock block(factor, {places.data(), number, dim}, true);
  const MatrixXd s = posterior.covariance(set.nodes);
  const WhitenedPosterior q(factor.lower(), posterior.mean(set.nodes), s);

  const MatrixXd& features = block.features();
  Eigen::Map<VectorXd> mean(data.mean.data() + set.first, number), variance(data.variance.data() + set.first, number);
  mean = Eigen::Map<const VectorXd>(data.trend.data() + set.first, number) + features.transpose() * q.mean;
  variance = block.unexplained() + (q.covariance * features).cwiseProduct(features).colwise().sum().transpose();
  data.expect(set.first, set.last, RunContext{});
  const auto weighted = [&](const std::vector<double>& values) -> VectorXd {
    return data.weight * Eigen::Map<const VectorXd>(values.data() + set.first, number);
  };
  ActiveSetGradient gradient =
      answer(factor, block, q, weighted(data.slope), weighted(data.curvature), divergence_weight);
  gradient.log_scale = gradient.covariance.cwiseProduct(s).rowwise().sum();
  return gradient;
}

}  // namespace neargp
