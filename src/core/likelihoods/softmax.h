// A label by the softmax of independent normal linear predictors f_c ~ N(mu_c, s_c):
//
//   p(y = c | f) = exp f_c / sum_j exp f_j.
//
// The tilted bound (Knowles and Minka 2011, Non-conjugate variational message passing for multinomial and binary
// regression): for any a,
//
//   E log sum_c exp f_c <= F(a) = 1/2 sum a_c^2 s_c + log sum_c exp(mu_c + (1 - 2 a_c) s_c / 2),
//
// convex in a and least where a = p(a) = softmax(mu + (1 - 2a) s / 2), its derivative being s (a - p(a)). There
// dF/dmu_c = a_c and dF/ds_c = a_c (1 - a_c) / 2: the bound on E log p has the slope 1[y = c] - a_c and the curvature
// a_c (1 - a_c), which is never negative.  The implicit function theorem gives da/dmu = (I + P diag(s))^-1 P, P =
// diag(a) - aa': positive semidefinite, the bound on E log p is concave in the means.
//
// Probabilities are exact. With independent u ~ Exp(1), softmax_c = P(f_c - log u_c is the largest), and f_c - log u_c
// has the distribution function L_c(t) = E exp(-e^(f_c - t)), so that in one dimension
//
//   P(y = c) = integral of L_c'(t) prod_{j != c} L_j(t).
#pragma once

#include "base/types.h"

namespace neargp {

// F at its minimum; `a` gets where that is.
double softmax_bound(const double* mean, const double* variance, int classes, double* a);

// da/dmu v at the minimum `a`.
void softmax_curvature_product(const double* a, const double* variance, int classes, const double* v, double* product);

// E softmax_c for each c.
void softmax_probabilities(const double* mean, const double* variance, int classes, double* probability);

}  // namespace neargp
