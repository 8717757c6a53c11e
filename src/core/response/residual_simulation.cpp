#include "response/residual_simulation.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "covariance/covariance_matrix.h"
#include "variational/residual_conditional.h"

namespace neargp {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class ResidualDraws {
 public:
  ResidualDraws(const RegressionData& data, const ResidualRows& rows, const ResidualRows& places,
                const NeighborTable& neighbors, const Eigen::MatrixXd& whitened)
      : rows_(rows), places_(places), neighbors_(neighbors), whitened_(whitened) {
    residuals_ = Eigen::Map<const RowMajor>(data.values, rows.size(), data.columns);
    residuals_ -= rows.features(0, rows.size()).transpose() * whitened;
  }

  // `noise`: variances of data and locations. Leaves the residual field, or the location that failed, in `result`.
  void draw(const std::vector<int>& order, const Eigen::VectorXd& noise, const double* normals, Simulation& result,
            const RunContext& context) const {
    const Index n = rows_.size(), draws = whitened_.cols();
    result.field.resize(std::size_t(places_.size() * draws));
    Eigen::Map<RowMajor> field(result.field.data(), places_.size(), draws);
    const Eigen::Map<const RowMajor> normal(normals, places_.size(), draws);
    ResidualConditional conditional(rows_.covariance(), neighbors_.k);
    Index drawn = 0;
    for (const int j : order) {
      if (context.check_interrupt && ++drawn % 1000 == 0) context.check_interrupt();
      if (!conditional.update(rows_, places_, j, neighbors_[j], noise.data(), noise[n + j])) {
        result.failed = j;
        return;
      }
      field.row(j) = std::sqrt(std::max(conditional.variance(), 0.0)) * normal.row(j);
      for (int a = 0; a < conditional.count(); ++a) {
        const Index row = neighbors_[j][a];
        if (row < n) {
          field.row(j) += conditional.weights()[a] * residuals_.row(row);
        } else {
          field.row(j) += conditional.weights()[a] * field.row(row - n);
        }
      }
    }
    result.failed = -1;
  }

  void add_low_rank(Simulation& result) const {
    Eigen::Map<RowMajor>(result.field.data(), places_.size(), whitened_.cols()) +=
        places_.features(0, places_.size()).transpose() * whitened_;
  }

 private:
  const ResidualRows& rows_;
  const ResidualRows& places_;
  const NeighborTable& neighbors_;
  const Eigen::MatrixXd& whitened_;
  RowMajor residuals_;
};

}  // namespace

Simulation simulate_residual(const RegressionData& data, Points targets, const std::vector<int>& order,
                             const NeighborTable& neighbors, const Covariance& covariance, const LowRankDraws& low_rank,
                             const double* normals, const RunContext& context) {
  const Index n = data.coords.n, m = targets.n;
  check_simulation(data.coords, targets, order, neighbors);
  const PreparedCovariance prepared = prepare(covariance, targets.dim, false);
  const InducingPoints points(prepared, low_rank.inducing);
  const InducingFactor prior(points, low_rank.jitter, false);
  if (!prior.regular()) throw Error("The covariance matrix of the inducing points is singular.");
  const ResidualRows rows(prior, data.coords, product_engine(), context),
      places(prior, targets, product_engine(), context);
  const ResidualDraws residuals(data, rows, places, neighbors, low_rank.whitened);
  Eigen::VectorXd noise = Eigen::VectorXd::Zero(n + m);
  noise.head(n) = noise_variances(prepared, data.noise_scale, n);

  Simulation result;
  for (const double jitter : simulation_jitters) {
    result.jitter = jitter;
    residuals.draw(order, noise.array() + jitter * prepared.variance, normals, result, context);
    if (result.failed >= 0) continue;
    residuals.add_low_rank(result);
    break;
  }
  return result;
}

}  // namespace neargp
