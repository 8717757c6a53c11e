# Plots of the correlations of fits of several responses.

# Three categories whose log ratios depend on each other strongly.
fit_dependent_kinds <- function() {
  set.seed(1)
  d <- data.frame(x = runif(60), y = runif(60))
  d$kind <- ifelse(d$x < 0.4, "wood", sample(c("bog", "heath"), 60, TRUE))
  neargp(kind ~ 1, d, coords = ~ x + y, family = multinomial(), method = vnngp(k = 5))
}

test_that("correlations are at most 1, also after rounding", {
  set.seed(1)
  for (i in 1:50) {
    B <- tcrossprod(matrix(rnorm(3), 3))  # rank 1: all correlations are 1 or -1
    found <- correlations_of(B)
    expect_true(all(abs(found) <= 1))
    expect_identical(diag(found), rep(1, 3))
    expect_equal(abs(found), matrix(1, 3, 3))
  }
  expect_identical(is.na(diag(correlations_of(diag(c(1, 0))))), c(FALSE, TRUE))
})

test_extended("plots show all correlations, with numbers that are legible and a title of the fit", {
  fit <- fit_dependent_kinds()
  withr::local_pdf(NULL)
  before <- par("mai", "mfrow")
  expect_invisible(plot(fit))
  expect_identical(par("mai", "mfrow"), before)
  expect_identical(correlation_title(fit), "Correlations of log ratios to bog")
  expect_identical(colours_of_numbers(c(-0.9, -0.5, NA, 0.5, 1)),
    c("white", "black", "black", "black", "white"))
  skip_if_not_installed("ggplot2")
  shown <- ggplot2::layer_data(ggplot2::autoplot(fit), 1L)
  expect_false("grey50" %in% shown$fill)
})

test_extended("other plots of one response are refused with what is shown", {
  fit <- fit_dependent_kinds()
  withr::local_pdf(NULL)
  for (given in list(list("residuals"), list("pit"), list("map"), list(which = 1),
    list(type = "l"))) {
    expect_error(do.call(plot, c(list(fit), given)), "shows their correlations",
      class = "neargp_error_argument")
  }
})
