// The density of a row's response given its components, and an objective's derivatives in their moments.
//
// Component s is weighted by w_s, and its linear predictor is eta_s ~ N(mu_s, v_s). The scores of a row are
//
//   mixture   log sum_s w_s E p(y | eta_s),
//   expected  sum_s w_s E log p(y | eta_s),
//   robust    sum_s w_s t_s.
//
// The mixture score is the log density of the prediction (Jankowiak, Pleiss and Gardner 2020, eq. 17). The expected
// score is a term of an evidence lower bound (Salimbeni and Deisenroth 2017, eq. 16). The robust score is for Gaussian
// responses. It uses the gamma divergence (Knoblauch 2019) in place of the logarithm. Let a = gamma - 1 and I = int
// p^gamma dy. Then
//
//   t = gamma / a (E[p^a] I^(-a / gamma) - 1),
//
// which tends to E log p as gamma tends to 1. Multiple outputs are a linear model of coregionalisation: y ~ N(A'mu_s,
// A'diag(v_s)A + diag(noise / weight)). Their mixture score is that of their joint density. A missing output of a row
// is NaN, and is left out.
//
// A trend and an offset, the same in all components, are added to the means: mu_s + offset + design trend. With m_s the
// derivative in mu_s, the derivative in the trend is design' sum_s m_s.
#pragma once

#include "deep/deep_state.h"

namespace neargp {

enum class DeepScore { mixture, expected, robust };

// The observations of n rows. `y` contains `outputs` numbers for each row, `design` contains `columns`. Empty trials or
// weights stand for 1, an empty offset for 0. For multiple outputs the offset must be empty.
struct DeepResponse {
  std::vector<double> y, trials, weights, offset, design;
  int outputs = 1, columns = 0;

  Index rows() const { return Index(y.size()) / outputs; }
};

DeepResponse take_rows(const DeepResponse& response, const std::vector<int>& rows);
// Responses of `count` rows from `first` on.
DeepResponse rows_of(const DeepResponse& response, Index first, Index count);

// Sums over rows, in the state's own parameters.
struct ScoreSums {
  double value = 0.0;
  Eigen::VectorXd log_weights, likelihood, output_noise;
  Eigen::MatrixXd mixing, trend;

  explicit ScoreSums(const DeepState& state);
  void add(const ScoreSums& other);
};

// Moments of the last layer, a column for each unit. Row i of the response in component s is row s * rows + i of them.
struct ComponentMoments {
  const Eigen::MatrixXd& mean;
  const Eigen::MatrixXd& variance;
};

struct MomentDerivatives {
  Eigen::MatrixXd mean, variance;
};

// Adds the scores and their derivatives to the sums, all times `scale`.
MomentDerivatives add_scores(const DeepState& state, DeepScore score, double gamma, const DeepResponse& response,
                             const ComponentMoments& moments, double scale, ScoreSums& sums);

// The mixture score of each row.
Eigen::VectorXd mixture_log_density(const DeepState& state, const DeepResponse& response,
                                    const ComponentMoments& moments);

namespace detail {

// log p_s of each row (rows x components), and its derivatives in the moments.
struct ComponentDensities {
  Eigen::MatrixXd value;
  MomentDerivatives slope;
};

ComponentDensities component_densities(const DeepState& state, const DeepResponse& response,
                                       const ComponentMoments& moments);
// Adds the derivatives of the sum of share * log p_s in the response's parameters.
void add_density_parameters(const DeepState& state, const DeepResponse& response, const ComponentMoments& moments,
                            const Eigen::MatrixXd& share, ScoreSums& sums);

// Densities of multiple outputs, see coregionalised_score.cpp.
ComponentDensities coregionalised_densities(const DeepState& state, const DeepResponse& response,
                                            const ComponentMoments& moments);
void add_coregionalised_parameters(const DeepState& state, const DeepResponse& response,
                                   const ComponentMoments& moments, const Eigen::MatrixXd& share, ScoreSums& sums);
// The expected score of each row in each component (rows x components), as the terms of add_mean(). Adds `scale` times
// the weighted derivatives in the parameters of the response. Returns the derivatives in the moments.
MomentDerivatives add_coregionalised_expectations(const DeepState& state, const DeepResponse& response,
                                                  const ComponentMoments& moments, double scale, Eigen::MatrixXd& value,
                                                  ScoreSums& sums);

}  // namespace detail

}  // namespace neargp
