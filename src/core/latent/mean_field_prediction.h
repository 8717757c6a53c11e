// Predictions of a posterior of independent nodes, q(u) = prod_j N(m_j, s_j), at the data and elsewhere.
#pragma once

#include <vector>

#include "latent/latent_model.h"
#include "likelihoods/latent_response.h"

namespace neargp {

// Moments at the data, by datum: mean and variance of eta (eq. 25, and what the trend adds), slope E d log p / d eta
// and curvature
// -E d2 log p / d eta2. And how posterior mean and trend depend on each other, with A = Q + C'WC, W the curvatures
// (negative ones count as none): H = A^-1 C'WX, nodes x coefficients by column, and (X'WX - X'WC H)^-1. That is not a
// mean-field quantity; the mean-field one would take the field to be known all but exactly. To the variance at a datum
// the trend adds d'Vd, d = x - H'c, V its covariance matrix.
struct MeanFieldState {
  std::vector<double> linear_predictor, variance, slope, curvature, field_response, trend_covariance;
};

// `mean` and `variance` by node, in the model's numbering. `root`: RR' is the covariance matrix of q, nodes down the
// rows, by column; empty: that is diagonal.
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
