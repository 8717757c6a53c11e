// The posterior of a latent model in shards, as R calls it. Each shard is fitted with nodes around its own ones, and
// computes its share of the ELBO (latent/bound_share.h). Nodes and data are numbered as the caller's rows.
#include "base/error.h"
#include "bind_eigen.h"
#include "bind_latent_fit.h"
#include "bind_neighbors.h"
#include "latent/bound_share.h"

namespace {

// The data with this design, rows x coefficients.
neargp::LatentResponse with_design(const neargp::LatentResponse& response, const Rcpp::NumericMatrix& design) {
  if (design.nrow() != response.n()) throw neargp::Error("The design does not belong to these data.");
  neargp::LatentResponse result = response;
  result.design = row_major(design);
  result.coefficients = design.ncol();
  return result;
}

}  // namespace

// The offset of each datum, with the trend in it, for the fits that follow.
// [[Rcpp::export]]
void core_latent_set_offset(SEXP latent, const std::vector<double>& offset) {
  neargp::LatentResponse& response = LatentPointer(latent)->response;
  if (offset.size() != response.offset.size()) throw neargp::Error("There must be one offset for each datum.");
  response.offset = offset;
}

// The response of the field to a trend of this design, nodes x coefficients.
// [[Rcpp::export]]
Rcpp::NumericMatrix core_latent_field_response(SEXP latent, const Rcpp::NumericMatrix& design,
                                               const Rcpp::List& context) {
  LatentPointer fit(latent);
  const Eigen::MatrixXd response =
      neargp::field_response_to(fit->posterior, fit->model, with_design(fit->response, design), run_context(context));
  return by_column(fit->model.to_caller({response.data(), response.data() + response.size()}, design.ncol()),
                   fit->model.nodes(), design.ncol());
}

// `own`: nodes. `mean` and `field_response`: of all nodes, each as computed by the shard that owns it.
// [[Rcpp::export]]
Rcpp::List core_latent_share(SEXP latent, const Rcpp::IntegerVector& own, const Rcpp::NumericVector& mean,
                             const Rcpp::NumericMatrix& design, const Rcpp::NumericMatrix& field_response,
                             bool derivatives, const Rcpp::List& context) {
  LatentPointer fit(latent);
  const neargp::Index nodes = fit->model.nodes();
  const int p = design.ncol();
  const std::vector<double> answers = fit->model.from_caller({field_response.begin(), field_response.end()}, p);
  const neargp::BoundShare share = neargp::bound_share(
      fit->posterior, fit->model, with_design(fit->response, design), neargp::own_nodes(fit->model, to_rows(own)),
      fit->model.from_caller({mean.begin(), mean.end()}), Eigen::Map<const Eigen::MatrixXd>(answers.data(), nodes, p),
      derivatives, run_context(context));
  return Rcpp::List::create(Rcpp::_["value"] = share.value, Rcpp::_["score"] = to_r(Eigen::MatrixXd(share.score)),
                            Rcpp::_["information"] = to_r(share.information),
                            Rcpp::_["d_covariance"] = share.covariance, Rcpp::_["d_likelihood"] = share.likelihood);
}
