test_extended("starting values come near, whatever the scale of covariates", {
  withr::local_seed(1)
  n <- 2000
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), t = stats::runif(n, 1990, 2020))
  data$z <- sin(3 * data$x) + stats::rnorm(n, sd = exp(0.1 * (data$t - 2005)))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 5), nugget = ~ t, threads = 1L,
    control = neargp_control(max_iterations = 1L)) |> suppressWarnings()
  problem <- noise_problem(fit)
  start <- noise_start(problem) / stats::sd(data$t)
  expect_lt(abs(start - 0.2), 0.05)
})
