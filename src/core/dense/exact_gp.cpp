#include "dense/exact_gp.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "base/error.h"
#include "dense/covariance_matrix.h"
#include "local/conditional_output.h"
#include "local/kernels.h"

namespace neargp {

namespace {

using Matrix = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct DenseFactor {
  Eigen::LLT<Matrix> llt;
  bool failed;
};

// Cholesky factor of the covariance matrix of noisy data. Rounding can leave a singular
// matrix with tiny positive pivots: those count as failure, as in the tiles.
DenseFactor factorise(const PreparedCovariance& covariance, const LocalData& data) {
  Matrix s = covariance_matrix(covariance, data.coords, data.coords, data.outputs, data.outputs);
  s.diagonal() += noise_variances(covariance, data.noise_scale, data.coords.n, data.outputs);
  const Eigen::VectorXd diagonal = s.diagonal();
  DenseFactor factor{Eigen::LLT<Matrix>(s), false};
  const Eigen::VectorXd pivots = factor.llt.matrixLLT().diagonal().array().square();
  factor.failed = factor.llt.info() != Eigen::Success || (pivots.array() <= 1e-14 * diagonal.array()).any();
  return factor;
}

// S^-1 dS_a for every parameter that is wanted. Noise has a diagonal derivative, and S is
// the sum of the derivatives in all log variances and the log nugget, which leaves one
// dense product for each length and shape parameter; of several outputs it is no such sum.
std::vector<Matrix> solved_derivatives(const PreparedCovariance& prepared, const LocalData& data,
                                       const std::vector<Matrix>& derivatives, const Matrix& inverse) {
  const Eigen::Map<const Eigen::VectorXd> scale(data.noise_scale, data.coords.n);
  std::vector<Matrix> solved(derivatives.size());
  if (prepared.outputs() > 0) {
    for (std::size_t a = 0; a < derivatives.size(); ++a)
      if (derivatives[a].size() > 0) solved[a] = inverse * derivatives[a];
    return solved;
  }
  const int first = prepared.components[0].variance_parameter;
  for (std::size_t a = 0; a < derivatives.size(); ++a)
    if (int(a) != first && int(a) != prepared.nugget_parameter() && derivatives[a].size() > 0)
      solved[a] = inverse * derivatives[a];
  solved[first] = Matrix::Identity(inverse.rows(), inverse.cols());
  if (prepared.nugget > 0.0) {
    solved[prepared.nugget_parameter()] = inverse * (prepared.nugget * scale).asDiagonal();
    solved[first] -= solved[prepared.nugget_parameter()];
  }
  for (std::size_t c = 1; c < prepared.components.size(); ++c)
    solved[first] -= solved[prepared.components[c].variance_parameter];
  return solved;
}

void add_derivatives(const std::vector<Matrix>& derivatives, const std::vector<Matrix>& solved,
                     const Covariance& covariance, const Matrix& weighted, LikelihoodSums& sums) {
  const int p = int(derivatives.size());
  const int c = int(weighted.cols());
  sums.d_log_det.assign(p, 0.0);
  sums.d_gram.assign(p * c * c, 0.0);
  sums.information.assign(p * p, 0.0);
  const auto wanted = [&](int a) { return derivatives[a].size() > 0 && covariance.is_active(a); };
  for (int a = 0; a < p; ++a) {
    if (!wanted(a)) continue;
    sums.d_log_det[a] = solved[a].trace();
    const Matrix d_gram = -weighted.transpose() * derivatives[a] * weighted;
    Eigen::Map<Matrix>(sums.d_gram.data() + a * c * c, c, c) = d_gram;
    for (int b = 0; b <= a; ++b)
      if (wanted(b))
        sums.information[a * p + b] = sums.information[b * p + a] =
            0.5 * solved[a].cwiseProduct(solved[b].transpose()).sum();
  }
}

}  // namespace

LikelihoodSums exact_sums(const LocalData& data, const Covariance& covariance, bool information) {
  check_outputs(data.outputs, data.coords.n, covariance);
  const PreparedCovariance prepared =
      prepare(covariance, data.coords.dim, information, local_kernels().fill_matern_table);
  const DenseFactor factor = factorise(prepared, data);
  LikelihoodSums sums;
  sums.gram.assign(data.columns * data.columns, 0.0);
  if (factor.failed) {
    sums.failed = 0;
    return sums;
  }
  const Matrix columns = Eigen::Map<const RowMajor>(data.values, data.coords.n, data.columns);
  const Matrix weighted = factor.llt.solve(columns);
  sums.log_det = 2.0 * factor.llt.matrixLLT().diagonal().array().log().sum();
  Eigen::Map<Matrix>(sums.gram.data(), data.columns, data.columns) = columns.transpose() * weighted;
  if (information) {
    const std::vector<Matrix> derivatives = covariance_derivatives(prepared, data.coords, data.noise_scale, data.outputs);
    const Matrix inverse = factor.llt.solve(Matrix::Identity(data.coords.n, data.coords.n));
    add_derivatives(derivatives, solved_derivatives(prepared, data, derivatives, inverse), covariance, weighted,
                    sums);
  }
  return sums;
}

ObjectiveGradient exact_gradient(const LocalData& data, const Covariance& covariance, const std::vector<double>& beta) {
  check_outputs(data.outputs, data.coords.n, covariance);
  if (int(beta.size()) != data.columns - 1)
    throw Error("There must be one trend coefficient for each column of the design.");
  const PreparedCovariance prepared = prepare(covariance, data.coords.dim, true, local_kernels().fill_matern_table);
  const DenseFactor factor = factorise(prepared, data);
  ObjectiveGradient result;
  result.gradient.assign(covariance.parameters(), 0.0);
  if (factor.failed) {
    result.failed = 0;
    return result;
  }
  const Index n = data.coords.n;
  Eigen::VectorXd contrast(data.columns);
  contrast << 1.0, -Eigen::Map<const Eigen::VectorXd>(beta.data(), Index(beta.size()));
  const Eigen::VectorXd e = Eigen::Map<const RowMajor>(data.values, n, data.columns) * contrast;
  const Eigen::VectorXd alpha = factor.llt.solve(e);
  const double log_det = 2.0 * factor.llt.matrixLLT().diagonal().array().log().sum();
  result.value = -0.5 * (double(n) * log_two_pi + log_det + e.dot(alpha));
  const Matrix weights = 0.5 * (alpha * alpha.transpose() - factor.llt.solve(Matrix::Identity(n, n)));
  const std::vector<Matrix> derivatives = covariance_derivatives(prepared, data.coords, data.noise_scale, data.outputs);
  for (std::size_t a = 0; a < derivatives.size(); ++a)
    if (derivatives[a].size() > 0 && covariance.is_active(int(a)))
      result.gradient[a] = weights.cwiseProduct(derivatives[a]).sum();
  return result;
}

Kriging exact_krige(const LocalData& data, Points targets, const Covariance& covariance, const int* target_outputs) {
  check_outputs(data.outputs, data.coords.n, covariance);
  check_outputs(target_outputs, targets.n, covariance);
  const PreparedCovariance prepared =
      prepare(covariance, data.coords.dim, false, local_kernels().fill_matern_table);
  const DenseFactor factor = factorise(prepared, data);
  Kriging result;
  result.columns = data.columns;
  result.weighted.assign(std::size_t(targets.n) * data.columns, 0.0);
  result.variance.assign(targets.n, 0.0);
  if (factor.failed) {
    result.failed = 0;
    return result;
  }
  const Matrix cross = covariance_matrix(prepared, data.coords, targets, data.outputs, target_outputs);
  const Matrix whitened = factor.llt.matrixL().solve(cross);
  const RowMajor columns = Eigen::Map<const RowMajor>(data.values, data.coords.n, data.columns);
  const Matrix whitened_columns = factor.llt.matrixL().solve(Matrix(columns));
  Eigen::Map<RowMajor>(result.weighted.data(), targets.n, data.columns) =
      whitened.transpose() * whitened_columns;
  for (Index t = 0; t < targets.n; ++t) {
    const double variance = target_outputs ? prepared.output_variance(target_outputs[t]) : prepared.variance;
    result.variance[t] = std::max(0.0, variance - whitened.col(t).squaredNorm());
  }
  return result;
}

}  // namespace neargp
