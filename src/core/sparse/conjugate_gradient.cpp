#include "sparse/conjugate_gradient.h"

#include <cmath>
#include <vector>

namespace neargp {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

int conjugate_gradient(const SparsePattern& pattern, const double* values, const SparseFactor& preconditioner,
                       const double* h, double* x, double tolerance, int max_iterations,
                       const RunContext& context) {
  const std::size_t n = std::size_t(pattern.nodes());
  const auto precondition = [&](const Vector& r) {
    Vector z = r;
    preconditioner.solve(z.data(), 1, context);
    return z;
  };
  Vector product(n), residual(h, h + n);
  const double goal = tolerance * tolerance * dot(residual, precondition(residual));
  pattern.multiply(values, x, product.data(), context);
  for (std::size_t i = 0; i < n; ++i) residual[i] -= product[i];
  Vector z = precondition(residual);
  Vector direction = z;
  double norm = dot(residual, z);
  for (int iteration = 0;; ++iteration) {
    if (norm <= goal) return iteration;
    if (iteration == max_iterations || !std::isfinite(norm)) return -1;
    pattern.multiply(values, direction.data(), product.data(), context);
    const double curvature = dot(direction, product);
    if (!(curvature > 0.0)) return -1;
    const double step = norm / curvature;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += step * direction[i];
      residual[i] -= step * product[i];
    }
    z = precondition(residual);
    const double previous = norm;
    norm = dot(residual, z);
    for (std::size_t i = 0; i < n; ++i) direction[i] = z[i] + norm / previous * direction[i];
  }
}

}  // namespace neargp
