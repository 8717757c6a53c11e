#include "response/exact_gp.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "conditional/operations.h"
#include "covariance/covariance_matrix.h"
#include "linalg/tiled_cholesky.h"

namespace neargp {

namespace {

using Matrix = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct DenseFactor {
  Matrix lower;
  bool failed;

  auto triangle() const { return lower.triangularView<Eigen::Lower>(); }
  Matrix solve(const Matrix& few_columns) const {
    return lower.transpose().triangularView<Eigen::Upper>().solve(Matrix(triangle().solve(few_columns)));
  }
  double log_det() const { return 2.0 * lower.diagonal().array().log().sum(); }
};

// Cholesky factor in place, false where there is none. Rounding can leave a singular matrix with tiny positive pivots:
// those count as failure, as in the tiles.
bool regular_cholesky(Matrix& s, const RunContext& context) {
  const Eigen::ArrayXd diagonal = s.diagonal();
  return tiled_cholesky(s, context) && (s.diagonal().array().square() > 1e-14 * diagonal).all();
}

// Cholesky factor of the covariance matrix of noisy data.
DenseFactor factorize(const PreparedCovariance& covariance, const LocalData& data, const RunContext& context) {
  DenseFactor factor{covariance_matrix(covariance, data.coords, data.coords, data.outputs, data.outputs, context),
                     true};
  factor.lower.diagonal() += noise_variances(covariance, data.noise_scale, data.coords.n, data.outputs);
  factor.failed = !regular_cholesky(factor.lower, context);
  return factor;
}

// The derivative of each row's noise variance, in a parameter of its own model.
Eigen::VectorXd noise_derivative(const LocalData& data, int parameter) {
  return Eigen::Map<const RowMajor>(data.noise_derivatives, data.coords.n, data.noise_parameters).col(parameter);
}

// dS_a for every parameter that is wanted.
std::vector<Matrix> derivatives_of(const PreparedCovariance& prepared, const LocalData& data,
                                   const RunContext& context) {
  std::vector<Matrix> derivatives =
      covariance_derivatives(prepared, data.coords, data.noise_scale, data.outputs, context);
  for (int j = 0; j < prepared.noise_parameters; ++j)
    derivatives[prepared.noise_parameter(j)] = noise_derivative(data, j).asDiagonal();
  return derivatives;
}

Covariance with_noise_parameters(const Covariance& covariance, const LocalData& data) {
  Covariance own = covariance;
  own.noise_parameters = data.noise_parameters;
  return own;
}

// S^-1 dS_a for every parameter that is wanted. The derivative in the nugget is diagonal. S is the sum of the
// derivatives in all log variances and the log nugget. Therefore the nugget and the first variance need no dense
// product. With multiple outputs, S is no such sum.
std::vector<Matrix> solved_derivatives(const PreparedCovariance& prepared, const LocalData& data,
                                       const std::vector<Matrix>& derivatives, const Matrix& inverse,
                                       const RunContext& context) {
  const Eigen::Map<const Eigen::VectorXd> scale(data.noise_scale, data.coords.n);
  const int nugget = prepared.outputs() > 0 ? -1 : prepared.nugget_parameter();
  std::vector<Matrix> solved(derivatives.size());
  if (prepared.outputs() > 0) {
    for (std::size_t a = 0; a < derivatives.size(); ++a)
      if (derivatives[a].size() > 0) solved[a] = tiled_product(inverse, derivatives[a], context);
    return solved;
  }
  const int first = prepared.components[0].variance_parameter;
  for (std::size_t a = 0; a < derivatives.size(); ++a)
    if (int(a) != first && int(a) < nugget && derivatives[a].size() > 0)
      solved[a] = tiled_product(inverse, derivatives[a], context);
  solved[first] = Matrix::Identity(inverse.rows(), inverse.cols());
  if (prepared.nugget > 0.0) {
    solved[nugget] = inverse * (prepared.nugget * scale).asDiagonal();
    solved[first] -= solved[nugget];
  }
  for (std::size_t c = 1; c < prepared.components.size(); ++c)
    solved[first] -= solved[prepared.components[c].variance_parameter];
  for (int j = 0; j < prepared.noise_parameters; ++j)
    solved[prepared.noise_parameter(j)] = inverse * noise_derivative(data, j).asDiagonal();
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

LikelihoodSums exact_sums(const LocalData& data, const Covariance& given, bool information, const RunContext& context) {
  check_outputs(data.outputs, data.coords.n, given);
  const Covariance covariance = with_noise_parameters(given, data);
  const PreparedCovariance prepared = prepare(covariance, data.coords.dim, information);
  const DenseFactor factor = factorize(prepared, data, context);
  LikelihoodSums sums;
  sums.gram.assign(data.columns * data.columns, 0.0);
  if (factor.failed) {
    sums.failed = 0;
    return sums;
  }
  const Matrix columns = Eigen::Map<const RowMajor>(data.values, data.coords.n, data.columns);
  const Matrix weighted = factor.solve(columns);
  sums.log_det = factor.log_det();
  Eigen::Map<Matrix>(sums.gram.data(), data.columns, data.columns) = columns.transpose() * weighted;
  if (information) {
    const std::vector<Matrix> derivatives = derivatives_of(prepared, data, context);
    const Matrix inverse = tiled_inverse(factor.lower, context);
    add_derivatives(derivatives, solved_derivatives(prepared, data, derivatives, inverse, context), covariance,
                    weighted, sums);
  }
  return sums;
}

ObjectiveGradient exact_gradient(const LocalData& data, const Covariance& given, const std::vector<double>& beta,
                                 const RunContext& context) {
  check_outputs(data.outputs, data.coords.n, given);
  const Covariance covariance = with_noise_parameters(given, data);
  if (int(beta.size()) != data.columns - 1)
    throw Error("There must be one trend coefficient for each column of the design.");
  const PreparedCovariance prepared = prepare(covariance, data.coords.dim, true);
  const DenseFactor factor = factorize(prepared, data, context);
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
  const Eigen::VectorXd alpha = factor.solve(e);
  result.value = -0.5 * (double(n) * log_two_pi + factor.log_det() + e.dot(alpha));
  const Matrix weights = 0.5 * (alpha * alpha.transpose() - tiled_inverse(factor.lower, context));
  const std::vector<Matrix> derivatives = derivatives_of(prepared, data, context);
  for (std::size_t a = 0; a < derivatives.size(); ++a)
    if (derivatives[a].size() > 0 && covariance.is_active(int(a)))
      result.gradient[a] = weights.cwiseProduct(derivatives[a]).sum();
  return result;
}

ExactPredictor::ExactPredictor(const LocalData& data, const Covariance& covariance, const RunContext& context)
    : data_(data), covariance_(covariance), prepared_(prepare(covariance, data.coords.dim, false)) {
  check_outputs(data.outputs, data.coords.n, covariance);
  DenseFactor factor = factorize(prepared_, data, context);
  failed_ = factor.failed;
  if (failed_) return;
  const RowMajor columns = Eigen::Map<const RowMajor>(data.values, data.coords.n, data.columns);
  whitened_columns_ = factor.triangle().solve(Matrix(columns));
  lower_ = std::move(factor.lower);
}

Kriging ExactPredictor::at(Points targets, const RunContext& context, const int* target_outputs) const {
  check_outputs(target_outputs, targets.n, covariance_);
  Kriging result;
  result.columns = data_.columns;
  result.weighted.assign(std::size_t(targets.n) * data_.columns, 0.0);
  result.variance.assign(targets.n, 0.0);
  if (failed_) {
    result.failed = 0;
    return result;
  }
  Matrix whitened = covariance_matrix(prepared_, data_.coords, targets, data_.outputs, target_outputs, context);
  tiled_lower_solve(lower_, whitened, context);
  Eigen::Map<RowMajor>(result.weighted.data(), targets.n, data_.columns) = whitened.transpose() * whitened_columns_;
  const Eigen::VectorXd variance = field_variances(prepared_, targets, target_outputs);
  for (Index t = 0; t < targets.n; ++t) result.variance[t] = std::max(0.0, variance[t] - whitened.col(t).squaredNorm());
  return result;
}

Kriging exact_krige(const LocalData& data, Points targets, const Covariance& covariance, const RunContext& context,
                    const int* target_outputs) {
  return ExactPredictor(data, covariance, context).at(targets, context, target_outputs);
}

// Let L = [[A, 0], [B, C]] be the factor of the joint covariance matrix in blocks, data first. Given values y of the
// data, the targets are B A^-1 y + C normals. A solve with the right-hand side (y, 0) returns A^-1 y at its top. The
// normals then replace its bottom.
Simulation exact_simulate(const LocalData& data, Points targets, const Covariance& covariance, const double* normals,
                          const RunContext& context, const int* target_outputs) {
  if (targets.dim != data.coords.dim) throw Error("Data and new locations must have the same coordinates.");
  check_coordinates(data.coords);
  check_coordinates(targets);
  check_outputs(data.outputs, data.coords.n, covariance);
  check_outputs(target_outputs, targets.n, covariance);
  const Index n = data.coords.n, m = targets.n;
  const PreparedCovariance prepared = prepare(covariance, targets.dim, false);
  const std::vector<double> coords = joined_coords(data, targets);
  const std::vector<int> all_outputs = joined_outputs(data, target_outputs, m);
  const int* outputs = all_outputs.empty() ? nullptr : all_outputs.data();
  const Points all{coords.data(), n + m, targets.dim};

  Simulation result;
  Matrix lower;
  for (const double jitter : simulation_jitters) {
    lower = covariance_matrix(prepared, all, all, outputs, outputs, context);
    lower.diagonal() *= 1.0 + jitter;
    lower.diagonal().head(n) += noise_variances(prepared, data.noise_scale, n, data.outputs);
    result.jitter = jitter;
    result.failed = regular_cholesky(lower, context) ? -1 : 0;
    if (result.failed < 0) break;
  }
  if (result.failed >= 0) return result;
  lower.triangularView<Eigen::StrictlyUpper>().setZero();

  Matrix whitened = Matrix::Zero(n + m, data.columns);
  whitened.topRows(n) = Eigen::Map<const RowMajor>(data.values, n, data.columns);
  tiled_lower_solve(lower, whitened, context);
  whitened.bottomRows(m) = Eigen::Map<const RowMajor>(normals, m, data.columns);
  const Matrix drawn = tiled_product(lower, whitened, context);
  result.field.resize(std::size_t(m) * data.columns);
  Eigen::Map<RowMajor>(result.field.data(), m, data.columns) = drawn.bottomRows(m);
  return result;
}

}  // namespace neargp
