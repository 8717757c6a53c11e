# Compares loo_k() with vnngp() for counts, amounts and outliers, which loo_k() fits with pseudo-observations or gamma variables. It reports the
# negative log score, the coverage of 95% intervals and the CPU time, on held-out rows.
#
# Part "simulated" draws a field of variance 1 in the unit square, with a Matérn 3/2 covariance of range 0.1. The models are those of the
# simulation. Half of the rows are used for the fit, and the other half for the scores. In the cases `mis-specified` the field is rough
# (exponential) and a step is added, which the models do not contain.
#
# Part "many" uses six predictors with a range for each. Two of them do not matter.
#
# Part "sets" uses shared data and holds out 20% of the rows.
#
#   Rscript bench/loo-k-responses.R [simulated|many|sets|all] [seeds]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
for (file in c("common.R", "latent-field.R")) source(file.path(folder, file))

arguments <- commandArgs(TRUE)
part <- if (length(arguments)) arguments[[1L]] else "all"
seeds <- seq_len(if (length(arguments) > 1L) as.integer(arguments[[2L]]) else 5L)
n <- 2000L
`%||%` <- function(x, y) if (is.null(x)) y else x

responses <- list(
  poisson_1 = list(family = poisson(), draw = function(eta) rpois(length(eta), exp(eta))),
  poisson_0.2 = list(family = poisson(), draw = function(eta) rpois(length(eta), exp(eta - 1.6))),
  poisson_10 = list(family = poisson(), draw = function(eta) rpois(length(eta), exp(eta + 2.3))),
  negative_binomial = list(family = negative_binomial(), draw = function(eta) rnbinom(length(eta), size = 2, mu = exp(eta + 1))),
  binomial_5 = list(family = binomial(), draw = function(eta) rbinom(length(eta), 5, plogis(eta)), trials = 5),
  gamma_3 = list(family = Gamma("log"), draw = function(eta) rgamma(length(eta), 3, 3 / exp(eta))),
  beta_5 = list(family = beta_response(), draw = function(eta) {
    pmin(pmax(rbeta(length(eta), 5 * plogis(eta), 5 * plogis(-eta)), 1e-6), 1 - 1e-6)
  }),
  student_3 = list(family = student_t(), draw = function(eta) eta + 0.3 * rt(length(eta), 3)),
  student_1.5 = list(family = student_t(), draw = function(eta) eta + 0.1 * rt(length(eta), 1.5))
)

plane <- function(response, misspecified) {
  coords <- matrix(runif(4L * n), 2L * n, dimnames = list(NULL, c("x1", "x2")))
  field <- spectral_field(coords, 0.1, if (misspecified) 0.5 else 1.5)
  if (misspecified) field <- field + 2 * (coords[, 1L] > 0.7)
  data.frame(coords, y = response$draw(field), trials = response$trials %||% 1)
}

several_inputs <- function(response) {
  coords <- matrix(runif(12L * n), 2L * n, dimnames = list(NULL, paste0("x", 1:6)))
  field <- spectral_field(sweep(coords[, 1:4], 2L, c(0.5, 0.7, 1, 1.5), "/"), 1, 2.5)
  data.frame(coords, y = response$draw(field), trials = response$trials %||% 1)
}

# Fits the training rows and scores the test rows.
run_method <- function(train, test, formula, coords, family, covariance, method) {
  fit <- NULL
  seconds <- cpu_seconds(fit <- suppressWarnings(neargp(formula, train, coords = coords, covariance = covariance, family = family, method = method,
    threads = 1L, verbose = FALSE)))
  scored <- scores(fit, newdata = test)
  data.frame(method = tolower(sub("-.*", "", fit$method$label)), log_score = scored$log_score, crps = scored$crps, coverage = scored$coverage,
    cpu = seconds)
}

compare <- function(case, data, rows, family, coords, covariance, methods, trials = FALSE, formula = NULL) {
  formula <- formula %||% if (trials) cbind(y, trials - y) ~ 1 else y ~ 1
  results <- lapply(methods, function(method) {
    run_method(data[rows, ], data[-rows, ], formula, coords, family, covariance, method)
  })
  result <- data.frame(case = case, family = family$family, do.call(rbind, results))
  print(result, digits = 4, row.names = FALSE)
  result
}

simulated <- function(response, name, seed, misspecified) {
  set.seed(seed)
  compare(paste0(name, if (misspecified) " mis-specified"), plane(response, misspecified), seq_len(n), response$family, ~ x1 + x2,
    cov_matern(1.5), list(vnngp(15L), loo_k(30L)), !is.null(response$trials))
}

many <- function(response, name, seed) {
  set.seed(100 + seed)
  compare(paste(name, "six inputs"), several_inputs(response), seq_len(n), response$family, ~ x1 + x2 + x3 + x4 + x5 + x6,
    cov_matern(2.5, ard = TRUE), list(vnngp(30L), loo_k(30L)), !is.null(response$trials))
}

held_in <- function(n, seed) {
  set.seed(seed)
  sort(sample.int(n, round(0.8 * n)))
}

shared <- function(seed) {
  yelloweye <- bench_data("yelloweye")
  rain <- bench_data("cru_precip_dec")
  wet <- wet_days()
  wet$trials <- wet$observed
  set.seed(200 + seed)
  rain <- rain[sample.int(nrow(rain), 10000L), ]
  rain$precip <- pmax(rain$precip, 0.01) # A Gamma response is above 0.
  rbind(
    compare("yelloweye", yelloweye, held_in(nrow(yelloweye), seed), negative_binomial(), ~ X + Y, cov_matern(1.5), list(vnngp(15L), loo_k(30L)),
      formula = catch_count ~ depth + I(depth^2) + offset(log(hook_count))),
    compare("wet days", wet, held_in(nrow(wet), seed), binomial(), ~ lon + lat, cov_exponential(), list(vnngp(15L), loo_k(30L)),
      formula = cbind(wet, observed - wet) ~ 1),
    compare("precipitation", rain, held_in(nrow(rain), seed), Gamma("log"), ~ lon + lat, cov_exponential(), list(vnngp(15L), loo_k(30L)),
      formula = precip ~ 1)
  )
}

describe_run()
results <- NULL
for (seed in seeds) {
  if (part %in% c("simulated", "all")) for (name in names(responses)) for (wrong in c(FALSE, TRUE)) {
    results <- rbind(results, simulated(responses[[name]], name, seed, wrong))
  }
  if (part %in% c("many", "all")) for (name in c("poisson_1", "negative_binomial", "binomial_5", "student_3")) {
    results <- rbind(results, many(responses[[name]], name, seed))
  }
  if (part %in% c("sets", "all")) results <- rbind(results, shared(seed))
}

# Means of each method, with the mean and standard error over seeds of the difference in log score.
wide <- split(results, results$case)[unique(results$case)]
table <- do.call(rbind, lapply(wide, function(one) {
  by_method <- split(one, factor(one$method, c("vnngp", "loo")))
  difference <- by_method$loo$log_score - by_method$vnngp$log_score
  data.frame(case = one$case[1L], vnngp = mean(by_method$vnngp$log_score), loo_k = mean(by_method$loo$log_score), difference = mean(difference),
    se = sd(difference) / sqrt(length(difference)), coverage_vnngp = mean(by_method$vnngp$coverage), coverage_loo_k = mean(by_method$loo$coverage),
    cpu_vnngp = mean(by_method$vnngp$cpu), cpu_loo_k = mean(by_method$loo$cpu))
}))
save_table(table, paste0("loo-k-responses-", part), digits = 4L)
