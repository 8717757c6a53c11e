// Expectations under a standard normal x by the trapezoidal rule.
//
// A singularity of f at distance d from the real axis is at q = d / sd in units of x. It causes an error of the order
// of exp(-2 pi q / step + q^2 / 2) in E f(sd x). The second term comes from the normal density there. The rule is more
// precise than Gauss-Hermite quadrature with as many nodes, unless f is almost a polynomial. The rules form a ladder:
// each is for ratios sd / d up to its own limit, at which that error is exp(-20). The last one serves all larger
// ratios.
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
