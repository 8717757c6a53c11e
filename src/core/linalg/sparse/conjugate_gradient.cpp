#include "linalg/sparse/conjugate_gradient.h"

#include <cmath>
#include <numeric>

namespace neargp {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& x, const Vector& y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0); }

// Starts a column at a guess x, and leaves h - A x in `residual`. Returns 2 h'x - x'A x, or 0 for a start at zero.
double start_from(const Eigen::Ref<const Eigen::VectorXd>& guess, const LinearMap& multiply,
                  Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> residual) {
  const Vector product = multiply({guess.data(), guess.data() + guess.size()});
  const Eigen::Map<const Eigen::VectorXd> along(product.data(), guess.size());
  const double known = guess.dot(2.0 * residual - along);
  if (!(known > 0.0)) return 0.0;
  x = guess;
  residual -= along;
  return known;
}

}  // namespace

LinearSolution conjugate_gradient(const LinearMap& multiply, const LinearMap& precondition, const Vector& h,
                                  double tolerance, int max_iterations, const RunContext& context) {
  LinearSolution solution{Vector(h.size(), 0.0), 0, false};
  Vector residual = h;
  Vector z = precondition(residual);
  Vector direction = z;
  double norm = dot(residual, z);
  const double goal = tolerance * tolerance * norm;
  for (;; ++solution.iterations) {
    solution.converged = norm <= goal;
    if (solution.converged || solution.iterations == max_iterations || !std::isfinite(norm)) return solution;
    if (context.check_interrupt) context.check_interrupt();
    const Vector product = multiply(direction);
    const double curvature = dot(direction, product);
    if (!(curvature > 0.0)) return solution;
    const double step = norm / curvature;
    for (std::size_t j = 0; j < h.size(); ++j) {
      solution.x[j] += step * direction[j];
      residual[j] -= step * product[j];
    }
    z = precondition(residual);
    const double previous = norm;
    norm = dot(residual, z);
    for (std::size_t j = 0; j < h.size(); ++j) direction[j] = z[j] + norm / previous * direction[j];
  }
}

bool conjugate_gradients(const LinearMap& multiply, const ColumnsMap& precondition, Eigen::MatrixXd& h,
                         double tolerance, int max_iterations, const Eigen::MatrixXd& guess, Eigen::MatrixXd* left) {
  Eigen::MatrixXd residual = h;
  h.setZero();
  Eigen::ArrayXd known = Eigen::ArrayXd::Zero(h.cols());
  for (Index c = 0; c < guess.cols(); ++c) known[c] = start_from(guess.col(c), multiply, h.col(c), residual.col(c));
  Eigen::MatrixXd z = residual;
  precondition(z.data(), int(z.cols()));
  Eigen::MatrixXd direction = z;
  Eigen::ArrayXd norm = residual.cwiseProduct(z).colwise().sum().transpose();
  const Eigen::ArrayXd goal = tolerance * tolerance * (known > 0.0).select(known, norm);
  for (int iteration = 0;; ++iteration) {
    if (!norm.isFinite().all()) return false;
    if ((norm <= goal).all()) {
      if (left) *left = residual;
      return true;
    }
    if (iteration == max_iterations) return false;
    for (Index c = 0; c < h.cols(); ++c) {
      if (norm[c] <= goal[c]) continue;
      const Vector product = multiply({direction.col(c).data(), direction.col(c).data() + h.rows()});
      const Eigen::Map<const Eigen::VectorXd> along(product.data(), h.rows());
      const double curvature = direction.col(c).dot(along);
      if (!(curvature > 0.0)) return false;
      const double step = norm[c] / curvature;
      h.col(c) += step * direction.col(c);
      residual.col(c) -= step * along;
    }
    z = residual;
    precondition(z.data(), int(z.cols()));
    for (Index c = 0; c < h.cols(); ++c) {
      if (norm[c] <= goal[c]) continue;
      const double previous = norm[c];
      norm[c] = residual.col(c).dot(z.col(c));
      direction.col(c) = z.col(c) + norm[c] / previous * direction.col(c);
    }
  }
}

}  // namespace neargp
