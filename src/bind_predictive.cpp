// The predictive score of a posterior on inducing points, as R calls it.
#include <memory>

#include "base/error.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "bind_latent.h"
#include "variational/predictive_score.h"

namespace {

using Eigen::MatrixXd;

// All that the objective refers to.
struct PredictiveProblem {
  PointStore coords, inducing;
  neargp::LatentResponse response;
  std::vector<double> mean;
  neargp::ResponseFamily family;
  neargp::PreparedCovariance covariance;
  neargp::InducingPoints points;
  neargp::InducingFactor prior;
  MatrixXd origin;
  neargp::ScoredRows rows;
  std::unique_ptr<neargp::PredictiveObjective> objective;

  PredictiveProblem(const Rcpp::NumericMatrix& coords_, const Rcpp::NumericMatrix& inducing_,
                    const Rcpp::List& response_, const Rcpp::NumericVector& mean_, const std::string& family_,
                    const neargp::Covariance& covariance_, double jitter, const Rcpp::NumericMatrix& origin_,
                    double kl_weight, const neargp::RunContext& context)
      : coords(coords_), inducing(inducing_), response(to_response(response_)), mean(mean_.begin(), mean_.end()),
        family(neargp::response_family_from_name(family_)),
        covariance(neargp::prepare(covariance_, coords.view().dim, false)), points(covariance, inducing.view()),
        prior(points, jitter, false),
        origin(to_eigen(origin_)), rows{coords.view(), response.observations(), mean.data()} {
    const neargp::Index n = coords.view().n, m = inducing.view().n;
    if (response.n() != n || neargp::Index(mean.size()) != n || origin.rows() != m || origin.cols() != m)
      throw neargp::Error(
          "There must be a response and a mean for each row, and a row and a column for each inducing point.");
    if (!prior.regular()) throw neargp::Error("The covariance matrix of the inducing points is numerically singular.");
    objective = std::make_unique<neargp::PredictiveObjective>(rows, prior, origin, kl_weight, context);
  }
};

using PredictivePointer = Rcpp::XPtr<PredictiveProblem>;

}  // namespace

// `response`: as of a latent model, see bind_latent.h. `mean`: of each row's linear predictor, which stays fixed.
// `factor`: lower triangle L with S = (L L')^-1, from which the search begins.
// [[Rcpp::export]]
SEXP core_predictive(const Rcpp::NumericMatrix& coords, const Rcpp::List& response, const Rcpp::NumericVector& mean,
                     const std::string& family, const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance,
                     double jitter, const Rcpp::NumericMatrix& factor, double kl_weight, const Rcpp::List& context) {
  return PredictivePointer(
      new PredictiveProblem(coords, inducing, response, mean, family, to_covariance(covariance, 0.0), jitter, factor,
                            kl_weight, run_context(context)),
      true);
}

// relative: lower triangle G with S = (L G G'L')^-1. d_factor: in G, on the diagonal in its logarithms.
// [[Rcpp::export]]
Rcpp::List core_predictive_score(SEXP problem, const Rcpp::NumericMatrix& relative,
                                 const std::vector<double>& parameters, const Rcpp::List& context) {
  PredictivePointer at(problem);
  const neargp::PredictiveScore score =
      at->objective->evaluate(to_eigen(relative), {at->family, parameters}, run_context(context));
  Rcpp::List list = Rcpp::List::create(Rcpp::_["value"] = score.value);
  if (!std::isfinite(score.value)) return list;
  list["d_factor"] = to_r(score.d_factor);
  list["d_likelihood"] = score.d_likelihood;
  return list;
}
