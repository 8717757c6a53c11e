// The means of independent fields under softmax, given their covariances, by Newton's method. The S_c are fixed, and
// with them the variances of all linear predictors. Then E log p - 1/2 sum |m_c|^2 is concave in means and trends
// together. Its curvature couples the classes of a row (softmax.h). A Newton step d solves
//
//   [I + A H A', A H X; X'H A', X'H X] d = [A g - m; X'g].
//
// H is block-diagonal with a C x C block for each row. The solver is conjugate gradients. Each of its iterations goes
// once through features and rows. The preconditioner treats each field as if it were the only field of the data:
//
//   [B_c, A W_c X; X'W_c A', X'W_c X]^-1.
//
// A shift common to all classes of a row has zero curvature, and the right-hand side contains no such shift.
#pragma once

#include "likelihoods/class_likelihood.h"
#include "variational/inducing_posterior.h"

namespace neargp {

struct ClassMeans {
  Eigen::MatrixXd coefficients;      // the m_c above the beta_c, a column for each class
  Eigen::MatrixXd linear_predictor;  // of each row and class
  Eigen::MatrixXd slope, curvature;  // there
  double expected = 0.0;             // E log p
};

// `variance`: of the linear predictors. Ends when a step would gain less than `tolerance`.
void raise_means(const ClassLabels& labels, const InducingRegression& regression,
                 const std::vector<InducingPosterior>& fields, const Eigen::MatrixXd& variance, double tolerance,
                 const RunContext& context, ClassMeans& means);

}  // namespace neargp
