// Class probabilities from the moments of label_regression.h, and their logarithmic score. The linear predictors are
//
//   u_r   = mu_r / sqrt(1 + (pi/8) a^2 f_r),
//   eta_r = shift_r + a u_r + beta_r h.
//
// The probabilities are p = softmax(eta). With a single output, the probability of the second class is logistic(eta).
// The slope a and the biases beta are learned. The shift is the linear predictor of the trend.
//
// Labels are coded as numbers about 0, whatever the shares of the classes are. The bias beta corrects the resulting
// error near data. Far from data the bias must vanish, so that the trend alone remains. It is therefore multiplied by
// h, which is 0 far from data and about 1 among data.
//
// For one process shared by all classes, h = b'1 / sqrt(1 + (pi/8) a^2 f). Since a b'z + beta b'1 = a b'(z - c 1), the
// mean of the process is then c = -beta / a instead of 0. For one process per class, h = 1 - prod_r (1 - u_r). This is
// the same where only labels of one class are near.
//
// The square root is MacKay's (1992) approximation of the logistic function averaged over a normal variable with
// variance a^2 f. Its coefficient is not a free parameter, since the covariance already contains the scale of f.
// Multiplying variance and nugget by the same number leaves mu unchanged.
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
