effects_plot_data <- function(n = 120) {
  withr::local_seed(4)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), depth = stats::runif(n, 0, 100),
    slope = stats::rnorm(n), gear = rep(c("trawl", "net", "line"), length.out = n),
    site = rep(letters[1:6], each = n / 6))
  data$z <- 5 + 0.5 * data$slope + c(trawl = 1, net = 0, line = -1)[data$gear] +
    sin(data$depth / 15) + stats::rnorm(n, sd = 0.1)
  data
}

held <- cov_exponential(variance = 0.01, range = 0.2)

test_that("effects of linear terms are their coefficients, with errors that do not hold the intercept's", {
  data <- effects_plot_data()
  fit <- neargp(z ~ slope + gear, data, coords = ~ x + y, method = exact_gp(), covariance = held,
    nugget = 0.5)
  tables <- effect_tables(fit, 0.95)
  expect_named(tables, c("slope", "gear"))
  slope <- tables$slope
  expect_equal(range(slope$x), range(data$slope))
  expect_equal(slope$value, coef(fit)[["slope"]] * (slope$x - mean(data$slope)))
  sd <- sqrt(vcov(fit)["slope", "slope"])
  expect_equal(slope$upper - slope$value, stats::qnorm(0.975) * sd *
    abs(slope$x - mean(data$slope)), tolerance = 1e-6)
  levels <- tables$gear
  expect_identical(levels(levels$x), c("line", "net", "trawl"))
  expect_equal(diff(levels$value), diff(c(0, coef(fit)[c("gearnet", "geartrawl")])),
    ignore_attr = TRUE)
  # each level is that of a third of the rows: C = (I - 11'/3) of the levels' coefficients
  contrast <- diag(3) - 1 / 3
  own <- rbind(0, cbind(0, vcov(fit)[c("gearnet", "geartrawl"), c("gearnet", "geartrawl")]))
  expect_equal((levels$upper - levels$value) / stats::qnorm(0.975),
    sqrt(diag(contrast %*% own %*% contrast)), tolerance = 1e-6, ignore_attr = TRUE)
})

test_that("effects of smooths are those of predict(type = \"terms\"), and other covariates do not matter", {
  skip_if_not_installed("mgcv")
  data <- effects_plot_data()
  fit <- neargp(z ~ slope + gear + s(depth) + (1 | site), data, coords = ~ x + y,
    method = exact_gp(), covariance = held, nugget = 0.02)
  tables <- effect_tables(fit, 0.95)
  expect_named(tables, c("slope", "gear", "depth"))
  depth <- tables$depth
  new <- data.frame(data[rep(1, nrow(depth)), ], row.names = NULL)
  new$depth <- depth$x
  terms <- predict(fit, new, type = "terms")
  expect_equal(diff(depth$value), diff(terms[["s(depth)"]]))
  expect_lt(max(abs(depth$value - (sin(depth$x / 15) - mean(sin(data$depth / 15))))), 0.15)
  expect_true(all(depth$lower < depth$value & depth$value < depth$upper))
})

test_that("plot(fit, \"effects\") draws a plot for each covariate, labelled by response and scale", {
  skip_if_not_installed("ggplot2")
  data <- effects_plot_data()
  data$presence <- as.numeric(data$z > 5)
  fit <- neargp(presence ~ slope + gear, data, coords = ~ x + y, family = binomial(),
    method = vnngp(k = 5), covariance = held)
  plots <- ggplot2::autoplot(fit, "effects")
  expect_length(plots, 2L)
  labels <- lapply(plots, function(plot) ggplot2::ggplot_build(plot)$plot$labels)
  expect_identical(labels[[1L]]$y, "Effect on presence (logit scale)")
  expect_identical(labels[[2L]]$x, "gear")
  expect_error(ggplot2::autoplot(example_fit(60), "efects"), class = "neargp_error_argument")
  constant <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5), covariance = held)
  expect_error(plot(constant, "effects"), "must be among", class = "neargp_error_argument")
})

test_that("legends of maps carry the response and its unit", {
  skip_if_not_installed("ggplot2")
  legend <- function(fit, ...) {
    ggplot2::autoplot(fit, "map", cells = 50, ...)$scales$get_scales("fill")$name
  }
  fit <- plotted_fit()
  expect_identical(legend(fit), "z")
  expect_identical(legend(fit, what = "sd"), "sd of z")
  fit$time_kinds <- list(z = list(class = "units", units = "mm"))
  expect_identical(legend(fit), "z (mm)")
  expect_identical(legend(plotted_fit(formula = z ~ elevation)), "effect on z")
})

test_that("a number that the formula makes levels of has an effect at each of them", {
  data <- effects_plot_data()
  data$year <- rep(2015:2020, length.out = nrow(data))
  fit <- neargp(z ~ factor(year) + slope, data, coords = ~ x + y, method = exact_gp(),
    covariance = held, nugget = 0.5)
  tables <- effect_tables(fit, 0.95)
  expect_identical(levels(tables$year$x), as.character(2015:2020))
  expect_equal(diff(tables$year$value), diff(c(0, coef(fit)[2:6])), ignore_attr = TRUE)
  expect_named(tables, c("year", "slope"))
})

test_that("effects on the response scale are means at typical covariates, without process and groups", {
  skip_if_not_installed("ggplot2")
  data <- effects_plot_data()
  withr::local_seed(1)
  data$count <- stats::rpois(nrow(data), exp(data$slope / 2 + (data$gear == "net")))
  data$effort <- stats::runif(nrow(data), 1, 3)
  fit <- neargp(count ~ slope + gear + offset(log(effort)) + (1 | site), data, coords = ~ x + y,
    family = poisson(), method = vnngp(k = 5), covariance = held)
  tables <- effect_tables(fit, 0.95, "response")
  b <- coef(fit)
  slope <- tables$slope
  # line is the first level, and each level has 40 rows
  expect_equal(slope$value,
    stats::median(data$effort) * exp(b[["(Intercept)"]] + b[["slope"]] * slope$x))
  C <- cbind(1, slope$x)
  own <- vcov(fit)[c("(Intercept)", "slope"), c("(Intercept)", "slope")]
  expect_equal(log(slope$upper / slope$value),
    stats::qnorm(0.975) * sqrt(rowSums((C %*% own) * C)), tolerance = 1e-6)
  expect_equal(tables$gear$value[2] / tables$gear$value[1], exp(b[["gearnet"]]))
  plots <- ggplot2::autoplot(fit, "effects", type = "response")
  expect_identical(ggplot2::ggplot_build(plots[[1L]])$plot$labels$y, "count")
  expect_error(ggplot2::autoplot(fit, "effects", type = "mean"), class = "neargp_error_argument")
  logged <- neargp(effort ~ slope, data, coords = ~ x + y, method = exact_gp(), covariance = held,
    transform = "log", nugget = 0.1)
  at <- effect_tables(logged, 0.95, "response")$slope
  expect_equal(at$value, exp(coef(logged)[[1L]] + coef(logged)[[2L]] * at$x))
})
