# Fits, predictions and settings of cov_spacetime() against dense formulas in plain R.

# All that the models have: families with a shape, ranges by coordinate, anisotropy, sums.
space_time_settings <- function() {
  list(
    cov_spacetime(cov_matern(NULL)),
    cov_spacetime(cov_exponential(anisotropy = TRUE)) + cov_exponential(),
    cov_spacetime(cov_matern(1.5, ard = TRUE), model = "separable"),
    cov_spacetime(cov_cauchy(), cov_matern(NULL), model = "separable"),
    cov_spacetime(cov_exponential(), cov_powered_exponential(), model = "product_sum") +
      cov_spacetime()
  )
}

# With `working`, some point that is no optimum.
space_time_problem <- function(covariance, data, k) {
  fit <- suppressWarnings(neargp(z ~ height, data, coords = ~ x + y, time = ~ day,
    method = vecchia(k = k), covariance = covariance, threads = 1L,
    control = neargp_control(max_iterations = 1L, coarse_k = 0L, max_refreshes = 1L)))
  problem <- local_problem_of(fit)
  list(problem = problem, fit = fit,
    working = problem$start + seq(-0.2, 0.2, length.out = length(problem$start)))
}

test_extended("likelihood and gradient with all earlier rows are those of dense matrices", {
  data <- space_time_data(8, 5)
  covariances <- space_time_settings()
  if (!is_extended()) covariances <- covariances[c(1L, 5L)]
  for (covariance in covariances) {
    at <- space_time_problem(covariance, data, nrow(data) - 1L)
    layout <- at$problem$layout
    dense <- function(working) {
      values <- to_core(working, layout$transform)
      dense_fit(at$problem$data, as_core_covariance(layout, at$problem$groups, values),
        values[layout$kind == "nugget"])$value
    }
    component <- component_at(at$problem, at$working)
    sets <- neighbors_before(at$problem, component, nrow(data) - 1L, "maxmin", 0)
    objective <- local_objective(at$problem, sets)
    found <- objective$evaluate(at$working, information = TRUE)
    expect_equal(found$value, dense(at$working), tolerance = 1e-10)
    free <- at$problem$free
    slopes <- difference(dense, at$working)
    expect_equal(found$gradient[free], slopes[free], tolerance = 1e-6)
    expect_equal(objective$gradient(at$working, found$beta), found$gradient, tolerance = 1e-8)
    exact <- exact_objective(at$problem)$evaluate(at$working, information = TRUE)
    expect_equal(exact$value, found$value, tolerance = 1e-10)
    expect_equal(exact$gradient, found$gradient, tolerance = 1e-8)
  }
})

# Parameters fixed, so that a fit takes no time.
known_fit <- function(covariance, data, method = exact_gp(), ...) {
  neargp(z ~ height, data, coords = ~ x + y, time = ~ day, covariance = covariance, nugget = 0.1,
    method = method, ...)
}

known_covariances <- list(
  cov_spacetime(cov_matern(1.5, 0.8, c(0.4, 2)), alpha = 0.7, beta = 0.5),
  cov_spacetime(cov_exponential(0.8, 0.4), cov_exponential(range = 2), "separable"),
  cov_spacetime(cov_exponential(0.8, 0.4), cov_matern(1.5, range = 2), "product_sum",
    shares = c(product = 0.5, space = 0.2, time = 0.3)) + cov_exponential(0.3, c(0.2, 1))
)

test_extended("predictions by all methods, leave-one-out and joint predictions are dense kriging", {
  data <- space_time_data(8, 5)
  new <- transform(space_time_data(2, 2, seed = 2), day = day + 4.5)
  methods <- list(exact_gp(), vecchia(k = 39L), loo_k(k = 39L), mll_k(k = 39L))
  if (!is_extended()) methods <- methods[1:2]
  for (covariance in known_covariances) for (method in methods) {
    fit <- known_fit(covariance, data, method)
    expected <- dense_krige(fit$data, fit$core_covariance, 0.1, new_target(fit, new)$coords,
      cbind(1, new$height))
    predicted <- predict(fit, new, type = "link", k = if (is.null(method$k)) NULL else nrow(data))
    expect_equal(predicted$mean, expected$mean, tolerance = 1e-8)
    expect_equal(predicted$sd^2, expected$variance, tolerance = 1e-8)
  }
  joint <- predict(known_fit(known_covariances[[1L]], data), new, joint = TRUE, type = "link")
  fit <- known_fit(known_covariances[[1L]], data)
  expected <- dense_krige(fit$data, fit$core_covariance, 0.1, new_target(fit, new)$coords,
    cbind(1, new$height))
  expect_equal(unname(attr(joint, "covariance")), expected$covariance, tolerance = 1e-8)
  expect_equal(loo_predict(fit)$mean, dense_leave_one_out(fit$data, fit$core_covariance, 0.1)$mean,
    tolerance = 1e-8)
})

test_extended("the latent field of vnngp() has these covariances, with their gradient", {
  data <- space_time_data(8, 5)
  fit <- known_fit(cov_spacetime(cov_matern(1.5)), data,
    vnngp(k = 39L, factor = "exact", jitter = 1e-6))
  problem <- local_problem_of(fit)
  problem$data <- core_data(problem$data)
  nodes <- latent_nodes(problem)
  at <- problem$start + ifelse(problem$free, 0.1, 0)
  objective <- latent_objective(problem,
    latent_problem(problem, nodes, latent_search(problem, nodes, component_at(problem, at), 39L)))
  variance <- exp(at[fit$layout$kind == "variance"])
  dense <- dense_fit(fit$data, covariance_at(problem, at), 0.1 + 1e-6 * variance)
  found <- objective$fit_at(at, 1e-10, derivatives = TRUE)
  expect_equal(found$value, dense$value, tolerance = 1e-8)
  slopes <- difference(function(w) objective$fit_at(w, 1e-10)$value, at)
  expect_equal(found$gradient[problem$free], slopes[problem$free], tolerance = 1e-6)
})

test_that("without interaction it is separable, and at one time and place it is the margin", {
  value <- function(...) covariance_value(cov_spacetime(...), distance = c(0, 0.2, 0.7, 0.2),
    time = c(3, 0, 1, 4))
  space <- cov_matern(1.5, 0.8, 0.4)
  with_time <- cov_matern(1.5, 0.8, c(0.4, 2))
  expect_equal(value(with_time, alpha = 1, beta = 0), value(space, cov_cauchy(1, range = 2),
    "separable"), tolerance = 1e-14)
  expect_equal(value(with_time, model = "metric"), 0.8 * dense_correlation("matern",
    sqrt((c(0, 0.2, 0.7, 0.2) / 0.4)^2 + (c(3, 0, 1, 4) / 2)^2), 1.5), tolerance = 1e-10)
  gneiting <- cov_spacetime(with_time, alpha = 0.3, beta = 0.9)
  expect_equal(covariance_value(gneiting, c(0.1, 0.5)), covariance_value(space, c(0.1, 0.5)),
    tolerance = 1e-14)
  expect_equal(covariance_value(gneiting, 0, time = c(0, 2, -2)), c(0.8, 0.4, 0.4),
    tolerance = 1e-14)
  expect_equal(covariance_value(gneiting, Inf), 0)
  static <- cov_spacetime(space, cov_exponential(range = 2), "product_sum",
    shares = c(product = 0.5, space = 0.2, time = 0.3))
  expect_equal(covariance_value(static, c(0, Inf), time = c(Inf, 0)), 0.8 * c(0.2, 0.3))
})

test_extended("covariances and kriging are those of gstat", {
  skip_if_not_installed("gstat")
  skip_if_not_installed("spacetime")
  lag <- data.frame(spacelag = c(0.1, 0.5, 0.3, 1), timelag = c(1, 3, 0.5, 2))
  margin <- function(model, range, sill = 1) gstat::vgm(sill, model, range, 0)
  of_gstat <- function(model) {
    as.vector(gstat::variogramSurface(model, lag, covariance = TRUE)$gamma)
  }
  at <- function(cov) covariance_value(cov, lag$spacelag, time = lag$timelag)
  exponential <- cov_exponential(0.8, 0.4)
  expect_equal(at(cov_spacetime(exponential, cov_exponential(range = 2), "separable")),
    of_gstat(gstat::vgmST("separable", space = margin("Exp", 0.4), time = margin("Exp", 2),
      sill = 0.8)), tolerance = 1e-10)
  # k s_space s_time, s_space and s_time are the three sills
  shares <- c(product = 2 * 0.2 * 0.3, space = 0.2, time = 0.3)
  expect_equal(at(cov_spacetime(cov_exponential(sum(shares), 0.4), cov_gaussian(range = 2),
    "product_sum", shares = shares / sum(shares))),
    of_gstat(gstat::vgmST("productSum", space = margin("Exp", 0.4, 0.2), time = margin("Gau", 2,
      0.3), k = 2)), tolerance = 1e-10)
  expect_equal(at(cov_spacetime(cov_exponential(0.8, c(0.4, 2)), model = "metric")),
    of_gstat(gstat::vgmST("metric", joint = margin("Exp", 0.4, 0.8), stAni = 0.4 / 2)),
    tolerance = 1e-10)
})

test_extended("predictions are those of gstat's krigeST()", {
  skip_if_not_installed("gstat")
  skip_if_not_installed("spacetime")
  set.seed(3)
  places <- 100L
  xy <- cbind(x = runif(places), y = runif(places))
  days <- as.POSIXct("2020-01-01", tz = "UTC") + 86400 * 0:2
  z <- as.vector(sin(5 * xy[, 1L]) + outer(cos(4 * xy[, 2L]), 1:3)) + rnorm(3L * places, sd = 0.2)
  observed <- spacetime::STFDF(sp::SpatialPoints(xy), days, data.frame(z = z))
  at <- cbind(x = runif(4), y = runif(4))
  later <- days[3L] + 86400 * c(0.5, 2)
  target <- spacetime::STF(sp::SpatialPoints(at), later)
  margin <- function(model, range, sill = 1) gstat::vgm(sill, model, range, 0)
  cases <- list(
    list(gstat::vgmST("separable", space = margin("Exp", 0.4), time = margin("Exp", 2), sill = 0.8),
      cov_spacetime(cov_exponential(0.8, 0.4), cov_exponential(range = 2), "separable")),
    list(gstat::vgmST("productSum", space = margin("Exp", 0.4, 0.2), time = margin("Exp", 2, 0.3),
      k = 2), cov_spacetime(cov_exponential(0.62, 0.4), cov_exponential(range = 2), "product_sum",
      shares = c(product = 0.12, space = 0.2, time = 0.3) / 0.62)),
    list(gstat::vgmST("metric", joint = margin("Exp", 0.4, 0.8), stAni = 0.2),
      cov_exponential(0.8, c(0.4, 2))))
  data <- data.frame(xy[rep(seq_len(places), 3L), ], day = rep(days, each = places), z = z)
  new <- data.frame(at[rep(1:4, 2L), ], day = rep(later, each = 4L))
  for (case in cases) {
    attr(case[[1L]], "temporal unit") <- "days"
    kriged <- gstat::krigeST(z ~ 1, observed, target, case[[1L]], computeVar = TRUE)@data
    fit <- neargp(z ~ 1, data, coords = ~ x + y, time = ~ day, covariance = case[[2L]], nugget = 0,
      method = exact_gp())
    predicted <- predict(fit, new, type = "link")
    expect_equal(predicted$mean, kriged$var1.pred, tolerance = 1e-6)
    expect_equal(predicted$sd^2, kriged$var1.var, tolerance = 1e-6)
  }
})

test_extended("with few times alpha is 1/2, and says so", {
  data <- space_time_data(30, 4)
  expect_message(fit <- neargp(z ~ 1, data, coords = ~ x + y, time = ~ day,
    covariance = cov_spacetime(cov_exponential()), method = vecchia(k = 5)),
    class = "neargp_message_alpha")
  expect_equal(coef(fit, what = "covariance")[["alpha"]], 0.5)
  expect_no_message(known_fit(known_covariances[[1L]], data), class = "neargp_message_alpha")
})

test_extended("unusable settings are refused in the terms of the user", {
  expect_error(cov_spacetime(cov_exponential(), cov_exponential()), "gneiting",
    class = "neargp_error_argument")
  expect_error(cov_spacetime(alpha = 0.5, model = "separable"), "alpha",
    class = "neargp_error_argument")
  expect_error(cov_spacetime(beta = 1.1), class = "neargp_error_argument")
  expect_error(cov_spacetime(cov_exponential() + cov_matern()), "one component",
    class = "neargp_error_argument")
  expect_error(cov_spacetime(time = cov_exponential(variance = 1), model = "separable"),
    class = "neargp_error_argument")
  expect_error(cov_spacetime(model = "product_sum", shares = c(product = 1)),
    class = "neargp_error_argument")
  data <- space_time_data(8, 5)
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_spacetime()), "time",
    class = "neargp_error_space_time")
  expect_error(known_fit(cov_spacetime(), data, svgp()), class = "neargp_error_space_time")
  expect_error(known_fit(cov_spacetime(), data, vecchia(k = 5, inducing = 4)),
    class = "neargp_error_space_time")
  expect_error(known_fit(cov_spacetime(cov_exponential(range = c(1, 2, 3))), data), "range",
    class = "neargp_error_argument")
  expect_error(covariance_value(cov_spacetime(), 1), class = "neargp_error_argument")
  expect_error(covariance_value(cov_exponential(1, 1), 1, time = 2),
    class = "neargp_error_argument")
})

test_that("on the sphere beta has the bound 2/3", {
  data <- space_time_data(8, 5)
  on_sphere <- function(beta) {
    neargp(z ~ 1, data, coords = ~ x + y, time = ~ day, distance = "chordal", nugget = 0.1,
      covariance = cov_spacetime(cov_exponential(1, c(20, 2)), alpha = 0.5, beta = beta))
  }
  expect_error(on_sphere(0.7), "0.6667", class = "neargp_error_space_time")
  fit <- on_sphere(2 / 3)
  expect_equal(as.numeric(logLik(fit)), dense_fit(fit$data, fit$core_covariance, 0.1)$value,
    tolerance = 1e-10)
})

test_that("print() has half the correlation, the autoregression and the shares", {
  data <- space_time_data(8, 5)
  expect_output(print(known_fit(known_covariances[[1L]], data)),
    "At one location the correlation is 1/2 after 2\n")
  expect_output(print(known_fit(known_covariances[[2L]], data)),
    sprintf("phi = %.4f for a lag of 1; at one location", exp(-1 / 2)))
  expect_output(print(known_fit(known_covariances[[3L]], data)),
    "product 0.5, space 0.2, time 0.3")
  expect_output(print(cov_spacetime()), "alpha +estimated")
})

test_that("units of a search are those of half the correlation, and move with it", {
  data <- space_time_data(8, 5)
  fit <- known_fit(known_covariances[[1L]], data, vecchia(k = 5))
  component <- metric_component(fit$core_covariance)
  half <- stats::uniroot(function(r) dense_correlation("matern", r, 1.5) - 0.5, c(0.1, 5),
    tol = 1e-12)$root
  expect_equal(component$range, c(0.4 * half, 2), tolerance = 1e-8)
})

test_that("the variogram along time is of pairs at one place, with the curve of the fit", {
  data <- space_time_data(12, 8)
  fit <- known_fit(known_covariances[[3L]], data)
  found <- empirical_variogram(fit, along = "time", width = 1, cutoff = 5, space_lag = 0)
  residual <- residuals(fit, type = "trend")
  pairs <- which(outer(data$x, data$x, `==`) & upper.tri(diag(nrow(data))), arr.ind = TRUE)
  lag <- abs(data$day[pairs[, 1L]] - data$day[pairs[, 2L]])
  halves <- (residual[pairs[, 1L]] - residual[pairs[, 2L]])^2 / 2
  expect_equal(found$gamma, as.vector(tapply(halves, lag, mean))[1:5], tolerance = 1e-10)
  expect_equal(found$distance, 1:5)
  curve <- attr(found, "curve")
  value <- dense_covariance(rbind(c(0, 0, 0)), cbind(0, 0, curve$distance), fit$core_covariance)
  expect_equal(curve$gamma, 0.1 + sum(sapply(fit$core_covariance$components, `[[`, "variance")) -
    as.vector(value), tolerance = 1e-10)
  in_space <- empirical_variogram(fit, along = "space", time_lag = 0)
  curve <- attr(in_space, "curve")
  value <- dense_covariance(rbind(c(0, 0, 0)), cbind(curve$distance, 0, 0), fit$core_covariance)
  expect_equal(curve$gamma, 0.1 + 1.1 - as.vector(value), tolerance = 1e-10)
  expect_error(empirical_variogram(neargp(z ~ 1, data[1:12, ], coords = ~ x + y),
    along = "time"), "along", class = "neargp_error_argument")
})

test_that("forecasts tend to the trend, and are those by its mean; gaps have local means", {
  data <- space_time_data(10, 8)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, time = ~ day, method = vecchia(k = 10),
    covariance = cov_spacetime(cov_exponential(variance = 1, range = c(0.4, 2)),
      model = "separable"), nugget = 0.1)
  new <- data.frame(x = 0.4, y = 0.6, day = c(-1, 4.5, 9, 12, 1e4))
  from_neighbors <- function(rows, ...) predict(fit, new[rows, ], k = 60L, ...)
  found <- from_neighbors(1:5)
  outside <- c(1, 3, 4, 5)
  expect_identical(found[outside, ], from_neighbors(outside, local_mean = FALSE),
    ignore_attr = TRUE)
  expect_identical(found[2, ], from_neighbors(2, local_mean = TRUE), ignore_attr = TRUE)
  expect_equal(found$mean[5], coef(fit)[["(Intercept)"]], tolerance = 1e-6)
  expect_identical(from_neighbors(1:5, local_mean = TRUE)[2, ], found[2, ])
  expect_identical(from_neighbors(3), found[3, ], ignore_attr = TRUE)
})
