# Coefficients that vary with location. Are the parameters of intercept and slope fields found? Do 95% intervals of the slope's surface
# cover it? Do more neighbours help? The data are y = 1 + w0(s) + (2 + w1(s)) x + noise in the unit square, with noise of variance 0.09. The
# field w0 is Matérn 3/2 of variance 1 and range 0.1, and w1 of variance 0.5 and range 0.3. The covariate x is standard normal, or 3 + a
# standard normal, or smooth in space with range 0.2.
#
# Fits by REML and with the true parameters are added. Coverage that is missed only with estimated parameters is the fault of the estimates.
#
# Expected before the run: 94 to 96% at k = 60, with parameters estimated. The slope's variance scatters more at k = 30, and predictions are
# the same.
#
#   R_LIBS=_build/library Rscript bench/varying-coefficients.R [fields, 30] [rows, 600] [of the fields, by mgcv, 3]

# Keeps tables varying-coefficients and varying-coefficients-recovery. The first contains coverage and errors of surfaces at 200 new
# locations, and the second estimates. The rival is mgcv with s(px, py) + s(px, py, by = x). Fits run on one thread, in NEARGP_THREADS
# processes.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

describe_run()
fields <- as.integer(argument(1L, "30"))
n <- as.integer(argument(2L, "600"))
fields_of_mgcv <- as.integer(argument(3L, "3"))
new_places <- 200L
truth <- c(variance_1 = 1, range_1 = 0.1, variance_2 = 0.5, range_2 = 0.3, nugget = 0.09)

smooth_field <- function(distance, range) {
  r <- distance / range
  drop(crossprod(chol((1 + r) * exp(-r) + diag(1e-10, nrow(r))), rnorm(nrow(r))))
}

simulate_field <- function(seed, kind) {
  set.seed(seed)
  count <- n + new_places
  data <- data.frame(px = runif(count), py = runif(count))
  distance <- as.matrix(dist(data))
  data$x <- switch(kind, rough = rnorm(count), "far from 0" = 3 + rnorm(count), smooth = smooth_field(distance, 0.2))
  data$slope <- 2 + sqrt(truth[["variance_2"]]) * smooth_field(distance, truth[["range_2"]])
  data$eta <- 1 + smooth_field(distance, truth[["range_1"]]) + data$slope * data$x
  data$z <- data$eta + rnorm(count, sd = sqrt(truth[["nugget"]]))
  data
}

one_fit <- function(data, k, estimation = NULL) {
  covariance <- cov_matern(1.5) + cov_matern(1.5, by = ~ x)
  neargp(z ~ x, data, coords = ~ px + py, method = vecchia(k, estimation = estimation), covariance = covariance, threads = 1L, verbose = FALSE)
}

# The fit with known parameters, for comparison of its intervals.
at_truth <- function(data, k) {
  covariance <- cov_matern(1.5, variance = truth[["variance_1"]], range = truth[["range_1"]]) +
    cov_matern(1.5, by = ~ x, variance = truth[["variance_2"]], range = truth[["range_2"]])
  neargp(z ~ x, data, coords = ~ px + py, method = vecchia(k), covariance = covariance, nugget = truth[["nugget"]], threads = 1L,
    verbose = FALSE)
}

table_row <- function(seed, kind, model, new, mean, sd, eta, seconds) {
  data.frame(seed, x = kind, model, coverage = mean(abs(new$slope - mean) <= qnorm(0.975) * sd), rmse_slope = sqrt(mean((new$slope - mean)^2)),
    mean_sd = mean(sd), rmse_field = sqrt(mean((new$eta - eta)^2)), cpu_seconds = seconds)
}

by_mgcv <- function(seed, kind, data, new) {
  ran <- timed(mgcv::gam(z ~ x + s(px, py, k = 100) + s(px, py, by = x, k = 50), data = data, method = "REML"))
  # The smooth times x contains no constant, which is the trend's. The slope is the prediction at x = 1 less that at 0.
  difference <- predict(ran$value, transform(new, x = 1), type = "lpmatrix") - predict(ran$value, transform(new, x = 0), type = "lpmatrix")
  table_row(seed, kind, "mgcv", new, drop(difference %*% coef(ran$value)), sqrt(rowSums((difference %*% vcov(ran$value)) * difference)),
    predict(ran$value, new), ran$cpu)
}

one_case <- function(case) {
  data <- simulate_field(case$seed, case$kind)
  new <- utils::tail(data, new_places)
  data <- data[seq_len(n), ]
  ran <- lapply(c(30L, 60L), function(k) c(list(k = k, label = sprintf("vecchia(%d)", k)), timed(suppressWarnings(one_fit(data, k)))))
  others <- list(c(list(label = "vecchia(30), REML"), timed(suppressWarnings(one_fit(data, 30L, "REML")))),
    c(list(label = "vecchia(30), true parameters"), timed(at_truth(data, 30L))))
  surfaces <- lapply(c(ran, others), function(fit) {
    said <- predict(fit$value, new, type = "coefficients", threads = 1L, verbose = FALSE)
    table_row(case$seed, case$kind, fit$label, new, said$x, said$x_sd, predict(fit$value, new, type = "link", verbose = FALSE)$mean,
      fit$cpu)
  })
  if (case$seed <= fields_of_mgcv && has_rival("mgcv")) surfaces <- c(surfaces, list(by_mgcv(case$seed, case$kind, data, new)))
  estimates <- lapply(ran, function(fit) data.frame(seed = case$seed, x = case$kind, k = fit$k, name = names(truth),
    estimate = unname(coef(fit$value, what = "covariance")[names(truth)]), converged = fit$value$convergence$converged))
  list(surfaces = do.call(rbind, surfaces), estimates = do.call(rbind, estimates))
}

write_tables <- function(results) {
  surfaces <- do.call(rbind, lapply(results, `[[`, "surfaces"))
  table <- aggregate(cbind(coverage, rmse_slope, mean_sd, rmse_field, cpu_seconds) ~ model + x, surfaces, mean)
  table$coverage_error <- aggregate(coverage ~ model + x, surfaces, function(v) sd(v) / sqrt(length(v)))$coverage
  table$fields <- aggregate(coverage ~ model + x, surfaces, length)$coverage
  save_table(table, "varying-coefficients", digits = 4L)
  estimates <- do.call(rbind, lapply(results, `[[`, "estimates"))
  recovery <- aggregate(estimate ~ name + k + x, estimates, function(v) c(mean = mean(v), sd = sd(v)))
  recovery <- data.frame(recovery[c("x", "k", "name")], truth = truth[recovery$name], recovery$estimate,
    not_converged = aggregate(!converged ~ name + k + x, estimates, sum)[[4L]], fields = length(unique(estimates$seed)))
  save_table(recovery, "varying-coefficients-recovery", digits = 4L)
}

cases <- expand.grid(kind = c("rough", "far from 0", "smooth"), seed = seq_len(fields), stringsAsFactors = FALSE)
cases <- split(cases, seq_len(nrow(cases)))
# Written after each six cases, so that a run may be stopped.
results <- list()
for (block in split(seq_along(cases), (seq_along(cases) - 1L) %/% 6L)) {
  results <- c(results, parallel::mclapply(cases[block], one_case, mc.cores = bench_threads()))
  write_tables(results)
}
