# Runs the experiments of the SWSGP paper that are not in paper-tables.R and swsgp.R. Each word runs one experiment:
#
# - `prior` draws Figure 1: the prior of f with random subsets of the inducing points equals the prior without them.
# - `posterior` draws Figure 2, in one dimension: the posterior of svgp() with 128 points, and of swsgp() with 16 of
#   128 for each row.
# - `sizes` runs Figure 3: error and NLL of swsgp() with M points, of which each row uses the H nearest. It is
#   compared with svgp() with M and with 16 points. It is also compared with svgp-m-h: svgp() whose predictions use
#   the H nearest points. Six sets are used, as in the paper.
# - `times` runs Table 1: the time of a step and of a test row. It uses eeg, because the paper's set with 1,024
#   points, mnist, is not available.
# - `steps` tests a claim of section 4.3: the time of a step does not depend on M. It uses up to 100,000 points and
#   simulated rows with two inputs.
# - `many` runs Figure 4: thousands of fixed points. On protein, with 20,000 training rows, svgp() with 128 and 512
#   points is the comparison. On eeg it is svgp() with 256 points, from table paper-tables.
# - `local` runs Table 3: local GPs, inductive and transductive, on powerplant and kin8nm.
# - `covariances` runs Figure 5: joint covariances compared with those of an exact GP, on 2,000 rows of powerplant.
# - `schedule` compares Adam as in the paper (rate 0.001, batches of 64, 300,000 steps) with the settings of the other
#   tables.
#
# The paper uses 10 folds (5 in its tables), all training rows, and 300,000 steps of Adam. This script uses less:
# - Folds: 2 in general, and 3 in `local`. Sets of classes and `many` use 1 fold, `schedule` uses 3.
# - Training rows: at most 6,000 in `sizes`.
# - Steps: 100 epochs of batches of 256 at the rate 0.03, about 2,300 steps. The word `schedule` measures the cost of
#   this choice.
#
# The weight of the divergence is the default, except where a column gives another weight. The covariance is Matérn
# 5/2 with a range for each input, and the link for classes is probit. NLL and RMSE of powerplant and kin8nm are in
# the unit of the response, those of other sets in standard deviations. Pictures are written to results/. Times are
# CPU seconds of one thread.
#
#   Rscript bench/swsgp-paper-figures.R WORD[,WORD]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

# ---- data, fits and scores --------------------------------------------------------------------------------------------------------

classes <- c("eeg", "credit", "spambase")

# A random tenth of the rows is the test set, as in paper-tables.R. Outliers of eeg are a thousand times the other
# values and are clipped.
fold_of <- function(set, fold, most = Inf) {
  rows <- bench_data(set)
  inputs <- as.matrix(rows[setdiff(names(rows), c("y", "fold"))])
  if (set == "eeg") inputs <- apply(inputs, 2L, function(x) pmin(pmax(x, quantile(x, 0.001)), quantile(x, 0.999)))
  original <- set %in% c("powerplant", "kin8nm")
  data <- data.frame(scale(inputs), y = if (set %in% classes) rows$y else drop(scale(rows$y)))
  set.seed(fold)
  test <- seq_len(nrow(data)) %in% sample.int(nrow(data), round(nrow(data) / 10))
  training <- which(!test)
  if (length(training) > most) training <- sort(sample(training, most))
  list(train = data[training, ], test = data[test, ], family = if (set %in% classes) stats::binomial("probit") else stats::gaussian(),
    unit = if (original) stats::sd(rows$y) else 1)
}

fit_by <- function(method, data, covariance = cov_matern(nu = 2.5, ard = TRUE), verbose = FALSE, ...) {
  set.seed(1)
  timed(suppressWarnings(neargp(y ~ 1, data$train, coords = ~ ., covariance = covariance, family = data$family, method = method,
    threads = 1L, verbose = verbose, ...), classes = c("neargp_warning_convergence", "neargp_warning_inducing")))
}

# Scores of a latent mean and standard deviation: NLL, and RMSE or the share of wrong classes.
score_latent <- function(mean, variance, nugget, data) {
  y <- data$test$y
  if (data$family$family == "binomial") {
    index <- mean / sqrt(1 + variance)
    return(c(error = mean((index > 0) != y), nll = -mean(stats::pnorm(ifelse(y == 1, index, -index), log.p = TRUE))))
  }
  c(error = data$unit * sqrt(mean((mean - y)^2)),
    nll = log(data$unit) - mean(stats::dnorm(y, mean, sqrt(variance + nugget), log = TRUE)))
}

score_fit <- function(fit, data) {
  latent <- predict(fit, data$test, type = "link", threads = 1L)
  score_latent(latent$mean, latent$sd^2, if (is.null(fit$nugget)) 0 else fit$nugget, data)
}

draw <- function(name, width, height, plot) {
  grDevices::png(result_file(name), width = width, height = height, res = 100)
  on.exit(grDevices::dev.off())
  plot()
}

matern_5_2 <- function(x, z, variance, range) {
  scaled <- function(x) sweep(as.matrix(x), 2L, range, "/")
  x <- scaled(x)
  z <- scaled(z)
  d <- sqrt(pmax(outer(rowSums(x^2), rowSums(z^2), "+") - 2 * tcrossprod(x, z), 0))
  variance * (1 + d + d^2 / 3) * exp(-d)
}

covariance_of <- function(fit) {
  found <- coef(fit, "covariance")
  list(variance = found[["variance"]], range = unname(found[grepl("^range", names(found))]))
}

# ---- Figure 1 ---------------------------------------------------------------------------------------------------------------------

squared_exponential <- function(x, z, lengthscale = 1) exp(-outer(x, z, "-")^2 / (2 * lengthscale^2))

# A subset of the inducing points, their values, and the moments of f given these.
draw_conditional <- function(x, z, active) {
  chosen <- sort(sample(z, active))
  K <- squared_exponential(chosen, chosen) + diag(1e-8, active)
  u <- drop(crossprod(chol(K), stats::rnorm(active)))
  A <- t(solve(K, squared_exponential(chosen, x)))
  list(z = chosen, u = u, mean = drop(A %*% u), covariance = squared_exponential(x, x) - A %*% squared_exponential(chosen, x))
}

sample_normal <- function(mean, covariance) drop(mean + crossprod(chol(covariance + diag(1e-6, length(mean))), stats::rnorm(length(mean))))

plot_conditional <- function(x, one) {
  spread <- 1.96 * sqrt(pmax(diag(one$covariance), 0))
  plot(x, one$mean, type = "n", ylim = c(-4, 4), xlab = "x", ylab = "f given the active points", main = sprintf("%d of 16 active", length(one$z)))
  graphics::polygon(c(x, rev(x)), c(one$mean - spread, rev(one$mean + spread)), col = "grey85", border = NA)
  graphics::lines(x, one$mean, col = "#d95f02", lwd = 2)
  graphics::points(one$z, one$u, pch = 16, col = "#2b6cb0")
}

run_prior <- function(draws = 5000L) {
  set.seed(3)
  x <- seq(0, 10, length.out = 60L)
  z <- seq(0.3, 9.7, length.out = 16L)
  shown <- lapply(c(4L, 8L), function(active) draw_conditional(x, z, active))
  f <- vapply(seq_len(draws), function(i) {
    one <- draw_conditional(x, z, sample(2:12, 1L))
    sample_normal(one$mean, one$covariance)
  }, x)
  limits <- apply(f, 1L, stats::quantile, c(0.025, 0.5, 0.975))
  draw("swsgp-paper-prior.png", 900, 310, function() {
    graphics::par(mfrow = c(1, 3), mar = c(4, 4, 2, 1))
    for (one in shown) plot_conditional(x, one)
    graphics::matplot(x, t(limits), type = "l", lty = 1, lwd = 2, col = "#d95f02", ylim = c(-4, 4), xlab = "x", ylab = "f",
      main = sprintf("%s draws of f", format(draws, big.mark = ",")))
    graphics::matlines(x, f[, 1:12], lty = 1, col = grDevices::adjustcolor("grey40", 0.4))
    graphics::abline(h = stats::qnorm(c(0.025, 0.5, 0.975)), lty = 2)
  })
  K <- squared_exponential(x, x)
  standardised <- (stats::cov(t(f)) - K) / sqrt((K^2 + 1) / draws)
  save_table(data.frame(draws = draws, worst_covariance_error = max(abs(stats::cov(t(f)) - K)), worst_in_standard_errors = max(abs(standardised)),
    rms_in_standard_errors = sqrt(mean(standardised^2))), "swsgp-paper-prior")
}

# ---- Figure 2 ---------------------------------------------------------------------------------------------------------------------

# A draw of the Gaussian process with a gap in its data. All fits use the true parameters and the same points.
process_with_gap <- function(rows, held) {
  set.seed(2)
  grid <- seq(-3, 3, length.out = 241L)
  x <- sort(c(stats::runif(0.75 * rows, -3, 0.5), stats::runif(0.25 * rows, 1.5, 3)))
  field <- sample_normal(double(rows + length(grid)), matern_5_2(c(x, grid), c(x, grid), held$variance, held$range))
  list(train = data.frame(x = x, y = field[seq_along(x)] + stats::rnorm(rows, sd = 0.3)), family = stats::gaussian(),
    test = data.frame(x = grid, truth = field[-seq_along(x)], gap = grid > 0.5 & grid < 1.5))
}

run_posterior <- function(rows = 400L, points = 128L) {
  held <- list(variance = 1, range = 0.2)
  data <- process_with_gap(rows, held)
  z <- matrix(seq(-3, 3, length.out = points), dimnames = list(NULL, "x"))
  near <- function(...) swsgp(z, k = 16L, move = FALSE, epochs = 500L, batch_size = 64L, learning_rate = 0.01, ...)
  methods <- list(`svgp-128` = svgp(z, move = FALSE), `swsgp-128-16, full, weight 1` = near(covariance = "full", kl_weight = 1),
    `swsgp-128-16, full, weight M / H` = near(covariance = "full", kl_weight = points / 16), `swsgp-128-16, diagonal, default weight` = near())
  covariance <- cov_matern(nu = 2.5, variance = held$variance, range = held$range)
  moments <- lapply(methods, function(method) predict(fit_by(method, data, covariance, nugget = 0.09)$value, data$test, type = "link"))
  draw("swsgp-paper-posterior.png", 900, 560, function() {
    graphics::par(mfrow = c(2, 2), mar = c(4, 4, 2, 1))
    for (name in names(moments)) plot_posterior(data$train, data$test$x, moments[[name]], name)
  })
  compared <- lapply(moments, function(own) cbind(among = compare_moments(own, moments[[1L]], data$test, !data$test$gap),
    gap = compare_moments(own, moments[[1L]], data$test, data$test$gap)))
  save_table(cbind(model = names(moments), do.call(rbind, compared)), "swsgp-paper-posterior", digits = 3L)
}

# Compares moments with those of svgp(), and computes the share of 95% intervals that contain the true field.
compare_moments <- function(own, dense, test, where) {
  data.frame(mean_difference = sqrt(mean((own$mean - dense$mean)[where]^2)), sd_ratio = mean((own$sd / dense$sd)[where]),
    coverage = mean((abs(own$mean - test$truth) < 1.96 * own$sd)[where]))
}

plot_posterior <- function(train, x, moments, title) {
  plot(train$x, train$y, pch = 16, cex = 0.3, col = "grey60", xlab = "x", ylab = "y", main = title)
  graphics::polygon(c(x, rev(x)), c(moments$mean - 1.96 * moments$sd, rev(moments$mean + 1.96 * moments$sd)),
    col = grDevices::adjustcolor("#2b6cb0", 0.25), border = NA)
  graphics::lines(x, moments$mean, col = "#d95f02", lwd = 2)
}

# ---- Figure 3 ---------------------------------------------------------------------------------------------------------------------

# Moments of the latent field at test rows, from the H nearest inducing points of a fit by svgp(). They follow
# equation 13 with the q(u) of svgp().
nearest_of_svgp <- function(fit, test, h) {
  theta <- covariance_of(fit)
  z <- as.matrix(fit$inducing)
  x <- as.matrix(test[colnames(z)])
  at_points <- predict(fit, as.data.frame(z), type = "link", joint = TRUE)
  S <- attr(at_points, "covariance")
  m <- at_points$mean - stats::coef(fit)[[1L]]
  K <- matern_5_2(z, z, theta$variance, theta$range)
  cross <- matern_5_2(x, z, theta$variance, theta$range)
  moments <- vapply(seq_len(nrow(x)), function(i) {
    near <- order(cross[i, ], decreasing = TRUE)[seq_len(h)]
    a <- solve(K[near, near] + diag(1e-6 * theta$variance, h), cross[i, near])
    c(sum(a * m[near]), theta$variance - sum(a * cross[i, near]) + sum(a * (S[near, near] %*% a)))
  }, double(2L))
  list(mean = moments[1L, ] + stats::coef(fit)[[1L]], variance = pmax(moments[2L, ], 0))
}

size_row <- function(method, h, cpu, score) data.frame(method = method, h = h, cpu = cpu, error = score[["error"]], nll = score[["nll"]])

# Rows for one number of points: svgp() with all points and with the nearest, and swsgp().
score_points <- function(data, m, near) {
  dense <- fit_by(svgp(m, std_error = FALSE), data)
  nugget <- if (data$family$family == "binomial") 0 else dense$value$nugget
  by_near <- lapply(near, function(h) {
    fitted <- fit_by(swsgp(m, k = h, epochs = 100L), data)
    latent <- nearest_of_svgp(dense$value, data$test, h)
    rbind(size_row("swsgp-m-h", h, fitted$cpu, score_fit(fitted$value, data)),
      size_row("svgp-m-h", h, dense$cpu, score_latent(latent$mean, latent$variance, nugget, data)))
  })
  rbind(do.call(rbind, by_near), size_row("svgp-m", NA_integer_, dense$cpu, score_fit(dense$value, data)))
}

score_sizes <- function(set, fold) {
  data <- fold_of(set, fold, 6000L)
  for (m in c(16L, 32L, 64L, 128L)) {
    if (is_done("swsgp-paper-sizes", list(set = set, fold = fold, m = m))) next
    rows <- score_points(data, m, if (m > 16L) c(4L, 8L, 16L))
    append_result("swsgp-paper-sizes", data.frame(set = set, fold = fold, n = nrow(data$train), m = m, rows))
  }
}

# Counts for how many of the three M swsgp() is better than a rival. Mean differences are negative where swsgp() is
# better.
size_differences <- function(means, rival) {
  own <- means[means$method == "swsgp-m-h", ]
  other <- means[means$method == rival, ]
  if (rival == "svgp-m") other$h <- NULL
  both <- merge(own, other, by = intersect(c("set", "m", "h"), names(other)), suffixes = c("", "_rival"))
  better <- function(measure) stats::aggregate(both[[measure]] - both[[paste0(measure, "_rival")]], both[c("h", "set")], mean)$x
  wins <- stats::aggregate(cbind(cells = 1, error_better = error < error_rival, nll_better = nll < nll_rival) ~ h + set, both, sum)
  cbind(rival = rival, wins[c("set", "h", "cells", "error_better", "nll_better")], error_difference = better("error"), nll_difference = better("nll"))
}

run_sizes <- function() {
  for (set in c("powerplant", "kin8nm", "protein", classes)) for (fold in if (set %in% classes) 1L else 1:2) score_sizes(set, fold)
  rows <- read_result("swsgp-paper-sizes")
  rows$h[is.na(rows$h)] <- 0L
  means <- stats::aggregate(cbind(error, nll) ~ m + h + method + set, rows, mean)
  save_table(do.call(rbind, lapply(c("svgp-m", "svgp-m-h"), function(rival) size_differences(means, rival))), "swsgp-paper-sizes-compared",
    digits = 3L)
}

# ---- Table 1, and the time of a step ----------------------------------------------------------------------------------------------

# Milliseconds of a step of Adam: the difference between fits of one and of `1 + epochs` epochs.
step_ms <- function(method, data, batch, epochs, times) {
  seconds <- function(epochs) least(times, fit_by(method(epochs), data))
  1000 * (seconds(1L + epochs) - seconds(1L)) / (epochs * ceiling(nrow(data$train) / batch))
}

row_ms <- function(fit, test, repeats) {
  many <- test[rep(seq_len(nrow(test)), repeats), ]
  1000 * least(2L, predict(fit, many, type = "link", threads = 1L)) / nrow(many)
}

time_methods <- function(m, n, epochs, times, repeats = 20L) {
  if (is_done("swsgp-paper-times", list(m = m))) return(invisible())
  data <- fold_of("eeg", 1L, n)
  methods <- list(svgp = function(epochs) svgp(m, optimizer = "adam", std_error = FALSE, epochs = epochs, batch_size = 64L),
    `swsgp-4` = function(epochs) swsgp(m, k = 4L, epochs = epochs, batch_size = 64L),
    `swsgp-16` = function(epochs) swsgp(m, k = 16L, epochs = epochs, batch_size = 64L))
  times <- lapply(methods, function(method) data.frame(step_ms = step_ms(method, data, 64L, epochs, times),
    test_row_ms = row_ms(fit_by(method(1L), data)$value, data$test, repeats)))
  append_result("swsgp-paper-times", data.frame(m = m, n = nrow(data$train), method = names(methods), do.call(rbind, times), row.names = NULL))
}

run_times <- function() {
  time_methods(256L, 6000L, 4L, 1L)
  time_methods(1024L, 1500L, 2L, 1L)
}

# CPU seconds at the messages of a fit. Adam sends ten messages, at equal numbers of epochs.
message_times <- function(fit) {
  now <- function() sum(proc.time()[c("user.self", "sys.self")])
  began <- now()
  times <- double(0)
  withCallingHandlers(fit, message = function(condition) {
    times <<- c(times, now() - began)
    invokeRestart("muffleMessage")
  })
  times
}

# With one range for both inputs, neighbours are searched once. With a range for each input, they are searched again
# when the ratio of ranges has changed by more than a quarter. With moving points they are searched again in each
# epoch.
time_step <- function(m, move, epochs, n = 12800L, batch = 256L) {
  key <- list(m = m, k = 16L, move = move)
  if (is_done("swsgp-paper-steps", key)) return(invisible())
  set.seed(1)
  data <- list(train = data.frame(X1 = stats::runif(n), X2 = stats::runif(n)), family = stats::gaussian())
  data$train$y <- sin(9 * data$train$X1) + data$train$X2^2 + stats::rnorm(n, sd = 0.1)
  points <- matrix(stats::runif(2L * m), m, dimnames = list(NULL, c("X1", "X2")))
  method <- swsgp(points, k = 16L, move = move, epochs = epochs, batch_size = batch)
  times <- message_times(fit_by(method, data, cov_matern(nu = 2.5), verbose = TRUE))
  tenth <- stats::median(diff(times))
  append_result("swsgp-paper-steps", data.frame(key, n = n, batch = batch, before_s = times[1L] - tenth,
    step_ms = 1000 * tenth / (epochs / 10 * n / batch)))
}

run_steps <- function() {
  for (m in c(1000L, 3000L, 10000L, 30000L, 100000L)) {
    time_step(m, FALSE, 40L)
    if (m <= 30000L) time_step(m, TRUE, 10L)
  }
}

# ---- Figure 4 ---------------------------------------------------------------------------------------------------------------------

score_many <- function(data, set, method, m, epochs, kl_weight, settings) {
  key <- list(set = set, method = method, m = m, epochs = epochs, kl_weight = kl_weight)
  if (is_done("swsgp-paper-many", key)) return(invisible())
  fitted <- fit_by(settings, data)
  score <- score_fit(fitted$value, data)
  nugget <- if (set %in% classes) NA else fitted$value$nugget
  append_result("swsgp-paper-many", data.frame(key, n = nrow(data$train), cpu = fitted$cpu, t(score), nugget = nugget))
}

# Each length of the training is a separate fit, because the rate is reduced near its end.
run_many <- function() {
  points <- c(3000L, 5000L, 10000L)
  cases <- data.frame(set = rep(c("protein", "eeg"), each = 3L), m = points, epochs = 25L, weight = NA)
  cases <- rbind(cases, transform(cases[1:3, ], weight = 1), transform(cases[1:3, ], epochs = 5L))
  data <- list(protein = fold_of("protein", 1L, 20000L), eeg = fold_of("eeg", 1L))
  for (m in c(128L, 512L)) score_many(data$protein, "protein", "svgp", m, NA_integer_, 1, svgp(m, std_error = FALSE))
  for (i in seq_len(nrow(cases))) {
    case <- cases[i, ]
    score_many(data[[case$set]], case$set, "swsgp", case$m, case$epochs, case$weight, swsgp(case$m, k = 16L, move = FALSE, select = "random",
      epochs = case$epochs, kl_weight = if (!is.na(case$weight)) case$weight))
  }
}

# ---- Table 3 ----------------------------------------------------------------------------------------------------------------------

nearest_rows <- function(x, y, number) {
  distance <- outer(rowSums(x^2), rowSums(y^2), "+") - 2 * tcrossprod(x, y)
  t(apply(distance, 1L, function(d) order(d)[seq_len(number)]))
}

# The comparison uses 64 experts. Each expert is an exact GP of the `size` training rows nearest to a centre of
# k-means. A response is centred by the mean of its rows.
train_experts <- function(data, experts, size) {
  x <- as.matrix(data$train[setdiff(names(data$train), "y")])
  set.seed(1)
  centres <- stats::kmeans(x, experts, iter.max = 50L)$centers
  members <- nearest_rows(centres, x, size)
  fits <- lapply(seq_len(experts), function(e) {
    fit <- suppressWarnings(neargp(y ~ 1, data$train[members[e, ], ], coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE),
      method = exact_gp(), threads = 1L, verbose = FALSE))
    c(covariance_of(fit), list(nugget = fit$nugget))
  })
  list(x = x, centres = centres, members = members, fits = fits)
}

# Mean and variance of a new response at x from some training rows.
krige <- function(theta, x, near, y) {
  K <- matern_5_2(near, near, theta$variance, theta$range) + diag(theta$nugget + 1e-8 * theta$variance, nrow(near))
  cross <- drop(matern_5_2(near, x, theta$variance, theta$range))
  solved <- solve(K, cbind(y - mean(y), cross))
  c(mean(y) + sum(cross * solved[, 1L]), theta$variance - sum(cross * solved[, 2L]) + theta$nugget)
}

score_local <- function(data, local, transductive, size = 100L) {
  x <- as.matrix(data$test[colnames(local$x)])
  expert <- drop(nearest_rows(x, local$centres, 1L))
  rows <- if (transductive) nearest_rows(x, local$x, size) else local$members[expert, ]
  moments <- vapply(seq_len(nrow(x)), function(i) {
    krige(local$fits[[expert[i]]], x[i, , drop = FALSE], local$x[rows[i, ], ], data$train$y[rows[i, ]])
  }, double(2L))
  score_latent(moments[1L, ], moments[2L, ], 0, data)
}

compare_local <- function(set, fold) {
  data <- fold_of(set, fold)
  experts <- timed(train_experts(data, 64L, 100L))
  by_experts <- function(transductive) {
    scored <- timed(score_local(data, experts$value, transductive))
    data.frame(cpu_fit = experts$cpu, cpu_predict = scored$cpu, t(scored$value))
  }
  by_points <- function(h) {
    fitted <- fit_by(swsgp(64L, k = h, epochs = 150L), data)
    scored <- timed(score_fit(fitted$value, data))
    data.frame(cpu_fit = fitted$cpu, cpu_predict = scored$cpu, t(scored$value))
  }
  found <- list(inductive = by_experts(FALSE), transductive = by_experts(TRUE), `swsgp-64-4` = by_points(4L), `swsgp-64-8` = by_points(8L))
  cbind(set = set, fold = fold, method = names(found), do.call(rbind, found))
}

# The figures as printed. The NLLs of swsgp lack log(2 pi) / 4 (scoreboard.R).
printed_local <- data.frame(set = rep(c("powerplant", "kin8nm"), each = 4L),
  method = c("swsgp-64-4", "swsgp-64-8", "inductive", "transductive"),
  printed_error = c(4.27, 4.24, 9.93, 6.17, 0.11, 0.10, 0.13, 0.09), printed_nll = c(2.41, 2.40, 38.38, 18.78, -1.27, -1.38, -0.40, -0.65))

run_local <- function(folds = 3L) {
  cases <- expand.grid(fold = seq_len(folds), set = c("powerplant", "kin8nm"), stringsAsFactors = FALSE)
  rows <- do.call(rbind, Map(compare_local, cases$set, cases$fold))
  save_table(rows, "swsgp-paper-local")
  means <- stats::aggregate(cbind(error, nll, cpu_fit, cpu_predict) ~ method + set, rows, mean)
  errors <- stats::aggregate(cbind(error_se = error, nll_se = nll) ~ method + set, rows, standard_error)
  save_table(merge(merge(means, errors), printed_local), "swsgp-paper-local-means", digits = 4L)
}

# ---- Figure 5 ---------------------------------------------------------------------------------------------------------------------

joint_moments <- function(fit, rows, k) {
  settings <- list(fit, rows, type = "link", joint = TRUE, threads = 1L)
  do.call(predict, c(settings, if (!is.na(k)) list(k = k)))
}

# For batches of test rows: RMSE, NLL and the squared error of the covariances. The share divides this error by the
# mean square of the exact covariances.
score_joint <- function(fit, exact, test, batch, k) {
  parts <- split(seq_len(nrow(test)), ceiling(seq_len(nrow(test)) / batch))
  total <- rowSums(vapply(parts, function(rows) {
    own <- joint_moments(fit, test[rows, ], k)
    error <- own$mean - test$y[rows]
    c(sum(error^2), -sum(stats::dnorm(error, sd = sqrt(own$sd^2 + fit$nugget), log = TRUE)),
      sum((attr(own, "covariance") - exact[rows, rows])^2), sum(exact[rows, rows]^2), length(rows)^2)
  }, double(5L)))
  data.frame(batch = batch, k = k, rmse = sqrt(total[1L] / nrow(test)), nll = total[2L] / nrow(test), covariance_mse = total[3L] / total[5L],
    share = total[3L] / total[4L])
}

union_methods <- function() {
  union <- function(...) swsgp(512L, k = 8L, active = 128L, epochs = 60L, ...)
  list(`svgp-512` = svgp(512L, std_error = FALSE), `swsgp-u-512-128, diagonal` = union(), `swsgp-u-512-128, full` = union(covariance = "full"),
    `swsgp-512-8` = swsgp(512L, k = 8L, epochs = 100L))
}

score_unions <- function(name, data, test, covariance) {
  fitted <- fit_by(union_methods()[[name]], data)
  cases <- expand.grid(batch = c(5L, 20L, 50L, 200L), k = if (name == "svgp-512") NA_integer_ else c(4L, 16L, 64L))
  scored <- do.call(rbind, Map(function(batch, k) score_joint(fitted$value, covariance, test, batch, k), cases$batch, cases$k))
  append_result("swsgp-paper-covariances", data.frame(method = name, cpu_fit = fitted$cpu, scored))
}

# Each fit uses its own parameters, as in the paper.
run_covariances <- function() {
  data <- fold_of("powerplant", 1L, 2000L)
  set.seed(1)
  test <- data$test[sample(nrow(data$test), 200L), ]
  exact <- fit_by(exact_gp(), data)
  covariance <- attr(joint_moments(exact$value, test, NA), "covariance")
  append_result("swsgp-paper-covariances", data.frame(method = "exact", cpu_fit = exact$cpu,
    score_joint(exact$value, covariance, test, 200L, NA_integer_)))
  for (name in names(union_methods())) score_unions(name, data, test, covariance)
}

# ---- Adam as in the paper ---------------------------------------------------------------------------------------------------------

score_schedule <- function(set, fold, batch, rate, steps, weight) {
  key <- list(set = set, fold = fold, batch = batch, rate = rate, steps = steps, kl_weight = weight)
  if (is_done("swsgp-paper-schedule", key)) return(invisible())
  data <- fold_of(set, fold)
  epochs <- as.integer(max(1, round(steps * batch / nrow(data$train))))
  fitted <- fit_by(swsgp(64L, k = 4L, epochs = epochs, batch_size = batch, learning_rate = rate, kl_weight = if (!is.na(weight)) weight), data)
  append_result("swsgp-paper-schedule", data.frame(key, epochs = epochs, cpu = fitted$cpu, t(score_fit(fitted$value, data))))
}

run_schedule <- function(folds = 1L) {
  for (set in "powerplant") for (fold in seq_len(folds)) {
    for (weight in c(1, NA)) score_schedule(set, fold, 256L, 0.03, 5000L, weight)
    for (steps in c(3000L, 30000L, 300000L)) score_schedule(set, fold, 64L, 0.001, steps, 1)
  }
}

# ---- what to do -------------------------------------------------------------------------------------------------------------------

describe_run()
for (word in argument(1L, c("prior", "posterior"))) {
  cat(sprintf("%s: %.1f CPU s\n", word, cpu_seconds(switch(word, prior = run_prior(), posterior = run_posterior(), sizes = run_sizes(),
    times = run_times(), steps = run_steps(), many = run_many(), local = run_local(), covariances = run_covariances(),
    schedule = run_schedule(3L), stop("No experiment is called ", word, ".", call. = FALSE)))))
}
