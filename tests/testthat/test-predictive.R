# Four rows of each class of predictive distributions.
predictive_examples <- function() {
  mean <- c(-0.4, 0.3, 0.9, 1.6)
  sd <- c(0.2, 0.4, 0.3, 0.5)
  field <- new_normal_mixture(cbind(mean, mean + 0.7), cbind(sd, 0.5 * sd), log(c(0.3, 0.7)))
  gamma <- new_mixture(mean, sd, Gamma("log"), c(shape = 3))
  list(normal = new_normal(mean, sd), normal_mixture = field, response = gamma,
    component = new_component_mixture(field, "gamma", list(shape = 3)),
    own_parameters = mixture_of(list(gamma, new_mixture(mean + 0.7, 0.5 * sd, Gamma("log"),
      c(shape = 9))), log(c(0.3, 0.7))),
    transformed = new_mixture(mean, sd, replace(gaussian(), "transform",
      list(as_transform("log"))), c(variance = 0.1)),
    inflated = new_inflated(c(0.9, 0.8, 0.7, 0.6), gamma))
}

# The integral of f over the reals, in pieces.
over_reals <- function(f, from = -30) {
  ends <- c(from, seq(max(from, -4), 12, by = 0.5), 30, 120, 1000)
  sum(vapply(seq_along(ends)[-1L], function(i) {
    if (ends[i - 1L] >= ends[i]) 0 else
      stats::integrate(f, ends[i - 1L], ends[i], rel.tol = 1e-9, subdivisions = 500L)$value
  }, 0))
}

test_extended("mean, distribution function, quantiles, density and CRPS are of one distribution", {
  for (name in names(predictive_examples())) {
    four <- predictive_examples()[[name]]
    positive <- !name %in% c("normal", "normal_mixture")
    for (row in c(1L, 4L)) {
      one <- four[row]
      cdf <- function(q) predictive_cdf(q, one[rep(1L, length(q))])
      label <- paste(name, row)
      # E Y = int (1 - F) over the positive less int F over the negative
      expected <- over_reals(function(q) 1 - cdf(q), 0) -
        if (positive) 0 else stats::integrate(cdf, -30, 0, rel.tol = 1e-9)$value
      expect_equal(predictive_mean(one), expected, tolerance = 1e-5, label = label)
      y <- predictive_quantile(0.7, one)
      expect_equal(cdf(y), 0.7, tolerance = 1e-6, label = label)
      slope <- (cdf(y + 1e-4) - cdf(y - 1e-4)) / 2e-4
      expect_equal(exp(predictive_log_density(y, one)), slope, tolerance = 1e-5, label = label)
      crps <- over_reals(function(q) (cdf(q) - (q >= y))^2, if (positive) 0 else -30)
      expect_equal(predictive_crps(y, one), crps, tolerance = 2e-3, label = label)
    }
  }
})

test_that("rows are taken, tails are those of the distribution function, and limits its quantiles", {
  for (name in names(predictive_examples())) {
    four <- predictive_examples()[[name]]
    values <- function(d, rows) {
      y <- c(0.5, 1.2, 2, 3)[rows]
      as.matrix(cbind(score_rows(y, d, 0.9), q = predictive_quantile(0.2, d)))
    }
    expect_equal(values(four[c(3L, 1L)], c(3L, 1L)), values(four, 1:4)[c(3L, 1L), ],
      ignore_attr = TRUE, tolerance = 1e-12, label = name)
    expect_equal(predictive_cdf(1, four) + predictive_cdf(1, four, lower = FALSE), rep(1, 4),
      label = name)
    expect_equal(predictive_limits(four, 0.9), list(lower = predictive_quantile(0.05, four),
      upper = predictive_quantile(0.95, four)), tolerance = 1e-9, label = name)
  }
})

test_that("a field has the mean of the response that it was found for", {
  for (name in c("normal", "normal_mixture", "response", "component", "transformed")) {
    four <- predictive_examples()[[name]]
    means <- rep(1.1, 4)
    expect_equal(mean_given_field(field_of_mean(means, four), four), means, tolerance = 1e-7,
      label = name)
  }
})

test_that("draws are of the distribution", {
  withr::local_seed(1)
  for (name in names(predictive_examples())) {
    four <- predictive_examples()[[name]]
    draws <- predictive_draws(4000L, four)
    error <- (rowMeans(draws) - predictive_mean(four)) / (predictive_sd(four) / sqrt(4000))
    expect_lt(max(abs(error)), 4, label = name)
    below <- rowMeans(draws <= predictive_quantile(0.7, four))
    expect_lt(max(abs(below - 0.7)), 4 * sqrt(0.7 * 0.3 / 4000), label = name)
  }
})

test_that("draws of a distribution of draws are among them", {
  withr::local_seed(1)
  three <- new_drawn(c(2, 5), c(1, 1), matrix(1:6, 2L))
  drawn <- predictive_draws(50L, three)
  expect_identical(dim(drawn), c(2L, 50L))
  expect_setequal(drawn[1L, ], c(1, 3, 5))
  expect_identical(drawn[2L, ], drawn[1L, ] + 1L)
})
