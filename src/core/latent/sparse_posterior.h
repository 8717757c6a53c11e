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

#include <Eigen/Core>
#include <limits>
#include <memory>

#include "latent/latent_model.h"
#include "latent/latent_response.h"
#include "linalg/sparse/sparse_factor.h"

namespace neargp {

enum class PosteriorKind { sparse, laplace };

struct PosteriorSettings {
  PosteriorKind kind = PosteriorKind::sparse;
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
  // `exact`: an exact factor; else an incomplete one. Should it break down, or differ too much from A, it gives way to an exact
  // one where there are at most a few thousand nodes; else fit() throws an Error of a breakdown.
  // `factor_bytes`: what an incomplete factor may take; where the pattern of Q would take more it has the restricted one
  // (linalg/sparse/sparse_pattern.h).
  // `mean_field`: variances and log determinant are those of the diagonal of A (linalg/sparse/mean_field_factor.h), which makes
  // L the mean-field bound, and its optimum the best q(u) of independent nodes.
  // Both arguments outlive the object; the model's covariance may change between calls.
  SparsePosterior(const LatentModel& model, const LatentResponse& response, bool exact, const RunContext& context,
                  bool mean_field = false, double factor_bytes = std::numeric_limits<double>::infinity());

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
  const std::vector<double>& variance_at_data() const { return variance_; }    // s
  const std::vector<double>& slope() const { return slope_; }                  // E d log p / d eta
  std::vector<double> node_variance() const;  // diag Z
  const SparseFactor& factor() const { return *factor_; }
  bool is_exact() const { return exact_; }
  bool is_restricted() const { return pattern_.is_restricted(); }

  // H = A^-1 C'W X (nodes x coefficients, by column), by which the field answers to the trend, m(beta) = m - H (beta' -
  // beta), and the covariance matrix of the trend coefficients, (X'WX - X'WC H)^-1.
  struct Trend {
    std::vector<double> field_response, covariance;
    std::vector<double> variance_at_data;  // what it adds to the variance of each linear predictor
  };
  Trend trend(const RunContext& context) const;

  // A^-1 h by conjugate gradients, A being that of the factor.
  std::vector<double> solve(const std::vector<double>& h, const RunContext& context) const;

 private:
  struct State {
    std::vector<double> mean, beta;
    std::vector<double> precision, natural;  // pseudo-observations: W and t
  };
  struct Step {
    State state;
    double value, predicted_gain;  // predicted_gain: the gain that the quadratic objective of the pseudo-observations has left for the mean
  };
  struct Direction {
    std::vector<double> mean, beta;
  };
  struct TrendSystem {
    std::vector<double> coupling, response;  // K and G, nodes x coefficients, by column
    Eigen::MatrixXd schur;
  };

  std::unique_ptr<SparseFactor> make_factor() const;
  void set_state(std::vector<double> mean, std::vector<double> beta, std::vector<double> precision);
  void assemble_prior();
  bool factorize(const State& state, const RunContext& context);
  bool factorize_or_fall_back(const RunContext& context);
  bool may_fall_back() const;
  double factor_error(const std::vector<double>& precision, const RunContext& context) const;
  void find_variances(const RunContext& context);
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

  std::vector<double> design_left() const;
  TrendSystem trend_system(const State& state, bool refined, const RunContext& context) const;
  Direction joint_solve(const TrendSystem& system, std::vector<double> at_nodes, std::vector<double> at_coefficients,
                        bool refined, const RunContext& context) const;
  void solve_columns(std::vector<double>& columns, bool refined, const RunContext& context) const;
  void add_interpolation_terms(LatentAdjoints& adjoints, const RunContext& context) const;
  void add_laplace_terms(LatentAdjoints& adjoints, std::vector<double>& likelihood_gradient, const RunContext& context);
  std::vector<double> laplace_likelihood_terms(const std::vector<double>& at_data, const RunContext& context) const;

  const LatentModel& model_;
  const LatentResponse& response_;
  SparsePattern pattern_;
  bool exact_, mean_field_;
  std::unique_ptr<SparseFactor> factor_;
  Likelihood likelihood_;
  PosteriorKind kind_ = PosteriorKind::sparse;

  std::vector<double> node_design_;  // nodes x coefficients, by column
  State state_;
  std::vector<double> prior_values_, values_, inverse_;   // Q, A and Z on the pattern
  std::vector<double> factorized_;                        // precision of the pseudo-observations that factor_ has, empty if it has none
  std::vector<double> eta_, variance_, slope_, curvature_;  // by datum, at the last evaluation
  std::vector<double> likelihood_gradient_;
};

}  // namespace neargp
