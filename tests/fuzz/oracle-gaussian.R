# Gaussian responses of one output: every covariance, sums, anisotropy, separate ranges, time, longitude and latitude, weights and offsets.

earth_radius <- 6371.0088

random_part <- function(metric, d, use_time, ard, anisotropic) {
  family <- pick("exponential", "matern", "matern", "gaussian", "powered_exponential", "cauchy")
  shape <- switch(family, matern = pick(0.5, 1.5, 2.5, 3.5, 0.8, 1.9, 4.3), powered_exponential = pick(0.5, 1.4, 1.9),
    cauchy = pick(0.3, 1, 4))
  unit <- if (metric == "longlat") 4000 else 0.4
  ranges <- unit * stats::runif(if (ard) d else if (anisotropic) d - 1L else 1L, 0.3, 1.5)
  list(family = family, shape = shape, variance = stats::runif(1L, 0.5, 3), ranges = ranges,
    range_time = if (use_time) stats::runif(1L, 0.2, 1), ard = ard, angle = if (anisotropic) stats::runif(1L, 0, 180),
    ratio = if (anisotropic) stats::runif(1L, 0.2, 1))
}

as_neargp_covariance <- function(part) {
  arguments <- list(variance = part$variance, range = c(part$ranges, part$range_time), ard = part$ard)
  if (!is.null(part$angle)) arguments$anisotropy <- c(angle = part$angle, ratio = part$ratio)
  arguments[c(matern = "nu", powered_exponential = "power", cauchy = "shape")[part$family]] <- part$shape
  do.call(exported(paste0("cov_", part$family)), arguments[!is.na(names(arguments))])
}

# Coordinates in units of the ranges, in which the covariance is isotropic.
scaled_coordinates <- function(coords, part, metric) {
  space <- if (is.null(part$range_time)) coords else coords[, -ncol(coords), drop = FALSE]
  if (metric == "longlat") {
    longitude <- space[, 1L] * pi / 180
    latitude <- space[, 2L] * pi / 180
    space <- earth_radius * cbind(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
  }
  ranges <- rep_len(part$ranges, ncol(space))
  if (!is.null(part$angle)) {
    theta <- part$angle * pi / 180
    space[, 1:2] <- cbind(space[, 1L] * sin(theta) + space[, 2L] * cos(theta), space[, 1L] * cos(theta) - space[, 2L] * sin(theta))
    ranges <- c(part$ranges[1L] * c(1, part$ratio), if (ncol(space) > 2L) part$ranges[-1L])
  }
  scaled <- sweep(space, 2L, ranges, "/")
  if (is.null(part$range_time)) scaled else cbind(scaled, coords[, ncol(coords)] / part$range_time)
}

covariance_of_parts <- function(parts, a, b, metric) {
  Reduce(`+`, lapply(parts, function(part) {
    r <- dense_distance(scaled_coordinates(a, part, metric), scaled_coordinates(b, part, metric))
    part$variance * matrix(dense_correlation(part$family, r, part$shape), nrow(a))
  }))
}

random_places <- function(n, d, metric, use_time) {
  space <- if (metric == "longlat") cbind(stats::runif(n, -180, 180), asin(stats::runif(n, -1, 1)) * 180 / pi) else
    matrix(stats::runif(n * d), n)
  data <- stats::setNames(as.data.frame(space), paste0("s", seq_len(d)))
  if (metric == "planar" && chance(0.2)) data$s1 <- round(data$s1, 1)
  if (chance(0.15)) data <- data[sample.int(n, n, TRUE), , drop = FALSE]
  rownames(data) <- NULL
  if (use_time) data$t <- stats::runif(n)
  data
}

# New rows: on data, close to them and far away.
moved_places <- function(data, columns, metric) {
  new <- data[sample.int(nrow(data), 6L, TRUE), ]
  for (name in columns) {
    if (metric == "planar" || name == "t") new[[name]] <- new[[name]] + c(0, 0.01, 0.2, 0.5, -0.3, 3)
    else if (name == "s2") new[[name]] <- pmin(89, new[[name]] + c(0, 0, 1, 10, 20, 3))
  }
  new$a <- stats::rnorm(6L)
  new$o <- stats::rnorm(6L)
  rownames(new) <- NULL
  new
}

# The trend at data and at new rows, basis functions of the new ones as at the data.
trend_matrices <- function(trend, data, new) {
  frame <- stats::model.frame(stats::as.formula(paste("~", trend)), data)
  again <- stats::model.frame(attr(frame, "terms"), new, xlev = stats::.getXlevels(attr(frame, "terms"), frame))
  list(X = stats::model.matrix(attr(frame, "terms"), frame), X0 = stats::model.matrix(attr(frame, "terms"), again))
}

gaussian_problem <- function(case) {
  set.seed(case)
  n <- sample(6:50, 1L)
  metric <- if (chance(0.2)) "longlat" else "planar"
  d <- if (metric == "longlat") 2L else sample.int(4L, 1L)
  use_time <- chance(0.3)
  ard <- metric == "planar" && chance(0.2)
  anisotropic <- !ard && metric == "planar" && d > 1L && chance(0.35)
  data <- random_places(n, d, metric, use_time)
  columns <- names(data)
  data$a <- stats::rnorm(n)
  data$g <- factor(sample(c("u", "v"), n, TRUE), levels = c("u", "v"))
  data$w <- if (chance(0.5)) stats::runif(n, 0.2, 3) else 1
  data$o <- if (chance(0.5)) stats::rnorm(n) else 0
  parts <- replicate(if (chance(0.2)) 2L else 1L, random_part(metric, d, use_time, ard, anisotropic), simplify = FALSE)
  nugget <- pick(0.1, 0.5, 0.01, 2)
  coords <- unname(as.matrix(data[columns]))
  K <- covariance_of_parts(parts, coords, coords, metric)
  S <- K + diag(nugget / data$w, n)
  data$y <- data$o + 2 + 0.7 * data$a + drop(crossprod(chol(S), stats::rnorm(n)))
  trend <- if (n < 8L) "1" else pick("1", "0", "a", "a + g", "poly(a, 2)")
  new <- moved_places(data, columns, metric)
  newcoords <- unname(as.matrix(new[columns]))
  c(list(case = case, data = data, new = new, n = n, d = d, metric = metric, use_time = use_time, parts = parts, nugget = nugget,
    trend = trend, coords = coords, K = K, S = S, C = covariance_of_parts(parts, coords, newcoords, metric),
    K0 = covariance_of_parts(parts, newcoords, newcoords, metric)), trend_matrices(trend, data, new))
}

fit_problem_of <- function(problem, method, formula = paste("y ~", problem$trend)) {
  suppressMessages(neargp::neargp(stats::as.formula(formula), problem$data, coords = stats::reformulate(paste0("s", seq_len(problem$d))),
    time = if (problem$use_time) ~t, method = method, covariance = Reduce(`+`, lapply(problem$parts, as_neargp_covariance)),
    nugget = problem$nugget, weights = w, offset = o, distance = if (problem$metric == "longlat") "chordal" else "euclidean",
    verbose = FALSE))
}

# exact_gp(), and vecchia() where each row has all before it.
compare_exact <- function(problem, method, label, tally) {
  compare <- function(what, ...) tally$compare(paste(label, what), problem$case, ...)
  fit <- fit_problem_of(problem, method)
  y <- problem$data$y - problem$data$o
  truth <- universal_kriging(problem$S, y, problem$X, problem$C, problem$K0, problem$X0)
  all_rows <- if (label == "exact_gp") list() else list(k = problem$n, sectors = 0L, local_mean = FALSE)
  predicted <- function(...) do.call(stats::predict, c(list(fit, problem$new, ...), all_rows))
  spread <- max(1, abs(problem$data$y))
  compare("log-likelihood", as.numeric(stats::logLik(fit)), truth$value)
  compare("trend", unname(stats::coef(fit)), truth$beta)
  compare("covariance of the trend", c(stats::vcov(fit)), c(truth$V))
  sd <- sqrt(pmax(diag(truth$cov), 0) + problem$nugget)
  observed <- predicted(interval = "prediction", level = 0.8)
  compare("mean", observed$mean, truth$mean + problem$new$o, spread)
  compare("sd", observed$sd, sd)
  compare("lower limit", observed$lower, truth$mean + problem$new$o - stats::qnorm(0.9) * sd, spread)
  compare("exceedance", predicted(threshold = 2)$p_exceed, stats::pnorm(2, truth$mean + problem$new$o, sd, lower.tail = FALSE))
  trend <- predicted(type = "trend")
  compare("trend's mean", trend$mean, drop(problem$X0 %*% truth$beta) + problem$new$o, spread)
  compare("trend's sd", trend$sd, sqrt(rowSums((problem$X0 %*% truth$V) * problem$X0)))
  compare("process", predicted(type = "process")$mean, truth$mean - drop(problem$X0 %*% truth$beta), spread)
  compare("joint covariance", c(attr(predicted(joint = TRUE, type = "link"), "covariance")), c(truth$cov))
  compare_left_out(problem, fit, y, if (label == "exact_gp") NULL else problem$n - 1L, compare)
}

compare_left_out <- function(problem, fit, y, k, compare) {
  left <- suppressWarnings(neargp::loo_predict(fit, k = k))
  wanted <- kriging_given_others(problem$S, problem$K, y, problem$X)
  known <- !is.na(wanted[, 1L])
  compare("leave-one-out mean", left$mean[known], (wanted[, 1L] + problem$data$o)[known])
  compare("leave-one-out sd", left$sd[known], sqrt(wanted[, 2L] + problem$nugget / problem$data$w)[known])
}

# Compares the objectives whose neighbours are not ordered, with a mean known to be 2. Problems are skipped if two
# neighbours are equally near.
compare_unordered <- function(problem, tally) {
  scaled <- scaled_coordinates(problem$coords, problem$parts[[1L]], problem$metric)
  r <- dense_distance(scaled, scaled)
  if (length(problem$parts) > 1L || anyDuplicated(round(r[upper.tri(r)], 12L))) return(invisible())
  k <- sample.int(problem$n - 1L, 1L)
  near <- lapply(seq_len(problem$n), function(i) setdiff(order(r[i, ]), i)[seq_len(k)])
  S <- problem$S
  y <- problem$data$y - problem$data$o - 2
  problem$data$y <- problem$data$y - 2
  log_density <- function(rows) dense_gls(S[rows, rows, drop = FALSE], y[rows], matrix(0, length(rows), 0L))$value
  given_near <- sum(vapply(seq_len(problem$n), function(i) log_density(c(near[[i]], i)) - log_density(near[[i]]), 0))
  shared <- sum(vapply(seq_len(problem$n), function(i) log_density(c(i, near[[i]])) / (k + 1L), 0))
  value <- function(method) as.numeric(stats::logLik(fit_problem_of(problem, method, "y ~ 0")))
  tally$compare("loo_k objective", problem$case, value(neargp::loo_k(k)), given_near)
  tally$compare("mll_k objective", problem$case, value(neargp::mll_k(k)), shared)
}

# vnngp() with all other rows as neighbours is the dense model but for its jitter, a share of the variance.
compare_vnngp <- function(problem, tally, jitter = 1e-7) {
  if (anyDuplicated(problem$coords)) return(invisible())
  fit <- fit_problem_of(problem, neargp::vnngp(k = problem$n - 1L, factor = "exact", jitter = jitter))
  variance <- sum(vapply(problem$parts, `[[`, 0, "variance"))
  truth <- dense_gls(problem$S + diag(variance * jitter, problem$n), problem$data$y - problem$data$o, problem$X)
  tally$compare("vnngp log-likelihood", problem$case, as.numeric(stats::logLik(fit)), truth$value)
  tally$compare("vnngp trend", problem$case, unname(stats::coef(fit)), truth$beta)
}

run_gaussian_oracle <- function(cases, tally) {
  for (case in cases) {
    problem <- gaussian_problem(case)
    if (qr(problem$X)$rank < ncol(problem$X) || nrow(unique(problem$coords)) < 2L) next
    compare_exact(problem, neargp::exact_gp(), "exact_gp", tally)
    ordering <- pick("maxmin", "random", "coordinate", "given")
    compare_exact(problem, neargp::vecchia(k = problem$n - 1L, ordering = ordering), "vecchia", tally)
    compare_unordered(problem, tally)
    compare_vnngp(problem, tally)
  }
}
