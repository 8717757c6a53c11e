# Do 95% prediction intervals of the default fit cover forecasts? Fields are simulated at 100 locations and 100 times. Their covariances of
# space and time are not metric ones: they are separable, or of Gneiting's class. The last 10 times are withheld.
#
#   Rscript bench/forecast-coverage.R [seeds, comma-separated; 1 to 3]

# The forecasts of a field lie in 10 times and depend on each other. Coverage therefore differs from seed to seed even by the true model,
# given the last 5 times. Cases run at the same time in NEARGP_THREADS processes, each on one thread.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

places <- 100L
times <- 100L
withheld <- 10L
seeds <- as.integer(argument(1L, as.character(1:3)))

# ---- fields: variance 1, range 0.3 in the unit square, range 10 (slow: 40) in time -------------------------------------------------

# Gneiting (2002), equation 14, in the plane with gamma = 1/2: 2 alpha is the exponent of time, beta the interaction.
gneiting <- function(alpha, beta) {
  function(h, u) {
    psi <- 1 + (u / 10)^(2 * alpha)
    exp(-h / 0.3 / psi^(beta / 2)) / psi
  }
}
fields <- list(
  "separable" = function(h, u) exp(-h / 0.3 - u / 10),
  "separable, slow" = function(h, u) exp(-h / 0.3 - u / 40),
  "Gneiting, alpha 0.5, beta 1" = gneiting(0.5, 1),
  "Gneiting, alpha 0.772, beta 0.61 (Irish wind)" = gneiting(0.772, 0.61),
  "Gneiting, alpha 1, beta 1" = gneiting(1, 1)
)

# The simulation is circulant in time. Its spectrum is then a covariance between locations for each frequency.
simulate_space_time <- function(covariance, h, lags = 256L) {
  cycle <- c(seq_len(lags) - 1L, (lags - 2L):1L)
  spectrum <- Re(stats::mvfft(t(vapply(cycle, function(u) as.vector(covariance(h, u)), double(length(h))))))
  waves <- vapply(seq_along(cycle), function(w) {
    eigen <- eigen(matrix(spectrum[w, ], nrow(h)), symmetric = TRUE)
    stopifnot(min(eigen$values) > -1e-3 * max(spectrum))
    drop(eigen$vectors %*% (sqrt(pmax(eigen$values, 0)) * complex(real = stats::rnorm(nrow(h)), imaginary = stats::rnorm(nrow(h)))))
  }, complex(nrow(h)))
  t(Re(stats::mvfft(t(waves)))[seq_len(times), ]) / sqrt(length(cycle))
}

simulate_case <- function(field, noise, seed) {
  set.seed(seed)
  xy <- data.frame(x = stats::runif(places), y = stats::runif(places))
  z <- simulate_space_time(fields[[field]], as.matrix(stats::dist(xy)))
  data.frame(xy[rep(seq_len(places), times), ], t = rep(seq_len(times), each = places), z = as.vector(z) +
    stats::rnorm(places * times, sd = sqrt(noise)))
}

# ---- forecasts --------------------------------------------------------------------------------------------------------------------

by_fit <- function(...) {
  function(old, new, field, noise) {
    fit <- suppressWarnings(neargp(z ~ 1, old, coords = ~ x + y, time = ~ t, ..., threads = 1L, verbose = FALSE))
    predict(fit, new, threads = 1L, verbose = FALSE)
  }
}

by_truth <- function(old, new, field, noise) {
  near <- old[old$t > times - withheld - 5L, ]
  both <- rbind(near, new)
  h <- as.matrix(stats::dist(both[c("x", "y")]))
  S <- fields[[field]](h, abs(outer(both$t, both$t, "-"))) + diag(noise, nrow(both))
  o <- seq_len(nrow(near))
  weights <- solve(S[o, o], S[o, -o])
  data.frame(mean = drop(crossprod(weights, near$z)), sd = sqrt(diag(S)[-o] - colSums(weights * S[o, -o])))
}

forecasts <- list("the default" = by_fit(), "exponential + Matern" = by_fit(covariance = cov_exponential() + cov_matern(nu = NULL)),
  "one Matern 3/2" = by_fit(covariance = cov_matern(nu = 1.5)), "the truth" = by_truth)

forecast_scores <- function(by, data, field, noise, seed) {
  late <- data$t > times - withheld
  ran <- timed(forecasts[[by]](data[!late, ], data[late, ], field, noise))
  z <- data$z[late]
  inside <- abs(z - ran$value$mean) <= stats::qnorm(0.975) * ran$value$sd
  data.frame(field = field, noise = noise, fit = by, seed = seed, coverage = mean(inside), first_time = mean(inside[seq_len(places)]),
    last_time = mean(utils::tail(inside, places)), rmse = sqrt(mean((z - ran$value$mean)^2)), sd = mean(ran$value$sd), cpu = ran$cpu)
}

case_scores <- function(field, noise, seed) {
  data <- simulate_case(field, noise, seed)
  do.call(rbind, lapply(names(forecasts), forecast_scores, data, field, noise, seed))
}

describe_run()
cases <- expand.grid(seed = seeds, noise = c(0, 0.1), field = names(fields), stringsAsFactors = FALSE)
# Forecasts of the smoothest field without noise by the truth would need its spectrum to more digits than a cycle of this length has.
cases <- cases[cases$noise > 0 | cases$field != "Gneiting, alpha 1, beta 1", ]
rows <- do.call(rbind, parallel::mcmapply(case_scores, cases$field, cases$noise, cases$seed, SIMPLIFY = FALSE, mc.cores = bench_threads(),
  mc.preschedule = FALSE))
save_table(rows, "forecast-coverage-rows", digits = 3L)
columns <- c("coverage", "first_time", "last_time", "rmse", "sd", "cpu")
means <- stats::aggregate(rows[columns], rows[c("fit", "noise", "field")], mean)
means$least_coverage <- stats::aggregate(rows["coverage"], rows[c("fit", "noise", "field")], min)$coverage
save_table(means[c("field", "noise", "fit", columns[1L], "least_coverage", columns[-1L])], "forecast-coverage", digits = 3L)
