#include "variational/family_rows.h"

#include "variational/posterior_adjoint.h"
#include "variational/sum_rows.h"

namespace neargp {

using Eigen::MatrixXd;
using Eigen::VectorXd;

FamilyRowsHere::FamilyRowsHere(const LatentResponse& response, Points coords, const InducingFactor& factor,
                               const Likelihood& likelihood, int effects, Index chunk_rows, const RunContext& context)
    : response_(response), coords_(coords), factor_(factor), likelihood_(likelihood), chunk_rows_(chunk_rows),
      context_(context),
      regression_(factor, coords, response.design.data(), response.coefficients, chunk_rows, context, effects) {}

FamilyExpectations FamilyRowsHere::expect(const InducingPosterior& field, double v) const {
  FamilyExpectations at;
  const std::vector<double> trend = response_.trend({field.beta.data(), field.beta.data() + field.beta.size()});
  at.linear_predictor = Eigen::Map<const VectorXd>(trend.data(), coords_.n);
  regression_.add_moments(field, at.linear_predictor, at.variance);
  const VectorXd variance = v * regression_.unexplained() + at.variance + regression_.effects_variance(field);
  at.slope.resize(coords_.n);
  at.curvature.resize(coords_.n);
  at.d_likelihood.assign(likelihood_.parameters.size(), 0.0);
  at.sum = expectations(likelihood_, response_.observations(), at.linear_predictor.data(), variance.data(),
                        {nullptr, at.slope.data(), at.curvature.data(), nullptr}, at.d_likelihood.data(), context_);
  return at;
}

// The part of effects in dF/dA is T R (W E R)', from Cov(w, u).
InducingGradient FamilyRowsHere::gradient(const InducingPosterior& field, double v, const VectorXd& slope,
                                          const VectorXd& curvature) const {
  MatrixXd means(field.mean.size(), 1 + field.effects());
  means << field.mean, field.shared_root();
  const PosteriorAdjoint posterior(factor_, means, field.covariance(), v);
  return sum_rows(
      coords_.n, chunk_rows_, regression_.inducing() * coords_.dim, context_, factor_.points().zero_gradient(),
      [&](Index first, Index last, InducingGradient& sum) {
        const Index n = last - first;
        const VectorXd of_rows = curvature.segment(first, n);
        MatrixXd alpha(n, means.cols());
        alpha << slope.segment(first, n), of_rows.asDiagonal() * regression_.effects_features(field, first, n);
        posterior.add_rows(
            {coords_[first], n, coords_.dim}, of_rows, [&](const MatrixXd&) -> MatrixXd { return alpha; }, sum);
      });
}

}  // namespace neargp
