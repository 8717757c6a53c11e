// Covariances between inducing points and other points, and how an objective's derivatives in these become
// derivatives in the parameters of the covariance and in the positions of the inducing points.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "covariance/prepared.h"
#include "geometry/points.h"

namespace neargp {

// Derivatives of an objective in the parameters of the covariance, in the order of covariance.h, and in the
// positions, a row for each inducing point.
struct InducingGradient {
  std::vector<double> parameters;
  Eigen::MatrixXd positions;

  void add(const InducingGradient& other, double position_factor = 1.0);
};

// The covariances of one component with some points, a column for each. `slope` and `shape` are their derivatives in
// the squared scaled distance and, where it is needed, in the shape. `scaled` contains the points in the component's
// metric, one row for each. For a single component the covariances are returned separately, and `value` is empty.
struct ComponentCovariances {
  Eigen::MatrixXd value, slope, shape, scaled;
};

// Sums over pairs of inducing points and other points, made of T, an objective's derivatives in the covariances of one
// component times the slopes of these. X: the other points in the component's metric, a row for each.
struct SlopeSums {
  Eigen::VectorXd of_row;           // sums of T, inducing points down the rows
  Eigen::MatrixXd weighted;         // T X
  Eigen::MatrixXd outer;            // X' diag(sums of T by columns) X
  double value = 0.0, shape = 0.0;  // the derivatives times the covariances, and times their derivatives in the shape
};

class InducingPoints {
 public:
  // `covariance`: for one output, prepared with derivatives if contract() is to be called. If the variance_parameter of
  // a component is -1, its variance is no parameter.
  InducingPoints(const PreparedCovariance& covariance, Points positions);

  Index size() const { return positions_.rows(); }
  int dim() const { return covariance_.dim; }
  const PreparedCovariance& covariance() const { return covariance_; }
  InducingGradient zero_gradient() const;

  // Inducing points, and other points, in the metric of a component, a row for each, about the centre of the inducing
  // points.
  const Eigen::MatrixXd& scaled(std::size_t component) const { return scaled_[component]; }
  Eigen::MatrixXd scaled(std::size_t component, Points points) const;

  // The covariances with `points`, inducing points down the rows. `parts` may be null; else it gets one for each
  // component.
  Eigen::MatrixXd covariances(Points points, std::vector<ComponentCovariances>* parts) const;
  // The same in matrices of an earlier call. Their memory is used again if that call was for as many points.
  void covariances(Points points, std::vector<ComponentCovariances>* parts, Eigen::MatrixXd& total) const;
  // Among the inducing points.
  Eigen::MatrixXd covariances(std::vector<ComponentCovariances>* parts) const;

  // Adds the derivatives of an objective through the covariances that `parts` belong to. `bar`: the derivatives of the
  // objective in these covariances; it is overwritten. `scale`: the sum of the products of both. The derivatives in the
  // positions are those of the rows alone. Among the inducing points, where rows and columns move, they are half of the
  // total. The derivatives in the points of the columns are added to `points_bar`, a row for each, unless it is null.
  void contract(const std::vector<ComponentCovariances>& parts, Eigen::MatrixXd& bar, double scale,
                InducingGradient& gradient, Eigen::MatrixXd* points_bar = nullptr) const;

  // Adds the derivatives through one component, given the sums over its pairs.
  void add_slopes(std::size_t component, const SlopeSums& sums, InducingGradient& gradient) const;

  // Adds the derivatives in the points of the columns, a row for each. `of_column`: the sums of T by columns. `seen`:
  // T'Z. `scaled_points`: X, the points in the component's metric. Z and X are those of add_slopes().
  void add_point_slopes(std::size_t component, const Eigen::VectorXd& of_column, const Eigen::MatrixXd& seen,
                        const Eigen::MatrixXd& scaled_points, Eigen::MatrixXd& points_bar) const;

  // Adds the derivatives through k(x, x) at some locations. `bar`: the sum of an objective's derivatives in k(x, x)
  // there.
  void contract_variance(double bar, InducingGradient& gradient) const;

 private:
  Eigen::MatrixXd scale(const PreparedComponent& component, const double* row_major, Index n) const;
  Eigen::MatrixXd centred(Points points) const;
  void covariances_with(const Eigen::MatrixXd& centred_points, std::vector<ComponentCovariances>* parts,
                        Eigen::MatrixXd& total) const;
  Eigen::MatrixXd unscaled(const PreparedComponent& component, const Eigen::MatrixXd& scaled_gradient) const;

  const PreparedCovariance& covariance_;
  Eigen::RowVectorXd centre_;
  Eigen::MatrixXd positions_;            // about the centre
  std::vector<Eigen::MatrixXd> scaled_;  // by component, a row for each point
  std::vector<Eigen::MatrixXd> padded_;  // the same with further rows, so that no coordinates meet in the cache's sets
};

}  // namespace neargp
