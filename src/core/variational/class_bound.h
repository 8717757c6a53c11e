// The evidence lower bound on inducing points of labels of C classes.
//
// Each class c uses its own field and its own trend. All fields share one covariance and the same inducing points, so
// that features and unexplained variances are computed once. The linear predictor f_ic is x_i'beta_c + A_i'w_c plus the
// part of the field that the inducing points leave unexplained. Here w_c ~ N(0, I), and the q(w_c) = N(m_c, S_c) are
// independent. As in family_bound.h, the objective is
//
//   J = sum_i E log p(y_i | f_i) - sum_c KL[q(w_c) // N(0, I)] - u/2 sum_c (v_c - 1 - log v_c).
//
// Here f_ic ~ N(x_i'beta_c + A_i'm_c, v_c d_i + A_i'S_c A_i). See class_likelihood.h for E log p. Each row is a
// pseudo-observation of each field, given by W_ic and h_ic. With q_ic = h_ic - W_ic E f_ic, m_c = A q_c. A step of size
// one sets W_ic = -2 dE/ds_ic and q_ic = dE/d(E f_ic).
//
// That step treats the fields as independent given the data, which they are not. It overshoots where two classes
// compete, and it is too short where the lower bound of softmax is loose. A search by these steps alone takes hundreds
// of them. Under softmax, each step therefore ends with the best means given the S_c (class_means.h), and a few steps
// suffice.
//
// The data contain no information about the part that all fields of a row share. Therefore means and trends are
// centred: they sum to zero over the classes. This raises J, since it changes no probability.
#pragma once

#include <vector>

#include "likelihoods/class_likelihood.h"
#include "variational/family_bound.h"

namespace neargp {

// Where a search for the posterior starts, and where it ended; one column for each class. If empty, the search starts
// at the labels.
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
