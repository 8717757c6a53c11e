// Predictions of a posterior of independent nodes, q(u) = prod_j N(m_j, s_j), at the data and elsewhere.
#pragma once

#include <vector>

#include "latent/latent_model.h"
#include "likelihoods/latent_response.h"

namespace neargp {

// Moments at the data, by datum. The mean and variance of eta include what the trend adds (eq. 25). The slope is E d
// log p / d eta, and the curvature is -E d2 log p / d eta2. The other two describe how posterior mean and trend depend
// on each other. Let A = Q + C'WC, where W are the curvatures, or 0 where these are negative. `field_response` is H =
// A^-1 C'WX, nodes x coefficients by column. `trend_covariance` is V = (X'WX - X'WC H)^-1. It is not a mean-field
// quantity; the mean-field one would take the field to be known all but exactly. The trend adds d'Vd to the variance at
// a datum, where d = x - H'c.
struct MeanFieldState {
  std::vector<double> linear_predictor, variance, slope, curvature, field_response, trend_covariance;
};

// `mean` and `variance` by node, in the model's numbering. `root`: R by column, with a row for each node, where RR' is
// the covariance matrix of q. If it is empty that matrix is diagonal.
MeanFieldState mean_field_state(const LatentModel& model, const LatentResponse& response, const Likelihood& likelihood,
                                const std::vector<double>& beta, const std::vector<double>& mean,
                                const std::vector<double>& variance, const std::vector<double>& root,
                                const RunContext& context);

struct MeanFieldPrediction {
  std::vector<double> mean, variance;  // b'm and f + sum_l b_l^2 s_l
  std::vector<double> response;        // b' of the additional columns: locations x (columns - 2)
};

// `values`: nodes x columns, row-major, the first two m and s. Rows of `neighbors` are nodes.
MeanFieldPrediction predict_mean_field(Points nodes, const std::vector<double>& values, int columns, double jitter,
                                       Points locations, const NeighborTable& neighbors, const Covariance& covariance,
                                       const RunContext& context);

}  // namespace neargp
