# Many effects whose levels are whole locations. The reference is the exact likelihood of all rows,
# with the columns of the effects in its Gram matrix.

station_data <- function(counts = c(1, 2, 4), stations = 70L) {
  set.seed(4)
  places <- data.frame(x = runif(stations), y = runif(stations), site = seq_len(stations))
  places$area <- 1L + (places$site - 1L) %% 9L
  data <- places[rep(seq_len(stations), rep(counts, length.out = stations)), ]
  n <- nrow(data)
  data$a <- rnorm(n)
  data$w <- runif(n, 0.5, 2)
  data$z <- 1 + 0.5 * data$a + rnorm(stations, sd = 0.6)[data$site] + rnorm(9)[data$area] +
    sin(4 * data$x) + rnorm(n, sd = 0.4 / sqrt(data$w))
  data[sample(n), ]
}

station_fit <- function(method = vecchia(k = 12), formula = z ~ a + (1 | site) + (1 | area), ...) {
  suppressWarnings(suppressMessages(many_effects_fit(formula, method, station_data(), ...)))
}

test_that("values and gradients of many effects of locations are those of all rows", {
  for (estimation in c("ML", "REML")) {
    fit <- station_fit(vecchia(k = 12, estimation = estimation),
      control = neargp_control(max_iterations = 1L))
    rows <- fold_problem(fit, seq_along(fit$data$y), plain_context(1L))
    rows <- with_start(rows$method, rows)
    at <- rows$start + 0.1
    rows$method$k <- 69L
    means <- problem_at_locations(rows)
    expect_identical(length(means$data$y), 70L)
    expect_true(has_effects_pass(means))
    all <- neighbors_before(means, component_at(means, at), 69L, "maxmin", 0)
    pass <- effects_pass_objective(means, all)
    found <- pass$evaluate(at, TRUE)
    rows$method <- exact_gp(estimation = estimation)
    right <- exact_objective(rows)$evaluate(at, TRUE)
    expect_identical(pass$n, nrow(station_data()))
    expect_equal(found$value, right$value, tolerance = 1e-10)
    expect_equal(found$gradient, right$gradient, tolerance = 1e-7)
    expect_equal(found$beta, right$beta, tolerance = 1e-8)
    expect_equal(pass$full_vcov(at), right$beta_vcov, tolerance = 1e-7)
  }
})

test_that("compressed effects of locations have the predictions of full ones", {
  full <- station_fit()
  compressed <- with_constant("most_dense_columns", 20L, station_fit())
  expect_true(is_compressed(compressed$data))
  expect_identical(length(conditioned_data(compressed)$y), 70L)
  expect_equal(compressed$parameters, full$parameters, tolerance = 1e-7)
  expect_equal(coef(compressed), coef(full), tolerance = 1e-7)
  expect_equal(ranef(compressed, se = TRUE), ranef(full, se = TRUE), tolerance = 1e-7)
  new <- data.frame(x = c(0.3, 0.8), y = 0.4, a = c(1, -2), site = c(45, 1000), area = c(3, 77))
  expect_equal(predict(compressed, new, allow.new.levels = TRUE),
    predict(full, new, allow.new.levels = TRUE), tolerance = 1e-7)
  expect_equal(fitted(compressed), fitted(full), tolerance = 1e-7)
  fewer <- z ~ a + (1 | area)
  full <- with_constant("fewest_sparse_columns", 5L, station_fit(formula = fewer))
  compressed <- with_constant("most_dense_columns", 5L, station_fit(formula = fewer))
  expect_equal(loo_predict(compressed, parameters = "plug-in"), loo_predict(full,
    parameters = "plug-in"), tolerance = 1e-6)
})

test_that("effects that cross locations keep the rows apart", {
  data <- station_data()
  set.seed(5)
  data$day <- sample(66L, nrow(data), TRUE)
  fit <- suppressWarnings(suppressMessages(many_effects_fit(z ~ a + (1 | day), vecchia(k = 100),
    data, control = neargp_control(max_iterations = 1L))))
  expect_identical(fit$k, 100L)
})
