#include "variational/natural_step.h"

#include "base/error.h"
#include "linalg/products.h"

namespace neargp {

using Eigen::MatrixXd;
using Eigen::VectorXd;

RootedPosterior rooted(const NaturalPosterior& q) {
  MatrixXd factor = q.precision;
  if (!cholesky(factor)) throw Error("The precision of the field at the inducing points is not positive definite.");
  MatrixXd mean = q.natural;
  lower_solve(factor, mean);
  lower_transposed_solve(factor, mean);
  return {mean, std::move(factor), true};
}

NaturalStep::NaturalStep(const InducingFactor& factor, const RowBatch& batch, const Likelihood& likelihood,
                         const BatchObjective& objective, const RunContext& context)
    : rows_(factor, batch, likelihood, objective, context), weight_(batch.weight / objective.kl_weight) {}

NaturalPosterior NaturalStep::posterior(const VectorXd& precision, const VectorXd& natural) const {
  BatchRows::Sums sums = rows_.sums(weight_ * precision.cwiseMax(0.0), weight_ * natural);
  sums.square.diagonal().tail(rows_.size() - rows_.trend()).array() += 1.0;
  return {std::move(sums.square), std::move(sums.linear)};
}

NaturalPosterior NaturalStep::moved(const NaturalPosterior& from, double rate) const {
  const RowMoments at = rows_.gaussian() ? rows_.moments_of_prior_mean() : rows_.moments(rooted(from));
  NaturalPosterior q = posterior(at.curvature, at.curvature.cwiseMax(0.0).cwiseProduct(at.mean) + at.slope);
  q.precision = (1.0 - rate) * from.precision + rate * q.precision;
  q.natural = (1.0 - rate) * from.natural + rate * q.natural;
  return q;
}

BatchGradient NaturalStep::gradient(const NaturalPosterior& at) const {
  const RootedPosterior q = rooted(at);
  return rows_.gradient(q, rows_.moments(q), false);
}

}  // namespace neargp
