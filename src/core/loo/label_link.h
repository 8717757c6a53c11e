// Class probabilities from the moments of label_regression.h, and their logarithmic score.
//
//   u_r   = mu_r / sqrt(1 + (pi/8) a^2 f_r)
//   eta_r = shift_r + a u_r + beta_r h
//   p     = softmax(eta), or with a single output logistic(eta) for the second class
//
// a is the slope, learned, as are the biases beta. The shift is what the trend says. Labels
// are numbers about 0 whatever the shares of the classes are, and beta is what they are wrong
// by near data; far from data there must be none of it, or the trend would not be met. It therefore acts through h,
// which is 0 there and about 1 among data:
//
//   shared      b'1 / sqrt(1 + (pi/8) a^2 f): a b'z + beta b'1 = a b'(z - c 1), the process
//               of the labels has a mean c = -beta / a instead of 0
//   own class   1 - prod_r (1 - u_r), the same where labels of one class only are near
//
// The square root is MacKay's (1992) approximation of the logistic function averaged over a
// normal variable with variance a^2 f; its coefficient is not free beside the scale of f,
// which the covariance has: multiplying variance and nugget alike leaves mu as it is.
#pragma once

#include <vector>

#include "loo/label_regression.h"

namespace neargp {

struct LabelLink {
  int outputs = 1;
  bool per_class = false;
  double slope = 1.0;
  const double* shift = nullptr;  // targets x outputs
  const double* bias = nullptr;   // outputs
};

struct ObservedClasses {
  const int* observed = nullptr;  // class of each target, from 0
  const double* count = nullptr;  // how many observations it stands for
};

// The sum of count * log p and its partial derivatives: `bar` in the moments.
struct ClassScore {
  double value = 0.0;
  double d_log_slope = 0.0;
  LabelMoments bar;
  std::vector<double> shift_bar;  // targets x outputs
  std::vector<double> bias_bar;   // outputs
};

ClassScore label_link_score(const LabelMoments& moments, const LabelLink& link, const ObservedClasses& data);

// targets x classes; two classes for a single output.
std::vector<double> class_probabilities(const LabelMoments& moments, const LabelLink& link);

}  // namespace neargp
