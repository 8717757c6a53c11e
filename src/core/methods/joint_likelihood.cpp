#include "methods/joint_likelihood.h"

#include "local/kernels.h"
#include "local/sum_chunks.h"

namespace neargp {

namespace {

ChunkSums run(const LocalView& view, const Covariance& covariance, bool gradient, const RunContext& context) {
  const LocalKernels& kernels = local_kernels();
  const PreparedCovariance prepared = prepare(covariance, view.dim, gradient, kernels.fill_matern_table);
  const int outputs = gradient ? 1 + prepared.parameters : 1 + view.columns * view.columns;
  return sum_chunks(view.targets, outputs, kernels.joint_sums_scratch(view, prepared, gradient), context,
                    [&](Index first, Index last, double* scratch, double* out) {
                      return kernels.joint_sums(view, prepared, gradient, first, last, scratch, out);
                    });
}

}  // namespace

LikelihoodSums joint_sums(const LocalProblem& problem, const Covariance& covariance, const RunContext& context) {
  const ChunkSums chunks = run(problem.view(), covariance, false, context);
  const int c = problem.columns();
  LikelihoodSums result;
  result.log_det = chunks.sums[0];
  result.gram.resize(c * c);
  for (int i = 0; i < c; ++i)
    for (int j = 0; j <= i; ++j)
      result.gram[i * c + j] = result.gram[j * c + i] = chunks.sums[1 + i * c + j];
  if (chunks.failed >= 0) result.failed = problem.row_of_target(chunks.failed);
  return result;
}

ObjectiveGradient joint_gradient(LocalProblem& problem, const Covariance& covariance,
                                 const std::vector<double>& beta, const RunContext& context) {
  const ChunkSums chunks = run(problem.residual_view(beta), covariance, true, context);
  ObjectiveGradient result;
  result.value = chunks.sums[0];
  result.gradient.assign(chunks.sums.begin() + 1, chunks.sums.end());
  if (chunks.failed >= 0) result.failed = problem.row_of_target(chunks.failed);
  return result;
}

}  // namespace neargp
