#include "variational/inducing_points.h"

#include "base/error.h"
#include "covariance/entry.h"
#include "covariance/kernels.h"
#include "linalg/products.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

MatrixXd matrix_of(Points points) { return Eigen::Map<const RowMajor>(points.data, points.n, points.dim); }

// The sum over pairs of d r^2 = delta' M delta, for a length parameter, given the sums of T delta delta'.
double form_sum(const ScaleDerivative& form, const MatrixXd& moments) {
  if (form.block > 0) return moment_form(form, moments);
  double sum = 0.0;
  for (const int d : form.coordinates) sum += moments(d, d);
  return -2.0 * sum;
}

// The least number of doubles from n on that is an odd number of cache lines.
Index odd_lines(Index n) { return ((n + 7) / 8 | 1) * 8; }

}  // namespace

void InducingGradient::add(const InducingGradient& other, double position_factor) {
  for (std::size_t a = 0; a < parameters.size(); ++a) parameters[a] += other.parameters[a];
  positions += position_factor * other.positions;
}

InducingPoints::InducingPoints(const PreparedCovariance& covariance, Points positions) : covariance_(covariance) {
  if (positions.n < 1) throw Error("There must be an inducing point.");
  if (positions.dim != covariance.dim) throw Error("Inducing points must have the coordinates of the covariance.");
  if (covariance.outputs() > 0) throw Error("Inducing points are for one output.");
  require_metric(covariance, "Inducing points are");
  const MatrixXd given = matrix_of(positions);
  centre_ = given.colwise().mean();
  positions_ = given.rowwise() - centre_;
  for (const PreparedComponent& component : covariance.components) {
    const RowMajor rows = positions_;
    scaled_.push_back(scale(component, rows.data(), rows.rows()));
    padded_.emplace_back(MatrixXd::Zero(odd_lines(size()), dim()));
    padded_.back().topRows(size()) = scaled_.back();
  }
}

InducingGradient InducingPoints::zero_gradient() const {
  return {std::vector<double>(covariance_.parameters, 0.0), MatrixXd::Zero(size(), dim())};
}

MatrixXd InducingPoints::scale(const PreparedComponent& component, const double* row_major, Index n) const {
  RowMajor result(n, dim());
  for (Index i = 0; i < n; ++i) scale_point(component, dim(), row_major + i * dim(), result.data() + i * dim());
  return result;
}

// About the centre of the inducing points, since contract() computes distances as differences of products of
// coordinates.
MatrixXd InducingPoints::centred(Points points) const { return matrix_of(points).rowwise() - centre_; }

MatrixXd InducingPoints::scaled(std::size_t component, Points points) const {
  const RowMajor rows = centred(points);
  return scale(covariance_.components[component], rows.data(), rows.rows());
}

MatrixXd InducingPoints::covariances(Points points, std::vector<ComponentCovariances>* parts) const {
  MatrixXd total;
  covariances(points, parts, total);
  return total;
}

void InducingPoints::covariances(Points points, std::vector<ComponentCovariances>* parts, MatrixXd& total) const {
  if (points.dim != dim()) throw Error("All points must have the same coordinates.");
  covariances_with(centred(points), parts, total);
}

MatrixXd InducingPoints::covariances(std::vector<ComponentCovariances>* parts) const {
  MatrixXd total;
  covariances_with(positions_, parts, total);
  return total;
}

void InducingPoints::covariances_with(const MatrixXd& points, std::vector<ComponentCovariances>* parts,
                                      MatrixXd& total) const {
  const Index m = size(), n = points.rows();
  const RowMajor rows = points;
  const bool alone = covariance_.components.size() == 1;
  total.resize(m, n);
  if (!alone) total.setZero();
  if (parts) parts->resize(covariance_.components.size());
  for (std::size_t c = 0; c < covariance_.components.size(); ++c) {
    const PreparedComponent& component = covariance_.components[c];
    ComponentCovariances own;
    ComponentCovariances& part = parts ? (*parts)[c] : own;
    const MatrixXd places = scale(component, rows.data(), n);
    const RowMajor by_row = places;
    if (parts) part.scaled = places;
    part.value.resize(m, alone ? 0 : parts ? n : 1);
    part.slope.resize(m, parts ? n : 0);
    part.shape.resize(m, parts && component.wants_shape() ? n : 0);
    const FamilyChoice<double> family = family_choice(component);
    for (Index i = 0; i < n; ++i) {
      double* value = alone ? total.col(i).data() : part.value.col(parts ? i : 0).data();
      const ColumnPlaces at{padded_[c].data(), m, padded_[c].rows(), by_row.data() + i * dim(), dim()};
      covariance_kernels().covariance_column(
          family, component.variance, at,
          {value, parts ? part.slope.col(i).data() : nullptr, part.shape.cols() ? part.shape.col(i).data() : nullptr});
      if (!alone) total.col(i) += part.value.col(parts ? i : 0);
    }
  }
}

void InducingPoints::contract(const std::vector<ComponentCovariances>& parts, MatrixXd& bar, double scale,
                              InducingGradient& gradient, MatrixXd* points_bar) const {
  const Index n = bar.cols();
  MatrixXd copy;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const PreparedComponent& component = covariance_.components[c];
    const ComponentCovariances& part = parts[c];
    SlopeSums sums{VectorXd::Zero(size()), MatrixXd(size(), dim()), MatrixXd()};
    if (component.variance_parameter >= 0) sums.value = part.value.size() ? bar.cwiseProduct(part.value).sum() : scale;
    if (component.wants_shape()) sums.shape = bar.cwiseProduct(part.shape).sum();
    const MatrixXd& x = part.scaled;
    const bool last = c + 1 == parts.size();
    if (!last) copy = bar;
    MatrixXd& weight = last ? bar : copy;
    VectorXd of_column(n);
    for (Index i = 0; i < n; ++i) {
      weight.col(i).array() *= part.slope.col(i).array();
      sums.of_row += weight.col(i);
      of_column[i] = weight.col(i).sum();
    }
    multiply(weight, x, sums.weighted);
    sums.outer = x.transpose() * of_column.asDiagonal() * x;
    add_slopes(c, sums, gradient);
    if (!points_bar) continue;
    MatrixXd seen(n, dim());
    multiply_transposed(weight, scaled_[c], seen);
    add_point_slopes(c, of_column, seen, x, *points_bar);
  }
}

// The derivative in x_i is 2 [ E_ii x_i - (T'Z)_i ].
void InducingPoints::add_point_slopes(std::size_t c, const VectorXd& of_column, const MatrixXd& seen, const MatrixXd& x,
                                      MatrixXd& points_bar) const {
  points_bar += unscaled(covariance_.components[c], 2.0 * (of_column.asDiagonal() * x - seen));
}

// Let z and x be the scaled points of rows and columns, and let D and E contain the sums of T by rows and by columns.
// With N = Z'T X, all length parameters need only
//
//   sum T_ji (z_j - x_i)(z_j - x_i)' = Z'D Z - N - N' + X'E X.
//
// The derivative in z_j is 2 [ D_jj z_j - (T X)_j ].
void InducingPoints::add_slopes(std::size_t c, const SlopeSums& sums, InducingGradient& gradient) const {
  const PreparedComponent& component = covariance_.components[c];
  if (component.variance_parameter >= 0) gradient.parameters[component.variance_parameter] += sums.value;
  if (component.wants_shape()) gradient.parameters[component.shape_parameter] += sums.shape;
  const MatrixXd& z = scaled_[c];
  const MatrixXd mixed = z.transpose() * sums.weighted;
  const MatrixXd moments = z.transpose() * sums.of_row.asDiagonal() * z - mixed - mixed.transpose() + sums.outer;
  for (const ScaleDerivative& form : component.scale_derivatives)
    gradient.parameters[form.parameter] += form_sum(form, moments);
  gradient.positions += unscaled(component, 2.0 * (sums.of_row.asDiagonal() * z - sums.weighted));
}

void InducingPoints::contract_variance(double bar, InducingGradient& gradient) const {
  for (const PreparedComponent& component : covariance_.components)
    if (component.variance_parameter >= 0)
      gradient.parameters[component.variance_parameter] += component.variance * bar;
}

// Transforms derivatives from a component's metric to coordinates, as the transpose of scale_point().
MatrixXd InducingPoints::unscaled(const PreparedComponent& component, const MatrixXd& scaled_gradient) const {
  MatrixXd result = scaled_gradient;
  for (int d = 0; d < dim(); ++d) result.col(d) *= component.inverse_range[d];
  for (Index i = 0; i < result.rows() && component.turned > 0; ++i)
    turn(component, result.data() + i, std::size_t(result.rows()));
  return result;
}

}  // namespace neargp
