# Leave-one-out scores of classes and of pseudo-observations as objectives of theta
# (R/neighbours-loo-optimizers.R), wherever their rows are.

# The score of the rows of a host (R/shard-host.R) less a penalty, as a function of theta.
# `values_at(theta)` returns the numbers that the score depends on. `gradient(theta, known, sums)`
# returns the whole gradient, from these numbers and the derivatives of the score. `why_not(known)`
# returns the error for rows without a finite score, or NULL if there are none.
score_objective <- function(problem, n, rows, values_at, penalty, gradient,
                            why_not = function(known) NULL) {
  sums_at <- function(known, with_gradient) {
    reduce_rows(rows, "part_score", list(known = known, with_gradient = with_gradient))
  }
  journaled_objective(list(evaluate = function(theta) {
    known <- values_at(theta)
    sums <- sums_at(known, FALSE)
    if (sums$failed > 0L) return(list(value = -Inf, failed = 0L))
    if (!is.finite(sums$score)) return(list(value = -Inf, failed = 0L, condition = why_not(known)))
    list(value = sums$score - penalty(theta), score = sums$score, failed = 0L)
  }, gradient = function(theta, beta = NULL) {
    known <- values_at(theta)
    sums <- sums_at(known, TRUE)
    if (sums$failed > 0L) rep(NA_real_, length(theta)) else gradient(theta, known, sums)
  }, n = n, accept = function(theta) keep_theta(problem, theta), session = problem$session))
}

# The score and its derivatives of one part of the rows.
part_score <- function(part, known, with_gradient) {
  part$terms$at(with_covariance(known, part$specification), with_gradient)
}

# The numbers that a score depends on, with the covariance at its values.
with_covariance <- function(known, specification) {
  known$covariance <- specified_covariance(specification, known$values)
  known
}
