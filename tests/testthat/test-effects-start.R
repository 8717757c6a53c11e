# Where the search begins: levels that are regions can take a smooth field for their own.

regions_data <- function(n, side) {
  set.seed(3)
  data <- data.frame(x = runif(n), y = runif(n))
  data$region <- floor(data$x * side) * side + floor(data$y * side)
  data$place <- sample(side^2, n, TRUE)
  data$z <- rnorm(side^2)[data$region + 1] + 2 * sin(3 * data$x) * cos(2 * data$y) +
    rnorm(n, sd = 0.5)
  data
}

test_extended("regions do not take the place of the field", {
  fit <- function(...) neargp(z ~ (1 | region), regions_data(600, 7), coords = ~ x + y,
    method = vecchia(15), covariance = cov_exponential(), device = "cpu", threads = 1L,
    verbose = FALSE, ...)
  near <- c(variance = 1, range = 1, nugget = 0.25, `sd_(Intercept)|region` = 1)
  found <- fit()
  expect_gt(c(logLik(found)), c(logLik(fit(start = near))) - 0.01)
  # the standard deviation of 49 levels is known to a tenth
  expect_lt(abs(coef(found, what = "covariance")[["sd_(Intercept)|region"]] - 1), 0.25)
})

test_extended("levels are regions where they tell the coordinates", {
  starts <- function(formula) {
    fit <- neargp(formula, regions_data(600, 7), coords = ~ x + y, method = vecchia(5),
      covariance = cov_exponential(), device = "cpu", threads = 1L, verbose = FALSE,
      control = neargp_control(max_iterations = 1L))
    has_regions(fit$data)
  }
  expect_true(suppressWarnings(starts(z ~ (1 | place) + (1 | region))))
  expect_false(suppressWarnings(starts(z ~ (1 | place))))
})
