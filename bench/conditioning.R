# The loss by few neighbours on noisy and crowded locations, and the gain by conditioning on the field.
#
#   Rscript bench/conditioning.R [rows, 900] [locations to predict, 300]

# The cases are five designs of locations in the unit square, two covariances, and noise variances from .01 to 100 times that of the field.
# Parameters are fixed.
#
# `loss` is the loss of expected log-likelihood against the exact model, in units of log-likelihood. On responses it is computed from
# conditional variances. On the field it is the difference for one draw, which is almost free of noise. `error` compares predictions of the
# field with those by all rows. It is the root mean square difference in their standard deviations. `sd_error` is the root mean square of
# the ratio of standard deviations less 1. `estimated` is the result of neighbor_loss(). Keeps table conditioning and
# results/conditioning.png.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])), "common.R"))
arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n <- if (length(arguments)) arguments[1L] else 900L
new_places <- if (length(arguments) > 1L) arguments[2L] else 300L

walk <- function(steps) {
  x <- (stats::runif(1) + cumsum(stats::rnorm(steps, sd = 0.012))) %% 2
  ifelse(x > 1, 2 - x, x)
}

designs <- list(
  uniform = function(n) cbind(stats::runif(n), stats::runif(n)),
  boreholes = function(n) cbind(stats::runif(30), stats::runif(30))[rep_len(1:30, n), ] + stats::rnorm(2 * n, sd = 1e-3),
  tracks = function(n) do.call(rbind, lapply(1:5, function(i) cbind(walk(n / 5), walk(n / 5)))),
  gauges = function(n) {
    crowded <- round(0.8 * n)
    centres <- cbind(stats::runif(12), stats::runif(12))
    rbind(centres[sample(12, crowded, TRUE), ] + stats::rnorm(2 * crowded, sd = 0.01),
      cbind(stats::runif(n - crowded), stats::runif(n - crowded)))
  },
  roads = function(n) {
    ends <- array(stats::runif(24), c(6, 2, 2))
    road <- sample(6, n, TRUE)
    share <- stats::runif(n)
    ends[road, , 1] * share + ends[road, , 2] * (1 - share) + stats::rnorm(2 * n, sd = 1e-3)
  }
)

covariances <- list(
  exponential = list(of = function(h) exp(-h / 0.3), model = cov_exponential(variance = 1, range = 0.3)),
  matern32 = list(of = function(h) (1 + sqrt(3) * h / 0.2) * exp(-sqrt(3) * h / 0.2),
    model = cov_matern(nu = 1.5, variance = 1, range = 0.2 / sqrt(3)))
)

exact_model <- function(covariance, places, z, targets, ratio) {
  K <- covariance$of(as.matrix(stats::dist(places)))
  factor <- chol(K + diag(ratio, nrow(places)))
  whiten <- function(x) backsolve(factor, x, transpose = TRUE)
  ones <- whiten(rep(1, nrow(places)))
  residual <- whiten(z)
  beta_variance <- 1 / sum(ones^2)
  beta <- beta_variance * sum(ones * residual)
  residual <- residual - ones * beta
  distance <- sqrt(outer(places[, 1], targets[, 1], "-")^2 + outer(places[, 2], targets[, 2], "-")^2)
  cross <- whiten(covariance$of(distance))
  unseen <- 1 - drop(crossprod(cross, ones))
  list(mean = beta + drop(crossprod(cross, residual)), sd = sqrt(1 - colSums(cross^2) + unseen^2 * beta_variance),
    log_likelihood = -0.5 * (length(z) * log(2 * pi) + sum(residual^2)) - sum(log(diag(factor))), S = K + diag(ratio, nrow(places)))
}

# The expected loss of Vecchia's density in the maxmin order, as the package finds neighbours.
expected_loss <- function(S, places, k) {
  context <- neargp:::new_context(1L)
  order <- neargp:::core_order(places, "maxmin", 0, context)
  neighbors <- as.matrix(neargp:::core_neighbors_before(places, order, k, context))
  few <- vapply(order[-1L], function(i) {
    near <- neighbors[!is.na(neighbors[, i]) & neighbors[, i] > 0, i]
    S[i, i] - sum(S[i, near] * solve(S[near, near], S[near, i]))
  }, 0)
  sum(log(few / diag(chol(S[order, order]))[-1L]^2)) / 2
}

methods <- list(responses_30 = vecchia(k = 30), responses_60 = vecchia(k = 60), responses_120 = vecchia(k = 120),
  field_15 = vecchia(k = 15, condition = "field"), field_30 = vecchia(condition = "field"), default = vecchia())

measure <- function(design, covariance, ratio) {
  set.seed(7)
  places <- designs[[design]](n)
  colnames(places) <- c("x", "y")
  model <- covariances[[covariance]]
  K <- model$of(as.matrix(stats::dist(places)))
  z <- drop(crossprod(chol(K + diag(ratio, n)), stats::rnorm(n)))
  targets <- cbind(x = stats::runif(new_places), y = stats::runif(new_places))
  exact <- exact_model(model, places, z, targets, ratio)
  do.call(rbind, lapply(names(methods), function(name) {
    time <- system.time(fit <- suppressMessages(suppressWarnings(neargp(z ~ 1, data.frame(places, z = z), coords = ~ x + y, nugget = ratio,
      method = methods[[name]], covariance = model$model, threads = 1L))))[[1L]]
    predicted <- predict(fit, as.data.frame(targets), type = "link")
    field <- inherits(fit$method, "neargp_vecchia_field")
    data.frame(design, covariance, ratio, method = name, on = if (field) "field" else "responses",
      loss = if (field) exact$log_likelihood - fit$log_likelihood else expected_loss(exact$S, places, fit$k),
      estimated = if (field && is.null(fit$conditioning)) NA else neighbor_loss(fit)$likelihood,
      error = sqrt(mean(((predicted$mean - exact$mean) / exact$sd)^2)),
      sd_error = sqrt(mean((predicted$sd / exact$sd - 1)^2)), seconds = time)
  }))
}

cases <- expand.grid(ratio = c(0.01, 0.1, 1, 10, 100), covariance = names(covariances), design = names(designs), stringsAsFactors = FALSE)
results <- do.call(rbind, Map(measure, cases$design, cases$covariance, cases$ratio))
rownames(results) <- NULL
save_result(format(results, digits = 4), "conditioning", quote = FALSE)

summary_of <- function(column) {
  worst <- stats::aggregate(results[column], results[c("method", "ratio")], function(x) max(abs(x)))
  print(stats::reshape(worst, idvar = "method", timevar = "ratio", direction = "wide"), digits = 3, row.names = FALSE)
}
for (column in c("loss", "error", "sd_error")) summary_of(column)

# Loss and error by noise: a panel for each design, a line for each method.
grDevices::png(result_file("conditioning.png"), 1600, 750, res = 110)
graphics::par(mfrow = c(2, 5), mar = c(3.5, 4.5, 2, 0.5), mgp = c(3.2, 0.6, 0), las = 1)
colours <- c(responses_30 = "#d73027", responses_60 = "#fc8d59", responses_120 = "#fdc070", field_15 = "#91bfdb", field_30 = "#2166ac")
floor_of <- c(loss = 1e-3, error = 1e-3)
for (column in names(floor_of)) for (design in names(designs)) {
  part <- results[results$design == design & results$covariance == "exponential" & results$method != "default", ]
  part$value <- pmax(abs(part[[column]]), floor_of[[column]])
  graphics::plot(part$ratio, part$value, log = "xy", type = "n", xlab = "", main = design, axes = FALSE, frame.plot = TRUE,
    ylab = if (column == "loss") "units of log-likelihood lost" else "error of predictions, sd", ylim = c(floor_of[[column]], 4))
  graphics::title(xlab = "noise / field variance", line = 2)
  graphics::axis(1, 10^(-2:2), c(".01", ".1", "1", "10", "100"))
  graphics::axis(2, 10^(-3:0), c(".001", ".01", ".1", "1"))
  graphics::abline(h = if (column == "loss") 0.5 else 0.08, lty = 3)
  for (method in names(colours)) {
    own <- part[part$method == method, ]
    graphics::lines(own$ratio, own$value, type = "o", pch = 16, cex = 0.7, col = colours[[method]], lwd = 1.5)
  }
  if (design == "uniform" && column == "error") {
    graphics::legend("topleft", sub("_", ", k = ", names(colours)), col = colours, lwd = 1.5, pch = 16, bty = "n", cex = 0.8)
  }
}
invisible(grDevices::dev.off())
