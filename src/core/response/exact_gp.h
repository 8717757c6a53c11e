// The Gaussian process without approximation: O(n^3), for small n and as a reference.
#pragma once

#include <Eigen/Core>

#include "response/conditional_simulation.h"
#include "response/kriging.h"
#include "response/vecchia_likelihood.h"

namespace neargp {

// The sums of vecchia_sums(), for the dense model. `failed` is 0 if the covariance matrix is singular.
LikelihoodSums exact_sums(const LocalData& data, const Covariance& covariance, bool information,
                          const RunContext& context);

// The gradient of conditional_gradient(), for the dense model. With alpha = S^-1 e and W = (alpha alpha' - S^-1) / 2,
// the derivatives are <W, dS_a>. Unlike the information, they need no product of matrices for each parameter.
ObjectiveGradient exact_gradient(const LocalData& data, const Covariance& covariance, const std::vector<double>& beta,
                                 const RunContext& context);

// Prediction from all data. The covariance matrix is factored once, and the factor takes the memory of n x n numbers.
class ExactPredictor {
 public:
  // The data outlive the object.
  ExactPredictor(const LocalData& data, const Covariance& covariance, const RunContext& context);
  Kriging at(Points targets, const RunContext& context, const int* target_outputs = nullptr) const;

 private:
  LocalData data_;
  Covariance covariance_;
  PreparedCovariance prepared_;
  Eigen::MatrixXd lower_, whitened_columns_;
  bool failed_ = false;
};

// Kriging as by krige(), conditioning on all data.
Kriging exact_krige(const LocalData& data, Points targets, const Covariance& covariance, const RunContext& context,
                    const int* target_outputs = nullptr);

// Conditional simulation as by simulate_conditional(), from the joint distribution of all data and targets.
Simulation exact_simulate(const LocalData& data, Points targets, const Covariance& covariance, const double* normals,
                          const RunContext& context, const int* target_outputs = nullptr);

}  // namespace neargp
