#include "methods/conditional_likelihood.h"

#include "local/kernels.h"
#include "local/sum_chunks.h"

namespace neargp {

namespace {

// Kernels fill one half of each symmetric matrix.
LikelihoodSums unpack(const ChunkSums& chunks, const ConditionalSumsLayout& layout, bool information) {
  const int c = layout.columns;
  const int p = layout.parameters;
  LikelihoodSums result;
  result.log_det = chunks.sums[layout.log_det()];
  result.gram.resize(c * c);
  for (int i = 0; i < c; ++i)
    for (int j = 0; j <= i; ++j)
      result.gram[i * c + j] = result.gram[j * c + i] = chunks.sums[layout.gram(i, j)];
  if (!information) return result;
  result.d_log_det.resize(p);
  result.d_gram.resize(p * c * c);
  result.information.resize(p * p);
  for (int a = 0; a < p; ++a) {
    result.d_log_det[a] = chunks.sums[layout.d_log_det(a)];
    double* d_gram = result.d_gram.data() + a * c * c;
    for (int i = 0; i < c; ++i)
      for (int j = 0; j <= i; ++j)
        d_gram[i * c + j] = d_gram[j * c + i] = chunks.sums[layout.d_gram(a, i, j)];
    for (int b = 0; b <= a; ++b)
      result.information[a * p + b] = result.information[b * p + a] = chunks.sums[layout.information(a, b)];
  }
  return result;
}

LikelihoodSums run(const LocalProblem& problem, const LocalView& view, const Covariance& covariance,
                   bool information, const RunContext& context) {
  const LocalKernels& kernels = local_kernels();
  const PreparedCovariance prepared = prepare(covariance, view.dim, information, kernels.fill_matern_table);
  const ConditionalSumsLayout layout{view.columns, prepared.parameters};
  const ChunkSums chunks =
      sum_chunks(view.targets, layout.size(information),
                 kernels.conditional_sums_scratch(view, prepared, information), context,
                 [&](Index first, Index last, double* scratch, double* out) {
                   return kernels.conditional_sums(view, prepared, information, first, last, scratch, out);
                 });
  LikelihoodSums result = unpack(chunks, layout, information);
  if (chunks.failed >= 0) result.failed = problem.row_of_target(chunks.failed);
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
      sum_chunks(view.targets, 1 + prepared.parameters,
                 kernels.conditional_gradient_scratch(view, prepared), context,
                 [&](Index first, Index last, double* scratch, double* out) {
                   return kernels.conditional_gradient(view, prepared, first, last, scratch, out);
                 });
  ObjectiveGradient result;
  result.value = chunks.sums[0];
  result.gradient.assign(chunks.sums.begin() + 1, chunks.sums.end());
  if (chunks.failed >= 0) result.failed = problem.row_of_target(chunks.failed);
  return result;
}

}  // namespace neargp
