test_on_devices("every ordering conditions on the rows before, and gives its own dense value", {
  data <- simulated_data(60)
  for (ordering in c("maxmin", "random", "coordinate", "pca", "given")) {
    withr::local_seed(1)
    fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 5, ordering = ordering),
      nugget = 0.1, covariance = cov_exponential(variance = 2, range = 0.2))
    set.seed(1)
    key <- if (ordering == "random") order_key() else 0
    neighbors <- as.matrix(neighbors_before(list(data = fit$data, context = test_context()),
      fit$core_covariance$components[[1]], 5L, ordering, key))
    sets <- lapply(seq_len(60), function(i) neighbors[!is.na(neighbors[, i]), i])
    expect_equal(c(logLik(fit)), dense_conditional_score(fit$data, fit$core_covariance, 0.1,
      coef(fit), sets), tolerance = 1e-10)
  }
})

test_that("the order of principal components is that of their scores, in units of the ranges", {
  set.seed(2)
  scaled <- cbind(rnorm(30), rnorm(30, sd = 4), rnorm(30))
  scores <- stats::prcomp(scaled)
  direction <- scores$rotation[, 1]
  first <- scores$x[, 1] * sign(direction[which.max(abs(direction))])
  expect_identical(order_places(scaled, "pca", 0, test_context()), order(first))
  expect_identical(order_places(scaled, "given", 0, test_context()), 1:30)
})

test_that("a random ordering follows R's seed; the others leave the generator alone", {
  data <- simulated_data(100)
  fit <- function(ordering) {
    c(logLik(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 3, ordering = ordering))))
  }
  withr::local_seed(1)
  a <- fit("random")
  set.seed(1)
  expect_identical(fit("random"), a)
  before <- .Random.seed
  fit("maxmin")
  expect_identical(.Random.seed, before)
})

test_that("settings are checked", {
  expect_error(vecchia(k = "many"), "`k`", class = "neargp_error_argument")
  expect_error(vecchia(ordering = "hilbert"), "`ordering`", class = "neargp_error_argument")
})
