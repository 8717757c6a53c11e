// Expectations under a standard normal x by the trapezoidal rule.
//
// Its error for f(sd x) with f analytic up to a distance d from the real axis is exp(-2 pi d / (sd step)), and it beats
// Gauss and Hermite's rule of as many nodes unless f is almost a polynomial. So the rules form a ladder, each for
// ratios sd / d up to a limit of its own, at which the error is exp(-20). The last one serves all larger ratios.
#pragma once

namespace neargp {

struct QuadratureRule {
  int nodes;
  const double* x;       // ascending, symmetric about 0
  const double* weight;  // sum to 1
  double limit;          // largest sd / d
};

// The first rule whose limit is not below the ratio.
const QuadratureRule& quadrature_rule(double ratio);

}  // namespace neargp
