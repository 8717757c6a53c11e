// The evidence lower bound on inducing points of labels of C classes.
//
// Each class has a field of its own, all with one covariance and the same inducing points, so that features and
// unexplained variances are computed once, and a trend of its own: f_ic = x_i'beta_c + A_i'w_c plus what the inducing
// points leave unexplained; w_c ~ N(0, I), and the q(w_c) = N(m_c, S_c) are independent. As family_bound.h,
//
//   J = sum_i E log p(y_i | f_i) - sum_c KL[q(w_c) // N(0, I)] - u/2 sum_c (v_c - 1 - log v_c),
//   f_ic ~ N(x_i'beta_c + A_i'm_c, v_c d_i + A_i'S_c A_i),
//
// E log p that of class_likelihood.h, and each row is a pseudo-observation of each field, W_ic and h_ic. With q_ic =
// h_ic - W_ic E f_ic, m_c = A q_c: a step of size one puts W_ic = -2 dE/ds_ic and q_ic = dE/d(E f_ic).
//
// That step takes the fields for independent given the data, which they are not: where two classes compete it
// overshoots, and where softmax's bound is loose it is too short, so that such steps alone take hundreds. Under softmax
// each ends with the best means given the S_c, see class_means.h, and a few are enough. Nothing is known of what all
// fields of a row have in common: means and trends sum to zero over the classes, which raises J, since it changes no
// probability.
#pragma once

#include <vector>

#include "likelihoods/class_likelihood.h"
#include "variational/family_bound.h"

namespace neargp {

// Where a search for the posterior begins, and where it ended; a column for each class. Empty: at the labels.
struct ClassPosterior {
  Eigen::MatrixXd precision, natural;  // W and h
  Eigen::VectorXd unexplained_share;   // v
};

// The field of one class, as in FamilyBound.
struct ClassField {
  Eigen::VectorXd beta;
  Eigen::MatrixXd beta_covariance, weights, factor;
};

struct ClassBound {
  BoundFailure failure = BoundFailure::none;
  double value = 0.0;
  int iterations = 0;
  bool converged = false;
  ClassPosterior end;
  std::vector<ClassField> fields;
  Eigen::MatrixXd linear_predictor, slope, variance;  // means of f_ic, dE/d of these, and A_i'S_c A_i
  Eigen::VectorXd unexplained;
  InducingGradient gradient;  // empty unless it was asked for
};

// `design`: n x coefficients, row-major.
ClassBound class_bound(const ClassLabels& labels, const std::vector<double>& design, int coefficients, Points coords,
                       Points inducing, const Covariance& covariance, ClassPosterior start,
                       const FamilyBoundSettings& settings, bool derivatives, const RunContext& context);

}  // namespace neargp
