counts_data <- function() {
  data <- effects_data()
  set.seed(4)
  data$count <- stats::rpois(nrow(data), exp(pmin(data$z - data$o, 3) / 2))
  data
}

counts_fit <- local({
  kept <- list()
  function(posterior = "sparse") {
    if (is.null(kept[[posterior]])) {
      kept[[posterior]] <<- neargp(count ~ a + (a || site) + (1 | year) + offset(o / 4),
        counts_data(), coords = ~ x + y, family = poisson(), threads = 1L,
        method = vnngp(79, posterior = posterior, factor = "exact", jitter = 1e-9),
        covariance = cov_exponential(range = 0.2))
    }
    kept[[posterior]]
  }
})

# Covariance matrix of the linear predictors' random part at rows of the data and after them.
latent_prior <- function(fit, data) {
  value <- coef(fit, "covariance")
  sites <- dense_columns(rep(1, nrow(data)), data$site)
  slopes <- dense_columns(data$a, data$site)
  years <- dense_columns(rep(1, nrow(data)), data$year)
  value[["variance"]] * exp(-as.matrix(dist(data[1:2])) / value[["range"]]) +
    value[["sd_(Intercept)|site"]]^2 * tcrossprod(sites) +
    value[["sd_a|site"]]^2 * tcrossprod(slopes) +
    value[["sd_(Intercept)|year"]]^2 * tcrossprod(years)
}

test_extended("of a gaussian response it is the log-likelihood of the dense model", {
  data <- effects_data()
  fit <- neargp(z ~ a + (1 | site) + (1 | year), data, coords = ~ x + y, threads = 1L,
    method = vnngp(79, factor = "exact", jitter = 1e-9),
    covariance = cov_exponential(range = 0.2))
  value <- coef(fit, "covariance")
  V <- value[["variance"]] * exp(-as.matrix(dist(data[1:2])) / 0.2) + diag(value[["nugget"]], 80) +
    value[["sd_(Intercept)|site"]]^2 * outer(data$site, data$site, "==") +
    value[["sd_(Intercept)|year"]]^2 * outer(data$year, data$year, "==")
  expect_equal(c(logLik(fit)), dense_effects_likelihood(data$z, cbind(1, data$a), V),
    tolerance = 1e-7)
  other <- neargp(z ~ a + (1 | site) + (1 | year), data, coords = ~ x + y, threads = 1L,
    method = exact_gp(estimation = "ML"), covariance = cov_exponential(range = 0.2))
  expect_equal(value, coef(other, "covariance"), tolerance = 1e-2)
  expect_equal(c(logLik(fit)), c(logLik(other)), tolerance = 1e-5)
})

test_extended("the bound is that of the best normal posterior of the dense model", {
  fit <- counts_fit()
  data <- counts_data()
  K <- latent_prior(fit, data)
  y <- data$count
  trend <- drop(cbind(1, data$a) %*% coef(fit)) + data$o / 4
  # Opper and Archambeau (2009): the inverse of K^-1 + W, W the expected curvature
  W <- rep(1, 80)
  m <- rep(0, 80)
  for (step in 1:200) {
    S <- K - K %*% solve(K + diag(1 / W), K)
    rate <- exp(trend + m + diag(S) / 2)
    m <- 0.5 * m + 0.5 * drop(S %*% (rate * m + y - rate))
    W <- 0.5 * W + 0.5 * rate
  }
  S <- K - K %*% solve(K + diag(1 / W), K)
  expected <- sum(y * (trend + m) - exp(trend + m + diag(S) / 2) - lgamma(y + 1))
  inner <- solve(K + diag(1e-9 * fit$core_covariance$components[[1]]$variance, 80))
  divergence <- 0.5 * (sum(inner * S) + sum(m * (inner %*% m)) - 80 -
    as.numeric(determinant(S)$modulus) - as.numeric(determinant(inner)$modulus))
  expect_equal(c(logLik(fit)), expected - divergence, tolerance = 1e-5)
  expect_equal(fit$posterior$linear_predictor, unname(trend + m), tolerance = 1e-3)
})

test_extended("predictions are universal kriging of the pseudo-observations", {
  for (posterior in c("sparse", "laplace")) {
    fit <- counts_fit(posterior)
    data <- counts_data()
    new <- transform(effects_data(6, seed = 3), count = 0)
    new$site[2:3] <- "new"
    all <- rbind(data, new)
    K <- latent_prior(fit, all)
    state <- fit$posterior
    pseudo <- state$linear_predictor + state$slope / state$pseudo_precision - data$o / 4
    old <- seq_len(80)
    # Laplace's trend is that of test-latent-laplace.R
    back <- fit$data$basis$back
    vcov <- unname(back %*% trend_vcov(fit) %*% t(back))
    dense <- dense_universal_kriging(pseudo, cbind(1, data$a),
      K[old, old] + diag(1 / state$pseudo_precision), cbind(1, new$a), K[-old, old], K[-old, -old],
      if (posterior == "laplace") list(beta = coef(fit), vcov = vcov))
    found <- predict(fit, new, type = "link", k = 80, allow.new.levels = TRUE)
    expect_equal(found$mean, new$o / 4 + unname(dense$mean), tolerance = 1e-5)
    expect_equal(found$sd, unname(sqrt(diag(dense$covariance))), tolerance = 1e-5)
    # given the parameters; vcov() adds their uncertainty
    expect_equal(vcov, unname(dense$vcov), tolerance = 1e-5)
    expect_gt(vcov(fit)["a", "a"], dense$vcov[2L, 2L])
    joint <- predict(fit, new, type = "link", joint = TRUE, k = 80, allow.new.levels = TRUE)
    expect_equal(attr(joint, "covariance"), unname(dense$covariance), tolerance = 1e-4)
    expect_equal(sqrt(state$variance_at_data), predict(fit, data, type = "link", k = 80)$sd,
      tolerance = 1e-4)
  }
})

test_extended("gradients are those of differences, by either posterior and factor", {
  fit <- neargp(count ~ a + (a | site) + (1 | year), counts_data(), coords = ~ x + y,
    family = negative_binomial(), method = vnngp(10), covariance = cov_exponential(),
    threads = 1L, control = neargp_control(max_iterations = 1L)) |> suppressWarnings()
  problem <- fold_problem(fit, seq_len(80), plain_context())
  problem <- with_start(problem$method, problem)
  problem$data <- core_data(problem$data)
  free <- which(problem$free)
  at <- replace(problem$start, free, c(-0.5, -1.5, 1, -0.7, -1, 0.3, -1.2))
  for (posterior in c("sparse", "laplace")) for (factor in c("exact", "incomplete")) {
    problem$method[c("posterior", "factor")] <- list(posterior, factor)
    nodes <- latent_nodes(problem)
    objective <- latent_objective(problem, latent_problem(problem, nodes, latent_search(problem,
      nodes, component_at(problem, at), 10L)))
    found <- objective$fit_at(at, 1e-11, 500L, derivatives = TRUE)$gradient[free]
    differences <- numeric_gradient(function(x) {
      objective$fit_at(replace(at, free, x), 1e-11, 500L)$value
    }, at[free], step = 1e-4)
    expect_equal(found, differences, tolerance = 1e-5)
  }
})

test_extended("without a field Laplace's fits are those of glmer()", {
  skip_if_not_installed("lme4")
  data <- counts_data()
  data$seen <- as.integer(data$count > 0)
  for (case in list(list(count ~ a + (1 | site) + (1 | year), poisson()),
    list(seen ~ a + (1 | site), binomial()))) {
    fit <- neargp(case[[1]], data, coords = ~ x + y, family = case[[2]], threads = 1L,
      method = vnngp(5, posterior = "laplace"),
      covariance = cov_exponential(variance = 1e-10, range = 0.1))
    other <- lme4::glmer(case[[1]], data, family = case[[2]])
    expect_equal(c(logLik(fit)), c(logLik(other)), tolerance = 1e-5)
    expect_equal(coef(fit), lme4::fixef(other), tolerance = 1e-3)
    expect_equal(unname(coef(fit, "covariance")[-(1:2)]), as.data.frame(lme4::VarCorr(other))$sdcor,
      tolerance = 1e-2)
    expect_equal(unlist(ranef(fit)$site), unlist(lme4::ranef(other)$site), tolerance = 1e-2)
  }
})

test_extended("leave-one-out, cross-validation, draws and smooths go with any family", {
  skip_if_not_installed("mgcv")
  data <- counts_data()
  fit <- neargp(count ~ s(depth, k = 5) + (1 | site), data, coords = ~ x + y, family = poisson(),
    method = vnngp(8), covariance = cov_exponential(range = 0.2), threads = 1L)
  expect_output(print(fit), "Smooth terms:")
  expect_true(all(is.finite(loo_predict(fit)$sd)))
  folds <- ifelse(data$site == "a", 1L, 2L)
  cv <- cross_validate(fit, folds = folds, verbose = FALSE)
  expect_true(all(is.finite(cv$predictions$mean)))
  new <- effects_data(5, seed = 2)
  terms <- predict(fit, new, type = "terms")
  expect_equal(rowSums(terms), predict(fit, new, type = "link")$mean, tolerance = 1e-8,
    ignore_attr = TRUE)
  draws <- simulate(fit, 2000, seed = 1, newdata = new, type = "link")
  link <- predict(fit, new, type = "link")
  expect_lt(max(abs(rowMeans(draws) - link$mean) / link$sd), 0.1)
  expect_equal(apply(draws, 1L, sd), link$sd, tolerance = 0.1, ignore_attr = TRUE)
  again <- update(fit, start = fit)
  expect_lte(again$convergence$iterations, fit$convergence$iterations)
  expect_equal(c(logLik(again)), c(logLik(fit)), tolerance = 1e-5)
})

test_that("posteriors that do not know how effects and field vary together refuse them", {
  for (method in list(vnngp(5, posterior = "mean-field"), vnngp(5, inducing = 10),
    vnngp(5, low_rank = 5))) {
    expect_error(neargp(count ~ (1 | site), counts_data(), coords = ~ x + y, family = poisson(),
      method = method), "at all locations", class = "neargp_error_method")
  }
})

test_that("a fit with other groups is a start, and not continued", {
  data <- counts_data()
  fit <- function(data, ...) {
    neargp(count ~ (1 | site), data, coords = ~ x + y, family = poisson(), method = vnngp(8),
      covariance = cov_exponential(range = 0.2), threads = 1L, ...)
  }
  first <- fit(data)
  merged <- transform(data, site = ifelse(site %in% c("a", "b"), "ab", site))
  expect_message(again <- fit(merged, start = first), "groups", class = "neargp_message_start")
  expect_equal(c(logLik(again)), c(logLik(fit(merged))), tolerance = 1e-5)
})

# A smooth field of long range: steps by the incomplete factor led downhill there, and fits ended
# hundreds of units below.
long_range_counts <- function(n = 300) {
  withr::with_seed(2, {
    d <- data.frame(x = runif(n, -6, 2), y = runif(n, 54, 60),
      vessel = factor(sample(paste0("V", 1:6), n, TRUE)))
    d$depth <- pmax(10, 60 + 25 * (d$y - 54) + 40 * sin(d$x) + rnorm(n, 0, 15))
    d$x <- 300 + 60 * d$x
    d$y <- 111 * (d$y - 50)
    eta <- 1 + sin(d$x / 60 - 5) + cos(d$y / 111 + 50) - ((d$depth - 120) / 70)^2 +
      rnorm(6, 0, 0.4)[d$vessel]
    d$count <- rnbinom(n, mu = exp(eta), size = 2)
    d
  })
}

test_that("a smooth field of long range beside random effects ends where the exact factor does", {
  fit <- function(...) {
    neargp(count ~ s(depth) + (1 | vessel), long_range_counts(), coords = ~ x + y,
      covariance = cov_matern(nu = 1.5, ...), family = nbinom2(), threads = 1L,
      method = vnngp(factor = factor))
  }
  factor <- "exact"
  exact <- fit(variance = 2.5, range = 190)
  factor <- "incomplete"
  incomplete <- fit(variance = 2.5, range = 190)
  expect_true(incomplete$convergence$converged)
  expect_equal(c(logLik(incomplete)), c(logLik(exact)), tolerance = 1e-4)
  expect_equal(coef(incomplete), coef(exact), tolerance = 1e-2)
})
