#include "variational/residual_covariance.h"

#include "covariance/entry.h"
#include "linalg/column_products.h"

namespace neargp {

ResidualCovariance::ResidualCovariance(const PreparedCovariance& covariance, int most)
    : covariance_(covariance), features_(std::size_t(most)), components_(covariance.components.size()), value_(most),
      slope_(most), shape_(most), weight_(most), difference_(most) {
  for (Component& component : components_) {
    component.coords.resize(most, covariance.dim);
    component.points.resize(std::size_t(most));
  }
}

void ResidualCovariance::add(const ResidualRows& rows, Index row) {
  stride_ = rows.stride();
  features_[count_] = rows.features(row);
  for (std::size_t c = 0; c < components_.size(); ++c) {
    const double* x = rows.scaled(c, row);
    components_[c].points[count_] = x;
    for (int d = 0; d < covariance_.dim; ++d) components_[c].coords(count_, d) = x[d];
  }
  ++count_;
}

ColumnPlaces ResidualCovariance::from(std::size_t c, Index first, const double* x) const {
  const Eigen::MatrixXd& coords = components_[c].coords;
  return {coords.data() + first, count_ - first, coords.rows(), x, covariance_.dim};
}

void ResidualCovariance::fill(Eigen::MatrixXd& matrix) {
  matrix.resize(count_, count_);
  column_kernels().gram(features_.data(), count_, stride_, matrix.data());
  matrix.triangularView<Eigen::Lower>() = -matrix;
  matrix.diagonal().array() += covariance_.variance;
  for (std::size_t c = 0; c < components_.size(); ++c) {
    const PreparedComponent& component = covariance_.components[c];
    const FamilyChoice<double> family = family_choice(component);
    for (Index j = 0; j + 1 < count_; ++j) {
      covariance_kernels().covariance_column(family, component.variance, from(c, j + 1, components_[c].points[j]),
                                             {value_.data(), nullptr, nullptr});
      matrix.col(j).tail(count_ - j - 1) += value_.head(count_ - j - 1);
    }
  }
}

void ResidualCovariance::fill_column(const ResidualRows& rows, Index row, Eigen::VectorXd& column) {
  column.resize(count_);
  column_kernels().products(features_.data(), count_, stride_, rows.features(row), column.data());
  column = -column;
  for (std::size_t c = 0; c < components_.size(); ++c) {
    const PreparedComponent& component = covariance_.components[c];
    covariance_kernels().covariance_column(family_choice(component), component.variance,
                                           from(c, 0, rows.scaled(c, row)), {value_.data(), nullptr, nullptr});
    column += value_.head(count_);
  }
}

void ResidualCovariance::contract(const double* left, const double* right, std::vector<double>& parameters) {
  for (std::size_t c = 0; c < components_.size(); ++c) contract_component(c, left, right, parameters);
}

// Each pair of locations adds one entry above and one below the diagonal. The derivatives in length parameters are sums
// over pairs of products of coordinate differences, weighted by the slopes.
void ResidualCovariance::contract_component(std::size_t c, const double* left, const double* right,
                                            std::vector<double>& parameters) {
  const PreparedComponent& component = covariance_.components[c];
  const Component& places = components_[c];
  const FamilyChoice<double> family = family_choice(component);
  const bool shape = component.wants_shape(), slope = component.wants_slope();
  double in_variance = 0.0, in_shape = 0.0;
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(covariance_.dim, covariance_.dim);
  for (Index j = 0; j < count_; ++j) {
    in_variance -= component.variance * left[j] * right[j];
    const Index m = count_ - j - 1;
    if (m == 0) break;
    covariance_kernels().covariance_column(
        family, component.variance, from(c, j + 1, places.points[j]),
        {value_.data(), slope || shape ? slope_.data() : nullptr, shape ? shape_.data() : nullptr});
    const Eigen::Map<const Eigen::ArrayXd> lefts(left + j + 1, m), rights(right + j + 1, m);
    auto weight = weight_.head(m);
    weight = -(lefts * right[j] + rights * left[j]);
    in_variance += (weight * value_.head(m).array()).sum();
    if (shape) in_shape += (weight * shape_.head(m).array()).sum();
    if (!slope) continue;
    weight *= slope_.head(m).array();
    for (int d = 0; d < covariance_.dim; ++d) {
      difference_.head(m) = places.coords.col(d).segment(j + 1, m).array() - places.coords(j, d);
      moments(d, d) += (weight * difference_.head(m).square()).sum();
      for (int e = d + 1; e < component.turned; ++e)
        moments(d, e) +=
            (weight * difference_.head(m) * (places.coords.col(e).segment(j + 1, m).array() - places.coords(j, e)))
                .sum();
    }
  }
  parameters[component.variance_parameter] += in_variance;
  if (shape) parameters[component.shape_parameter] += in_shape;
  for (const ScaleDerivative& form : component.scale_derivatives) {
    if (form.block > 0) parameters[form.parameter] += moment_form(form, moments);
    for (const int d : form.coordinates) parameters[form.parameter] -= 2.0 * moments(d, d);
  }
}

}  // namespace neargp
