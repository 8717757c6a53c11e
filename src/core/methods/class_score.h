// Class probabilities from the moments of label_model.h, and their logarithmic score.
//
//   eta_r = a mu_r / sqrt(1 + (pi/8) a^2 f_r) + shift_r
//   p     = softmax(eta), or with a single output logistic(eta) for the second class
//
// a is the slope, learned; the shift is a trend (at least a bias for each class). The
// square root is MacKay's (1992) approximation of the logistic function averaged over a
// normal variable with variance a^2 f; its coefficient is not free beside the scale of f,
// which the covariance has: multiplying variance and nugget alike leaves mu as it is.
#pragma once

#include <vector>

#include "methods/label_model.h"

namespace neargp {

struct ClassLink {
  double slope = 1.0;
  const double* shift = nullptr;  // targets x outputs
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
};

ClassScore class_score(const LabelMoments& moments, int outputs, const ClassLink& link, const ObservedClasses& data);

// targets x classes; two classes for a single output.
std::vector<double> class_probabilities(const LabelMoments& moments, int outputs, const ClassLink& link);

}  // namespace neargp
