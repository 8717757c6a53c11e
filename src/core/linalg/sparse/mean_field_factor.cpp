#include "linalg/sparse/mean_field_factor.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace neargp {

MeanFieldFactor::MeanFieldFactor(const SparsePattern& pattern, std::unique_ptr<SparseFactor> solver)
    : pattern_(pattern), solver_(std::move(solver)), diagonal_(pattern.nodes()) {}

bool MeanFieldFactor::factorize(const double* values, const RunContext& context) {
  pattern_.diagonal(values, diagonal_.data());
  return solver_->factorize(values, context);
}

double MeanFieldFactor::log_det() const {
  double sum = 0.0;
  for (const double a : diagonal_) sum += std::log(a);
  return sum;
}

void MeanFieldFactor::inverse(double* values, const RunContext&) const {
  std::fill_n(values, pattern_.entries(), 0.0);
  std::vector<double> variance(diagonal_.size());
  for (std::size_t j = 0; j < variance.size(); ++j) variance[j] = 1.0 / diagonal_[j];
  pattern_.add_diagonal(variance.data(), values);
}

void MeanFieldFactor::solve(double* x, int columns, const RunContext& context) const {
  solver_->solve(x, columns, context);
}

double MeanFieldFactor::inverse_quadratic_form(const int* nodes, const double* weights, int count, Workspace&) const {
  double sum = 0.0;
  for (int m = 0; m < count; ++m) sum += weights[m] * weights[m] / diagonal_[nodes[m]];
  return sum;
}

}  // namespace neargp
