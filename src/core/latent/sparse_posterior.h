// Gaussian approximations q(u) = N(m, A^-1), A = Q + C'WC, of the posterior of a latent model, and the objectives
// that its covariance is fitted by.
//
// "sparse": the variational optimum, W_i = -E d2 log p(y_i | eta_i) under q (for a Gaussian response the exact
// posterior), with the evidence lower bound
//
//   L = sum_i E log p(y_i | eta_i) + 1/2 sum_i W_i (s_i - v_i) - 1/2 m'Qm + 1/2 log|Q| - 1/2 log|A|,
//
// q(w_i) = N(mu_i, s_i), mu = C m, s_i = v_i + c_i'Z c_i. Its steps are natural-gradient steps: each datum is a
// pseudo-observation, a normal pseudo-observation of eta_i with precision W_i and natural mean t_i = W_i eta_i + E d
// log p. "laplace": the same at the mode, W_i and slopes taken at the point.
//
// log|A| and Z = d log|A| / dA come from a factor of A on the pattern of the model's cliques. With an incomplete factor
// L is that factor's own objective: W stationary for it means W_i = -2 dE_i/ds_i as before, and its gradient below is
// exact. The mean solves the exact system, the factor only preconditions it.
#pragma once

#include <vector>

#include "latent/latent_model.h"
#include "latent/latent_response.h"
#include "latent/posterior_factor.h"
#include "latent/trend_system.h"

namespace neargp {

struct PosteriorSettings {
  double tolerance = 1e-4;  // gain of a step, in units of log-likelihood, below which it was or would be the last
  int max_iterations = 60;
};

struct PosteriorOutcome {
  double value = 0.0;  // L, or Laplace's approximation of the log evidence
  int iterations = 0;
  bool converged = false;
};

struct PosteriorGradient {
  std::vector<double> covariance;  // in the core's covariance parameters
  std::vector<double> likelihood;  // in the logarithms of the likelihood's parameters
};

class SparsePosterior {
 public:
  // Should an incomplete factor break down where no exact one can take its place, fit() throws an Error. Model and response
  // outlive the object; the model's covariance may change between calls.
  SparsePosterior(const LatentModel& model, const LatentResponse& response, PosteriorKind kind,
                  const FactorSettings& factor, const RunContext& context);

  // Pseudo-observations at these linear predictors, one for each datum. Those that the responses themselves suggest, as
  // generalised linear models start from, are safe: from a common one the first step towards a large count would
  // overshoot by far.
  void start(const std::vector<double>& linear_predictor, const Likelihood& likelihood, const RunContext& context);

  // Pseudo-observations as a fit of the same responses left them, with mean, trend, linear predictors and their slopes,
  // to go on from.
  void resume(std::vector<double> mean, std::vector<double> beta, std::vector<double> precision,
              std::vector<double> linear_predictor, std::vector<double> slope);

  // Restores the posterior as a fit left it: mean, trend and precisions of the pseudo-observations at the model's
  // present covariance.
  void restore(std::vector<double> mean, std::vector<double> beta, std::vector<double> precision,
               const RunContext& context);

  // Fits from where the last fit ended.
  PosteriorOutcome fit(const Likelihood& likelihood, const PosteriorSettings& settings, const RunContext& context);

  // Gradient of the last fit's value, field and trend profiled out.
  PosteriorGradient gradient(const RunContext& context);

  // Results after a fit.
  const std::vector<double>& mean() const { return state_.mean; }              // m
  const std::vector<double>& beta() const { return state_.beta; }
  const std::vector<double>& pseudo_precision() const { return state_.precision; }  // W
  const std::vector<double>& linear_predictor() const { return eta_; }
  const std::vector<double>& variance_at_data() const { return factor_.variance_at_data(); }    // s
  const std::vector<double>& slope() const { return slope_; }                  // E d log p / d eta
  const PosteriorFactor& factor() const { return factor_; }

  TrendSystem::Trend trend(const RunContext& context) const;

 private:
  struct State {
    std::vector<double> mean, beta;
    std::vector<double> precision, natural;  // pseudo-observations: W and t
  };
  struct Step {
    State state;
    double value, predicted_gain;  // predicted_gain: the gain that the quadratic objective of the pseudo-observations has left for the mean
  };

  void set_state(std::vector<double> mean, std::vector<double> beta, std::vector<double> precision);
  bool factorize_or_fall_back(const RunContext& context);
  double evaluate(const State& state, const RunContext& context);
  bool drop_negative_pseudo_observations();
  void find_gaussian_pseudo_observations(const RunContext& context);
  bool is_settled(const State& proposal, double tolerance, const RunContext& context);
  void propose_pseudo_observations(State& state) const;
  void set_natural_means(State& state) const;
  Step part_of_step(const State& proposal, double share, const RunContext& context);
  double move_mean(State& state, const RunContext& context);
  void converge(const RunContext& context);
  double finish_laplace(const RunContext& context);
  double approach_mode(double value, const RunContext& context);

  void add_interpolation_terms(LatentAdjoints& adjoints, const RunContext& context) const;
  void add_laplace_terms(LatentAdjoints& adjoints, std::vector<double>& likelihood_gradient, const RunContext& context);
  std::vector<double> laplace_likelihood_terms(const std::vector<double>& at_data, const RunContext& context) const;

  const LatentModel& model_;
  const LatentResponse& response_;
  const PosteriorKind kind_;
  PosteriorFactor factor_;
  Likelihood likelihood_;

  std::vector<double> node_design_;  // nodes x coefficients, by column
  State state_;
  std::vector<double> eta_, slope_, curvature_;  // by datum, at the last evaluation
  std::vector<double> likelihood_gradient_;
};

}  // namespace neargp
