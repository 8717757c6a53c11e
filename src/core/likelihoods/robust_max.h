// A label by the robust-max likelihood of independent normal linear predictors f_c ~ N(mu_c, s_c) (Hernandez-Lobato et
// al. 2011, Robust multi-class Gaussian process classification): the class of the largest f_c, but another one by
// mistake with probability eps, all others alike. With P_c = P(f_c is the largest),
//
//   P(y = c) = (1 - eps) P_c + eps (1 - P_c) / (C - 1),   E log p(y | f) = log(1 - eps) P_y + log(eps / (C - 1)) (1 -
//   P_y), P_y = E_{f_y} prod_{c != y} Phi((f_y - mu_c) / sd_c), an integral in one dimension.
#pragma once

namespace neargp {

constexpr double robust_max_error = 1e-3;  // eps

// E log p(label | f), its derivatives in the means, and -2 times those in the variances, which have both signs.
double robust_max_expectation(const double* mean, const double* variance, int classes, int label, double* slope,
                              double* curvature);

// P(y = c) for each c.
void robust_max_probabilities(const double* mean, const double* variance, int classes, double* probability);

}  // namespace neargp
