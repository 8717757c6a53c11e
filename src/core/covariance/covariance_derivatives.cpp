// Dense matrices of derivatives. The slopes of the families are in families.h, those of any smoothness in
// matern_table.h.
#include <vector>

#include "base/memory.h"
#include "covariance/areal_covariance.h"
#include "covariance/covariance_matrix.h"
#include "covariance/dense_entry.h"

namespace neargp {

namespace {

// The derivatives in the coefficients of a local field, from that in the field at the row of each entry.
void add_field_derivatives(const PreparedLocal& local, const Eigen::MatrixXd& in_row, Points points,
                           std::vector<Eigen::MatrixXd>& derivatives) {
  for (int m = 0; m < local.field.size(); ++m) {
    Eigen::VectorXd covariate(points.n);
    for (Index i = 0; i < points.n; ++i) covariate[i] = points[i][local.field.columns[m]];
    const Eigen::MatrixXd half = covariate.asDiagonal() * in_row;
    derivatives[local.first_parameter + m] = half + half.transpose();
  }
}

// The same of a warped coordinate, from the derivative of each entry in r2.
void add_warp_derivatives(const PreparedWarp& warp, const Eigen::MatrixXd& slope, const MetricPoints& x, Points points,
                          std::vector<Eigen::MatrixXd>& derivatives) {
  Eigen::VectorXd z(points.n), column(points.n);
  for (Index i = 0; i < points.n; ++i) z[i] = x.at(i)[warp.coordinate];
  const Eigen::MatrixXd along = 2.0 * (z.asDiagonal() * slope - slope * z.asDiagonal());
  for (int m = 0; m < warp.size(); ++m) {
    for (Index i = 0; i < points.n; ++i) column[i] = warp.slopes[m] * points[i][warp.columns[m]];
    derivatives[warp.first_parameter + m] = column.asDiagonal() * along - along * column.asDiagonal();
  }
}

// Derivatives of each entry in the log range of its row, and in r2: those that coefficients of ranges and warps take.
struct LocalMatrices {
  Eigen::MatrixXd in_range, in_r2;

  LocalMatrices(const PreparedComponent& component, Index n) {
    if (component.log_range.wanted) in_range.setZero(n, n);
    if (component.wants_warps) in_r2.setZero(n, n);
  }
};

void add_local_derivatives(const PreparedComponent& component, const LocalMatrices& local, const MetricPoints& x,
                           Points points, std::vector<Eigen::MatrixXd>& derivatives) {
  if (component.log_sd.wanted)
    add_field_derivatives(component.log_sd, derivatives[component.variance_parameter], points, derivatives);
  if (component.log_range.wanted) add_field_derivatives(component.log_range, local.in_range, points, derivatives);
  for (const PreparedWarp& warp : component.warps)
    if (component.wants_warps) add_warp_derivatives(warp, local.in_r2, x, points, derivatives);
}

void add_space_time_derivatives(const PreparedComponent& component, Points points,
                                std::vector<Eigen::MatrixXd>& derivatives, const RunContext& context) {
  const Index n = points.n;
  const MetricPoints x(component, points);
  std::vector<int> parameters{component.variance_parameter};
  for (const ScaleDerivative& form : component.scale_derivatives) parameters.push_back(form.parameter);
  if (component.wants_shape()) parameters.push_back(component.shape_parameter);
  for (int term = 0; term < space_time_terms; ++term)
    if (component.wants_term(term)) parameters.push_back(component.term_parameter[term]);
  for (const int parameter : parameters) derivatives[parameter].setZero(n, n);
  LocalMatrices local(component, n);
  for_each_column(n, context, [&](Index j) {
    for (Index i = 0; i < n; ++i) {
      const SpaceTimeEntry<double> entry = space_time_entry(component, x, i, x, j);
      derivatives[component.variance_parameter](i, j) = entry.value;
      if (i == j) continue;
      for (const ScaleDerivative& form : component.scale_derivatives)
        derivatives[form.parameter](i, j) =
            entry.in_space * (component.single_scale ? 1.0 : difference_form(form, x.at(i), x.at(j)));
      if (component.wants_shape()) derivatives[component.shape_parameter](i, j) = entry.in_shape;
      for (int term = 0; term < space_time_terms; ++term)
        if (component.wants_term(term)) derivatives[component.term_parameter[term]](i, j) = entry.term[term];
      if (component.wants_warps) local.in_r2(i, j) = entry.in_space;
      if (component.log_range.wanted)
        local.in_range(i, j) =
            in_log_range(entry.of_space, entry.moved, x.range[i], pair_scale(x, i, x, j).of_r2, x.local_dim);
    }
  });
  add_local_derivatives(component, local, x, points, derivatives);
}

void add_component_derivatives(const PreparedComponent& component, Points points,
                               std::vector<Eigen::MatrixXd>& derivatives, const RunContext& context) {
  if (component.is_space_time()) return add_space_time_derivatives(component, points, derivatives, context);
  const Index n = points.n;
  const MetricPoints x(component, points);
  Eigen::MatrixXd& in_variance = derivatives[component.variance_parameter];
  LocalMatrices local(component, n);
  in_variance.resize(n, n);
  for (const ScaleDerivative& form : component.scale_derivatives) derivatives[form.parameter].setZero(n, n);
  if (component.wants_shape()) derivatives[component.shape_parameter].setZero(n, n);
  with_family(component, [&](const auto& correlation) {
    for_each_column(n, context, [&](Index j) {
      for (Index i = 0; i < n; ++i) {
        const PairScale scale = pair_scale(x, i, x, j);
        const double variance = component.variance * scale.factor();
        if (i == j) {
          in_variance(i, i) = variance;
          continue;
        }
        const double r2 = x.squared_distance(i, x, j) * scale.of_r2;
        const CorrelationAt at = evaluate_correlation(correlation, r2, component.wants_shape());
        in_variance(i, j) = variance * at.value;
        for (const ScaleDerivative& form : component.scale_derivatives)
          derivatives[form.parameter](i, j) =
              variance * scale.of_r2 * at.slope * difference_form(form, x.at(i), x.at(j));
        if (component.wants_shape()) derivatives[component.shape_parameter](i, j) = variance * at.shape;
        if (component.wants_warps) local.in_r2(i, j) = variance * scale.of_r2 * at.slope;
        if (component.log_range.wanted)
          local.in_range(i, j) =
              in_log_range(variance * at.value, variance * at.slope * r2, x.range[i], scale.of_r2, x.local_dim);
      }
    });
  });
  add_local_derivatives(component, local, x, points, derivatives);
}

// Turns the component's derivatives with unit variance into those of several responses. All are multiplied by the
// products of the loadings. The derivative in the loading of output p on factor f, in place of that in the variance, is
// corr_ij times a loading on f. It is the loading of j if i is of output p, that of i if j is, and twice that loading
// if both are.
void couple_derivatives(const PreparedComponent& component, const int* outputs, int count,
                        std::vector<Eigen::MatrixXd>& derivatives) {
  const Eigen::MatrixXd correlation = derivatives[component.variance_parameter];
  const Index n = correlation.rows();
  Eigen::MatrixXd products(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) products(i, j) = loading_product(component, outputs[i], outputs[j]);
  for (const ScaleDerivative& form : component.scale_derivatives)
    derivatives[form.parameter].array() *= products.array();
  if (component.wants_shape()) derivatives[component.shape_parameter].array() *= products.array();
  for (const int parameter : component.term_parameter)
    if (parameter >= 0) derivatives[parameter].array() *= products.array();
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

std::vector<Eigen::MatrixXd> covariance_derivatives(const PreparedCovariance& covariance, Points points,
                                                    const double* noise_scale, const int* outputs,
                                                    const RunContext& context) {
  check_memory("The derivatives of the covariance matrix", double(points.n) * covariance.parameters, double(points.n));
  std::vector<Eigen::MatrixXd> derivatives(covariance.parameters);
  for (const PreparedComponent& component : covariance.components) {
    if (covariance.is_areal()) {
      add_areal_derivatives(component, covariance.support, points, derivatives, context);
    } else {
      add_component_derivatives(component, points, derivatives, context);
    }
  }
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

}  // namespace neargp
