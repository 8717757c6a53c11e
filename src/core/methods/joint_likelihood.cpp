#include "methods/joint_likelihood.h"

#include "local/kernels.h"
#include "local/sum_chunks.h"
#include "methods/unpack_sums.h"

namespace neargp {

namespace {

ChunkSums run(const LocalView& view, const Covariance& covariance, bool gradient, const RunContext& context) {
  const LocalKernels& kernels = local_kernels();
  const PreparedCovariance prepared = prepare(covariance, view.dim, gradient, kernels.fill_matern_table);
  const int outputs = gradient ? 1 + prepared.parameters : 1 + view.columns * view.columns;
  return sum_chunks(view, outputs, kernels.joint_sums_scratch(view, prepared, gradient), context,
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
  fill_symmetric(result.gram.data(), c, [&](int i, int j) { return chunks.sums[1 + i * c + j]; });
  result.failed = failed_row(chunks, problem);
  return result;
}

ObjectiveGradient joint_gradient(LocalProblem& problem, const Covariance& covariance,
                                 const std::vector<double>& beta, const RunContext& context) {
  return unpack_gradient(run(problem.residual_view(beta), covariance, true, context), problem, covariance);
}

}  // namespace neargp
