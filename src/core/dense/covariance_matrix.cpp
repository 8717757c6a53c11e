#include "dense/covariance_matrix.h"

#include "covariance/with_family.h"

namespace neargp {

namespace {

std::vector<double> scaled_points(const PreparedComponent& component, Points points) {
  std::vector<double> scaled(std::size_t(points.n) * points.dim);
  for (Index i = 0; i < points.n; ++i)
    scale_point(component, points.dim, points[i], scaled.data() + i * points.dim);
  return scaled;
}

double form_value(const ScaleDerivative& form, const double* x, const double* y) {
  if (form.planar()) {
    const double d0 = x[0] - y[0], d1 = x[1] - y[1];
    return form.m11 * d0 * d0 + 2 * form.m12 * d0 * d1 + form.m22 * d1 * d1;
  }
  double sum = 0.0;
  for (const int d : form.coordinates) sum += (x[d] - y[d]) * (x[d] - y[d]);
  return -2.0 * sum;
}

struct CorrelationAt {
  double value, slope, shape;
};

template <class Correlation>
CorrelationAt evaluate(const Correlation& correlation, double r2, bool want_shape) {
  CorrelationAt at{1.0, 0.0, 0.0};
  if (want_shape) {
    correlation.template evaluate<true, true>(r2, at.value, at.slope, at.shape);
  } else {
    correlation.template evaluate<true, false>(r2, at.value, at.slope, at.shape);
  }
  return at;
}

void add_component_derivatives(const PreparedComponent& component, Points points,
                               std::vector<Eigen::MatrixXd>& derivatives) {
  const Index n = points.n;
  const int dim = points.dim;
  const std::vector<double> x = scaled_points(component, points);
  derivatives[component.variance_parameter] = component.variance * Eigen::MatrixXd::Identity(n, n);
  for (const ScaleDerivative& form : component.scale_derivatives) derivatives[form.parameter].setZero(n, n);
  if (component.wants_shape()) derivatives[component.shape_parameter].setZero(n, n);
  with_family(component, [&](const auto& correlation) {
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        if (i == j) continue;
        const double* xi = x.data() + i * dim;
        const double* xj = x.data() + j * dim;
        const CorrelationAt at = evaluate(correlation, squared_distance(xi, xj, dim), component.wants_shape());
        derivatives[component.variance_parameter](i, j) = component.variance * at.value;
        for (const ScaleDerivative& form : component.scale_derivatives)
          derivatives[form.parameter](i, j) = component.variance * at.slope * form_value(form, xi, xj);
        if (component.wants_shape()) derivatives[component.shape_parameter](i, j) = component.variance * at.shape;
      }
  });
}

}  // namespace

Eigen::MatrixXd covariance_matrix(const PreparedCovariance& covariance, Points a, Points b) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(a.n, b.n);
  for (const PreparedComponent& component : covariance.components) {
    const std::vector<double> xa = scaled_points(component, a);
    const std::vector<double> xb = scaled_points(component, b);
    with_family(component, [&](const auto& correlation) {
      for (Index j = 0; j < b.n; ++j)
        for (Index i = 0; i < a.n; ++i) {
          const double r2 = squared_distance(xa.data() + i * a.dim, xb.data() + j * b.dim, a.dim);
          double c, slope, shape;
          correlation.template evaluate<false, false>(r2, c, slope, shape);
          matrix(i, j) += component.variance * c;
        }
    });
  }
  return matrix;
}

std::vector<Eigen::MatrixXd> covariance_derivatives(const PreparedCovariance& covariance, Points points,
                                                    const double* noise_scale) {
  std::vector<Eigen::MatrixXd> derivatives(covariance.parameters);
  for (const PreparedComponent& component : covariance.components)
    add_component_derivatives(component, points, derivatives);
  if (covariance.nugget > 0.0) {
    const Eigen::Map<const Eigen::VectorXd> scale(noise_scale, points.n);
    derivatives[covariance.nugget_parameter()] = (covariance.nugget * scale).asDiagonal();
  }
  return derivatives;
}

double correlation_at(const PreparedComponent& component, double distance) {
  const double r = distance * component.inverse_range[0];
  double c, slope, shape;
  with_family(component, [&](const auto& correlation) {
    correlation.template evaluate<false, false>(r * r, c, slope, shape);
  });
  return c;
}

}  // namespace neargp
