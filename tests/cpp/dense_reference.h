// The model's formulas with dense matrices, written without the code under test: every likelihood, derivative and
// prediction of the core must agree with these.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "conditional/problem.h"
#include "covariance/covariance.h"
#include "geometry/neighbors.h"

namespace reference {

using Eigen::MatrixXd;
using Eigen::VectorXd;

double matern(double nu, double r);
double correlation(const neargp::Component& component, double r);
// Without the coordinate `left_out`; -1: with all.
double scaled_distance(const neargp::Component& component, const double* x, const double* y, int left_out = -1);
// p, q: outputs at x and y, where there are several.
double covariance(const neargp::Covariance& model, const double* x, const double* y, int p = 0, int q = 0);
MatrixXd cross_covariance(const neargp::Covariance& model, neargp::Points a, neargp::Points b);
MatrixXd noisy_covariance(const neargp::Covariance& model, const neargp::LocalData& data);
// The model with parameter `index`, in the core's order, moved by `step` on the scale of the core's derivatives.
neargp::Covariance moved(neargp::Covariance model, int index, double step);
MatrixXd values_of(const neargp::LocalData& data);

struct Sums {
  double log_det = 0.0;
  MatrixXd gram;
  VectorXd d_log_det;
  std::vector<MatrixXd> d_gram;
  MatrixXd information;

  void add(const Sums& other, double factor);
};

// The joint density of subsets of some data: log-determinant, Gram matrix of the columns, their derivatives,
// and the information 1/2 tr(S^-1 dS_a S^-1 dS_b).
class JointDensity {
 public:
  JointDensity(const neargp::LocalData& data, const neargp::Covariance& model);

  Sums zero() const;
  Sums of(const std::vector<int>& rows) const;

 private:
  int parameters_;
  MatrixXd values_, covariance_;
  std::vector<MatrixXd> derivatives_;
};

// The neighbours that row t of a table names.
std::vector<int> conditioning_set(const neargp::NeighborTable& table, neargp::Index t);

// A conditional density is the joint one of target and neighbours over that of the neighbours, and so are all sums.
Sums vecchia_sums(const neargp::LocalData& data, const neargp::NeighborTable& table, const std::vector<int>& targets,
                  const neargp::Covariance& model);

// Each neighbourhood's share divided by its size.
Sums joint_sums(const neargp::LocalData& data, const neargp::NeighborTable& table, const neargp::Covariance& model);

// Predicts the noise-free field at x from the rows of the data, by the equations of simple kriging. With a constant
// unknown mean it solves the bordered system of ordinary kriging.
struct Prediction {
  VectorXd weights;
  double variance;
};

Prediction krige(const neargp::LocalData& data, const std::vector<int>& rows, const double* x,
                 const neargp::Covariance& model, bool local_mean);

}  // namespace reference
