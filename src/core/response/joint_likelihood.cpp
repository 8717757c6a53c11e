#include "response/joint_likelihood.h"

#include "response/unpack_sums.h"

namespace neargp {

LikelihoodSums joint_sums(const LocalProblem& problem, const Covariance& covariance, const RunContext& context) {
  const PreparedCovariance prepared = prepare(problem.checked(covariance), problem.dim(), false);
  const TargetSums totals = problem.on_device().run(JointSums{false}, prepared, context);
  const int c = problem.columns();
  LikelihoodSums result;
  result.log_det = totals.sums[0];
  result.gram.resize(c * c);
  fill_symmetric(result.gram.data(), c, [&](int i, int j) { return totals.sums[1 + i * c + j]; });
  result.failed = failed_row(totals, problem);
  return result;
}

ObjectiveGradient joint_gradient(LocalProblem& problem, const Covariance& given, const std::vector<double>& beta,
                                 const RunContext& context) {
  const Covariance covariance = problem.checked(given);
  const PreparedCovariance prepared = prepare(covariance, problem.dim(), true);
  const DeviceView& view = problem.residuals_on_device(beta);
  return unpack_gradient(view.run(JointSums{true}, prepared, context), problem, covariance);
}

}  // namespace neargp
