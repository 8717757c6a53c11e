test_that("outside its range of predictors the distribution function has no way left to fall", {
  for (name in c("logit", "many_trials", "probit", "cloglog", "poisson", "negative_binomial",
      "clumped", "gamma", "sharp_gamma", "truncated", "truncated_nbinom2", "truncated_clumped",
      "tweedie", "low_tweedie")) {
    case <- mixture_cases[[name]]
    y <- case$y[case$y < case$trials | case$trials == 1]
    mixture <- new_mixture(rep(0, length(y)), 1, case$family, case$parameters, case$trials)
    range <- mixture_rule(mixture)$predictor_range(mixture, y, 1e-6)
    given <- function(eta) {
      mixture_family(mixture)$distribution(y, eta, mixture$parameters, mixture$trials)
    }
    expect_true(all(given(range$lower) >= 1 - 2.1e-6 & given(range$upper) <= 2.1e-6), label = name)
    # Nor is it much wider than it has to be: a quarter in from an end the fall has begun, at one
    # end at least.
    # (Chernoff's bound and size bias are not sharp.)
    if (grepl("tweedie|truncated", name)) next
    width <- range$upper - range$lower
    expect_true(all(given(range$lower + width / 4) < 1 - 1e-6 | given(range$upper - width / 4) >
      1e-6), label = name)
  }
})

test_that("the range of a beta response is found as far as the normal distribution reaches", {
  case <- mixture_cases$beta
  q <- c(0.01, 0.4, 0.97)
  mixture <- new_mixture(c(0, 0.5, 2), c(0.1, 1, 4), case$family, case$parameters)
  range <- beta_range(mixture, q, 1e-6)
  given <- function(eta) mixture_family(mixture)$distribution(q, eta, mixture$parameters, 1)
  reach <- normal_reach * mixture$sd
  expect_true(all(given(range$lower) >= 1 - 1e-6 | range$lower == mixture$mean - reach))
  expect_true(all(given(range$upper) <= 1e-6 | range$upper == mixture$mean + reach))
})

test_that("Student's t is the scale mixture of its nodes", {
  for (df in c(1, 2.5, 4, 30, 1000)) {
    nodes <- student_nodes(df)
    t <- c(-20, -1, 0.3, 4)
    expect_equal(drop(pnorm(outer(t, sqrt(nodes$precision))) %*% nodes$weights), pt(t, df),
      tolerance = 1e-9)
  }
})

test_that("pairs are computed once each and put back in order", {
  evaluated <- NULL
  result <- for_distinct(c(3, 1, 3, 3), c(1, 1, 1, 2), function(q, second) {
    evaluated <<- length(q)
    list(sum = q + second)
  })
  expect_equal(result$sum, c(4, 2, 4, 5))
  expect_equal(evaluated, 3)
})
