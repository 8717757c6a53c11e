// Field and trend of a latent model given pseudo-observations of precision W and natural mean t: the solution of
//
//   [A, C'WX; X'WC, X'WX] [m; beta] = [C'(t - W offset); X'(t - W offset)].
//
// A constant added to the trend and taken from the field changes eta nowhere, so elimination of the field leaves the
// small difference X'WX - X'WC A^-1 C'WX of large numbers, in which the error of an incomplete factor would count for
// much. The field is therefore centered: with Xn the design averaged at the nodes and R = X - C Xn what is left, v = m
// + Xn beta has the system
//
//   [A, -K; -K', N] [v; beta],   K = Q Xn - C'W R,   N = Xn'Q Xn + R'W R,
//
// whose Schur complement N - K'G, G = A^-1 K, is the same without the difference, for Q Xn is small where Xn is smooth.
// The field then answers to the trend by H = A^-1 C'WX = Xn - G.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "latent/latent_model.h"
#include "latent/posterior_factor.h"
#include "likelihoods/latent_response.h"

namespace neargp {

class TrendSystem {
 public:
  // `node_design`: Xn, nodes x coefficients, by column. `factor` has the precisions W, by datum. Unless `refined` it
  // stands in the place of A. The coefficients of the last `effects` columns have the prior N(0, I) and are not
  // centered (Xn = 0): indicators of groups are rough, and Q times their averages is large. The arguments outlive the
  // object.
  TrendSystem(const LatentModel& model, const LatentResponse& response, const std::vector<double>& node_design,
              int effects, const PosteriorFactor& factor, const std::vector<double>& precision, bool refined,
              const RunContext& context);

  // R, row-major.
  const std::vector<double>& design_left() const { return left_; }

  // H and X - C H.
  Eigen::MatrixXd field_response() const;
  Eigen::MatrixXd unseen() const;

  struct Direction {
    std::vector<double> mean, beta;
  };
  // The step in m and beta for the gradient in v (at fixed beta) and in beta (at fixed v). The first `held`
  // coefficients stay.
  Direction solve(const std::vector<double>& at_nodes, std::vector<double> at_coefficients, int held,
                  const RunContext& context) const;

  // The information of the coefficients with the field integrated out, N - K'G.
  const Eigen::MatrixXd& information() const { return schur_; }

  // H (nodes x coefficients, by column), by which the field answers to the trend, m(beta) = m - H (beta' - beta), and
  // the covariance matrix of the trend coefficients, (X'WX - X'WC H)^-1, with I added to the block of effects.
  struct Trend {
    std::vector<double> field_response, covariance;
    std::vector<double> variance_at_data;  // what it adds to the variance of each linear predictor
  };
  // `of_trend`: the covariance matrix of the coefficients before the effects, should it be another one. The effects
  // answer to these as before.
  Trend trend(const Eigen::MatrixXd* of_trend = nullptr) const;

 private:
  const LatentModel& model_;
  const std::vector<double>& node_design_;
  const PosteriorFactor& factor_;
  const std::vector<double>& precision_;
  const int coefficients_, effects_;
  const bool refined_;
  std::vector<double> left_, response_;  // R; G, nodes x coefficients, by column
  Eigen::MatrixXd schur_;
};

}  // namespace neargp
