#include "covariance/covariance_matrix.h"

#include "base/memory.h"
#include "covariance/areal_covariance.h"
#include "covariance/entry.h"
#include "covariance/local_scale.h"
#include "covariance/space_time.h"
#include "covariance/with_family.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

// Points in the metric of a component, with the local standard deviations and ranges where it has them.
struct ScaledPoints {
  std::vector<double> z, sd, range;
  int dim;

  ScaledPoints(const PreparedComponent& component, Points points) : dim(component.dim()) {
    z.resize(std::size_t(points.n) * dim);
    for (Index i = 0; i < points.n; ++i) scale_point(component, dim, points[i], z.data() + i * dim);
    if (component.has_row_deviations())
      sd = at_points(points, [&](const auto& at) { return row_deviation<double>(component, at); });
    if (component.log_range.present())
      range = at_points(points, [&](const auto& at) { return exp_local_field<double>(component.log_range.field, at); });
  }
  const double* at(Index i) const { return z.data() + i * dim; }

 private:
  // value(covariates of a point) of each point.
  template <class Value>
  static std::vector<double> at_points(Points points, const Value& value) {
    std::vector<double> result(points.n);
    for (Index i = 0; i < points.n; ++i) result[i] = value([&](int column) { return points[i][column]; });
    return result;
  }
};

// The factor of the correlation at points i and j, and of r2 before it.
struct PairScale {
  double factor = 1.0, of_r2 = 1.0;
};

PairScale pair_scale(const ScaledPoints& a, Index i, const ScaledPoints& b, Index j) {
  PairScale scale;
  if (!a.range.empty()) {
    const LocalPair<double> pair = local_pair(a.range[i], b.range[j], a.dim);
    scale = {pair.density, pair.inverse_mean};
  }
  if (!a.sd.empty()) scale.factor *= a.sd[i] * b.sd[j];
  return scale;
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

// The derivatives in the coefficients of a local field, from that in the field at the row of each entry.
void add_local_derivatives(const PreparedLocal& local, const Eigen::MatrixXd& in_row, Points points,
                           std::vector<Eigen::MatrixXd>& derivatives) {
  for (int m = 0; m < local.field.size(); ++m) {
    Eigen::VectorXd covariate(points.n);
    for (Index i = 0; i < points.n; ++i) covariate[i] = points[i][local.field.columns[m]];
    const Eigen::MatrixXd half = covariate.asDiagonal() * in_row;
    derivatives[local.first_parameter + m] = half + half.transpose();
  }
}

// The same of a warped coordinate, from the derivative of each entry in r2.
void add_warp_derivatives(const PreparedWarp& warp, const Eigen::MatrixXd& slope, const ScaledPoints& x, Points points,
                          std::vector<Eigen::MatrixXd>& derivatives) {
  Eigen::VectorXd z(points.n), column(points.n);
  for (Index i = 0; i < points.n; ++i) z[i] = x.at(i)[warp.coordinate];
  const Eigen::MatrixXd along = 2.0 * (z.asDiagonal() * slope - slope * z.asDiagonal());
  for (int m = 0; m < warp.size(); ++m) {
    for (Index i = 0; i < points.n; ++i) column[i] = warp.slopes[m] * points[i][warp.columns[m]];
    derivatives[warp.first_parameter + m] = column.asDiagonal() * along - along * column.asDiagonal();
  }
}

Margin<double> margin(const FamilyChoice<double>& family, double r2, bool wants_shape) {
  Margin<double> result{};
  with_family(family, [&](const auto& correlation) {
    const CorrelationAt at = evaluate(correlation, r2, wants_shape);
    result = {at.value, at.slope, at.shape};
  });
  return result;
}

// Of points in the metric of a component of space and time, the last coordinate time.
SpaceTimeEntry<double> space_time_entry(const PreparedComponent& component, const double* x, const double* y) {
  SpaceTimeEntry<double> entry{};
  const int space = component.places() - 1;
  const double p = squared_distance(x, y, space), q = (x[space] - y[space]) * (x[space] - y[space]);
  if (component.space_time.is_gneiting()) {
    const GneitingTime<double> time = gneiting_time(component.space_time.alpha, component.space_time.beta, q);
    const double r2 = p * time.reach;
    gneiting_entry<true>(component, time, r2, margin(family_choice(component), r2, component.wants_shape()), entry);
  } else {
    margins_entry<true>(component, p, q, margin(family_choice(component), p, component.wants_shape()),
                        margin(time_family_choice(component), q, component.wants_term(in_time_shape)), entry);
  }
  return entry;
}

void add_space_time_derivatives(const PreparedComponent& component, Points points,
                                std::vector<Eigen::MatrixXd>& derivatives, const RunContext& context) {
  const Index n = points.n;
  const ScaledPoints x(component, points);
  std::vector<int> parameters{component.variance_parameter};
  for (const ScaleDerivative& form : component.scale_derivatives) parameters.push_back(form.parameter);
  if (component.wants_shape()) parameters.push_back(component.shape_parameter);
  for (int term = 0; term < space_time_terms; ++term)
    if (component.wants_term(term)) parameters.push_back(component.term_parameter[term]);
  for (const int parameter : parameters) derivatives[parameter].setZero(n, n);
  for_each_column(n, context, [&](Index j) {
    for (Index i = 0; i < n; ++i) {
      const SpaceTimeEntry<double> entry = space_time_entry(component, x.at(i), x.at(j));
      derivatives[component.variance_parameter](i, j) = entry.value;
      if (i == j) continue;
      for (const ScaleDerivative& form : component.scale_derivatives)
        derivatives[form.parameter](i, j) =
            entry.in_space * (component.single_scale ? 1.0 : difference_form(form, x.at(i), x.at(j)));
      if (component.wants_shape()) derivatives[component.shape_parameter](i, j) = entry.in_shape;
      for (int term = 0; term < space_time_terms; ++term)
        if (component.wants_term(term)) derivatives[component.term_parameter[term]](i, j) = entry.term[term];
    }
  });
}

void add_component_derivatives(const PreparedComponent& component, Points points,
                               std::vector<Eigen::MatrixXd>& derivatives, const RunContext& context) {
  if (component.is_space_time()) return add_space_time_derivatives(component, points, derivatives, context);
  const Index n = points.n;
  const ScaledPoints x(component, points);
  const bool moves_range = component.log_range.wanted;
  Eigen::MatrixXd& in_variance = derivatives[component.variance_parameter];
  Eigen::MatrixXd in_range = Eigen::MatrixXd::Zero(moves_range ? n : 0, moves_range ? n : 0);
  Eigen::MatrixXd in_r2 = Eigen::MatrixXd::Zero(component.wants_warps ? n : 0, component.wants_warps ? n : 0);
  in_variance.resize(n, n);
  for (const ScaleDerivative& form : component.scale_derivatives) derivatives[form.parameter].setZero(n, n);
  if (component.wants_shape()) derivatives[component.shape_parameter].setZero(n, n);
  with_family(component, [&](const auto& correlation) {
    for_each_column(n, context, [&](Index j) {
      for (Index i = 0; i < n; ++i) {
        const PairScale scale = pair_scale(x, i, x, j);
        const double variance = component.variance * scale.factor;
        if (i == j) {
          in_variance(i, i) = variance;
          continue;
        }
        const double r2 = squared_distance(x.at(i), x.at(j), x.dim) * scale.of_r2;
        const CorrelationAt at = evaluate(correlation, r2, component.wants_shape());
        in_variance(i, j) = variance * at.value;
        for (const ScaleDerivative& form : component.scale_derivatives)
          derivatives[form.parameter](i, j) =
              variance * scale.of_r2 * at.slope * difference_form(form, x.at(i), x.at(j));
        if (component.wants_shape()) derivatives[component.shape_parameter](i, j) = variance * at.shape;
        if (component.wants_warps) in_r2(i, j) = variance * scale.of_r2 * at.slope;
        if (moves_range)
          in_range(i, j) = in_log_range(variance * at.value, variance * at.slope * r2, x.range[i], scale.of_r2, x.dim);
      }
    });
  });
  if (component.log_sd.wanted) add_local_derivatives(component.log_sd, in_variance, points, derivatives);
  if (moves_range) add_local_derivatives(component.log_range, in_range, points, derivatives);
  for (const PreparedWarp& warp : component.warps)
    if (component.wants_warps) add_warp_derivatives(warp, in_r2, x, points, derivatives);
}

// The component's derivatives with unit variance become those of several outputs: all are multiplied by the products of
// the loadings, and in place of the variance there is, for output p and factor f, corr_ij times the loading of the one
// of i and j on f for which the other is of output p, twice where both are.
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
    const ScaledPoints at(component, points);
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
    const ScaledPoints xa(component, a), xb(component, b);
    if (component.is_space_time()) {
      for_each_column(b.n, context, [&](Index j) {
        for (Index i = 0; i < a.n; ++i) {
          const double coupling =
              outputs_a ? loading_product(component, outputs_a[i], outputs_b[j]) / component.variance : 1.0;
          matrix(i, j) += space_time_entry(component, xa.at(i), xb.at(j)).value * coupling;
        }
      });
      continue;
    }
    with_family(component, [&](const auto& correlation) {
      for_each_column(b.n, context, [&](Index j) {
        for (Index i = 0; i < a.n; ++i) {
          const PairScale scale = pair_scale(xa, i, xb, j);
          const double r2 = squared_distance(xa.at(i), xb.at(j), xa.dim) * scale.of_r2;
          double c, slope, shape;
          correlation.template evaluate<false, false>(r2, c, slope, shape);
          const double variance =
              outputs_a ? loading_product(component, outputs_a[i], outputs_b[j]) : component.variance;
          matrix(i, j) += c * (variance * scale.factor);
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

double correlation_at(const PreparedComponent& component, double distance) {
  const double r = distance * component.inverse_range[0];
  double c, slope, shape;
  with_family(component,
              [&](const auto& correlation) { correlation.template evaluate<false, false>(r * r, c, slope, shape); });
  return c;
}

}  // namespace neargp
