planar <- function(d = 2, time = NULL) {
  describe_embedding(list(metric = "planar", raw_names = c("x", "y", "z")[seq_len(d)], time = time))
}

test_that("the layout has a row for each parameter, in the order of the core", {
  layout <- new_layout(cov_matern(nu = NULL, anisotropy = TRUE), NULL, planar())
  expect_identical(layout$name, c("variance", "range", "anisotropy_ratio", "anisotropy_angle", "smoothness", "nugget"))
  expect_identical(new_layout(cov_exponential(ard = TRUE), 0.1, planar(2, "day"))$name,
    c("variance", "range_x", "range_y", "range_time", "nugget"))
  expect_identical(new_layout(cov_exponential(), 0, planar(2, "day"))$name, c("variance", "range", "range_time", "nugget"))
  expect_identical(new_layout(cov_exponential() + cov_gaussian(range = 2), NULL, planar())$name,
    c("variance_1", "range_1", "variance_2", "range_2", "nugget"))
  expect_identical(new_layout(cov_exponential() + cov_gaussian(range = 2), NULL, planar())$fixed, c(FALSE, FALSE, FALSE, TRUE, FALSE))
})

test_that("angle and ratio go to u, v and back, with the range along the major axis", {
  layout <- new_layout(cov_exponential(range = 10, anisotropy = c(angle = 150, ratio = 0.25)), NULL, planar())
  layout$value[is.na(layout$value)] <- 1
  natural <- natural_values(layout, layout$value)
  expect_equal(natural[["range"]], 10)
  expect_equal(natural[["anisotropy_ratio"]], 0.25)
  expect_equal(natural[["anisotropy_angle"]], 150)
})

test_that("the working scale is inverted exactly", {
  layout <- new_layout(cov_powered_exponential() + cov_matern(NULL, anisotropy = TRUE) + cov_cauchy(), NULL, planar())
  values <- c(2, 3, 1.5, 1, 4, 0.3, -0.2, 0.8, 3, 0.1, 2, 0.05)
  expect_equal(to_core(to_working(values, layout$transform), layout$transform), values)
})

# 1/2 tr(S^-1 dS_a S^-1 dS_b), by finite differences of the dense matrix.
dense_information <- function(fit, working) {
  groups <- component_groups(fit$covariance, fit$locations)
  matrix_at <- function(w) {
    values <- to_core(w, fit$layout$transform)
    dense_noisy(fit$data, as_core_covariance(fit$layout, groups, values), nugget_of(fit$layout, values))
  }
  inverse <- solve(matrix_at(working))
  slopes <- lapply(seq_along(working), function(a) {
    step <- replace(rep(0, length(working)), a, 1e-5)
    inverse %*% ((matrix_at(working + step) - matrix_at(working - step)) / 2e-5)
  })
  outer(seq_along(working), seq_along(working), Vectorize(function(a, b) sum(slopes[[a]] * t(slopes[[b]])) / 2))
}

test_that("gradient and information in the working parameters are those of finite differences", {
  data <- simulated_data(40)
  covariances <- list(cov_matern(NULL, anisotropy = TRUE), cov_powered_exponential(), cov_cauchy() + cov_exponential(ard = TRUE))
  for (covariance in covariances) {
    fit <- suppressWarnings(neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 39), covariance = covariance,
      control = neargp_control(max_iterations = 2)))
    problem <- list(data = fit$data, layout = fit$layout, groups = component_groups(fit$covariance, fit$locations), threads = 1L,
      control = neargp_control())
    component <- metric_component(fit$core_covariance)
    objective <- local_objective(problem, neighbors_before(problem, component, 39L, "maxmin", 0))
    at <- fit$parameters$working + 0.1
    analytic <- objective$evaluate(at, information = TRUE)
    difference <- vapply(seq_along(at), function(a) {
      step <- replace(rep(0, length(at)), a, 1e-5)
      (objective$evaluate(at + step)$value - objective$evaluate(at - step)$value) / 2e-5
    }, 0)
    expect_equal(analytic$gradient, difference, tolerance = 1e-5)
    expect_equal(objective$gradient(at, analytic$beta), analytic$gradient, tolerance = 1e-8)
    expect_equal(analytic$information, dense_information(fit, at), tolerance = 1e-4)
  }
})

test_that("standard errors follow from the information by the delta method", {
  fit <- neargp(z ~ height, simulated_data(400), coords = ~ x + y, method = vecchia(k = 15), covariance = cov_exponential())
  working_vcov <- solve(fit$information)
  estimate <- coef(fit, "covariance")
  expect_equal(fit$parameters$std_error, unname(estimate * sqrt(diag(working_vcov))), tolerance = 1e-8)
  expect_equal(sqrt(diag(vcov(fit, "covariance"))), stats::setNames(fit$parameters$std_error, names(estimate)))
})

test_that("the jacobian of the interval scale is that of finite differences", {
  layout <- new_layout(cov_exponential(anisotropy = TRUE), NULL, planar())
  working <- c(0.3, -1, 0.4, -0.25, -2)
  on_interval_scale <- function(w) to_working(natural_values(layout, to_core(w, layout$transform)), interval_transform(layout))
  difference <- vapply(seq_along(working), function(a) {
    step <- replace(rep(0, 5), a, 1e-6)
    unname(on_interval_scale(working + step) - on_interval_scale(working - step)) / 2e-6
  }, double(5))
  expect_equal(interval_jacobian(layout, working), difference, tolerance = 1e-6)
})

test_that("settings that do not fit the locations are classed errors", {
  data <- simulated_data(50)
  expect_error(neargp(z ~ 1, data, coords = ~ x, covariance = cov_exponential(anisotropy = TRUE), method = vecchia(k = 5)),
    "two planar coordinates", class = "neargp_error_argument")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_exponential(range = c(1, 2)), method = vecchia(k = 5)),
    "1 value", class = "neargp_error_argument")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, distance = "chordal", covariance = cov_exponential(ard = TRUE),
    method = vecchia(k = 5)), "no meaning for longitude", class = "neargp_error_argument")
})
