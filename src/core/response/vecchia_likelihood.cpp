#include "response/vecchia_likelihood.h"

#include "base/error.h"
#include "response/unpack_sums.h"

namespace neargp {

namespace {

// Gradient and information are sums over targets, each of which conditional/cpu/vecchia_sums.h derives.
LikelihoodSums unpack(const TargetSums& totals, const VecchiaSumsLayout& layout, const Covariance& covariance,
                      bool information) {
  const int c = layout.columns;
  const int p = layout.parameters;
  LikelihoodSums result;
  result.log_det = totals.sums[layout.log_det()];
  result.gram.resize(c * c);
  fill_symmetric(result.gram.data(), c, [&](int i, int j) { return totals.sums[layout.gram(i, j)]; });
  if (!information) return result;
  result.d_log_det.assign(p, 0.0);
  result.d_gram.assign(p * c * c, 0.0);
  result.information.assign(p * p, 0.0);
  for (int a = 0; a < p; ++a) {
    if (!covariance.is_active(a)) continue;
    result.d_log_det[a] = totals.sums[layout.d_log_det(a)];
    fill_symmetric(result.d_gram.data() + a * c * c, c,
                   [&](int i, int j) { return totals.sums[layout.d_gram(a, i, j)]; });
  }
  fill_symmetric(result.information.data(), p, [&](int a, int b) {
    return covariance.is_active(a) && covariance.is_active(b) ? totals.sums[layout.information(a, b)] : 0.0;
  });
  return result;
}

}  // namespace

LikelihoodSums vecchia_sums(const LocalProblem& problem, const Covariance& given, bool information,
                            const RunContext& context) {
  const Covariance covariance = problem.checked(given);
  if (information && covariance.outputs() > 0) throw Error("There is no expected information of several outputs.");
  const PreparedCovariance prepared = prepare(covariance, problem.dim(), information);
  const TargetSums totals = problem.on_device().run(VecchiaSums{information, problem.block()}, prepared, context);
  LikelihoodSums result = unpack(totals, {problem.columns(), prepared.parameters}, covariance, information);
  result.failed = failed_row(totals, problem);
  return result;
}

ObjectiveGradient conditional_gradient(LocalProblem& problem, const Covariance& given, const std::vector<double>& beta,
                                       const RunContext& context) {
  const Covariance covariance = problem.checked(given);
  const PreparedCovariance prepared = prepare(covariance, problem.dim(), true);
  const DeviceView& view = problem.residuals_on_device(beta);
  return unpack_gradient(view.run(ConditionalGradient{}, prepared, context), problem, covariance);
}

}  // namespace neargp
