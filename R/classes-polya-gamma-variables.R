# The distribution q of the Polya-Gamma variables: m and log s of each row, a column for each
# process, and Adam's state of them. It is an environment, changed in place: a step costs as much as
# its batch has rows, however many there are.

new_variables <- function(value) {
  list2env(list(value = value, first = 0 * value, second = 0 * value, step = rep(0, nrow(value))),
    parent = emptyenv())
}

# m at the mean of PG(1, 0), 1/4, and s narrower than that of the nearest log-normal distribution
# (0.77): the first gradients scatter less.
prior_variables <- function(n, processes) {
  matrix(rep(c(log(0.25), log(0.2)), each = n * processes), n)
}

# Rows as they are before a step. Adam is one of all rows, of which a batch gives a gradient to few.
# Momentum would move the others by rate first / sqrt(second) times the sum of (0.9 / sqrt(0.999))^j
# over the steps that they sit out. This happens when they are next read, with that step's rate and
# correction of bias. It is not quite theirs, which moves estimates by half a percent. (Were they
# left alone instead, a row that is met every t-th step would move sqrt(t) times slower.)
variables_of <- function(variables, rows, step, rate) {
  idle <- step - 1 - variables$step[rows]
  first <- variables$first[rows, , drop = FALSE]
  second <- variables$second[rows, , drop = FALSE]
  ratio <- 0.9 / sqrt(0.999)
  momentum <- ratio * (1 - ratio^idle) / (1 - ratio) * sqrt(1 - 0.999^step) / (1 - 0.9^step)
  list(value = variables$value[rows, , drop = FALSE] + rate * momentum * first / (sqrt(second) +
    1e-8), moments = list(first = 0.9^idle * first, second = 0.999^idle * second))
}

# `updated`: what adam_step() makes of variables_of().
update_variables <- function(variables, rows, updated, step) {
  variables$value[rows, ] <- updated$working
  variables$first[rows, ] <- updated$moments$first
  variables$second[rows, ] <- updated$moments$second
  variables$step[rows] <- step
}

mean_variables <- function(q) {
  processes <- seq_len(ncol(q) / 2)
  pmin(exp(q[, processes, drop = FALSE] + exp(2 * q[, -processes, drop = FALSE]) / 2),
    polya_gamma_limit)
}
