# Later response families. How well do Tweedie and zero-inflated responses predict, compared with those of mgcv? Do intervals of the field
# cover as they should, for each family?
#
#   Rscript bench/response-families.R [contest] [coverage]

# The contest is on two surveys. In pcod, the response is the density of Pacific cod per haul in kg / km^2, with zeros in 54% of the hauls.
# In yelloweye, it is the count of yelloweye rockfish caught by longline, with the number of hooks as exposure. Folds are (row - 1) %% 5.
# Our trend of year and log depth is the rival's. Natural splines replace its smooth function of depth, and the field replaces its smooth
# function of location.

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))

parts <- commandArgs(TRUE)
if (!length(parts)) parts <- c("contest", "coverage")
describe_run()

# ---- contest ----------------------------------------------------------------------------------------------------------------------

# Held-out log density and root mean squared error of a family by `fit(training)` and `score(fit, test)`.
in_folds <- function(data, fit, score) {
  fold <- (seq_len(nrow(data)) - 1L) %% 5L
  scored <- lapply(0:4, function(held) {
    run <- timed(fit(data[fold != held, ]))
    cbind(score(run$value, data[fold == held, ]), cpu = run$cpu / sum(fold == held))
  })
  scored <- do.call(rbind, scored)
  data.frame(log_density = mean(scored$log_density), rmse = sqrt(mean((scored$mean - scored$observed)^2)), cpu = sum(scored$cpu))
}

ours <- function(formula, response, family) {
  list(fit = function(training) {
    neargp(formula, training, coords = ~ X + Y, family = family, method = vnngp(k = 15), threads = bench_threads(), verbose = FALSE)
  }, score = function(fit, test) {
    link <- predict(fit, test, type = "link", verbose = FALSE)
    data.frame(observed = test[[response]], mean = predict(fit, test, verbose = FALSE)$mean,
      log_density = -log_score_mixture(test[[response]], link$mean, link$sd, fit$family, fit$family_parameters))
  })
}

by_mgcv <- function(formula, response, family, log_density) {
  list(fit = function(training) mgcv::gam(formula, family = family, data = training, method = "REML"),
    score = function(fit, test) {
      mean <- as.vector(stats::predict(fit, test, type = "response"))
      data.frame(observed = test[[response]], mean = mean, log_density = log_density(fit, test[[response]], mean))
    })
}

run_contest <- function() {
  cod <- bench_data("pcod")
  rockfish <- bench_data("yelloweye")
  cod_trend <- density ~ factor(year) + splines::ns(log(depth), df = 4)
  rockfish_trend <- catch_count ~ factor(year) + splines::ns(log(depth), df = 4) + offset(log(hook_count))
  contestants <- list(
    "cod, tweedie()" = list(cod, ours(cod_trend, "density", tweedie())),
    "rockfish, negative_binomial()" = list(rockfish, ours(rockfish_trend, "catch_count", negative_binomial())),
    "rockfish, zi_nbinom2()" = list(rockfish, ours(rockfish_trend, "catch_count", zi_nbinom2()))
  )
  if (has_rival("mgcv")) {
    suppressPackageStartupMessages(library(mgcv))  # tw() looks for functions where the user is
    tweedie_density <- function(fit, y, mu) {
      theta <- fit$family$getTheta(TRUE)
      mgcv::ldTweedie(y, mu, theta, fit$sig2)[, 1L]
    }
    count_density <- function(fit, y, mu) stats::dnbinom(y, size = fit$family$getTheta(TRUE), mu = mu, log = TRUE)
    contestants[["cod, mgcv"]] <- list(cod, by_mgcv(density ~ factor(year) + s(log(depth), k = 8) + s(X, Y, k = 80), "density", mgcv::tw(),
      tweedie_density))
    contestants[["rockfish, mgcv"]] <- list(rockfish, by_mgcv(catch_count ~ factor(year) + s(log(depth), k = 8) + s(X, Y, k = 80) +
      offset(log(hook_count)), "catch_count", mgcv::nb(), count_density))
  }
  save_table(do.call(rbind, lapply(names(contestants), function(name) {
    contestant <- contestants[[name]]
    result <- cbind(fit = name, in_folds(contestant[[1L]], contestant[[2L]]$fit, contestant[[2L]]$score))
    print(result)
    result
  })), "response-families-contest", 5L)
}

# ---- coverage ---------------------------------------------------------------------------------------------------------------------

# Each family with a draw of its response, and the constant of the linear predictor.
draw_positive <- function(quantile, zero) pmax(1, quantile(stats::runif(length(zero), zero, 1)))
families <- list(
  truncated_poisson = list(truncated_poisson(), 0.7, function(eta) draw_positive(function(p) stats::qpois(p, exp(eta)), exp(-exp(eta)))),
  truncated_nbinom2 = list(truncated_nbinom2(), 0.7, function(eta) {
    draw_positive(function(p) stats::qnbinom(p, 2, mu = exp(eta)), stats::dnbinom(0, 2, mu = exp(eta)))
  }),
  tweedie = list(tweedie(), 0.7, function(eta) {
    stats::rgamma(length(eta), stats::rpois(length(eta), exp(eta / 2) / 0.5), scale = 0.5 * exp(eta / 2))
  }),
  zi_poisson = list(zi_poisson(), 1, function(eta) stats::rbinom(length(eta), 1L, 0.7) * stats::rpois(length(eta), exp(eta))),
  zi_nbinom2 = list(zi_nbinom2(), 1, function(eta) stats::rbinom(length(eta), 1L, 0.7) * stats::rnbinom(length(eta), 2, mu = exp(eta))),
  betabinomial = list(betabinomial(), 0.3, function(eta) {
    successes <- stats::rbinom(length(eta), 8L, stats::rbeta(length(eta), 5 * stats::plogis(eta), 5 * stats::plogis(-eta)))
    cbind(successes, 8 - successes)
  }),
  ordinal = list(ordinal(), 1, function(eta) {
    ordered(1L + findInterval(eta + stats::rlogis(length(eta)), c(0, 1.5, 3)))
  }),
  # noise of half the field's standard deviation, and a detection limit that a third is below
  censored_gaussian = list(censored_gaussian(), 0.5, function(eta) {
    y <- eta + stats::rnorm(length(eta), sd = 0.5)
    cens(ifelse(y > 0, y, NA), upper = 0)
  })
)

# Computes the shares of data and of held-out locations at which the 95% interval contains the linear predictor.
run_coverage <- function(n = 1200L, held_out = 300L, seeds = 1:4) {
  results <- NULL
  for (seed in seeds) {
    set.seed(seed)
    places <- data.frame(x = stats::runif(n + held_out), y = stats::runif(n + held_out), h = stats::rnorm(n + held_out))
    root <- chol(exp(-as.matrix(stats::dist(places[c("x", "y")])) / 0.1) + diag(1e-8, n + held_out))
    for (name in names(families)) {
      family <- families[[name]]
      places$eta <- family[[2L]] + 0.5 * places$h + drop(crossprod(root, stats::rnorm(n + held_out)))
      places$z <- family[[3L]](places$eta)
      run <- timed(suppressWarnings(neargp(z ~ h, places[seq_len(n), ], coords = ~ x + y, method = vnngp(k = 15), family = family[[1L]],
        covariance = cov_exponential(), threads = bench_threads(), verbose = FALSE)))
      covered <- function(rows) {
        link <- predict(run$value, places[rows, ], type = "link", verbose = FALSE)
        mean(abs(places$eta[rows] - link$mean) < stats::qnorm(0.975) * link$sd)
      }
      estimates <- c(stats::coef(run$value, "covariance")[c("variance", "range")], run$value$family_parameters)
      results <- rbind(results, data.frame(family = name, seed, at_data = covered(seq_len(n)), held_out = covered(n + seq_len(held_out)),
        estimates = paste(names(estimates), format(estimates, digits = 2L), collapse = ", "), cpu = run$cpu))
      print(results[nrow(results), ], row.names = FALSE)
    }
  }
  summary <- do.call(rbind, lapply(split(results, factor(results$family, names(families))), function(part) {
    data.frame(family = part$family[1L], fits = nrow(part), at_data = mean(part$at_data), held_out = mean(part$held_out),
      least_held_out = min(part$held_out), cpu = stats::median(part$cpu))
  }))
  save_table(summary, "response-families-coverage", 3L)
}

if ("contest" %in% parts) run_contest()
if ("coverage" %in% parts) run_coverage()
