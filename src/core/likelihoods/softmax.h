// A label by the softmax of independent normal linear predictors f_c ~ N(mu_c, s_c):
//
//   p(y = c | f) = exp f_c / sum_j exp f_j.
//
// E log p is approximated by the tilted bound (Knowles and Minka 2011, Non-conjugate variational message passing for
// multinomial and binary regression). For any a,
//
//   E log sum_c exp f_c <= F(a) = 1/2 sum a_c^2 s_c + log sum_c exp(mu_c + (1 - 2 a_c) s_c / 2).
//
// F is convex in a. Its derivative is s (a - p(a)), where p(a) = softmax(mu + s / 2 - a s), so that it is least where
// a = p(a). There dF/dmu_c = a_c and dF/ds_c = a_c (1 - a_c) / 2. The slope of the tilted bound on E log p is therefore
// 1[y = c] - a_c. Its curvature is a_c (1 - a_c), which is never negative. The implicit function theorem gives
// da/dmu = (I + P diag(s))^-1 P with P = diag(a) - aa'. This matrix is positive semidefinite, so that the tilted bound
// on E log p is concave in the means.
//
// Probabilities are exact. With independent u_c ~ Exp(1), softmax_c is the probability that f_c - log u_c is the
// largest. The distribution function of f_c - log u_c is L_c(t) = E exp(-e^(f_c - t)). In one dimension therefore
//
//   P(y = c) = integral of L_c'(t) prod_{j != c} L_j(t).
#pragma once

#include "base/types.h"

namespace neargp {

// Returns F at its minimum and writes the location of the minimum to `a`.
double softmax_bound(const double* mean, const double* variance, int classes, double* a);

// da/dmu v at the minimum `a`.
void softmax_curvature_product(const double* a, const double* variance, int classes, const double* v, double* product);

// E softmax_c for each c.
void softmax_probabilities(const double* mean, const double* variance, int classes, double* probability);

}  // namespace neargp
