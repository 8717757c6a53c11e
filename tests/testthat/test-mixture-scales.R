test_that("scales have the inverse and the slope that they say", {
  case <- mixture_cases$student_t
  mixture <- new_mixture(c(-1, 0.2, 3), c(0.1, 1, 2), case$family, case$parameters,
    trials = c(1, 5, 30))
  for (scale in response_scales) {
    v <- c(-2, 0.1, 1.5)
    x <- scale$response(v, mixture)
    expect_equal(scale$inverse(x, mixture), v)
    difference <- (scale$response(v + 1e-5, mixture) - scale$response(v - 1e-5, mixture)) / 2e-5
    expect_equal(scale$slope(v, mixture), difference, tolerance = 1e-8)
  }
})

test_that("the spread is that of the response where it is nearly normal", {
  set.seed(1)
  for (name in c("many_trials", "sharp_gamma", "poisson")) {
    case <- mixture_cases[[name]]
    mixture <- new_mixture(if (name == "poisson") 7 else 0.5, 0.1, case$family, case$parameters,
      case$trials)
    draws <- response_scale(mixture)$inverse(mixture_random(4000L, mixture)[1, ], mixture)
    expect_equal(scaled_spread(mixture), sd(draws), tolerance = 0.05)
    expect_equal(scaled_center(mixture), mean(draws), tolerance = 0.05)
  }
})
