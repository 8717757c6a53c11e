test_that("update() of a call goes on as before, and tells of rows that it leaves out", {
  d <- appendable_rows()
  fit <- neargp(z ~ 1, d[1:90, ], coords = ~ x + y, method = vecchia(8), nugget = 0.09,
    covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.6))
  expect_identical(formula(update(fit, . ~ h)), z ~ h)
  expect_identical(formula(update(fit, . ~ h, newdata = NULL, refit = FALSE)), z ~ h)
  expect_identical(update(fit, . ~ h, evaluate = FALSE)$formula, z ~ h)
  more <- update(fit, newdata = d[91:100, ])
  expect_message(again <- update(more, . ~ h), "without the 10 rows that",
    class = "neargp_message_appended")
  expect_identical(nobs(again), 90L)
  estimated <- update(more, refit = TRUE)
  expect_message(update(estimated, . ~ h), "without the 10 rows that",
    class = "neargp_message_appended")
  expect_error(update(fit, . ~ h, newdata = d[91, ]), class = "neargp_error_argument")
  expect_error(update(fit, refit = TRUE, evaluate = FALSE), class = "neargp_error_argument")
  expect_error(update(fit, refit = "yes"), class = "neargp_error_argument")
})

test_that("the original fit is unchanged, and all that reads fits accepts the new one", {
  d <- appendable_rows()
  fit <- neargp(z ~ h, d[1:90, ], coords = ~ x + y, method = vecchia(8), nugget = 0.09,
    covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.6))
  before <- predict(fit, d[91:120, ])
  more <- update(fit, newdata = d[91:120, ])
  expect_identical(predict(fit, d[91:120, ]), before)
  expect_identical(names(more), names(fit))
  expect_identical(nrow(loo_predict(more)), 120L)
  expect_identical(length(fitted(more)), 120L)
  expect_s3_class(cross_validate(more, folds = 3), "neargp_cv")
  expect_identical(dim(simulate(more, nsim = 2, newdata = d[1:3, ])), c(3L, 2L))
  expect_error(needed_data(more, "effects()"), class = "neargp_error_newdata")
})

test_that("fits that cannot take rows say so", {
  d <- appendable_rows()
  fit_by <- function(formula, ...) {
    suppressWarnings(suppressMessages(neargp(formula, d, coords = ~ x + y, ..., threads = 1L)))
  }
  refused <- function(fit) {
    expect_error(update(fit, newdata = d[1:2, ]), class = "neargp_error_method")
    expect_error(update(fit, refit = TRUE), class = "neargp_error_method")
  }
  refused(fit_by(z ~ 1, method = svgp(8)))
  refused(fit_by(z ~ 1, method = vecchia(8, inducing = 8)))
  refused(fit_by(z ~ 1, method = vnngp(8, posterior = "mean-field")))
  refused(fit_by(cbind(z, positive) ~ 1, method = vecchia(8)))
  refused(fit_by(wet ~ 1, method = loo_k(8)))
  refused(fit_by(z ~ learner(lm, predictors = ~ h), method = vecchia(8)))
  d$present <- as.integer(d$count > 0)
  presence <- fit_by(present ~ 1, method = vnngp(8), family = binomial())
  positive <- suppressMessages(update(presence, positive ~ 1, family = Gamma(link = "log")))
  refused(neargp_hurdle(presence, positive))
})
