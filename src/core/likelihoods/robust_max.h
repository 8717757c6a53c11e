// A label by the robust-max likelihood of independent normal linear predictors f_c ~ N(mu_c, s_c)
// (Hernandez-Lobato et al. 2011, Robust multi-class Gaussian process classification). The label is the class of the
// largest f_c, but with probability eps it is one of the others by mistake. Each of the others comes with probability
// e = eps / (C - 1). Let P_c = P(f_c is the largest). Then
//
//   P(y = c) = e + (1 - eps - e) P_c,   E log p(y | f) = P_y log(1 - eps) + log e - P_y log e.
//
// P_y = E_{f_y} prod_{c != y} Phi((f_y - mu_c) / sd_c) is an integral in one dimension.
#pragma once

namespace neargp {

constexpr double robust_max_error = 1e-3;  // eps

// E log p(label | f), its derivatives in the means, and -2 times those in the variances, which may be of either sign.
double robust_max_expectation(const double* mean, const double* variance, int classes, int label, double* slope,
                              double* curvature);

// P(y = c) for each c.
void robust_max_probabilities(const double* mean, const double* variance, int classes, double* probability);

}  // namespace neargp
