#include "dense_reference.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

namespace reference {

namespace {

// K_nu(x) is the integral of exp(-x cosh t) cosh(nu t) over positive t. Its trapezoidal rule errs by exp(-pi^2 / step).
// Clang's library lacks Bessel functions.
double bessel_k(double nu, double x) {
#ifdef __cpp_lib_math_special_functions
  return std::cyl_bessel_k(nu, x);
#else
  const double step = 1.0 / 16;
  double sum = 0.5 * std::exp(-x);
  for (int i = 1; x * std::cosh(i * step) - nu * i * step < 745.0; ++i)
    sum += std::exp(-x * std::cosh(i * step)) * std::cosh(nu * i * step);
  return step * sum;
#endif
}

double wendland(int k, double r) {
  const double polynomials[] = {1.0, 1.0 + 4.0 * r, 1.0 + 6.0 * r + 35.0 * r * r / 3.0};
  return r < 1.0 ? std::pow(1.0 - r, 2 + 2 * k) * polynomials[k] : 0.0;
}

}  // namespace

double matern(double nu, double r) {
  if (r == 0.0) return 1.0;
  return 2.0 * std::exp(nu * std::log(0.5 * r) - std::lgamma(nu)) * bessel_k(nu, r);
}

double correlation(const neargp::Component& component, double r) {
  switch (component.family) {
    case neargp::Family::exponential: return std::exp(-r);
    case neargp::Family::gaussian: return std::exp(-r * r);
    case neargp::Family::cosine: return 1.0 - r * r;
    case neargp::Family::powered_exponential: return std::exp(-std::pow(r, component.shape));
    case neargp::Family::cauchy: return std::pow(1.0 + r * r, -component.shape);
    case neargp::Family::spherical: return r < 1.0 ? 1.0 - 1.5 * r + 0.5 * r * r * r : 0.0;
    case neargp::Family::wendland: return wendland(int(component.shape), r);
    case neargp::Family::wave: return r > 0.0 ? std::sin(r) / r : 1.0;
    case neargp::Family::periodic:
      return std::exp(-2.0 * std::pow(std::sin(3.14159265358979323846 * r) / component.shape, 2));
    case neargp::Family::matern: break;
  }
  return matern(component.shape, r);
}

namespace {

// delta := exp(-B) delta by the series of the exponential, with B as covariance/rotation.h says.
void rotate_space(const std::vector<double>& b, VectorXd& delta) {
  const double t = b[4] / std::sqrt(3.0);
  Eigen::Matrix3d B;
  B << b[0] + t, b[1], b[2], b[1], t - b[0], b[3], b[2], b[3], -2.0 * t;
  Eigen::Vector3d term = delta.head(3), sum = term;
  for (int n = 1; n < 60; ++n) {
    term = -B * term / n;
    sum += term;
  }
  delta.head(3) = sum;
}

}  // namespace

// |exp(-B) delta / range|: the matrix exponential through the eigenvectors of B, whose angles are half that of (u, v).
double scaled_distance(const neargp::Component& component, const double* x, const double* y, int left_out) {
  VectorXd delta(component.group.size());
  for (int d = 0; d < delta.size(); ++d) delta[d] = x[d] - y[d];
  double further = 0.0;
  for (const neargp::WarpedCoordinate& warp : component.warps) {
    double sum = 0.0;
    for (int m = 0; m < warp.field.size(); ++m) {
      const double c = warp.field.coefficients[m];
      sum += (warp.monotone ? std::exp(c) : c) * (x[warp.field.columns[m]] - y[warp.field.columns[m]]);
    }
    if (warp.coordinate < delta.size()) {
      delta[warp.coordinate] = sum;
    } else {
      further += sum * sum;
    }
  }
  if (component.anisotropy.size() == 5) rotate_space(component.anisotropy, delta);
  if (component.anisotropy.size() == 2) {
    const double u = component.anisotropy[0], v = component.anisotropy[1];
    const double h = std::hypot(u, v);
    const double angle = 0.5 * std::atan2(v, u);
    const double along = std::cos(angle) * delta[0] + std::sin(angle) * delta[1];
    const double across = -std::sin(angle) * delta[0] + std::cos(angle) * delta[1];
    delta[0] = along * std::exp(-h);
    delta[1] = across * std::exp(h);
  }
  for (int d = 0; d < delta.size(); ++d) {
    const int group = component.group[d];
    if (group < 0 || d == left_out)
      delta[d] = 0.0;
    else if (!component.range.empty())
      delta[d] /= component.range[group];
  }
  return std::sqrt(delta.squaredNorm() + (further > 0.0 ? further / (component.range[0] * component.range[0]) : 0.0));
}

double local_field(const neargp::LocalField& field, const double* x) {
  double sum = 0.0;
  for (int m = 0; m < field.size(); ++m) sum += field.coefficients[m] * x[field.columns[m]];
  return sum;
}

double margin(neargp::Family family, double shape, double r) {
  neargp::Component component;
  component.family = family;
  component.shape = shape;
  return correlation(component, r);
}

// The factor and the scaled distance of Paciorek and Schervish (2006), eq. 4, with matrices e^(2 l) I of `dim` rows.
struct LocalScale {
  double factor, distance;
};

LocalScale local_scale(const neargp::Component& component, int dim, const double* x, const double* y, double distance) {
  const double li = local_field(component.log_range, x), lj = local_field(component.log_range, y);
  const double mean = 0.5 * (std::exp(2.0 * li) + std::exp(2.0 * lj));
  for (const neargp::WarpedCoordinate& warp : component.warps) dim += warp.coordinate >= int(component.group.size());
  return {std::pow(std::exp(li + lj) / mean, 0.5 * dim), distance / std::sqrt(mean)};
}

// The first model is eq. 14 of Gneiting (2002), with powers of the distances themselves. The product-sum model is that
// of De Iaco, Myers and Posa (2001), with three sills. Local ranges are those of the correlation in space.
double space_time_correlation(const neargp::Component& component, const double* x, const double* y) {
  const neargp::SpaceTime& model = component.space_time;
  const int time = int(component.group.size()) - 1;
  const LocalScale local = local_scale(component, time, x, y, scaled_distance(component, x, y, time));
  const double h = local.distance;
  const double u = std::abs(x[time] - y[time]) / component.range[component.group[time]];
  if (model.is_gneiting()) {
    const double psi = std::pow(u, 2.0 * model.alpha) + 1.0;
    return local.factor * correlation(component, h / std::pow(psi, 0.5 * model.beta)) / psi;
  }
  if (model.model == neargp::SpaceTimeModel::metric) return local.factor * correlation(component, std::hypot(h, u));
  const double in_space = local.factor * correlation(component, h);
  const double in_time = margin(model.time_family, model.time_shape, u);
  if (model.model == neargp::SpaceTimeModel::separable) return in_space * in_time;
  const double rest = 1.0 - model.product, sill_space = rest * model.space, sill_time = rest - sill_space;
  return model.product * in_space * in_time + sill_space * in_space + sill_time * in_time;
}

// Means over all pairs of points of two areas; `columns` of a row.
double areal_covariance(neargp::Covariance model, int columns, const double* x, const double* y) {
  model.areal = false;
  const int places = int(model.components[0].group.size());
  double sum = 0.0;
  for (int l = places; l < columns; l += places + 1)
    for (int m = places; m < columns; m += places + 1)
      sum += x[l + places] * y[m + places] * covariance(model, x + l, y + m);
  return sum;
}

double covariance(const neargp::Covariance& model, const double* x, const double* y, int p, int q) {
  double sum = 0.0;
  for (const neargp::Component& component : model.components) {
    double scale = component.variance;
    if (!component.loadings.empty()) {
      const int outputs = int(model.output_nuggets.size());
      const int rank = int(component.loadings.size()) / outputs;
      const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> a(
          component.loadings.data(), outputs, rank);
      scale = (a * a.transpose())(p, q);
    }
    scale *= std::exp(local_field(component.log_sd, x) + local_field(component.log_sd, y));
    if (component.by >= 0) scale *= x[component.by] * y[component.by];
    if (component.is_space_time()) {
      sum += scale * space_time_correlation(component, x, y);
      continue;
    }
    const LocalScale local =
        local_scale(component, int(component.group.size()), x, y, scaled_distance(component, x, y));
    sum += scale * local.factor * correlation(component, local.distance);
  }
  return sum;
}

MatrixXd cross_covariance(const neargp::Covariance& model, neargp::Points a, neargp::Points b) {
  MatrixXd matrix(a.n, b.n);
  for (neargp::Index i = 0; i < a.n; ++i)
    for (neargp::Index j = 0; j < b.n; ++j)
      matrix(i, j) = model.areal ? areal_covariance(model, a.dim, a[i], b[j]) : covariance(model, a[i], b[j]);
  return matrix;
}

MatrixXd noisy_covariance(const neargp::Covariance& model, const neargp::LocalData& data) {
  MatrixXd matrix = cross_covariance(model, data.coords, data.coords);
  for (neargp::Index i = 0; i < data.coords.n; ++i) {
    for (neargp::Index j = 0; data.outputs && j < data.coords.n; ++j)
      matrix(i, j) = covariance(model, data.coords[i], data.coords[j], data.outputs[i], data.outputs[j]);
    matrix(i, i) += (data.outputs ? model.output_nuggets[data.outputs[i]] : model.nugget) * data.noise_scale[i];
  }
  return matrix;
}

MatrixXd values_of(const neargp::LocalData& data) {
  MatrixXd values(data.coords.n, data.columns);
  for (neargp::Index i = 0; i < values.rows(); ++i)
    for (int c = 0; c < data.columns; ++c) values(i, c) = data.values[i * data.columns + c];
  return values;
}

neargp::Covariance moved(neargp::Covariance model, int index, double step) {
  for (neargp::Component& component : model.components) {
    const int ranges = int(component.range.size());
    if (index >= component.parameters()) {
      index -= component.parameters();
      continue;
    }
    if (index < component.scales()) {
      if (component.loadings.empty()) {
        component.variance *= std::exp(step);
      } else {
        component.loadings[index] += step;
      }
      return model;
    }
    index -= component.scales() - 1;
    if (index <= ranges) {
      component.range[index - 1] *= std::exp(step);
    } else if (index <= ranges + int(component.anisotropy.size())) {
      component.anisotropy[index - ranges - 1] += step;
    } else {
      index -= ranges + 1 + int(component.anisotropy.size());
      if (component.has_shape() && index-- == 0) {
        component.shape += step;
      } else {
        std::vector<double*> coefficients;
        neargp::SpaceTime& of_time = component.space_time;
        if (of_time.has_time_shape()) coefficients.push_back(&of_time.time_shape);
        if (of_time.is_gneiting()) coefficients.insert(coefficients.end(), {&of_time.alpha, &of_time.beta});
        if (of_time.is_sum()) coefficients.insert(coefficients.end(), {&of_time.product, &of_time.space});
        for (double& c : component.log_sd.coefficients) coefficients.push_back(&c);
        for (double& c : component.log_range.coefficients) coefficients.push_back(&c);
        for (neargp::WarpedCoordinate& warp : component.warps)
          for (double& c : warp.field.coefficients) coefficients.push_back(&c);
        *coefficients[index] += step;
      }
    }
    return model;
  }
  (model.output_nuggets.empty() ? model.nugget : model.output_nuggets[index]) *= std::exp(step);
  return model;
}

namespace {

// Central difference of fourth order.
MatrixXd covariance_derivative(const neargp::Covariance& model, int index, const neargp::LocalData& data) {
  const double h = 2e-3;
  const auto at = [&](double step) { return noisy_covariance(moved(model, index, step), data); };
  return (8.0 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12.0 * h);
}

MatrixXd submatrix(const MatrixXd& matrix, const std::vector<int>& rows) {
  MatrixXd part(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j) part(i, j) = matrix(rows[i], rows[j]);
  return part;
}

MatrixXd rows_of(const MatrixXd& matrix, const std::vector<int>& rows) {
  MatrixXd part(rows.size(), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) part.row(i) = matrix.row(rows[i]);
  return part;
}

}  // namespace

void Sums::add(const Sums& other, double factor) {
  log_det += factor * other.log_det;
  gram += factor * other.gram;
  d_log_det += factor * other.d_log_det;
  for (std::size_t a = 0; a < d_gram.size(); ++a) d_gram[a] += factor * other.d_gram[a];
  information += factor * other.information;
}

JointDensity::JointDensity(const neargp::LocalData& data, const neargp::Covariance& model)
    : parameters_(model.parameters() + data.noise_parameters), values_(values_of(data)),
      covariance_(noisy_covariance(model, data)) {
  for (int a = 0; a < model.parameters(); ++a)
    derivatives_.push_back(model.is_active(a) ? covariance_derivative(model, a, data)
                                              : MatrixXd::Zero(values_.rows(), values_.rows()));
  for (int j = 0; j < data.noise_parameters; ++j) {
    derivatives_.push_back(MatrixXd::Zero(values_.rows(), values_.rows()));
    for (neargp::Index i = 0; i < data.coords.n; ++i)
      derivatives_.back()(i, i) = data.noise_derivatives[i * data.noise_parameters + j];
  }
}

Sums JointDensity::zero() const {
  const int c = int(values_.cols());
  return {0.0, MatrixXd::Zero(c, c), VectorXd::Zero(parameters_),
          std::vector<MatrixXd>(parameters_, MatrixXd::Zero(c, c)), MatrixXd::Zero(parameters_, parameters_)};
}

Sums JointDensity::of(const std::vector<int>& rows) const {
  Sums sums = zero();
  if (rows.empty()) return sums;
  const Eigen::LLT<MatrixXd> factor(submatrix(covariance_, rows));
  const MatrixXd x = rows_of(values_, rows);
  const MatrixXd weighted = factor.solve(x);
  sums.log_det = 2.0 * factor.matrixLLT().diagonal().array().log().sum();
  sums.gram = x.transpose() * weighted;
  std::vector<MatrixXd> solved;
  for (int a = 0; a < parameters_; ++a) {
    const MatrixXd d = submatrix(derivatives_[a], rows);
    solved.push_back(factor.solve(d));
    sums.d_log_det[a] = solved[a].trace();
    sums.d_gram[a] = -weighted.transpose() * d * weighted;
    for (int b = 0; b <= a; ++b)
      sums.information(a, b) = sums.information(b, a) = 0.5 * (solved[a] * solved[b]).trace();
  }
  return sums;
}

std::vector<int> conditioning_set(const neargp::NeighborTable& table, neargp::Index t) {
  std::vector<int> rows;
  for (int r = 0; r < table.k; ++r)
    if (table[t][r] >= 0) rows.push_back(table[t][r]);
  return rows;
}

Sums vecchia_sums(const neargp::LocalData& data, const neargp::NeighborTable& table, const std::vector<int>& targets,
                  const neargp::Covariance& model) {
  const JointDensity density(data, model);
  Sums sums = density.zero();
  for (neargp::Index t = 0; t < table.n; ++t) {
    std::vector<int> rows = conditioning_set(table, t);
    sums.add(density.of(rows), -1.0);
    rows.push_back(targets.empty() ? int(t) : targets[t]);
    sums.add(density.of(rows), 1.0);
  }
  return sums;
}

Sums joint_sums(const neargp::LocalData& data, const neargp::NeighborTable& table, const neargp::Covariance& model) {
  const JointDensity density(data, model);
  Sums sums = density.zero();
  for (neargp::Index t = 0; t < table.n; ++t) {
    std::vector<int> rows = conditioning_set(table, t);
    rows.push_back(int(t));
    sums.add(density.of(rows), 1.0 / double(rows.size()));
  }
  return sums;
}

Prediction krige(const neargp::LocalData& data, const std::vector<int>& rows, const double* x,
                 const neargp::Covariance& model, bool local_mean) {
  const int k = int(rows.size());
  const int size = k + (local_mean ? 1 : 0);
  MatrixXd system = MatrixXd::Zero(size, size);
  VectorXd right = VectorXd::Ones(size);
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) system(i, j) = covariance(model, data.coords[rows[i]], data.coords[rows[j]]);
    system(i, i) += model.nugget * data.noise_scale[rows[i]];
    if (local_mean) system(i, k) = system(k, i) = 1.0;
    right[i] = covariance(model, data.coords[rows[i]], x);
  }
  const VectorXd solution = system.fullPivLu().solve(right);
  return {solution.head(k), covariance(model, x, x) - solution.dot(right)};
}

}  // namespace reference
