#include "variational/class_means.h"

#include <cmath>

namespace neargp {

namespace {

using Eigen::MatrixXd;

double product(const MatrixXd& a, const MatrixXd& b) { return a.cwiseProduct(b).sum(); }

class NewtonStep {
 public:
  NewtonStep(const ClassLabels& labels, const InducingRegression& regression,
             const std::vector<InducingPosterior>& fields, const MatrixXd& variance, const MatrixXd& slope)
      : labels_(labels), regression_(regression), fields_(fields), variance_(variance), slope_(slope) {}

  // Solves to a tenth of the first residual, in the norm of the preconditioner, since Newton's steps are repeated.
  MatrixXd solve(MatrixXd residual) const {
    constexpr int most = 60;
    MatrixXd solution = MatrixXd::Zero(residual.rows(), residual.cols());
    MatrixXd preconditioned = precondition(residual), direction = preconditioned;
    double size = product(residual, preconditioned);
    const double enough = 1e-2 * size;
    for (int iteration = 0; iteration < most && size > enough; ++iteration) {
      const MatrixXd image = apply(direction);
      const double step = size / product(direction, image);
      solution += step * direction;
      residual -= step * image;
      preconditioned = precondition(residual);
      const double next = product(residual, preconditioned);
      direction = preconditioned + (next / size) * direction;
      size = next;
    }
    return solution;
  }

 private:
  MatrixXd precondition(const MatrixXd& residual) const {
    MatrixXd result(residual.rows(), residual.cols());
    for (Index c = 0; c < residual.cols(); ++c) result.col(c) = fields_[c].solution(residual.col(c));
    return result;
  }

  MatrixXd apply(const MatrixXd& direction) const {
    MatrixXd image = regression_.sum_mapped(direction, [&](Index first, const MatrixXd& predictors) {
      return softmax_curvature_rows(labels_, first, slope_, variance_, predictors);
    });
    image.topRows(regression_.inducing()) += direction.topRows(regression_.inducing());
    return image;
  }

  const ClassLabels& labels_;
  const InducingRegression& regression_;
  const std::vector<InducingPosterior>& fields_;
  const MatrixXd& variance_;
  const MatrixXd& slope_;
};

}  // namespace

void raise_means(const ClassLabels& labels, const InducingRegression& regression,
                 const std::vector<InducingPosterior>& fields, const MatrixXd& variance, double tolerance,
                 const RunContext& context, ClassMeans& means) {
  constexpr int most = 30;
  const Index m = regression.inducing();
  const auto objective = [&](const ClassMeans& at) {
    return at.expected - 0.5 * at.coefficients.topRows(m).squaredNorm();
  };
  for (int iteration = 0; iteration < most; ++iteration) {
    MatrixXd residual =
        regression.sum_mapped(means.coefficients, [&](Index first, const MatrixXd& predictors) -> MatrixXd {
          return means.slope.middleRows(first, predictors.rows());
        });
    residual.topRows(m) -= means.coefficients.topRows(m);
    const MatrixXd step = NewtonStep(labels, regression, fields, variance, means.slope).solve(residual);
    if (!(0.5 * product(step, residual) > tolerance)) return;
    const MatrixXd moved = regression.linear_predictors(step);
    const double before = objective(means);
    for (double share = 1.0;; share *= 0.5) {
      if (share < 1e-6) return;
      ClassMeans tried{means.coefficients + share * step, means.linear_predictor + share * moved, {}, {}, 0.0};
      tried.expected =
          class_expectations(labels, tried.linear_predictor, variance, tried.slope, tried.curvature, context);
      if (!(objective(tried) > before)) continue;
      means = std::move(tried);
      break;
    }
  }
}

}  // namespace neargp
