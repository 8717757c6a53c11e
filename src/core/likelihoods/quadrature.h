// Expectations under a standard normal x by the trapezoidal rule.
//
// A singularity of f at distance d from the real axis, q = d / sd in units of x, costs an error of the order of
// exp(-2 pi q / step + q^2 / 2) in E f(sd x), the second term being the normal density there. The rule beats Gauss and
// Hermite's of as many nodes unless f is almost a polynomial. The rules therefore form a ladder, each for ratios sd / d
// up to a limit of its own, at which that error is exp(-20). The last one serves all larger ratios.
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
