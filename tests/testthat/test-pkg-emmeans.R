emmeans_fit <- function(data, formula, ...) {
  skip_if_not_installed("emmeans")
  environment(formula) <- environment()
  neargp(formula, data, coords = ~ x + y, method = exact_gp(), covariance = cov_exponential(), ...)
}

test_that("marginal means are linear functions of the trend", {
  fit <- emmeans_fit(simulated_data(100), z ~ height * group)
  means <- function(...) as.data.frame(suppressMessages(emmeans::emmeans(fit, "group", ...)))
  table <- means()
  grid <- data.frame(height = mean(fit$data$X[, "height"]), group = c("a", "b", "c"))
  X <- model.matrix(~ height * group, grid)
  expect_equal(table$emmean, unname(drop(X %*% coef(fit))))
  expect_equal(table$SE, unname(sqrt(diag(X %*% vcov(fit) %*% t(X)))))
  expect_identical(table$df, rep(Inf, 3L))
  slopes <- as.data.frame(emmeans::emtrends(fit, "group", var = "height"))
  expect_equal(slopes$height.trend, unname(coef(fit)[["height"]] +
    c(0, coef(fit)[c("height:groupb", "height:groupc")])), tolerance = 1e-6)
  pairs <- as.data.frame(suppressMessages(pairs(emmeans::emmeans(fit, "group"), adjust = "none")))
  d <- X[1L, ] - X[2L, ]
  expect_equal(pairs$z.ratio[1L], sum(d * coef(fit)) / sqrt(drop(d %*% vcov(fit) %*% d)))
})

test_that("offsets of the formula and of the argument are averaged over", {
  skip_unless_extended()
  data <- transform(simulated_data(100), exposure = 1 + height^2)
  for (fit in list(emmeans_fit(data, z ~ group + offset(exposure)),
    emmeans_fit(data, z ~ group, offset = data$exposure))) {
    table <- as.data.frame(emmeans::emmeans(fit, "group"))
    expect_equal(table$emmean[1L], coef(fit)[[1L]] + mean(fit$data$offset))
  }
})

test_that("of other families they are on the scale of the link, or of the response", {
  skip_unless_extended()
  skip_if_not_installed("emmeans")
  data <- transform(simulated_data(100), count = rep(0:4, 20))
  fit <- neargp(count ~ group, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 5))
  link <- as.data.frame(emmeans::emmeans(fit, "group"))
  expect_equal(link$emmean, unname(coef(fit)[1L] + c(0, coef(fit)[2:3])))
  response <- as.data.frame(emmeans::emmeans(fit, "group", type = "response"))
  expect_equal(response$rate, exp(link$emmean))
})

test_that("data that are gone can be handed over, and other fits are refused", {
  skip_unless_extended()
  skip_if_not_installed("emmeans")
  made <- function() {
    gone <- simulated_data(60)
    list(fit = neargp(z ~ group, gone, coords = ~ x + y, method = exact_gp(),
      covariance = cov_exponential()), data = gone)
  }
  made <- made()
  environment(made$fit$formula) <- emptyenv()
  expect_error(emmeans::ref_grid(made$fit), "no longer found")
  expect_equal(as.data.frame(emmeans::emmeans(made$fit, "group", data = made$data))$emmean[1L],
    coef(made$fit)[[1L]])
  classes <- neargp(group ~ 1, made$data, coords = ~ x + y, method = loo_k(k = 5))
  expect_error(emmeans::ref_grid(classes), "emmeans\\(\\)")
})
