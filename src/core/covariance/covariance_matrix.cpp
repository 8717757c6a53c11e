#include "covariance/covariance_matrix.h"

#include "base/memory.h"
#include "covariance/with_family.h"
#include "parallel/parallel_for.h"

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

// Covariance of two outputs at one place.
double loading_product(const PreparedComponent& component, int p, int q) {
  double sum = 0.0;
  for (int f = 0; f < component.rank; ++f)
    sum += component.loadings[p * component.rank + f] * component.loadings[q * component.rank + f];
  return sum;
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

// body(j) for each column, 16 of them at a time.
template <class Body>
void for_each_column(Index n, const RunContext& context, const Body& body) {
  constexpr Index chunk_size = 16;
  parallel_for(context, (n + chunk_size - 1) / chunk_size, [&](Index chunk) {
    for (Index j = chunk * chunk_size; j < std::min((chunk + 1) * chunk_size, n); ++j) body(j);
  });
}

void add_component_derivatives(const PreparedComponent& component, Points points,
                               std::vector<Eigen::MatrixXd>& derivatives, const RunContext& context) {
  const Index n = points.n;
  const int dim = points.dim;
  const std::vector<double> x = scaled_points(component, points);
  derivatives[component.variance_parameter] = component.variance * Eigen::MatrixXd::Identity(n, n);
  for (const ScaleDerivative& form : component.scale_derivatives) derivatives[form.parameter].setZero(n, n);
  if (component.wants_shape()) derivatives[component.shape_parameter].setZero(n, n);
  with_family(component, [&](const auto& correlation) {
    for_each_column(n, context, [&](Index j) {
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
  });
}

// The component's derivatives with unit variance become those of several outputs: all are multiplied by the products of
// the loadings, and in place of the variance there is, for output p and factor f, corr_ij times the loading of the one of
// i and j on f for which the other is of output p, twice where both are.
void couple_derivatives(const PreparedComponent& component, const int* outputs, int count,
                        std::vector<Eigen::MatrixXd>& derivatives) {
  const Eigen::MatrixXd correlation = derivatives[component.variance_parameter];
  const Index n = correlation.rows();
  Eigen::MatrixXd products(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) products(i, j) = loading_product(component, outputs[i], outputs[j]);
  for (const ScaleDerivative& form : component.scale_derivatives) derivatives[form.parameter].array() *= products.array();
  if (component.wants_shape()) derivatives[component.shape_parameter].array() *= products.array();
  for (int p = 0; p < count; ++p)
    for (int f = 0; f < component.rank; ++f) {
      Eigen::VectorXd own(n), loading(n);
      for (Index i = 0; i < n; ++i) {
        own[i] = outputs[i] == p ? 1.0 : 0.0;
        loading[i] = component.loadings[outputs[i] * component.rank + f];
      }
      derivatives[component.variance_parameter + p * component.rank + f] =
          correlation.cwiseProduct(own * loading.transpose() + loading * own.transpose());
    }
}

}  // namespace

Eigen::VectorXd noise_variances(const PreparedCovariance& covariance, const double* noise_scale, Index n,
                                const int* outputs) {
  Eigen::VectorXd noise = covariance.nugget * Eigen::Map<const Eigen::VectorXd>(noise_scale, n);
  for (Index i = 0; outputs && i < n; ++i) noise[i] = covariance.output_nuggets[outputs[i]] * noise_scale[i];
  return noise;
}

Eigen::VectorXd field_variances(const PreparedCovariance& covariance, Index n, const int* outputs) {
  Eigen::VectorXd variance = Eigen::VectorXd::Constant(n, covariance.variance);
  for (Index i = 0; outputs && i < n; ++i) variance[i] = covariance.output_variance(outputs[i]);
  return variance;
}

Eigen::MatrixXd covariance_matrix(const PreparedCovariance& covariance, Points a, Points b, const int* outputs_a,
                                  const int* outputs_b, const RunContext& context) {
  check_memory("A covariance matrix", double(a.n), double(b.n));
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(a.n, b.n);
  for (const PreparedComponent& component : covariance.components) {
    const std::vector<double> xa = scaled_points(component, a);
    const std::vector<double> xb = scaled_points(component, b);
    with_family(component, [&](const auto& correlation) {
      for_each_column(b.n, context, [&](Index j) {
        for (Index i = 0; i < a.n; ++i) {
          const double r2 = squared_distance(xa.data() + i * a.dim, xb.data() + j * b.dim, a.dim);
          double c, slope, shape;
          correlation.template evaluate<false, false>(r2, c, slope, shape);
          matrix(i, j) += c * (outputs_a ? loading_product(component, outputs_a[i], outputs_b[j]) : component.variance);
        }
      });
    });
  }
  return matrix;
}

std::vector<Eigen::MatrixXd> covariance_derivatives(const PreparedCovariance& covariance, Points points,
                                                    const double* noise_scale, const int* outputs,
                                                    const RunContext& context) {
  check_memory("The derivatives of the covariance matrix", double(points.n) * covariance.parameters, double(points.n));
  std::vector<Eigen::MatrixXd> derivatives(covariance.parameters);
  for (const PreparedComponent& component : covariance.components)
    add_component_derivatives(component, points, derivatives, context);
  const Eigen::VectorXd noise = noise_variances(covariance, noise_scale, points.n, outputs);
  if (covariance.nugget > 0.0) derivatives[covariance.nugget_parameter()] = noise.asDiagonal();
  if (!outputs) return derivatives;
  for (const PreparedComponent& component : covariance.components)
    couple_derivatives(component, outputs, covariance.outputs(), derivatives);
  for (int p = 0; p < covariance.outputs(); ++p) {
    Eigen::VectorXd own = noise;
    for (Index i = 0; i < points.n; ++i) own[i] *= outputs[i] == p ? 1.0 : 0.0;
    derivatives[covariance.nugget_parameter() + p] = own.asDiagonal();
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
