# Several responses by a linear model of coregionalisation: two structures, a fifth of the values missing.

random_coregionalization <- function(q) tcrossprod(matrix(stats::rnorm(q * q), q)) + diag(0.05, q)

# Covariances between the responses at locations a and those at locations b, response by response.
outputs_covariance <- function(problem, a, b) {
  r <- dense_distance(as.matrix(a[c("x", "y")]), as.matrix(b[c("x", "y")]))
  kronecker(problem$B[[1L]], dense_correlation("matern", r / problem$ranges[1L], 1.5)) +
    kronecker(problem$B[[2L]], dense_correlation("exponential", r / problem$ranges[2L]))
}

# The trend 1 + h of each response, response by response.
outputs_trend <- function(data, q) kronecker(diag(q), unname(cbind(1, data$h)))

outputs_problem <- function(case) {
  set.seed(case)
  n <- sample(8:20, 1L)
  q <- sample(2:3, 1L)
  places <- function(n) data.frame(x = stats::runif(n), y = stats::runif(n), h = stats::rnorm(n))
  problem <- list(case = case, q = q, n = n, data = places(n), new = places(5L), ranges = stats::runif(2L, 0.2, 0.6),
    B = list(random_coregionalization(q), random_coregionalization(q)), nugget = stats::runif(q, 0.05, 0.5))
  S <- outputs_covariance(problem, problem$data, problem$data) + diag(rep(problem$nugget, each = n))
  y <- drop(crossprod(chol(S), stats::rnorm(n * q)))
  y[sample.int(n * q, floor(n * q / 5))] <- NA
  y[which(rowSums(!is.na(matrix(y, n))) == 0L)] <- 0.3
  problem$outputs <- paste0("o", seq_len(q))
  problem$data[problem$outputs] <- matrix(y, n)
  problem$known <- which(!is.na(y))
  problem$y <- y[problem$known]
  problem$S <- S[problem$known, problem$known]
  problem$X <- outputs_trend(problem$data, q)[problem$known, , drop = FALSE]
  problem
}

compare_outputs <- function(problem, tally) {
  compare <- function(what, ...) tally$compare(paste("outputs:", what), problem$case, ...)
  covariance <- neargp::cov_coregionalisation(neargp::cov_matern(1.5, range = problem$ranges[1L]),
    neargp::cov_exponential(range = problem$ranges[2L]), matrices = problem$B)
  formula <- stats::as.formula(sprintf("cbind(%s) ~ h", paste(problem$outputs, collapse = ", ")))
  fit <- suppressMessages(neargp::neargp(formula, problem$data, coords = ~ x + y, method = neargp::exact_gp(), covariance = covariance,
    nugget = problem$nugget))
  C <- outputs_covariance(problem, problem$data, problem$new)[problem$known, ]
  truth <- universal_kriging(problem$S, problem$y, problem$X, C, outputs_covariance(problem, problem$new, problem$new),
    outputs_trend(problem$new, problem$q))
  compare("log-likelihood", as.numeric(stats::logLik(fit)), truth$value)
  compare("trend", unname(stats::coef(fit)), truth$beta)
  compare("covariance of the trend", c(stats::vcov(fit)), c(truth$V))
  predicted <- stats::predict(fit, problem$new, covariance = TRUE)
  m <- nrow(problem$new)
  compare("mean", unlist(predicted[paste0("mean_", problem$outputs)], use.names = FALSE), truth$mean)
  compare("sd", unlist(predicted[paste0("sd_", problem$outputs)], use.names = FALSE),
    sqrt(diag(truth$cov) + rep(problem$nugget, each = m)))
  compare_between_outputs(problem, attr(predicted, "covariance"), truth$cov, compare)
  compare_places_left_out(problem, fit, compare)
}

# Compares the covariances of the responses at one new location. They contain no noise, which is independent for
# each response.
compare_between_outputs <- function(problem, found, wanted, compare) {
  m <- nrow(problem$new)
  for (i in seq_len(m)) {
    own <- (seq_len(problem$q) - 1L) * m + i
    part <- if (dim(found)[1L] == m) found[i, , ] else found[, , i]
    off <- upper.tri(part)
    compare("covariance between outputs", part[off], wanted[own, own][off])
  }
}

# All responses at a location are left out together.
compare_places_left_out <- function(problem, fit, compare) {
  left <- suppressWarnings(neargp::loo_predict(fit))
  place <- (problem$known - 1L) %% problem$n + 1L
  output <- (problem$known - 1L) %/% problem$n + 1L
  for (p in unique(place)) {
    own <- which(place == p)
    others <- problem$X[-own, , drop = FALSE]
    if (qr(others)$rank < ncol(others)) next
    wanted <- universal_kriging(problem$S[-own, -own], problem$y[-own], others, problem$S[-own, own, drop = FALSE],
      problem$S[own, own, drop = FALSE], problem$X[own, , drop = FALSE])
    names <- problem$outputs[output[own]]
    compare("leave-one-out mean", unlist(left[p, paste0("mean_", names)], use.names = FALSE), wanted$mean)
    compare("leave-one-out sd", unlist(left[p, paste0("sd_", names)], use.names = FALSE), sqrt(diag(wanted$cov)))
  }
}

run_outputs_oracle <- function(cases, tally) {
  for (case in cases) {
    problem <- outputs_problem(case)
    enough <- min(tabulate((problem$known - 1L) %/% problem$n + 1L, problem$q)) >= 4L
    if (enough && qr(problem$X)$rank == ncol(problem$X)) compare_outputs(problem, tally)
  }
}
