# Fields whose range and standard deviation change with location. Local covariances are compared with the stationary one, by log scores of
# held-out rows.
#
#   Rscript bench/non-stationary.R [simulated|deformed|sets|warps|penalty|speed|all] [threads]

# `simulated` simulates an exponential covariance of variance 1 in the unit square, with nugget 0.01. The range is log-linear, from 0.03 in
#   the west to 0.3 in the east. There are 2,500 rows to fit and 1,500 held out. The truth is the covariance of the simulation, with its
#   parameters known. Some formulas contain x, and some do not.
# `sets` takes 5,000 random rows of shared data to fit and 2,000 held out. The covariance is exponential, with one range for each of space
#   and time.
# `deformed` simulates an exponential covariance of variance 1 and range 0.2 in the unit square. A smooth deformation, which the truth
#   contains, moves the locations. There are 2,500 rows to fit and 1,500 held out. The result is the correlation between the fit's
#   distances of nearby pairs and the true ones.
# `warps` takes the sets with expand(1), expand(2) and, where there is a coordinate for it, monotone().
# `penalty` takes the same at other penalties, with 500 and 1,500 rows.
# `speed` times fits at n = 50,000, k = 20, as ratios to the stationary one.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
source(file.path(folder, "common.R"))

arguments <- commandArgs(TRUE)
part <- if (length(arguments)) arguments[[1L]] else "all"
threads <- if (length(arguments) > 1L) as.integer(arguments[[2L]]) else 1L

# ---- a field of known local range -----------------------------------------------------------------------------------------------------

true_log_range <- function(x) log(0.03) + x * log(10)

true_covariance <- function(a, b) {
  ra <- exp(2 * true_log_range(a$x))
  rb <- exp(2 * true_log_range(b$x))
  mean <- outer(ra, rb, `+`) / 2
  distance <- outer(a$x, b$x, `-`)^2 + outer(a$y, b$y, `-`)^2
  sqrt(outer(ra, rb)) / mean * exp(-sqrt(distance / mean))
}

simulated_rows <- function(n, seed) {
  set.seed(seed)
  rows <- data.frame(x = runif(n), y = runif(n))
  rows$z <- drop(crossprod(chol(true_covariance(rows, rows) + diag(0.01, n)), rnorm(n)))
  rows
}

mean_log_score <- function(mean, sd, z) mean(dnorm(z, mean, sd, log = TRUE))

# Kriging from all rows with the covariance of the simulation.
score_of_truth <- function(train, test) {
  factor <- chol(true_covariance(train, train) + diag(0.01, nrow(train)))
  cross <- backsolve(factor, true_covariance(train, test), transpose = TRUE)
  mean <- drop(crossprod(cross, backsolve(factor, train$z, transpose = TRUE)))
  mean_log_score(mean, sqrt(1.01 - colSums(cross^2)), test$z)
}

run_fit <- function(train, test, formula, covariance, method, ...) {
  fit <- NULL
  seconds <- cpu_seconds(fit <- suppressWarnings(neargp(formula, train, method = method, covariance = covariance, threads = threads,
    verbose = FALSE, ...)))
  scored <- scores(fit, newdata = test)
  list(fit = fit, row = data.frame(log_score = scored$log_score, crps = scored$crps, coverage = scored$coverage, cpu = seconds,
    converged = fit$convergence$converged))
}

simulated <- function(seeds = 1:2) {
  kinds <- list(stationary = cov_exponential(), `range = ~ x` = cov_exponential(range = ~ x, penalty = 1),
    `range = ~ bumps(4)` = cov_exponential(range = ~ bumps(4), penalty = 1),
    `sd = ~ bumps(4)` = cov_exponential(sd = ~ bumps(4), penalty = 1),
    both = cov_exponential(sd = ~ bumps(4), range = ~ bumps(4), penalty = 1))
  methods <- list(vecchia = vecchia(k = 30), loo_k = loo_k(k = 30), vnngp = vnngp(k = 15))
  do.call(rbind, lapply(seeds, function(seed) {
    rows <- simulated_rows(4000L, seed)
    train <- rows[1:2500, ]
    test <- rows[2501:4000, ]
    truth <- score_of_truth(train, test)
    do.call(rbind, lapply(names(methods), function(method) do.call(rbind, lapply(names(kinds), function(kind) {
      if (method != "vecchia" && !kind %in% c("stationary", "range = ~ bumps(4)")) return(NULL)
      done <- run_fit(train, test, z ~ 1, kinds[[kind]], methods[[method]], coords = ~ x + y)
      local <- !is.null(done$fit$locations$local) && kind != "sd = ~ bumps(4)"
      correlation <- if (local) cor(log(local_scales(done$fit, test)$range), true_log_range(test$x)) else NA
      result <- data.frame(part = "simulated", data = paste("seed", seed), method = method, covariance = kind, penalty = 1, done$row,
        below_truth = truth + done$row$log_score, range_correlation = correlation)
      print(result, digits = 4)
      result
    }))))
  }))
}

# ---- a field of known deformation -----------------------------------------------------------------------------------------------------

# Locations swell around (0.3, 0.3), where distances grow by up to 2.5. Around this region they are pressed together, down to 0.33 of their
# distances. A second centre shifts them. Radially u + 1.5 u exp(-u^2 / 0.08) rises everywhere. Its least slope is 1 - 3 exp(-1.5) = 0.33,
# and the shift's is -0.24. Therefore the map does not fold.
true_places <- function(rows) {
  near <- function(x0, y0) exp(-((rows$x - x0)^2 + (rows$y - y0)^2) / (2 * 0.2^2))
  swell <- 1 + 1.5 * near(0.3, 0.3)
  cbind(0.3 + swell * (rows$x - 0.3) - 0.08 * near(0.75, 0.7), 0.3 + swell * (rows$y - 0.3))
}

deformed_covariance <- function(a, b) {
  u <- true_places(a)
  v <- true_places(b)
  exp(-sqrt(outer(u[, 1L], v[, 1L], `-`)^2 + outer(u[, 2L], v[, 2L], `-`)^2) / 0.2)
}

deformed_rows <- function(n, seed) {
  set.seed(seed)
  rows <- data.frame(x = runif(n), y = runif(n))
  rows$z <- drop(crossprod(chol(deformed_covariance(rows, rows) + diag(0.01, n)), rnorm(n)))
  rows
}

score_of_deformed_truth <- function(train, test) {
  factor <- chol(deformed_covariance(train, train) + diag(0.01, nrow(train)))
  cross <- backsolve(factor, deformed_covariance(train, test), transpose = TRUE)
  mean <- drop(crossprod(cross, backsolve(factor, train$z, transpose = TRUE)))
  mean_log_score(mean, sqrt(1.01 - colSums(cross^2)), test$z)
}

# For pairs within a distance of 0.1 on the map, takes logarithms of distances relative to those on the map. Returns the correlation between
# those of the fit and those of the truth.
stretch_correlation <- function(fit, rows) {
  set.seed(1)
  i <- sample(nrow(rows), 20000L, replace = TRUE)
  j <- sample(nrow(rows), 20000L, replace = TRUE)
  apart <- sqrt((rows$x[i] - rows$x[j])^2 + (rows$y[i] - rows$y[j])^2)
  near <- which(apart > 0 & apart < 0.1)
  between <- function(places) sqrt(rowSums((places[i[near], , drop = FALSE] - places[j[near], , drop = FALSE])^2))
  learned <- warped_coordinates(fit, rows)
  further <- as.matrix(learned[grep("^warp[0-9]+$", names(learned))])
  cor(log(between(cbind(rows$x, rows$y, further)) / apart[near]), log(between(true_places(rows)) / apart[near]))
}

deformed <- function(seeds = 1:2) {
  kinds <- list(stationary = cov_exponential(), `expand(1, ~ bumps(4))` = cov_exponential(warp = expand(1, ~ bumps(4))),
    `expand(2, ~ bumps(4))` = cov_exponential(warp = expand(2, ~ bumps(4))), `expand(2, ~ bumps(5))` = cov_exponential(warp = expand(2, ~ bumps(5))),
    `range = ~ bumps(4)` = cov_exponential(range = ~ bumps(4)))
  methods <- list(vecchia = vecchia(k = 30), loo_k = loo_k(k = 30), vnngp = vnngp(k = 15))
  do.call(rbind, lapply(seeds, function(seed) {
    rows <- deformed_rows(4000L, seed)
    train <- rows[1:2500, ]
    test <- rows[2501:4000, ]
    truth <- score_of_deformed_truth(train, test)
    do.call(rbind, lapply(names(methods), function(method) do.call(rbind, lapply(names(kinds), function(kind) {
      if (method != "vecchia" && !kind %in% c("stationary", "expand(2, ~ bumps(4))")) return(NULL)
      done <- run_fit(train, test, z ~ 1, kinds[[kind]], methods[[method]], coords = ~ x + y)
      result <- data.frame(part = "deformed", data = paste("seed", seed), method = method, covariance = kind, done$row,
        below_truth = truth + done$row$log_score, stretch_correlation = if (grepl("expand", kind)) stretch_correlation(done$fit, test) else NA)
      print(result, digits = 4)
      result
    }))))
  }))
}

# ---- sets -----------------------------------------------------------------------------------------------------------------------------

set_of <- function(name) {
  switch(name,
    jason3 = list(data = transform(bench_data("jason3"), day = time / 86400), formula = windspeed ~ 1, coords = ~ lon + lat, time = ~ day,
      distance = "chordal", local = ~ bumps(lat, 7)),
    argo = list(data = bench_data("argo2016"), formula = temp100 ~ 1, coords = ~ lon + lat, time = ~ day, distance = "chordal",
      local = ~ bumps(lat, 7)),
    co_ppt = list(data = transform(bench_data("co_ppt_monthly"), when = year + month / 12, root = sqrt(ppt)), formula = root ~ elev,
      coords = ~ lon + lat, time = ~ when, distance = "chordal", local = ~ elev + bumps(lon, lat, 3)),
    satellite = list(data = subset(bench_data("heaton_satellite"), train == 1), formula = temp ~ lon + lat, coords = ~ lon + lat,
      distance = "euclidean", local = ~ bumps(5)),
    canopy = list(data = subset(bench_data("bcef"), holdout == 0), formula = fch ~ ptc, coords = ~ x + y, distance = "euclidean",
      local = ~ ptc + bumps(4)))
}

set_names <- c("jason3", "argo", "co_ppt", "satellite", "canopy")

run_set <- function(name, seed, penalty, fitted_rows = 5000L, kinds = c("stationary", "sd", "range", "both")) {
  set <- set_of(name)
  set.seed(seed)
  rows <- set$data[sample(nrow(set$data), fitted_rows + 2000L), ]
  train <- rows[seq_len(fitted_rows), ]
  test <- rows[-seq_len(fitted_rows), ]
  do.call(rbind, lapply(kinds, function(kind) {
    covariance <- switch(kind, stationary = cov_exponential(), sd = cov_exponential(sd = set$local, penalty = penalty),
      range = cov_exponential(range = set$local, penalty = penalty),
      both = cov_exponential(sd = set$local, range = set$local, penalty = penalty),
      `expand 1` = cov_exponential(warp = expand(1, set$local), penalty = penalty),
      `expand 2` = cov_exponential(warp = expand(2, set$local), penalty = penalty),
      monotone = cov_exponential(warp = monotone(set$time), penalty = penalty))
    arguments <- c(list(train, test, set$formula, covariance, vecchia(k = 20), coords = set$coords, distance = set$distance),
      if (!is.null(set$time)) list(time = set$time))
    done <- do.call(run_fit, arguments)
    result <- data.frame(part = "sets", data = name, method = "vecchia", covariance = kind, penalty = if (is.null(penalty)) NA else penalty, done$row, below_truth = NA,
      range_correlation = NA, rows = fitted_rows, seed = seed)
    print(result, digits = 4)
    result
  }))
}

sets <- function(seeds = 1:2) {
  do.call(rbind, lapply(set_names, function(name) do.call(rbind, lapply(seeds, function(seed) run_set(name, seed, 1)))))
}

warps <- function(seeds = 1:2, penalty = NULL, names = setdiff(set_names, "canopy")) {
  do.call(rbind, lapply(names, function(name) do.call(rbind, lapply(seeds, function(seed) {
    kinds <- c("stationary", "expand 1", "expand 2", if (!is.null(set_of(name)$time)) "monotone")
    run_set(name, seed, penalty, kinds = kinds)
  }))))
}

penalties <- function() {
  cases <- expand.grid(name = set_names, penalty = c(0.1, 1, 10, 100), rows = c(500L, 1500L), stringsAsFactors = FALSE)
  do.call(rbind, lapply(seq_len(nrow(cases)), function(i) {
    kinds <- c(if (cases$penalty[i] == 1) "stationary", "both")
    run_set(cases$name[i], 1L, cases$penalty[i], cases$rows[i], kinds)
  }))
}

# ---- speed ----------------------------------------------------------------------------------------------------------------------------

speed <- function() {
  rows <- subset(bench_data("heaton_satellite"), train == 1)
  set.seed(1)
  rows <- rows[sample(nrow(rows), 50000L), ]
  kinds <- list(stationary = cov_exponential(), range = cov_exponential(range = ~ bumps(4)),
    both = cov_exponential(sd = ~ bumps(4), range = ~ bumps(4)), `expand 1` = cov_exponential(warp = expand(1, ~ bumps(4))),
    `expand 2` = cov_exponential(warp = expand(2, ~ bumps(4))))
  found <- do.call(rbind, lapply(names(kinds), function(kind) {
    fit <- NULL
    seconds <- cpu_seconds(fit <- neargp(temp ~ lon + lat, rows, coords = ~ lon + lat, distance = "euclidean", method = vecchia(k = 20),
      covariance = kinds[[kind]], threads = threads, verbose = FALSE))
    data.frame(part = "speed", covariance = kind, cpu = seconds, iterations = fit$convergence$iterations,
      evaluations = fit$convergence$evaluations, converged = fit$convergence$converged)
  }))
  found$ratio <- found$cpu / found$cpu[1L]
  print(found, digits = 3)
  found
}

if (part %in% c("simulated", "all")) save_table(simulated(), "non-stationary-simulated")
if (part %in% c("deformed", "all")) save_table(deformed(), "non-stationary-deformed")
if (part %in% c("warps", "all")) save_table(warps(), "non-stationary-warps")
if (part %in% c("sets", "all")) save_table(sets(), "non-stationary-sets")
if (part %in% c("penalty", "all")) save_table(penalties(), "non-stationary-penalty")
if (part %in% c("speed", "all")) save_table(speed(), "non-stationary-speed")
