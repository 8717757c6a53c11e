# Fits of models of space and time next to those of the models that they contain.

# A field of a separable covariance or a product-sum at stations on days, some of it noisy.
drawn_in_space_time <- function(seed, places = 40, times = 12) {
  set.seed(seed)
  data <- merge(data.frame(x = runif(places), y = runif(places)), data.frame(day = seq_len(times)))
  lag <- function(columns) as.matrix(dist(data[columns]))
  space <- dense_correlation("matern", lag(c("x", "y")) / 0.25, c(0.5, 1, 1.5)[seed %% 3 + 1])
  time <- exp(-lag("day") / c(1, 4)[(seed %/% 2) %% 2 + 1])
  field <- if (seed %% 4 == 0) 0.6 * space * time + 0.2 * space + 0.2 * time else space * time
  noise <- c(1e-6, 0.1)[seed %% 2 + 1]
  data$z <- drop(t(chol(field + diag(noise, nrow(data)))) %*% rnorm(nrow(data)))
  data
}

fit_in_space_time <- function(data, covariance, method = vecchia(30L), ...) {
  suppressWarnings(suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, method = method,
    covariance = covariance, threads = 1L, ...)))
}

nested_in_time <- function(model) cov_spacetime(cov_matern(NULL), cov_exponential(), model)

test_extended("a product-sum is no less likely than the separable model that it contains", {
  seeds <- if (is_extended()) 1:20 else 5L
  for (seed in seeds) {
    data <- drawn_in_space_time(seed)
    values <- vapply(c("separable", "product_sum"), function(model) {
      c(logLik(fit_in_space_time(data, nested_in_time(model), time = ~ day)))
    }, 0)
    expect_gte(values[["product_sum"]], values[["separable"]] - 0.05)
  }
})

test_extended("so it is with effects of groups and smooths, and several rows at a location and time", {
  skip_if_not_installed("mgcv")
  data <- drawn_in_space_time(5L, places = 12, times = 8)
  data <- data[rep(seq_len(nrow(data)), 2), ]
  data$depth <- (seq_len(nrow(data)) * 0.618) %% 1
  data$group <- factor(data$x < 0.5)
  data$z <- data$z + sin(4 * data$depth)
  for (formula in list(z ~ s(depth, k = 4), z ~ 1 + (1 | group))) {
    values <- vapply(c("separable", "product_sum"), function(model) {
      c(logLik(suppressWarnings(neargp(formula, data, coords = ~ x + y, time = ~ day,
        method = vecchia(10), covariance = nested_in_time(model)))))
    }, 0)
    expect_gte(values[["product_sum"]], values[["separable"]] - 0.05)
  }
})

test_extended("so it is for the scores of loo_k() and mll_k()", {
  data <- drawn_in_space_time(6L, times = 8)
  for (method in list(loo_k(k = 12L), mll_k(k = 12L))) {
    values <- vapply(c("separable", "product_sum"), function(model) {
      c(logLik(fit_in_space_time(data, nested_in_time(model), method, time = ~ day)))
    }, 0)
    expect_gte(values[["product_sum"]], values[["separable"]] - 0.05)
  }
})

test_extended("a fit that ends at the separable model can be continued", {
  data <- drawn_in_space_time(5L)
  fit <- fit_in_space_time(data, nested_in_time("product_sum"), vecchia(10L), time = ~ day)
  again <- fit_in_space_time(data, nested_in_time("product_sum"), vecchia(10L), time = ~ day,
    start = fit)
  expect_gte(c(logLik(again)), c(logLik(fit)) - 0.05)
})

# Replicates of a field that does not change.
static_replicates <- function(seed, noise) {
  set.seed(seed)
  stations <- data.frame(x = runif(40), y = runif(40))
  stations$f <- drop(t(chol(exp(-as.matrix(dist(stations)) / 0.2))) %*% rnorm(40))
  data <- merge(stations, data.frame(day = 1:10))
  data$z <- data$f + rnorm(nrow(data), sd = noise)
  data
}

test_extended("with time a fit is no less likely than without, with the neighbours of the larger one", {
  cases <- if (is_extended()) expand.grid(seed = 1:3, noise = c(0.05, 0.3, 1)) else
    data.frame(seed = 2L, noise = 0.05)
  models <- list(cov_spacetime(cov_exponential()),
    cov_spacetime(cov_exponential(), cov_exponential(), "separable"))
  for (case in split(cases, seq_len(nrow(cases)))) for (covariance in models) {
    data <- static_replicates(case$seed, case$noise)
    without <- fit_in_space_time(data, cov_exponential())
    fit <- fit_in_space_time(data, covariance, time = ~ day)
    problem <- local_problem_of(fit)
    objective <- likelihood_objective(problem$method, problem)
    expect_equal(objective$evaluate(problem$start)$value, c(logLik(fit)), tolerance = 1e-8)
    smaller <- coef(without, what = "covariance")
    start <- replace(problem$start, match(c("variance", "nugget"), fit$layout$kind),
      log(smaller[c("variance", "nugget")]))
    ranges <- which(fit$layout$kind == "range")
    start[ranges] <- log(c(smaller[["range"]], 4e4))
    # one of the 18 cases is .14 below: along an uninformative time range, values of this model
    # wander by .4 with the neighbours
    expect_gte(c(logLik(fit)), objective$evaluate(start)$value - 0.2)
  }
})
