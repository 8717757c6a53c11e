// The paper's optimiser of the mean-field objective. Adam moves the moments of q, covariance, likelihood, trend and, if
// wanted, the locations of the nodes, over mini-batches. The learning rate is cut by ten at 75% and at 90% of the steps
// (appendix D.3.1).
#pragma once

#include <cstdint>
#include <functional>

#include "covariance/parameters.h"
#include "latent/mean_field.h"

namespace neargp {

struct MeanFieldAdamSettings {
  MeanFieldPrior prior = MeanFieldPrior::sequential;
  double kl_weight = 1.0;
  bool full = false;  // q(u) with a full covariance matrix, for neighborhoods
  Index shared = 0;   // how many nodes all data of a batch see together
  int epochs = 300;
  int batch_size = 256;
  std::vector<double> learning_rates{0.01};  // one, which is cut, or several for equal shares of the steps
  std::uint64_t key = 0;
  double unit = 1.0;             // of the linear predictor: means and trend move in it
  double field_unit = 0.0;       // above 0: means move in this, and not with the trend
  bool warm_start = false;       // an earlier fit goes on, at its last rate, and is kept where nothing better is found
  bool locations = false;        // learn the nodes' locations, the neighbours renewed in every epoch
  WorkingParameters covariance;  // the core's covariance parameters
  WorkingParameters likelihood;  // all logarithms
  std::function<void(int epoch, const MeanFieldPoint& reached)> report;  // may be empty
};

struct MeanFieldFit {
  MeanFieldPoint point;
  double value = 0.0;         // the objective at the end, over all nodes and data
  std::vector<double> trace;  // the mean of its estimates in each epoch
  int skipped = 0;            // steps that were not taken, since the objective or its gradient overflowed
  NeighborTable node_neighbors, data_neighbors;
};

// Moments to start from. `eta`: the linear predictor that each response suggests by itself. There the log-likelihood is
// that of a normal z_i = w_i + noise of variance 1/W_i. W_i is its curvature, at least a twentieth of the largest, and
// z_i = eta_i - trend_i + slope_i / W_i. Then m = (Q + C'WC)^-1 C'Wz is the posterior mean at the model's covariance,
// and the best s for it is 1/(Q + C'WC)_jj. From m = 0 or m = z the steep prior term of the objective drives the
// covariance to white noise before m is smooth.
std::vector<double> starting_moments(const LatentModel& model, const LatentResponse& response,
                                     const Likelihood& likelihood, const std::vector<double>& beta,
                                     const std::vector<double>& eta, const RunContext& context);

// Without learned locations neighbours are renewed only when the ratios of ranges or the anisotropy have moved by more
// than a quarter.
// `response`: the design's columns should be of unit size, for all coefficients move at the same rate.
MeanFieldFit fit_mean_field(const LatentModel& model, const LatentResponse& response, MeanFieldPoint start,
                            const MeanFieldAdamSettings& settings, const RunContext& context);

}  // namespace neargp
