// Classes by Polya-Gamma augmentation (Jankowiak and Pleiss 2022, sections 3.2 and 3.3, appendices A.6 to A.8).
//
// Each class r is modelled by a Gaussian process g_r with a logistic likelihood against all other classes. Given
// omega_ir, label i of class r is a pseudo-observation of g_r. Its value is y_ir / (2 omega_ir) and its noise variance
// 1 / omega_ir, with y_ir = 1 or -1, see eq. 22. The moments mu_r and f_r of a target given its neighbours are in
// closed form (eqs. 28 and 29). Quadrature gives (eqs. 27 and 32)
//
//   p~_r = integral of logistic(g + shift_r) N(g; mu_r, f_r) dg.
//
// With more than two classes, p_r = p~_r / sum p~ (eq. 33). With two classes there is one process, that of the second
// class, and no normalisation.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "covariance/covariance.h"
#include "geometry/neighbors.h"
#include "geometry/points.h"

namespace neargp {

struct PolyaGammaData {
  Points coords;
  int outputs = 1;                // processes: one, or one for each class
  const double* sign = nullptr;   // data x outputs: the labels y
  const double* omega = nullptr;  // data x outputs
};

struct PolyaGammaTargets {
  Points coords;
  NeighborTable neighbors;        // rows of data
  const double* shift = nullptr;  // targets x outputs
  const int* observed = nullptr;  // class of each target, from 0
};

struct PolyaGammaScore {
  double value = 0.0;               // sum of log p of the observed classes
  std::vector<double> gradient;     // in the covariance parameters; 0 in the nugget, which must be 1
  std::vector<double> d_log_omega;  // data x outputs
  std::vector<double> d_shift;      // targets x outputs
  Index failed = -1;                // first target with a singular matrix, or -1
};

PolyaGammaScore polya_gamma_score(const PolyaGammaData& data, const PolyaGammaTargets& targets,
                                  const Covariance& covariance, const RunContext& context);

// targets x classes, empty if a matrix is singular; `observed` is not read.
std::vector<double> polya_gamma_probabilities(const PolyaGammaData& data, const PolyaGammaTargets& targets,
                                              const Covariance& covariance, const RunContext& context);

// log p(omega | 1, 0), where p is the density of omega, and its derivative in log omega. Both are computed from the
// first seven terms of the alternating series (eq. 16). They are exact to six decimals up to omega_limit.
struct LogDensity {
  double value, slope;
};
inline constexpr double omega_limit = 2.5;
LogDensity log_polya_gamma(double omega);

// E logistic(x) for x ~ N(mean, variance) by 16 Gauss-Hermite nodes, with its derivatives.
struct AveragedLogistic {
  double value, d_mean, d_variance;
};
AveragedLogistic averaged_logistic(double mean, double variance);

}  // namespace neargp
