#include "covariance/areal_covariance.h"

#include "covariance/entry.h"
#include "covariance/kernels.h"
#include "covariance/with_family.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

// The points of all rows in the metric of a component, coordinate after coordinate, those of row i from first[i] on.
struct SupportPoints {
  int dim;
  std::vector<Index> first{0};
  std::vector<double> weight, z;

  SupportPoints(const PreparedComponent& component, const SupportColumns& columns, Points rows) : dim(columns.places) {
    std::vector<double> by_point;
    for (Index i = 0; i < rows.n; ++i) {
      for (int l = 0; l < columns.points; ++l) {
        const double own = rows[i][columns.weight_column(l)];
        if (own == 0.0) continue;
        weight.push_back(own);
        by_point.resize(by_point.size() + dim);
        scale_point(component, dim, rows[i] + columns.column(l), by_point.data() + by_point.size() - dim);
      }
      first.push_back(size());
    }
    z.resize(by_point.size());
    for (Index l = 0; l < size(); ++l)
      for (int d = 0; d < dim; ++d) z[d * size() + l] = by_point[l * dim + d];
  }

  Index rows() const { return Index(first.size()) - 1; }
  Index size() const { return Index(weight.size()); }
  double at(Index point, int d) const { return z[d * size() + point]; }
};

// The first entries of a column of the matrix, and of the matrices of derivatives in lengths and shape.
class ArealColumn {
 public:
  Eigen::VectorXd value, in_shape;
  std::vector<Eigen::VectorXd> in_scale;

  ArealColumn(const PreparedComponent& component, const SupportPoints& a, bool derivatives)
      : component_(component), a_(a), slope_wanted_(derivatives && !component.scale_derivatives.empty()),
        shape_wanted_(derivatives && component.wants_shape()), values_(a.size()),
        slopes_(slope_wanted_ || shape_wanted_ ? a.size() : 0), shapes_(shape_wanted_ ? a.size() : 0) {
    if (derivatives) in_scale.resize(component.scale_derivatives.size());
  }

  // Covariances of rows 0 .. rows-1 of `a` with row j of `b`.
  void compute(Index rows, const SupportPoints& b, Index j) {
    value.setZero(rows);
    in_shape.setZero(shape_wanted_ ? rows : 0);
    for (Eigen::VectorXd& sums : in_scale) sums.setZero(rows);
    for (Index m = b.first[j]; m < b.first[j + 1]; ++m) add_point(rows, b, m);
  }

 private:
  void add_point(Index rows, const SupportPoints& b, Index m) {
    std::vector<double> x(a_.dim);
    for (int d = 0; d < a_.dim; ++d) x[d] = b.at(m, d);
    covariance_kernels().covariance_column(
        family_choice(component_), component_.variance, {a_.z.data(), a_.first[rows], a_.size(), x.data(), a_.dim},
        {values_.data(), slopes_.empty() ? nullptr : slopes_.data(), shapes_.empty() ? nullptr : shapes_.data()});
    add_means(values_, rows, b.weight[m], value);
    if (shape_wanted_) add_means(shapes_, rows, b.weight[m], in_shape);
    for (std::size_t f = 0; f < in_scale.size(); ++f) {
      times_form(component_.scale_derivatives[f], rows, x);
      add_means(values_, rows, b.weight[m], in_scale[f]);
    }
  }

  void add_means(const std::vector<double>& of_points, Index rows, double factor, Eigen::VectorXd& sums) const {
    for (Index i = 0; i < rows; ++i) {
      double sum = 0.0;
      for (Index l = a_.first[i]; l < a_.first[i + 1]; ++l) sum += a_.weight[l] * of_points[l];
      sums[i] += factor * sum;
    }
  }

  // Slopes times delta' M delta, in place of values.
  void times_form(const ScaleDerivative& form, Index rows, const std::vector<double>& x) {
    std::vector<double> of_a(a_.dim);
    for (Index l = 0; l < a_.first[rows]; ++l) {
      for (int d = 0; d < a_.dim; ++d) of_a[d] = a_.at(l, d);
      values_[l] = slopes_[l] * difference_form(form, of_a.data(), x.data());
    }
  }

  const PreparedComponent& component_;
  const SupportPoints& a_;
  bool slope_wanted_, shape_wanted_;
  std::vector<double> values_, slopes_, shapes_;  // by point
};

// Calls body(j, column) for each row of `b`, some at a time. For symmetric matrices a column contains rows 0 .. j
// alone.
template <class Body>
void for_each_areal_column(const PreparedComponent& component, const SupportPoints& a, const SupportPoints& b,
                           bool symmetric, bool derivatives, const RunContext& context, const Body& body) {
  constexpr Index chunk_size = 8;
  parallel_for(context, (b.rows() + chunk_size - 1) / chunk_size, [&](Index chunk) {
    ArealColumn column(component, a, derivatives);
    for (Index j = chunk * chunk_size; j < std::min((chunk + 1) * chunk_size, b.rows()); ++j) {
      column.compute(symmetric ? j + 1 : a.rows(), b, j);
      body(j, column);
    }
  });
}

void mirror(Eigen::MatrixXd& matrix) { matrix.triangularView<Eigen::StrictlyLower>() = matrix.transpose(); }

}  // namespace

Eigen::MatrixXd areal_covariance_matrix(const PreparedCovariance& covariance, Points a, Points b,
                                        const RunContext& context) {
  const bool symmetric = a.data == b.data && a.n == b.n;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(a.n, b.n);
  for (const PreparedComponent& component : covariance.components) {
    const SupportPoints of_a(component, covariance.support, a), of_b(component, covariance.support, b);
    for_each_areal_column(component, of_a, of_b, symmetric, false, context, [&](Index j, const ArealColumn& column) {
      matrix.col(j).head(column.value.size()) += column.value;
    });
  }
  if (symmetric) mirror(matrix);
  return matrix;
}

Eigen::VectorXd areal_variances(const PreparedCovariance& covariance, Points rows) {
  Eigen::VectorXd variances(rows.n);
  for (Index i = 0; i < rows.n; ++i) {
    const Points one{rows[i], 1, rows.dim};
    variances[i] = areal_covariance_matrix(covariance, one, one, {})(0, 0);
  }
  return variances;
}

void add_areal_derivatives(const PreparedComponent& component, const SupportColumns& columns, Points rows,
                           std::vector<Eigen::MatrixXd>& derivatives, const RunContext& context) {
  const SupportPoints points(component, columns, rows);
  std::vector<int> parameters{component.variance_parameter};
  for (const ScaleDerivative& form : component.scale_derivatives) parameters.push_back(form.parameter);
  if (component.wants_shape()) parameters.push_back(component.shape_parameter);
  for (const int parameter : parameters) derivatives[parameter].setZero(rows.n, rows.n);
  for_each_areal_column(component, points, points, true, true, context, [&](Index j, const ArealColumn& column) {
    derivatives[component.variance_parameter].col(j).head(j + 1) = column.value;
    for (std::size_t f = 0; f < column.in_scale.size(); ++f)
      derivatives[component.scale_derivatives[f].parameter].col(j).head(j + 1) = column.in_scale[f];
    if (component.wants_shape()) derivatives[component.shape_parameter].col(j).head(j + 1) = column.in_shape;
  });
  for (const int parameter : parameters) mirror(derivatives[parameter]);
}

}  // namespace neargp
