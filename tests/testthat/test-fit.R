# One call of neargp() for each family of methods and each kind of response.
fits_of_every_kind <- function() {
  set.seed(4)
  n <- 70L
  d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  field <- sin(5 * d$x) + d$y
  d$z <- field + rnorm(n, sd = 0.2)
  d$z2 <- d$z - d$x + rnorm(n, sd = 0.2)
  d$count <- rpois(n, exp(field))
  d$wet <- rbinom(n, 1L, plogis(field))
  d$class <- factor(cut(field + rnorm(n, sd = 0.2), 3), labels = c("a", "b", "c"))
  d$share <- plogis(field + rnorm(n, sd = 0.2))
  outputs <- cbind(z, z2) ~ h
  deep <- function(method) method(inducing = 8, width = 2, epochs = 2)
  calls <- list(
    list(z ~ h, vecchia(8)), list(z ~ h, exact_gp()), list(z ~ h, loo_k(8)), list(z ~ h, mll_k(8)),
    list(z ~ h, vecchia(8, inducing = 8)), list(z ~ h, vnngp(6)), list(z ~ h, svgp(8)),
    list(z ~ h, odvgp(8)), list(z ~ h, ppgpr(8)), list(z ~ h, swsgp(6, inducing = 20, epochs = 2)),
    list(z ~ h, deep(dspp)), list(z ~ h, deep(dgp)),
    list(count ~ h, loo_k(8), poisson()), list(count ~ h, vnngp(6), poisson()),
    list(count ~ h, svgp(8), poisson()), list(count ~ h, odvgp(8), poisson()),
    list(count ~ h, ppgpr(8), poisson()), list(count ~ h, deep(dspp), poisson()),
    list(share ~ h, vnngp(6, posterior = "mean-field", optimizer = "adam", epochs = 2),
      beta_response()), list(z ~ h, loo_k(8), student_t()),
    list(class ~ h, loo_k(8), categorical()), list(wet ~ h, loo_k(8), binomial()),
    list(class ~ h, svgp(8), categorical()),
    list(wet ~ h, loo_k(8, "polya-gamma", steps = 4), binomial()),
    list(outputs, vecchia(8)), list(outputs, exact_gp()), list(outputs, loo_k(8)),
    list(outputs, mll_k(8)), list(outputs, svgp(8)), list(outputs, deep(dgp))
  )
  lapply(calls, function(call) {
    suppressMessages(suppressWarnings(neargp(call[[1L]], d, coords = ~ x + y, method = call[[2L]],
      family = if (length(call) > 2L) call[[3L]] else gaussian(), covariance = cov_exponential(),
      threads = 1L)))
  })
}

test_extended("fits of all methods and responses have the fields of new_fit(), in its order", {
  for (fit in fits_of_every_kind()) {
    kind <- paste(class(fit$method)[1L], fit$family$family, class(fit)[1L])
    declared <- listed_fields(new_fit)
    expect_identical(names(fit), declared, label = kind)
    # and what fits to fewer rows change stays within them
    if (is.null(fit$deep) && is.null(fit$outputs) && is.null(fit$classifier)) {
      expect_identical(names(suppressWarnings(restrict_rows(fit$method, fit, 1:60,
        plain_context()))), declared, label = kind)
    }
  }
})

test_extended("all code that reads or writes a `fit` knows its fields", {
  expect_identical(setdiff(fields_of("fit"), listed_fields(new_fit)), character(0))
})

test_that("no more rows than parameters is told", {
  data <- data.frame(x = 1:4, z = c(1, 3, 2, 5))
  few <- function(n, ...) neargp(z ~ 1, data[seq_len(n), ], coords = ~x, method = exact_gp(), ...)
  expect_warning(few(4), "4 observations contain little information about 4 parameters: 1 of the trend and 3 of the covariance",
    class = "neargp_warning_few_rows")
  expect_no_warning(few(4, nugget = 0.1))
})
