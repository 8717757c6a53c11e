test_that("draws of posterior are those of simulate(), places as variables", {
  skip_if_not_installed("posterior")
  data <- simulated_data(40)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential())
  places <- data.frame(x = c(0.1, 0.8, 0.5), y = 0.5, height = 0)
  draws <- posterior::as_draws(fit, nsim = 5, newdata = places, seed = 1)
  drawn <- simulate(fit, nsim = 5, newdata = places, seed = 1)
  expect_identical(posterior::variables(draws), c("z[1]", "z[2]", "z[3]"))
  expect_identical(posterior::ndraws(draws), 5L)
  expect_equal(unname(unclass(draws)), unname(t(as.matrix(drawn))), ignore_attr = TRUE)
  expect_equal(as.vector(posterior::summarise_draws(draws, "mean")$mean), unname(rowMeans(drawn)))
})

test_extended("several outputs have variables of their own", {
  skip_if_not_installed("posterior")
  fit <- neargp(cbind(z, height) ~ 1, simulated_data(40), coords = ~ x + y, method = vecchia(k = 5))
  places <- data.frame(x = c(0.1, 0.8), y = 0.5)
  draws <- posterior::as_draws(fit, nsim = 3, newdata = places, seed = 1)
  drawn <- simulate(fit, nsim = 3, newdata = places, seed = 1)
  expect_identical(posterior::variables(draws), c("z[1]", "z[2]", "height[1]", "height[2]"))
  expect_equal(as.vector(draws[2L, "height[1]"]), drawn$sim_2_height[1L])
  expect_equal(as.vector(draws[3L, "z[2]"]), drawn$sim_3_z[2L])
})

test_extended("every format of draws has those that were asked for", {
  skip_if_not_installed("posterior")
  fit <- neargp(z ~ height, simulated_data(40), coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential())
  places <- data.frame(x = c(0.1, 0.8), y = 0.5, height = 0)
  drawn <- t(as.matrix(simulate(fit, nsim = 4, newdata = places, seed = 1)))
  for (format in c("matrix", "array", "df", "list", "rvars")) {
    convert <- getExportedValue("posterior", paste0("as_draws_", format))
    draws <- convert(fit, nsim = 4, newdata = places, seed = 1)
    expect_s3_class(draws, paste0("draws_", format))
    expect_equal(unclass(posterior::as_draws_matrix(draws)), drawn, ignore_attr = TRUE)
  }
})
