test_that("the print says how many rows came later, and when to estimate again", {
  d <- appendable_rows(200L)
  fit <- neargp(z ~ h, d[1:120, ], coords = ~ x + y, method = vecchia(8),
    covariance = cov_matern(nu = 1.5), threads = 1L)
  expect_no_message(more <- update(fit, newdata = d[121:160, ]))
  text <- paste(capture.output(print(more)), collapse = " ")
  expect_match(text, "Appended: +40 rows since the parameters were estimated")
  expect_no_match(text, "refit")
  one <- update(fit, newdata = d[121, ])
  expect_match(paste(capture.output(print(one)), collapse = " "), "1 row since")
  noisy <- transform(d[161:180, ], z = z + rep(c(-2, 2), 10))
  expect_message(worse <- update(more, newdata = noisy),
    "60 rows were appended since the parameters were estimated, and their errors are",
    class = "neargp_message_appended")
  expect_match(paste(capture.output(summary(worse)), collapse = " "), "refit = TRUE")
  expect_no_message(update(worse, newdata = d[181:185, ]))
  expect_message(update(more, newdata = d[161:185, ]), "54% of the rows of the estimation",
    class = "neargp_message_appended")
})

test_that("errors of appended rows are those of predictions from earlier rows", {
  d <- appendable_rows()
  fit <- neargp(z ~ h, d[1:90, ], coords = ~ x + y, method = vecchia(89), nugget = 0.09,
    covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.6))
  z <- double(0)
  for (row in 91:93) {
    at <- predict(fit, d[row, ], interval = "prediction", k = 89, local_mean = FALSE, sectors = 0,
      parameters = "plug-in")
    z <- c(z, (d$z[row] - at$mean) / at$sd)
    fit <- update(fit, newdata = d[row, ])
  }
  expect_equal(fit$appended$squares, sum(z^2), tolerance = 1e-6)
  expect_equal(fit$appended$fourths, sum(z^4), tolerance = 1e-6)
})

test_that("the test of errors keeps its level, and fewer than ten rows say nothing", {
  appended <- none_since(1000L)
  set.seed(1)
  signals <- function(rows) {
    mean(replicate(2000L, {
      appended <- with_errors(appended, rnorm(rows))
      excess_of_squares(appended) > estimate_again_at$z
    }))
  }
  expect_lt(signals(10L), 0.015)
  expect_lt(signals(1000L), 0.02)
  expect_gt(signals(1000L), 0.003)
  wrong <- function(n) {
    appended <- with_errors(appended, rep(c(-3, 3), length.out = n))
    appended$rows <- n
    appended
  }
  expect_null(reason_to_estimate(wrong(9L)))
  expect_match(reason_to_estimate(wrong(10L)), "3.0 times")
})

test_that("counts are compared with the rows of the estimation", {
  d <- appendable_rows(200L)
  fit <- suppressMessages(neargp(count ~ h, d[1:120, ], coords = ~ x + y, family = poisson(),
    method = vnngp(8), threads = 1L))
  more <- suppressMessages(update(fit, newdata = d[121:150, ]))
  expect_null(reason_to_estimate(more$appended))
  expect_gt(more$appended$expected, 0.5)
  expect_lt(more$appended$expected, 1.5)
  wild <- transform(d[121:150, ], count = count + rep(c(0L, 30L), 15L))
  expect_message(update(fit, newdata = wild), class = "neargp_message_appended")
})
