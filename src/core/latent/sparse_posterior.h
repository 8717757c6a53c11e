// Gaussian approximations q(u) = N(m, A^-1), A = Q + C'WC, of the posterior of a latent model, and the objectives that
// its covariance is fitted by.
//
// Kind "sparse": the variational optimum, W_i = -E d2 log p(y_i | eta_i) under q, with the ELBO of evidence_bound.h.
// For a Gaussian response it is the exact posterior. Its steps are natural-gradient steps. Each datum is a
// pseudo-observation, a normal observation of eta_i with precision W_i and natural mean t_i = W_i eta_i + E d log p.
// Kind "laplace": the same at the mode, with W_i and slopes taken at the point. The trend maximises Laplace's
// approximation (laplace_trend.cpp), or with `joint_trend` it is at the joint mode.
//
// With an incomplete factor of A, W stationary for that factor's L means W_i = -2 dE_i/ds_i as before, and the gradient
// is exact. The mean solves the exact system. The factor only preconditions it.
#pragma once

#include <vector>

#include "latent/effect_posterior.h"
#include "latent/latent_model.h"
#include "latent/posterior_factor.h"
#include "latent/trend_system.h"
#include "likelihoods/latent_response.h"
#include "likelihoods/likelihoods.h"

namespace neargp {

struct PosteriorSettings {
  double tolerance = 1e-4;  // gain of a step, in units of log-likelihood, below which it was or would be the last
  int max_iterations = 60;
};

struct PosteriorGradient {
  std::vector<double> covariance;  // in the core's covariance parameters
  std::vector<double> likelihood;  // in the logarithms of the likelihood's parameters
  Eigen::MatrixXd design;          // in the columns of the random effects, n x their number
};

struct PosteriorOutcome {
  double value = 0.0;  // the evidence bound L, or Laplace's approximation of the log evidence
  int iterations = 0;
  bool converged = false;
  PosteriorGradient gradient;  // of the value, field and trend profiled out; empty unless it was asked for
};

// Where a fit begins, and where it ended.
struct PosteriorState {
  std::vector<double> mean, beta;
  std::vector<double> precision, natural;  // pseudo-observations: W and t
  std::vector<double> linear_predictor;
  bool has_trend = false;  // whether beta maximises Laplace's approximation at some parameters

  // Natural means that make the linear predictors stationary, given the slopes E d log p there.
  void find_natural_means(const std::vector<double>& slope);
};

// 2 a - b. Precisions that are positive in both stay so, by a^2 / b.
PosteriorState opposite_state(const PosteriorState& a, const PosteriorState& b);

class SparsePosterior {
 public:
  // If an incomplete factor breaks down and no exact one can replace it, fit() throws an Error. Model and response
  // outlive the object; the model's covariance may change between calls.
  // `effects`: the number of random effects, the last columns of the design (effect_posterior.h), which may also change
  // between calls. They are for data at nodes, and not for the mean field.
  SparsePosterior(const LatentModel& model, const LatentResponse& response, PosteriorKind kind,
                  const FactorSettings& factor, const RunContext& context, int effects = 0, bool joint_trend = false);

  // Pseudo-observations at these linear predictors, one for each datum. Those that the responses themselves suggest, as
  // generalised linear models start from, are safe: from a common one the first step towards a large count would
  // overshoot by far.
  PosteriorState start(std::vector<double> linear_predictor, const Likelihoods& likelihood,
                       const RunContext& context) const;

  // The state that a fit of the same responses ended in; `slope`: those at its linear predictors.
  PosteriorState resume(std::vector<double> mean, std::vector<double> beta, std::vector<double> precision,
                        std::vector<double> linear_predictor, const std::vector<double>& slope) const;

  // Restores the posterior as a fit left it: mean, trend and precisions of the pseudo-observations at the model's
  // present covariance.
  void restore(std::vector<double> mean, std::vector<double> beta, std::vector<double> precision,
               const RunContext& context);

  // Switches to an exact factor, as when an incomplete one breaks down.
  void become_exact(const RunContext& context) {
    if (!factor_.is_exact()) factor_.become_exact(context);
  }

  PosteriorOutcome fit(PosteriorState start, const Likelihoods& likelihood, const PosteriorSettings& settings,
                       bool derivatives, const RunContext& context);

  // Results after a fit.
  const PosteriorState& state() const { return state_; }
  const std::vector<double>& variance_at_data() const { return factor_.variance_at_data(); }  // s
  const std::vector<double>& slope() const { return slope_; }                                 // E d log p / d eta
  const PosteriorFactor& factor() const { return factor_; }
  const Likelihoods& likelihood() const { return likelihood_; }

  // The last response of the fields to the trend. The next fit of several fields begins its solves there. A model that
  // goes on for another one begins where that one would.
  const std::vector<double>& last_response() const { return last_trend_.response; }
  void begin_at_response(std::vector<double> response) { last_trend_ = {0, {}, std::move(response), {}}; }

  // For Laplace's approximation this finds fits near the present one, and comes back to it.
  TrendSystem::Trend trend(const RunContext& context);

 private:
  struct Step {
    PosteriorState state;
    double value;
    double predicted_gain;  // that the quadratic objective of the pseudo-observations has left for the mean
  };
  // How Laplace's approximation moves with the linear predictors by its log|A| (evidence_bound_gradient.cpp).
  struct LaplaceMove {
    std::vector<double> third;  // 1/2 s d3 log p by datum
    TrendSystem::Direction t;
    std::vector<double> t_at_data;
  };
  struct TrendSlope {
    Eigen::VectorXd gradient;
    Eigen::MatrixXd covariance;  // of the joint mode's coefficients
  };

  void check_state(const PosteriorState& state) const;
  bool factorize_or_fall_back(const RunContext& context);
  double evaluate(PosteriorState& state, const RunContext& context);
  bool drop_negative_pseudo_observations();
  void find_gaussian_pseudo_observations(const RunContext& context);
  bool is_settled(const PosteriorState& proposal, double tolerance) const;
  double promise_for_mean(const RunContext& context);
  PosteriorState with_present_precision() const;
  PosteriorState propose_pseudo_observations() const;
  PosteriorState propose_site_optimum(const RunContext& context);
  PosteriorGradient gradient(const RunContext& context);
  Step part_of_step(const PosteriorState& proposal, double share, const RunContext& context);
  double move_mean(PosteriorState& state, const RunContext& context);
  // Whether steps by the incomplete factor may lead downhill, see move_mean().
  bool steps_may_mislead() const {
    return effects_.count() > 0 && !refined_steps_ && !factor_.is_exact() && !factor_.is_restricted();
  }
  // The tolerance of a step's solves. It is rough for several fields, whose further steps correct it. At 1e-3 they took
  // steps that were half too long, since an incomplete factor is least accurate for trends.
  double step_tolerance() const {
    if (!factor_.is_restricted() && !refined_steps_) return PosteriorFactor::by_factor;
    return model_.loadings() ? 1e-4 : PosteriorFactor::precise;
  }
  double newton_step_of_mean(PosteriorState& state, const RunContext& context);
  void converge(const RunContext& context);
  PosteriorOutcome find_mode(const PosteriorSettings& settings, const RunContext& context);
  PosteriorOutcome climb(const PosteriorSettings& settings, const RunContext& context);
  double finish_laplace(const RunContext& context);
  double approach_mode(double value, const RunContext& context);

  bool maximises_trend() const;
  void climb_in_trend(PosteriorOutcome& outcome, PosteriorSettings settings, const RunContext& context);
  PosteriorOutcome laplace_at(PosteriorState start, const Eigen::VectorXd& step, const PosteriorSettings& settings,
                              const RunContext& context);
  LaplaceMove laplace_move(const TrendSystem& system, const RunContext& context) const;
  TrendSlope trend_slope(const RunContext& context) const;
  Eigen::MatrixXd trend_information(const Eigen::MatrixXd& root, const RunContext& context);

  bool factorize(const std::vector<double>& precision, const RunContext& context);
  double log_prior_of_effects(const std::vector<double>& beta) const;
  std::vector<double> total_variance() const;
  const std::vector<double>& centring(const std::vector<double>& precision) const;
  Eigen::MatrixXd design_gradient() const;
  void add_interpolation_terms(LatentAdjoints& adjoints, const RunContext& context) const;
  void add_taken_products(const Eigen::MatrixXd& taken, std::vector<double>& products) const;
  void add_low_rank_terms(LatentAdjoints& adjoints) const;
  void add_laplace_low_rank_terms(LatentAdjoints& adjoints, const std::vector<double>& t,
                                  const std::vector<double>& t_at_data, const std::vector<double>& third) const;
  std::vector<double> residual_of(const std::vector<double>& field) const;
  void add_laplace_terms(LatentAdjoints& adjoints, PosteriorGradient& gradient, const RunContext& context);
  void add_laplace_design_terms(const TrendSystem::Direction& t, const std::vector<double>& t_at_data,
                                const std::vector<double>& third, Eigen::MatrixXd& design) const;
  std::vector<double> laplace_likelihood_terms(const std::vector<double>& at_data, const RunContext& context) const;

  const LatentModel& model_;
  const LatentResponse& response_;
  const PosteriorKind kind_;
  const bool joint_trend_;
  PosteriorFactor factor_;
  EffectPosterior effects_;
  Likelihoods likelihood_;

  std::vector<double> node_design_, uncentred_;  // nodes x coefficients, by column
  bool refined_steps_ = false;                   // steps of the mean by solves with A, not with its incomplete factor
  int held_ = 0;                                 // the first coefficients, which steps leave where they are
  PosteriorState state_;
  LastTrend last_trend_;
  std::vector<double> slope_, curvature_;  // by datum, at the last evaluation
  std::vector<double> likelihood_gradient_;
};

}  // namespace neargp
