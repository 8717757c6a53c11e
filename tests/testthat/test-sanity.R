# sanity() on fits with and without problems.

sane_rows <- function(n = 200L) {
  set.seed(3)
  d <- data.frame(x = runif(n), y = runif(n), a = rnorm(n))
  d$b <- d$a + rnorm(n, sd = 0.01)
  d$noise <- rnorm(n)
  d$z <- sin(12 * d$x) + cos(10 * d$y) + 0.3 * d$a + rnorm(n, sd = 0.3)
  d$count <- rpois(n, exp(1 + sin(12 * d$x)))
  d
}

sane_fit <- function(formula, ...) {
  suppressMessages(suppressWarnings(neargp(formula, sane_rows(), coords = ~ x + y, ...)))
}

ok_of <- function(checks, check) checks$ok[checks$check == check]

test_that("a good fit passes all checks", {
  checks <- sanity(sane_fit(z ~ a, method = vecchia(), covariance = cov_matern()))
  expect_named(checks, c("check", "ok", "finding", "remedy"))
  expect_true(all(checks$ok %in% c(TRUE, NA)))
  expect_true(all(checks$ok[checks$check %in% c("convergence", "gradient", "neighbours")]))
  expect_output(print(checks), "No problem found")
  counts <- sanity(sane_fit(count ~ 1, family = poisson(), method = vnngp(k = 8)))
  expect_false(any(counts$ok %in% FALSE))
})

test_that("problems are found, with remedies", {
  expect_false(ok_of(sanity(sane_fit(z ~ a + b)), "trend"))
  nothing <- sanity(sane_fit(noise ~ 1))
  expect_false(all(nothing$ok %in% c(TRUE, NA)))
  early <- sanity(sane_fit(z ~ 1, method = vecchia(k = 8),
    control = neargp_control(max_iterations = 1L, max_refreshes = 1L)))
  expect_false(ok_of(early, "convergence"))
  expect_match(early$remedy[early$check == "convergence"], "start = fit")
  expect_output(print(early), "found a problem")
  few <- suppressMessages(suppressWarnings(neargp(z ~ a, sane_rows()[1:15, ], coords = ~ x + y)))
  expect_false(ok_of(sanity(few), "rows"))
  lossy <- sane_fit(z ~ 1, method = vecchia(k = 2, condition = "auto", estimation = "REML"))
  expect_true(ok_of(sanity(lossy), "neighbours") %in% c(TRUE, FALSE))
})

test_that("all kinds of fits are checked", {
  alone <- sanity(sane_fit(z ~ a, covariance = cov_none()))
  expect_true(is.na(ok_of(alone, "process")))
  classes <- sane_fit(I(z > 0) ~ 1)
  expect_s3_class(sanity(classes), "neargp_sanity")
  several <- sane_fit(cbind(z, noise) ~ 1, method = vecchia(k = 8))
  expect_s3_class(sanity(several), "neargp_sanity")
  expect_s3_class(sanity(sane_fit(z ~ 1, method = svgp(inducing = 20))), "neargp_sanity")
  expect_error(sanity(1), class = "neargp_error_argument")
})

test_that("a process without noise accounts for all of the variance, in plain numbers", {
  d <- sane_rows(60)
  d$smooth <- sin(3 * d$x) + cos(2 * d$y)
  fit <- suppressMessages(suppressWarnings(neargp(smooth ~ 1, d, coords = ~ x + y)))
  expect_match(sanity(fit)$finding, "accounts for 100% of", all = FALSE)
})

test_that("a range in space without effect has a remedy in space and time", {
  set.seed(1)
  d <- merge(data.frame(x = runif(15), y = runif(15)), data.frame(day = 1:8))
  d$z <- rnorm(8)[d$day] + rnorm(120, sd = 0.05)
  fit <- suppressMessages(suppressWarnings(neargp(z ~ 1, d, coords = ~ x + y, time = ~ day)))
  checks <- sanity(fit)
  expect_match(checks$remedy[checks$check == "boundary"], "no effect of the distance in space")
})
