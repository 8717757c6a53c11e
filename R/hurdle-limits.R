# Limits of a hurdle's expected response.

# Standard deviation and limits of p(a) m(b): the probability of presence times the mean of a
# positive response, where a and b are the independent normal linear predictors. Since m increases
# with b, P(p(a) m(b) <= q | a) is the normal distribution function at the b with m(b) = q / p(a).
# The rule of Gauss and Legendre averages it over a, and the secant method inverts the result.
expected_limits <- function(object, ...) {
  UseMethod("expected_limits")
}

#' @export
expected_limits.default <- function(object, newdata, observation, level, threads = NULL,
                                    rows_at_once = 1000L, ...) {
  if (inherits(object$presence, "neargp_classifier")) {
    abort_neargp("argument",
      c("interval = \"confidence\" needs a presence with a linear predictor, not a fit to categories.",
        i = "Fit it by vnngp() or svgp() with family = binomial()."))
  }
  link <- predicted_numbers(object$presence, newdata, "link", threads)
  positive <- observation$positive
  limits <- matrix(NA_real_, length(observation$p), 3L)
  known <- which(!is.na(link$mean + link$sd + positive$mean + positive$sd))
  for (rows in split_rows(known, rows_at_once)) {
    limits[rows, ] <- limits_of_product(link$mean[rows], link$sd[rows],
      object$presence$family$linkinv, positive[rows], level)
  }
  list(se = limits[, 1L], lower = limits[, 2L], upper = limits[, 3L])
}

limits_of_product <- function(mean, sd, linkinv, positive, level) {
  rule <- legendre_rules[[3L]]
  z <- 6 * rule$nodes
  weight <- 6 * rule$weights * stats::dnorm(z)
  log_p <- log(linkinv(rep(mean, each = length(z)) + outer(z, sd)))
  log_m <- log_positive_means(positive, z)
  moment <- function(log_x, power) colSums(weight * exp(power * log_x))
  mean <- moment(log_p, 1) * moment(log_m, 1)
  se <- sqrt(pmax(moment(log_p, 2) * moment(log_m, 2) - mean^2, 0))
  cbind(se, product_quantile((1 - level) / 2, log_p, log_m, z, weight),
    product_quantile((1 + level) / 2, log_p, log_m, z, weight))
}

# Log means at the linear predictors that are z standard deviations from the mean: a row for each z,
# a column for each row of the mixture.
log_positive_means <- function(mixture, z) {
  means <- vapply(z, function(one) {
    at <- mixture
    at$mean <- mixture$mean + one * mixture$sd
    at$sd <- 0 * mixture$sd
    log(predictive_mean(at))
  }, double(mixture$n))
  t(matrix(means, mixture$n))
}

# The quantile of the normal distribution is nearly linear in the log of the product. All columns
# therefore take secant steps together, within the intervals of a bisection, to 1e-12 of their
# ranges.
product_quantile <- function(prob, log_p, log_m, z, weight, most_steps = 60L) {
  z_at <- increasing_interpolation(log_m, z)
  low <- do.call(pmin, asplit(log_p, 1L)) + log_m[1L, ]
  high <- do.call(pmax, asplit(log_p, 1L)) + log_m[nrow(log_m), ]
  least <- 1e-12 * (high - low)
  excess <- function(at) {
    below <- colSums(weight * stats::pnorm(z_at(rep(at, each = nrow(log_p)) - log_p)))
    stats::qnorm(pmin(pmax(below, 1e-15), 1 - 1e-15)) - stats::qnorm(prob)
  }
  at <- (low + high) / 2
  before <- low
  excess_before <- rep(-8, length(at))
  done <- logical(length(at))
  for (step in seq_len(most_steps)) {
    found <- excess(at)
    low <- ifelse(found < 0, at, low)
    high <- ifelse(found < 0, high, at)
    secant <- at - found * (at - before) / (found - excess_before)
    following <- ifelse(!is.na(secant) & secant >= low & secant <= high, secant, (low + high) / 2)
    done <- done | found == 0 | abs(following - at) <= least | high - low <= least
    before <- at
    excess_before <- found
    at <- ifelse(done, at, following)
    if (all(done)) break
  }
  exp(at)
}

# A function that finds z in columns of x, which rise with it, linearly between the nodes and
# constant beyond them. The columns form one table, shifted and scaled into separate intervals.
# Means at the end of their range leave x constant, and rounding must not let it fall there.
increasing_interpolation <- function(x, z) {
  x <- apply(x, 2L, cummax)
  count <- nrow(x)
  column <- rep(seq_len(ncol(x)), each = count)
  first <- (column - 1L) * count
  least <- x[1L, column]
  range <- pmax(x[count, column] - least, .Machine$double.xmin)
  table <- as.vector(2 * column + (x - least) / range)
  function(at) {
    place <- 2 * column + pmin(pmax((at - least) / range, -0.5), 1)
    node <- pmin(pmax(findInterval(place, table) - first, 1L), count - 1L)
    below <- x[first + node]
    above <- x[first + node + 1L]
    share <- ifelse(at >= above, 1, pmax((at - below) / (above - below), 0))
    matrix(z[node] + share * (z[node + 1L] - z[node]), count)
  }
}
