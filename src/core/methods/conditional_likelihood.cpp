#include "methods/conditional_likelihood.h"

#include "local/kernels.h"
#include "local/sum_chunks.h"
#include "methods/unpack_sums.h"

namespace neargp {

namespace {

LikelihoodSums unpack(const ChunkSums& chunks, const ConditionalSumsLayout& layout, const Covariance& covariance,
                      bool information) {
  const int c = layout.columns;
  const int p = layout.parameters;
  LikelihoodSums result;
  result.log_det = chunks.sums[layout.log_det()];
  result.gram.resize(c * c);
  fill_symmetric(result.gram.data(), c, [&](int i, int j) { return chunks.sums[layout.gram(i, j)]; });
  if (!information) return result;
  result.d_log_det.assign(p, 0.0);
  result.d_gram.assign(p * c * c, 0.0);
  result.information.assign(p * p, 0.0);
  for (int a = 0; a < p; ++a) {
    if (!covariance.is_active(a)) continue;
    result.d_log_det[a] = chunks.sums[layout.d_log_det(a)];
    fill_symmetric(result.d_gram.data() + a * c * c, c,
                   [&](int i, int j) { return chunks.sums[layout.d_gram(a, i, j)]; });
  }
  fill_symmetric(result.information.data(), p, [&](int a, int b) {
    return covariance.is_active(a) && covariance.is_active(b) ? chunks.sums[layout.information(a, b)] : 0.0;
  });
  return result;
}

LikelihoodSums run(const LocalProblem& problem, const LocalView& view, const Covariance& covariance,
                   bool information, const RunContext& context) {
  const LocalKernels& kernels = local_kernels();
  const PreparedCovariance prepared = prepare(covariance, view.dim, information, kernels.fill_matern_table);
  const ConditionalSumsLayout layout{view.columns, prepared.parameters};
  const ChunkSums chunks =
      sum_chunks(view, layout.size(information),
                 kernels.conditional_sums_scratch(view, prepared, information), context,
                 [&](Index first, Index last, double* scratch, double* out) {
                   return kernels.conditional_sums(view, prepared, information, first, last, scratch, out);
                 });
  LikelihoodSums result = unpack(chunks, layout, covariance, information);
  result.failed = failed_row(chunks, problem);
  return result;
}

}  // namespace

LikelihoodSums conditional_sums(const LocalProblem& problem, const Covariance& covariance, bool information,
                                const RunContext& context) {
  return run(problem, problem.view(), covariance, information, context);
}

LikelihoodSums conditional_sums_at(LocalProblem& problem, const Covariance& covariance,
                                   const std::vector<double>& beta, const RunContext& context) {
  return run(problem, problem.residual_view(beta), covariance, true, context);
}

ObjectiveGradient conditional_gradient(LocalProblem& problem, const Covariance& covariance,
                                       const std::vector<double>& beta, const RunContext& context) {
  const LocalKernels& kernels = local_kernels();
  const LocalView view = problem.residual_view(beta);
  const PreparedCovariance prepared = prepare(covariance, view.dim, true, kernels.fill_matern_table);
  const ChunkSums chunks =
      sum_chunks(view, 1 + prepared.parameters,
                 kernels.conditional_gradient_scratch(view, prepared), context,
                 [&](Index first, Index last, double* scratch, double* out) {
                   return kernels.conditional_gradient(view, prepared, first, last, scratch, out);
                 });
  return unpack_gradient(chunks, problem, covariance);
}

}  // namespace neargp
