test_that("a method is of the classes of its response, and of those it was made with when that is another", {
  of <- function(method, family = gaussian(), data = list()) class(method_for(method, family, data))
  labels <- list(binomial = TRUE)
  expect_identical(of(svgp(10)), c("neargp_svgp", "neargp_method"))
  families <- c("neargp_swsgp_families", "neargp_swsgp", "neargp_vnngp_families", "neargp_vnngp",
    "neargp_method_families", "neargp_method")
  expect_identical(of(swsgp(4), poisson()), families)
  expect_identical(of(loo_k(), binomial(), labels)[1:2], c("neargp_loo_k_classes", "neargp_loo_k"))
  expect_identical(of(loo_k(estimator = "polya-gamma"), binomial(), labels)[1:3],
    c("neargp_loo_k_polya_gamma", "neargp_loo_k_classes", "neargp_loo_k"))
  expect_identical(of(loo_k(estimator = "polya-gamma"), poisson())[1L], "neargp_loo_k_families")
  expect_identical(of(vecchia(), gaussian(), list(output = 1:2))[1L], "neargp_vecchia_outputs")
  counts <- method_for(vnngp(), poisson(), list())
  expect_identical(method_for(counts, gaussian(), list()), vnngp())
  expect_identical(method_name(counts), "vnngp")
})

test_that("a fit whose method is not of its response is refused, and not predicted as a gaussian one", {
  set.seed(1)
  d <- data.frame(x = runif(40), y = runif(40))
  d$n <- rpois(40, 2)
  fit <- suppressWarnings(neargp(n ~ 1, d, coords = ~ x + y, family = poisson(), method = loo_k(8),
    covariance = cov_exponential(), threads = 1L))
  fit$method <- loo_k(8)
  expect_error(predict(fit, d), "earlier version", class = "neargp_error_argument")
})
