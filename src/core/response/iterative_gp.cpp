#include "response/iterative_gp.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "linalg/block_conjugate_gradient.h"
#include "parallel/parallel_for.h"
#include "variational/inducing_points.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index iterative_chunk = 64;
constexpr Index targets_at_once = 256;

// Below this share of its first norm a residual is rounding, and its steps are not those of A.
constexpr double least_residual = 1e-12;

class NoisyCovariance {
 public:
  explicit NoisyCovariance(const IterativeEquations& equations)
      : coords_(equations.coords), noise_(equations.noise), all_(equations.covariance, equations.coords) {}

  MatrixXd times(const MatrixXd& v, const RunContext& context) const {
    MatrixXd product(coords_.n, v.cols());
    parallel_for(context, (coords_.n + iterative_chunk - 1) / iterative_chunk, [&](Index chunk) {
      const Index first = chunk * iterative_chunk, count = std::min(iterative_chunk, coords_.n - first);
      const MatrixXd k = all_.covariances({coords_[first], count, coords_.dim}, nullptr);
      product.middleRows(first, count) = k.transpose() * v;
    });
    return product + noise_.asDiagonal() * v;
  }

  const InducingPoints& points() const { return all_; }

 private:
  Points coords_;
  const VectorXd& noise_;
  InducingPoints all_;
};

// (log T - T + I)_11 of one column.
double remainder_quadrature(const ConjugateSteps& steps, Index column) {
  std::vector<double> diagonal, beside;
  double before = 0.0, norm = 1.0;
  for (std::size_t i = 0; i < steps.step.size(); ++i) {
    const double step = steps.step[i][column], ratio = steps.ratio[i][column];
    diagonal.push_back(1.0 / step + before);
    before = ratio / step;
    norm *= ratio;
    if (norm < least_residual * least_residual || i + 1 == steps.step.size()) break;
    beside.push_back(std::sqrt(ratio) / step);
  }
  if (diagonal.empty()) return 0.0;
  Eigen::SelfAdjointEigenSolver<MatrixXd> solver;
  solver.computeFromTridiagonal(Eigen::Map<const VectorXd>(diagonal.data(), Index(diagonal.size())),
                                Eigen::Map<const VectorXd>(beside.data(), Index(beside.size())));
  const Eigen::ArrayXd first = solver.eigenvectors().row(0).transpose().array();
  return (first.square() * solver.eigenvalues().array().max(1e-300).log()).sum() - (diagonal.front() - 1.0);
}

// x of A x = right.
BlockSolution whitened_solve(const NoisyCovariance& covariance, const VecchiaRoot& root, const MatrixXd& right,
                             const IterativeSettings& settings, const RunContext& context, ConjugateSteps* steps) {
  BlockSolution at;
  at.solved = MatrixXd::Zero(right.rows(), right.cols());
  const VectorXd size = right.colwise().norm().cwiseMax(1e-300);
  const auto multiply = [&](const MatrixXd& p, MatrixXd&) -> MatrixXd {
    return root.times(covariance.times(root.transposed_times(p, context), context), context);
  };
  const auto same = [](const MatrixXd& r) -> const MatrixXd& { return r; };
  block_conjugate_gradients(multiply, same, right, size, settings.tolerance, settings.max_iterations, at, steps);
  return at;
}

}  // namespace

MatrixXd VecchiaRoot::times(const MatrixXd& r, const RunContext& context) const {
  MatrixXd x(r.rows(), r.cols());
  parallel_for(context, r.cols(), [&](Index c) {
    for (Index i = 0; i < neighbors.n; ++i) {
      double rest = r(i, c);
      for (int l = 0; l < neighbors.k && neighbors[i][l] >= 0; ++l)
        rest -= weights[i * neighbors.k + l] * r(neighbors[i][l], c);
      x(i, c) = rest / deviations[i];
    }
  });
  return x;
}

MatrixXd VecchiaRoot::transposed_times(const MatrixXd& x, const RunContext& context) const {
  MatrixXd r = deviations.cwiseInverse().asDiagonal() * x;
  const MatrixXd own = r;
  parallel_for(context, x.cols(), [&](Index c) {
    for (Index i = 0; i < neighbors.n; ++i)
      for (int l = 0; l < neighbors.k && neighbors[i][l] >= 0; ++l)
        r(neighbors[i][l], c) -= weights[i * neighbors.k + l] * own(i, c);
  });
  return r;
}

MatrixXd VecchiaRoot::solve(const MatrixXd& z, const std::vector<int>& order, const RunContext& context) const {
  MatrixXd r = deviations.asDiagonal() * z;
  parallel_for(context, z.cols(), [&](Index c) {
    for (const int i : order)
      for (int l = 0; l < neighbors.k && neighbors[i][l] >= 0; ++l)
        r(i, c) += weights[Index(i) * neighbors.k + l] * r(neighbors[i][l], c);
  });
  return r;
}

IterativeSolution iterative_solve(const IterativeEquations& equations, const MatrixXd& columns, const MatrixXd& probes,
                                  const IterativeSettings& settings, const RunContext& context) {
  const Index n = equations.coords.n, c = columns.cols(), t = probes.cols();
  if (columns.rows() != n || probes.rows() != n || equations.root.neighbors.n != n)
    throw Error("Columns, probes and neighbours must have a row for each location.");
  const NoisyCovariance covariance(equations);
  MatrixXd right(n, c + t);
  right << equations.root.times(columns, context), probes;
  ConjugateSteps steps;
  const BlockSolution at = whitened_solve(covariance, equations.root, right, settings, context, &steps);
  IterativeSolution result;
  result.iterations = at.iterations;
  result.residual = at.residual;
  // right'A^-1 right but for terms quadratic in what remains
  result.gram = right.leftCols(c).transpose() * at.solved.leftCols(c) +
                at.solved.leftCols(c).transpose() * at.remainder.leftCols(c);
  result.gram = (0.5 * (result.gram + result.gram.transpose())).eval();
  const MatrixXd solved = equations.root.transposed_times(at.solved, context);
  result.solved = solved.leftCols(c);
  result.left = solved.rightCols(t);
  result.right = equations.root.transposed_times(probes, context);
  result.log_dets.resize(t);
  for (Index j = 0; j < t; ++j) result.log_dets[j] = probes.col(j).squaredNorm() * remainder_quadrature(steps, c + j);
  return result;
}

std::vector<double> iterative_gradient(const IterativeEquations& equations, const MatrixXd& left, const MatrixXd& right,
                                       const RunContext& context) {
  const Points coords = equations.coords;
  const InducingPoints all(equations.covariance, coords);
  const InducingGradient zero = all.zero_gradient();
  const Index numbers = Index(zero.positions.size());
  std::vector<double> gradient =
      sum_rows(coords.n, iterative_chunk, numbers, context, zero, [&](Index first, Index last, InducingGradient& sum) {
        const Index count = last - first;
        std::vector<ComponentCovariances> parts;
        const MatrixXd k = all.covariances({coords[first], count, coords.dim}, &parts);
        MatrixXd bar = left * right.middleRows(first, count).transpose();
        const double scale = bar.cwiseProduct(k).sum();
        all.contract(parts, bar, scale, sum);
      }).parameters;
  const double of_noise = (left.cwiseProduct(right).rowwise().sum().array() * equations.noise.array()).sum();
  if (equations.covariance.nugget > 0.0) gradient[equations.covariance.nugget_parameter()] += of_noise;
  return gradient;
}

IterativePrediction iterative_predict(const IterativeEquations& equations, Points targets, const MatrixXd& solved,
                                      const IterativeSettings& settings, const RunContext& context) {
  const NoisyCovariance covariance(equations);
  IterativePrediction result{MatrixXd(targets.n, solved.cols()), VectorXd(targets.n)};
  for (Index first = 0; first < targets.n; first += targets_at_once) {
    const Index count = std::min(targets_at_once, targets.n - first);
    const MatrixXd k = covariance.points().covariances({targets[first], count, targets.dim}, nullptr);
    result.weighted.middleRows(first, count) = k.transpose() * solved;
    const MatrixXd right = equations.root.times(k, context);
    const BlockSolution at = whitened_solve(covariance, equations.root, right, settings, context, nullptr);
    result.variance.segment(first, count) =
        (equations.covariance.variance - column_products(right, at.solved).array()).max(0.0);
  }
  return result;
}

}  // namespace neargp
