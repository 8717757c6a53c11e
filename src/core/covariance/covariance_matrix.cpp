#include "covariance/covariance_matrix.h"

#include "base/memory.h"
#include "covariance/areal_covariance.h"
#include "covariance/dense_entry.h"

namespace neargp {

Eigen::VectorXd noise_variances(const PreparedCovariance& covariance, const double* noise_scale, Index n,
                                const int* outputs) {
  Eigen::VectorXd noise = covariance.nugget * Eigen::Map<const Eigen::VectorXd>(noise_scale, n);
  for (Index i = 0; outputs && i < n; ++i) noise[i] = covariance.output_nuggets[outputs[i]] * noise_scale[i];
  return noise;
}

Eigen::VectorXd field_variances(const PreparedCovariance& covariance, Points points, const int* outputs) {
  if (covariance.is_areal()) return areal_variances(covariance, points);
  Eigen::VectorXd variance = Eigen::VectorXd::Constant(points.n, covariance.variance);
  for (Index i = 0; outputs && i < points.n; ++i) variance[i] = covariance.output_variance(outputs[i]);
  for (const PreparedComponent& component : covariance.components) {
    if (!component.has_row_deviations()) continue;
    const MetricPoints at(component, points);
    for (Index i = 0; i < points.n; ++i) variance[i] += component.variance * (at.sd[i] * at.sd[i] - 1.0);
  }
  return variance;
}

Eigen::MatrixXd covariance_matrix(const PreparedCovariance& covariance, Points a, Points b, const int* outputs_a,
                                  const int* outputs_b, const RunContext& context) {
  check_memory("A covariance matrix", double(a.n), double(b.n));
  if (covariance.is_areal()) return areal_covariance_matrix(covariance, a, b, context);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(a.n, b.n);
  for (const PreparedComponent& component : covariance.components) {
    const MetricPoints xa(component, a), xb(component, b);
    if (component.is_space_time()) {
      for_each_column(b.n, context, [&](Index j) {
        for (Index i = 0; i < a.n; ++i) {
          const double coupling =
              outputs_a ? loading_product(component, outputs_a[i], outputs_b[j]) / component.variance : 1.0;
          matrix(i, j) += space_time_entry(component, xa, i, xb, j).value * coupling;
        }
      });
      continue;
    }
    with_family(component, [&](const auto& correlation) {
      for_each_column(b.n, context, [&](Index j) {
        for (Index i = 0; i < a.n; ++i) {
          const PairScale scale = pair_scale(xa, i, xb, j);
          const double r2 = xa.squared_distance(i, xb, j) * scale.of_r2;
          double c, slope, shape;
          correlation.template evaluate<false, false>(r2, c, slope, shape);
          const double variance =
              outputs_a ? loading_product(component, outputs_a[i], outputs_b[j]) : component.variance;
          matrix(i, j) += c * (variance * scale.factor());
        }
      });
    });
  }
  return matrix;
}

double correlation_at(const PreparedComponent& component, double distance) {
  const double r = distance * component.inverse_range[0];
  double c, slope, shape;
  with_family(component,
              [&](const auto& correlation) { correlation.template evaluate<false, false>(r * r, c, slope, shape); });
  return c;
}

}  // namespace neargp
