// Field and trend of a latent model given pseudo-observations of precision W and natural mean t. They solve
//
//   [A, C'WX; X'WC, X'WX] [m; beta] = [C'(t - W offset); X'(t - W offset)].
//
// A constant added to the trend and taken from the field changes eta nowhere. Elimination of the field therefore leaves
// the small difference X'WX - X'WC A^-1 C'WX of large numbers. There the error of an incomplete factor would count for
// much, so the field is centered. Let Xn be the design averaged at the nodes, and R = X - C Xn the rest. Then v = m +
// Xn beta and beta solve a system with the matrix [A, -K; -K', N].
//
//   K = Q Xn - C'W R,   N = Xn'Q Xn + R'W R.
//
// The Schur complement of this matrix is N - K'G with G = A^-1 K. It is the same without the difference, for Q Xn is
// small where Xn is smooth. The field then answers to the trend by H = A^-1 C'WX = Xn - G.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "latent/latent_model.h"
#include "latent/posterior_factor.h"
#include "likelihoods/latent_response.h"

namespace neargp {

// The last response G of several fields, its residual K - A G, and the precisions and the model's covariance that it
// belongs to. The next one starts from it, or is the same.
struct LastTrend {
  int revision = 0;
  std::vector<double> precision, response, residual;
};

class TrendSystem {
 public:
  // `node_design`: Xn, nodes x coefficients, by column. `factor` is that for the precisions W, by datum. `tolerance`
  // is that of solves with A, or by_factor. The prior of the coefficients of the last `effects` columns is
  // N(0, I). These are not centered (Xn = 0), since indicators of groups are rough, and Q times their averages is
  // large. The arguments outlive the object. For several fields, `last` is read and replaced, and A^-1 replaces `also`,
  // a number for each node, since a solve of one more column costs little.
  TrendSystem(const LatentModel& model, const LatentResponse& response, const std::vector<double>& node_design,
              int effects, const PosteriorFactor& factor, const std::vector<double>& precision, double tolerance,
              const RunContext& context, LastTrend* last = nullptr, std::vector<double>* also = nullptr);

  // R, row-major.
  const std::vector<double>& design_left() const { return left_; }

  // H and X - C H.
  Eigen::MatrixXd field_response() const;
  Eigen::MatrixXd unseen() const;

  struct Direction {
    std::vector<double> mean, beta;
  };
  // The step in m and beta for the gradient in v at fixed beta, and in beta at fixed v. The first `held` coefficients
  // stay. `solved`: A^-1 times the gradient in v.
  Direction solve(const std::vector<double>& at_nodes, std::vector<double> at_coefficients, int held,
                  const RunContext& context) const;
  Direction solve(const std::vector<double>& at_nodes, std::vector<double> solved, std::vector<double> at_coefficients,
                  int held) const;

  // The information of the coefficients with the field integrated out, N - K'G.
  const Eigen::MatrixXd& information() const { return schur_; }

  // H, nodes x coefficients by column, is the response of the field to the trend: m(beta') = m - H (beta' - beta). The
  // covariance matrix of the coefficients is (X'WX - X'WC H)^-1, with I added to the block of effects.
  struct Trend {
    std::vector<double> field_response, covariance;
    std::vector<double> variance_at_data;  // what it adds to the variance of each linear predictor
  };
  // `of_trend`: if given, it replaces the covariance matrix of the coefficients before the effects. The effects answer
  // to these as before.
  Trend trend(const Eigen::MatrixXd* of_trend = nullptr) const;

 private:
  void solve_near(LastTrend& last, std::vector<double>& also, const RunContext& context);
  Eigen::Map<const Eigen::MatrixXd> residual() const {
    return {residual_.data(), model_.nodes(), residual_.empty() ? 0 : coefficients_};
  }

  const LatentModel& model_;
  const std::vector<double>& node_design_;
  const PosteriorFactor& factor_;
  const std::vector<double>& precision_;
  const int coefficients_, effects_;
  const double tolerance_;
  std::vector<double> left_, response_;  // R; G, nodes x coefficients, by column
  std::vector<double> residual_;         // K - A G, if G started from another one
  Eigen::MatrixXd schur_;
};

}  // namespace neargp
