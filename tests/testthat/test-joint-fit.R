# Fits of several responses: relations that hold whatever the data, and values of dense programs.

catches <- function(n = 120, seed = 1) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n))
  field <- sin(6 * d$x) + d$y
  d$count <- rpois(n, exp(0.5 + 0.5 * field))
  d$present <- rbinom(n, 1L, plogis(2 * field - 1))
  d$amount <- ifelse(d$present == 1, rgamma(n, 3, 3 / exp(field)), NA)
  d
}

two_formulas <- list(count ~ z, amount ~ 1)
two_families <- list(poisson(), Gamma("log"))
rank_one <- cov_coregionalisation(cov_matern(nu = 1.5), rank = 1)

fit_two <- function(d = catches(), ..., formula = two_formulas, family = two_families,
                    covariance = rank_one) {
  neargp(formula, d, coords = ~ x + y, family = family, covariance = covariance,
    method = vnngp(k = 10), ...)
}

test_that("one field for three responses: estimates are those of the dense program", {
  source_three <- three_responses_data()
  fit <- neargp(list(y1 ~ z, y2 ~ 1, y3 ~ z), source_three, coords = ~ x + y,
    family = list(poisson(), binomial(), Gamma("log")), covariance = rank_one,
    method = vnngp(k = 59, factor = "exact"))
  expect_equal(fit$log_likelihood, -187.0542, tolerance = 1e-5)
  B <- tcrossprod(unclass(fit$loadings))
  expect_equal(unname(B[lower.tri(B, TRUE)]), c(0.7529, 1.0627, -0.4524, 1.4999, -0.6386, 0.2719),
    tolerance = 1e-3)
  expect_equal(unname(fit$beta), c(0.5295, 0.3302, 0.1098, 1.1269, -0.4201), tolerance = 1e-3)
  expect_equal(coef(fit, "covariance")[c("range", "y3:shape")], c(range = 0.2730,
    `y3:shape` = 6.4461), tolerance = 1e-3)
})

test_that("order and names of responses, a list of data and threads change nothing", {
  d <- catches()
  fit <- fit_two(d)
  turned <- fit_two(d, formula = rev(two_formulas), family = rev(two_families))
  expect_equal(turned$log_likelihood, fit$log_likelihood, tolerance = 1e-7)
  named <- fit_two(list(d, d[!is.na(d$amount), ]), formula = list(n = count ~ z, kg = amount ~ 1))
  expect_equal(named$log_likelihood, fit$log_likelihood, tolerance = 1e-8)
  expect_named(predict(named, d[1:2, ]), c("mean_n", "sd_n", "mean_kg", "sd_kg"))
  expect_equal(fit_two(d, threads = 2)$log_likelihood, fit$log_likelihood, tolerance = 1e-10)
  here <- d[c(1, 7), ]
  expect_equal(predict(turned, here)$mean_count, predict(fit, here)$mean_count, tolerance = 1e-4)
})

test_that("diagonal loadings give the separate fits", {
  d <- catches()
  known <- cov_coregionalisation(cov_matern(nu = 1.5, range = 0.3), matrices = diag(c(0.5, 0.8)))
  fit <- fit_two(d, family = list(poisson(), Gamma("log")), covariance = known)
  single <- neargp(count ~ z, d, coords = ~ x + y, family = poisson(),
    covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.5), method = vnngp(k = 10))
  expect_equal(coef(fit)[1:2], stats::setNames(coef(single), c("count:(Intercept)", "count:z")),
    tolerance = 1e-3)
  expect_equal(predict(fit, d[1:5, ], type = "link")$mean_count,
    predict(single, d[1:5, ], type = "link")$mean, tolerance = 1e-3)
})

test_that("weights are repeated rows", {
  d <- catches(60)
  w <- rep(1:2, 30)
  weighted <- fit_two(d, weights = list(w, NULL))
  repeated <- fit_two(list(d[rep(1:60, w), ], d))
  expect_equal(weighted$log_likelihood, repeated$log_likelihood, tolerance = 1e-6)
  expect_equal(coef(weighted), coef(repeated), tolerance = 1e-3)
  given <- list(w, NULL)
  expect_equal(fit_two(d, weights = given)$log_likelihood, weighted$log_likelihood)
})

test_that("the objective does not end below the separate fits where each range is free", {
  fit <- fit_two(covariance = NULL)
  expect_gt(fit$log_likelihood, fit$separate - 1e-6)
  expect_match(paste(capture.output(print(fit)), collapse = "\n"), "gain")
})

test_that("known Gaussian responses: predictions are cokriging by dense algebra", {
  d <- catches(60)
  d$a <- sin(6 * d$x) + 0.2 * d$z
  d$b <- d$a + cos(5 * d$y)
  d$b[1:20] <- NA
  B <- matrix(c(1, 0.6, 0.6, 2), 2L)
  known <- cov_coregionalisation(cov_exponential(range = 0.3), matrices = list(B))
  fit <- neargp(list(a ~ z, b ~ 1), d, coords = ~ x + y, covariance = known,
    nugget = list(0.1, 0.2), method = vnngp(k = 59, factor = "exact", jitter = 1e-10))
  at <- data.frame(x = c(0.5, 3), y = c(0.4, 3), z = 0.3)
  dense <- dense_cokriging(d, at, B, c(0.1, 0.2), 0.3)
  predicted <- predict(fit, at, type = "link", covariance = TRUE)
  expect_equal(predicted$mean_a, dense$mean[, 1L], tolerance = 1e-6)
  expect_equal(predicted$mean_b, dense$mean[, 2L], tolerance = 1e-6)
  expect_equal(unname(attr(predicted, "covariance")[1L, , ]), dense$covariance[[1L]],
    tolerance = 1e-5)
  drawn <- simulate(fit, 4000, seed = 1, newdata = at)
  far <- as.matrix(drawn)[2L, ]
  of_a <- far[grepl("_a$", names(drawn))]
  of_b <- far[grepl("_b$", names(drawn))]
  expect_equal(stats::cov(of_a, of_b), dense$covariance[[2L]][1L, 2L], tolerance = 0.1)
  # given b there, with its noise
  V <- dense$covariance[[1L]]
  gain <- V[1L, 2L] / (V[2L, 2L] + 0.2)
  at$b <- 1
  given <- predict(fit, at, type = "link", outputs = "a", use_observed = TRUE)
  expect_equal(given$mean_a[1L], dense$mean[1L, 1L] + gain * (1 - dense$mean[1L, 2L]),
    tolerance = 1e-5)
  expect_equal(given$sd_a[1L]^2, V[1L, 1L] - gain * V[1L, 2L], tolerance = 1e-4)
})

test_that("an observation without curvature still counts: an inflated zero", {
  d <- catches(60)
  d$level <- sin(6 * d$x) + rnorm(60, sd = 0.2)
  fit <- fit_two(d, formula = list(level ~ 1, count ~ 1), family = list(gaussian(), zi_poisson()))
  at <- data.frame(x = 0.5, y = 0.5, count = 0)
  plain <- predict(fit, at, outputs = "level", type = "link")
  expect_false(isTRUE(all.equal(predict(fit, at, outputs = "level", type = "link",
    use_observed = TRUE)$mean_level, plain$mean_level, tolerance = 1e-3)))
})

test_extended("folds leave locations out, and a hurdle model joins both parts", {
  d <- catches()
  fit <- fit_two(d, formula = list(present ~ 1, amount ~ 1), family = list(binomial(),
    Gamma("log")))
  set.seed(1)
  validation <- cross_validate(fit, 4)
  expect_setequal(validation$predictions$row[validation$predictions$output == "present"], 1:120)
  expect_true(all(is.finite(validation$scores$log_score)))
  hurdle <- neargp_hurdle(fit)
  at <- d[1:3, ]
  predicted <- predict(hurdle, at, threshold = 1)
  drawn <- simulate(hurdle, 20000, seed = 2, newdata = at)
  expect_equal(unname(rowMeans(drawn)), predicted$mean, tolerance = 0.05)
  expect_equal(unname(rowMeans(drawn > 1)), predicted$p_exceed, tolerance = 0.05)
  expect_error(scores(hurdle), class = "neargp_error_argument")
  skip_if_not_installed("ggplot2")
  expect_length(ggplot2::autoplot(validation), 2L)
  expect_error(plot(validation, outputs = "other"), class = "neargp_error_argument")
})

test_that("standard errors of parameters come from the second derivatives", {
  fit <- fit_two()
  problem <- fitted_joint_problem(fit, plain_context())
  objective <- fields_objective(problem, joint_latent(problem, fit$posterior))
  free <- which(problem$free)
  gradient <- function(working) objective$fit_at(working, 1e-9, 300L, TRUE)$gradient[free]
  hessian <- vapply(free, function(a) {
    e <- replace(double(length(problem$start)), a, 0.005)
    (gradient(problem$start + e) - gradient(problem$start - e)) / 0.01
  }, double(length(free)))
  expect_equal(fit$spread$covariance, solve(-(hessian + t(hessian)) / 2), tolerance = 0.05)
})

test_that("a response without a trend, and no trend at all", {
  d <- catches(60)
  fit <- fit_two(d, formula = list(count ~ 0, amount ~ 0))
  expect_length(coef(fit), 0L)
  expect_true(all(is.finite(unlist(predict(fit, d[1:2, ])))))
  expect_s3_class(simulate(fit, 1, seed = 1, newdata = d[1:2, ]), "data.frame")
  expect_identical(nrow(simulate(fit, 1, seed = 1, newdata = d[0, ])), 0L)
  expect_error(scores(fit, newdata = d[0, ]), "no observations", class = "neargp_error_missing")
})

test_extended("wrong calls get one classed error", {
  d <- catches(40)
  call <- function(formula = two_formulas, data = d, family = two_families, ...) {
    neargp(formula, data, coords = ~ x + y, family = family, ...)
  }
  expect_error(call(family = list(poisson())[c(1, 1, 1)]), class = "neargp_error_argument")
  expect_error(call(family = list(count = poisson(), amuont = Gamma("log"))), "amount",
    class = "neargp_error_argument")
  expect_error(call(list(count ~ z)), class = "neargp_error_argument")
  expect_error(call(list(count ~ z, ~ 1)), class = "neargp_error_argument")
  expect_error(call(data = list(d, d, d)), class = "neargp_error_argument")
  expect_error(call(data = list(count = d, amuont = d)), "amount", class = "neargp_error_argument")
  expect_error(call(weights = list(rep(1, 40))), class = "neargp_error_argument")
  expect_error(call(list(count ~ z, nothing ~ 1), transform(d, nothing = NA_real_)),
    class = "neargp_error_empty")
  expect_error(call(list(count ~ z, amount ~ 1), list(d, d[0, ])), class = "neargp_error_empty")
  expect_error(call(method = svgp()), class = "neargp_error_method")
  expect_error(call(method = vnngp(posterior = "mean-field")), class = "neargp_error_method")
  expect_error(call(covariance = cov_coregionalisation(cov_matern(), rank = 3)),
    class = "neargp_error_argument")
  expect_error(call(covariance = cov_coregionalisation(cov_matern(nu = 1.5), rank = 1,
    own = list(cuont = cov_exponential()))), "count", class = "neargp_error_argument")
  expect_error(call(covariance = cov_coregionalisation(cov_matern(nu = 1.5), rank = 2,
    own = cov_matern(nu = 1.5))), class = "neargp_error_argument")
  expect_error(call(family = list(poisson(), categorical())), class = "neargp_error_family")
  d$kind <- factor(rep(c("a", "b", "c", "d"), 10))
  expect_error(call(list(count ~ z, kind ~ 1), d, list(poisson(), binomial())), "categories",
    class = "neargp_error_family")
  expect_error(call(list(count ~ z, kind ~ 1), d, NULL), class = "neargp_error_family")
  expect_error(call(list(count ~ z, count ~ 1)), class = "neargp_error_argument")
  expect_error(call(list(count ~ z)), "a list of 1", class = "neargp_error_argument")
  by_z <- cov_matern(nu = 1.5, by = ~ z)
  for (fields in list(by_z, cov_coregionalisation(by_z, rank = 1),
    cov_coregionalisation(cov_exponential(), rank = 1, own = by_z))) {
    expect_error(call(covariance = fields), "without a column as `by`",
      class = "neargp_error_argument")
  }
  two <- transform(d, both = I(cbind(a = count, b = count)))
  expect_error(call(list(count ~ z, both ~ 1), two, poisson()), "several columns",
    class = "neargp_error_response")
  expect_error(call(fixed = c(range = 0.2)), class = "neargp_error_argument")
  expect_error(call(method = vecchia()), class = "neargp_error_method")
  expect_error(call(start = c(range = 1)), class = "neargp_error_argument")
  expect_error(neargp(cbind(count, z) ~ 1, d, coords = ~ x + y,
    covariance = cov_coregionalisation(cov_matern(nu = 1.5), own = cov_exponential())),
  class = "neargp_error_argument")
  two <- transform(d, first = rep(0:1, 20), second = rep(c(0, 0, 1, 1), 10))
  expect_error(suppressMessages(neargp(cbind(first, second) ~ 1, two, coords = ~ x + y,
    family = binomial())), "two responses", class = "neargp_error_response")
  fit <- call()
  expect_error(predict(fit, d[1:2, ], outputs = "weight"), class = "neargp_error_argument")
  expect_error(scores(fit, d["x"]), class = "neargp_error_argument")
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(d, coords = c("x", "y"), crs = 32632)
  expect_error(neargp(two_formulas, list(points, sf::st_transform(points, 32633)),
    family = two_families), class = "neargp_error_crs")
})

test_that("tables of the trend contain limits, on either scale, and criteria share a body", {
  fit <- fit_two(catches(60))
  table <- tidy(fit, conf.int = TRUE, conf.level = 0.9)
  z <- qnorm(0.95)
  expect_equal(table$conf.low, table$estimate - z * table$std.error)
  expect_equal(table$conf.high, table$estimate + z * table$std.error)
  odds <- tidy(fit, conf.int = TRUE, conf.level = 0.9, exponentiate = TRUE)
  expect_equal(odds$estimate, exp(table$estimate))
  expect_equal(odds$conf.high, exp(table$conf.high))
  expect_equal(odds$std.error, exp(table$estimate) * table$std.error)
  expect_false("conf.low" %in% names(tidy(fit)))
  expect_error(tidy(fit, conf.int = 2), class = "neargp_error_argument")
  expect_error(AIC(fit), class = "neargp_error")
  skip_if_not_installed("ggplot2")
  plot <- ggplot2::autoplot(fit)
  expect_s3_class(plot, "ggplot")
  correlation <- coef(fit, what = "correlation")
  shown <- plot$data
  expect_equal(shown$correlation[shown$first == "count" & shown$second == "amount"],
    correlation["count", "amount"])
})

test_that("generics without a meaning for several responses name what to use", {
  fit <- fit_two(catches(60))
  for (call in list(anova, influence, hatvalues, cooks.distance, dfbeta)) {
    expect_error(call(fit), "cross_validate", class = "neargp_error_method")
  }
  expect_error(anova(fit, fit), "compare_ranks", class = "neargp_error_method")
  expect_error(check_consistency(fit), class = "neargp_error_argument")
})

test_that("sanity() finds the faults of a joint fit", {
  fit <- fit_two(catches(120))
  found <- sanity(fit)
  expect_identical(found$check, c("convergence", "boundary", "std_errors", "fields", "trend",
    "rows"))
  expect_output(print(found), "convergence")
  broken <- fit
  broken$convergence$converged <- FALSE
  broken$convergence$message <- "the limit of iterations"
  broken$parameters$at_boundary[1L] <- TRUE
  broken$parameters$poor[2L] <- TRUE
  broken$loadings[, 1L] <- 0
  expect_identical(sanity(broken)$ok[1:4], rep(FALSE, 4L))
  expect_true(all(nzchar(sanity(broken)$remedy[1:4])))
  expect_match(sanity(broken)$finding[2L], fit$parameters$name[1L], fixed = TRUE)
})
