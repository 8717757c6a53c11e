#include "effects/dense_effect_system.h"

#include "linalg/tiled_cholesky.h"

namespace neargp {

bool DenseEffectSystem::factorize(const RunContext& context) {
  const int q = rows_.columns();
  lower_ = Eigen::MatrixXd::Identity(q, q);
  for (Index t = 0; t < rows_.targets(); ++t) {
    const int* column = rows_.column(t);
    const double* w = rows_.entries(t);
    for (int b = 0; b < rows_.count(t); ++b) {
      double* own = lower_.col(column[b]).data();
      for (int a = b; a < rows_.count(t); ++a) own[column[a]] += w[a] * w[b];
    }
  }
  return tiled_cholesky(lower_, context) && lower_.diagonal().allFinite();
}

double DenseEffectSystem::log_det() const { return 2.0 * lower_.diagonal().array().log().sum(); }

bool DenseEffectSystem::solve(Eigen::MatrixXd& x) {
  lower_.triangularView<Eigen::Lower>().solveInPlace(x);
  lower_.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
  return true;
}

void DenseEffectSystem::invert(const RunContext& context) { inverse_ = tiled_inverse(lower_, context); }

void DenseEffectSystem::multiply_inverse(Index t, double* h) const {
  const int* column = rows_.column(t);
  const double* w = rows_.entries(t);
  for (int a = 0; a < rows_.count(t); ++a) {
    const double* own = inverse_.col(column[a]).data();
    double sum = 0.0;
    for (int b = 0; b < rows_.count(t); ++b) sum += own[column[b]] * w[b];
    h[a] = sum;
  }
}

double DenseEffectSystem::inverse_form(const int* column, const double* x, int count) const {
  double sum = 0.0;
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) sum += x[a] * inverse_(column[a], column[b]) * x[b];
  return sum;
}

}  // namespace neargp
