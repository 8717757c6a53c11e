# Expectations over eta ~ N(mean, sd^2) of functions that are constant outside an interval of eta.
# For example, the distribution function of a response at q is 1 where eta is low, and 0 where it is
# high. Hermite's rule fails where this step is narrow compared with sd. Instead the rule of Gauss
# and Legendre is used on the part of mean +- 7.5 sd that lies in the interval. One of the two
# functions in the product is smooth over this part, which is either narrow compared with sd or no
# wider than the step.

# Nodes, increasing, and weights with the sum 1, by the eigenvalues of the Jacobi matrix with these
# numbers next to its diagonal of 0 (Golub and Welsch 1969).
gauss_rule <- function(beside) {
  n <- length(beside) + 1L
  i <- seq_along(beside)
  jacobi <- matrix(0, n, n)
  jacobi[cbind(i, i + 1L)] <- jacobi[cbind(i + 1L, i)] <- beside
  found <- eigen(jacobi, symmetric = TRUE)
  list(nodes = rev(found$values), weights = rev(found$vectors[1L, ]^2))
}

# The rule on [-1, 1], with weights of the sum 2.
gauss_legendre <- function(n) {
  i <- seq_len(n - 1L)
  rule <- gauss_rule(i / sqrt(4 * i^2 - 1))
  list(nodes = rule$nodes, weights = 2 * rule$weights)
}

# Log densities and link functions bend over a few units of eta, so that long intervals need more
# nodes: errors stay below 1e-7.
legendre_rules <- lapply(c(28L, 40L, 72L, 128L), gauss_legendre)

# The rule, by its number, for intervals of that length in eta. The first is for those `short`
# enough that nothing bends within them but the two functions of the product.
rule_for <- function(length, short = 5) 1L + (length > short) + (length > 14) + (length > 32)

# The first rule of at least so many nodes, else the last.
rule_of_size <- function(size) {
  sizes <- lengths(lapply(legendre_rules, `[[`, "nodes"))
  legendre_rules[[min(sum(sizes < size) + 1L, length(sizes))]]
}

# The tails of the normal distribution beyond this hold 6e-14.
normal_reach <- 7.5

# The part of lower, ..., upper within reach, in units of sd from the mean.
within_reach <- function(lower, upper, mean, sd) {
  within <- function(z) ifelse(is.nan(z), 0, pmin(pmax(z, -normal_reach), normal_reach))
  a <- within((lower - mean) / sd)
  list(a = a, b = pmax(a, within((upper - mean) / sd)))
}

# E h(eta) for h constant below `lower` and above `upper`; h is called with a matrix of eta, rows by
# nodes, and the rows.
normal_expectation <- function(h, lower, upper, mean, sd) {
  interval <- within_reach(lower, upper, mean, sd)
  a <- interval$a
  b <- interval$b
  rule <- rule_for((b - a) * sd)
  value <- double(length(mean))
  for (rows in split(seq_along(mean), rule)) {
    value[rows] <- legendre_expectation(h, rows, a[rows], b[rows], mean[rows], sd[rows],
      legendre_rules[[rule[rows[1L]]]])
  }
  value
}

legendre_expectation <- function(h, rows, a, b, mean, sd, rule) {
  half <- (b - a) / 2
  z <- outer(half, rule$nodes) + (a + b) / 2
  values <- matrix(h(mean + sd * z, rows), length(rows)) * stats::dnorm(z)
  ends <- matrix(h(mean + sd * cbind(a, b), rows), length(rows))
  half * drop(values %*% rule$weights) + ends[, 1L] * stats::pnorm(a) + ends[, 2L] * stats::pnorm(b,
    lower.tail = FALSE)
}

# The log of the integral of exp(g(z)) over z. The function g peaks once in [lower, upper], or
# several times at distances that are small next to the width of the peaks. This interval may be a
# thousand times as long as the peak is wide, so a grid is laid over ever smaller intervals. Each is
# the part where the integrand is more than exp(-40) of its largest value, with a cell on either
# side. The last interval is integrated by the rule below and above `bend`, near which g may bend
# most, since nodes are densest at ends. `sd` is the length in eta of a unit of z.
log_integral <- function(g, lower, upper, sd, bend = lower) {
  cells <- 32L
  n <- length(lower)
  for (round in 1:8) {
    z <- lower + outer(upper - lower, seq(0, 1, length.out = cells + 1L))
    values <- finite_or_low(g(z), n)
    kept <- values > apply(values, 1L, max) - 40
    first <- pmax(max.col(kept, "first") - 1L, 1L)
    last <- pmin(max.col(kept, "last") + 1L, cells + 1L)
    width <- upper - lower
    lower <- z[cbind(seq_len(n), first)]
    upper <- z[cbind(seq_len(n), last)]
    if (all(upper - lower > 0.4 * width)) break
  }
  bend <- pmin(pmax(bend, lower), upper)
  log_sum <- log_panel(g, bend, upper, sd)
  if (!any(bend > lower)) return(log_sum)
  both <- cbind(log_sum, log_panel(g, lower, bend, sd))
  top <- apply(both, 1L, max)
  top + log(rowSums(exp(both - top)))
}

log_panel <- function(g, lower, upper, sd) {
  half <- (upper - lower) / 2
  rule <- legendre_rules[[max(rule_for(2 * half * sd, short = 0))]]
  values <- finite_or_low(g(outer(half, rule$nodes) + (lower + upper) / 2), length(lower))
  top <- apply(values, 1L, max)
  top + log(half * drop(exp(values - top) %*% rule$weights))
}

# Far from its peak a log density may overflow.
finite_or_low <- function(values, n) {
  matrix(ifelse(is.finite(values), values, -.Machine$double.xmax), n)
}
