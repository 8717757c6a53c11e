test_that("bumps keep their knots, and leave out those far from all rows", {
  place <- expand.grid(x = seq(0, 1, 0.1), y = seq(0, 1, 0.1))
  place <- place[place$x < 0.5 | place$y < 0.5, ]
  all <- bumps(place$x, place$y, 4)
  expect_equal(ncol(all), 15L)
  some <- bumps(place$x[3:5], place$y[3:5], 4, knots = attr(all, "knots"),
    spacing = attr(all, "spacing"))
  expect_equal(unclass(some)[, ], unclass(all)[3:5, ], ignore_attr = TRUE)
  expect_error(bumps(4), class = "neargp_error_argument")
  expect_error(bumps(rep(1, 5), 3), class = "neargp_error_argument")
  expect_error(do.call(bumps, c(rep(list(place$x), 30), 3)), "knots",
    class = "neargp_error_argument")
  fit <- lm(y ~ bumps(x, 3), place)
  expect_equal(unname(predict(fit, place[4:5, ])), unname(fitted(fit)[4:5]))
})

test_that("bumps keep the value at the edge beyond the rows, are missing where a variable is, and may have no rows", {
  place <- expand.grid(x = seq(0, 1, 0.1), y = seq(0, 2, 0.1))
  all <- bumps(place$x, place$y, 3)
  again <- function(x, y) {
    bumps(x, y, 3, knots = attr(all, "knots"), spacing = attr(all, "spacing"),
      limits = attr(all, "limits"))
  }
  expect_equal(again(c(-9, 0.5, 7), c(1, 30, -2)), again(c(0, 0.5, 1), c(1, 2, 0)))
  expect_equal(is.na(again(c(NA, 0.5), c(1, 1)))[, 1L], c(TRUE, FALSE))
  expect_equal(dim(again(double(0), double(0))), c(0L, ncol(all)))
  fit <- lm(sin(x) ~ bumps(x, 3), place)
  expect_equal(unname(predict(fit, data.frame(x = c(-4, 0)))), rep(unname(fitted(fit)[1L]), 2L))
})

test_that("what bumps lack is told", {
  expect_error(bumps(), "bumps(x, 4)", fixed = TRUE, class = "neargp_error_argument")
  expect_error(bumps(runif(5)), "`count` of", class = "neargp_error_argument")
  expect_error(bumps(runif(5), runif(5), 200), "smaller count", class = "neargp_error_argument")
  error <- tryCatch(local_fit(cov_exponential(range = ~ bumps(1)), vecchia(k = 5)),
    error = identity)
  expect_s3_class(error, "neargp_error_formula")
  expect_s3_class(error$parent, "neargp_error_argument")
  expect_false(grepl("``", conditionMessage(error), fixed = TRUE))
})
