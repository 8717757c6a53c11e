# The numbers and the time are taken out: what is left is the page a user reads.
blank_numbers <- function(lines) {
  lines <- gsub("-?[0-9]+\\.?[0-9]*(e[-+]?[0-9]+)?", "#", lines)
  gsub(" +", " ", lines)
}

test_that("print() and summary() of fits read well", {
  skip_unless_extended()
  data <- simulated_data(120)
  data$z[3] <- NA
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 15),
    covariance = cov_matern(1.5), threads = 1)
  expect_snapshot(print(fit), transform = blank_numbers)
  expect_snapshot(print(summary(fit)), transform = blank_numbers)
  fixed <- neargp(z ~ 0, data, coords = ~ x + y, method = loo_k(k = 15), nugget = 0.1, threads = 1,
    covariance = cov_exponential(range = 0.2) + cov_gaussian(variance = 1, range = 0.5))
  expect_snapshot(print(fixed), transform = blank_numbers)
})

test_that("print() states what is at a boundary", {
  fit <- neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = vecchia(k = 5),
    covariance = cov_exponential())
  fit$parameters$at_boundary[2] <- TRUE
  expect_output(print(fit), "At a limit of its search interval: range")
})

test_that("many parameters are printed in lines that fit the console", {
  values <- c(variance_1 = 1, anisotropy_ratio_1 = 0.5, anisotropy_angle_1 = 30, smoothness_1 = 1.5,
    nugget = 0.1)
  withr::local_options(width = 40)
  lines <- strsplit(paste_named(values, 3), "\n")[[1]]
  expect_true(all(nchar(lines) <= 40))
  expect_equal(scan(text = lines[c(1, 3, 5)], what = "", quiet = TRUE), names(values))
  expect_equal(scan(text = lines[c(2, 4, 6)], quiet = TRUE), unname(values))
})

test_that("settings print", {
  skip_unless_extended()
  expect_snapshot(print(vecchia()))
  expect_snapshot(print(loo_k(optimizer = "adam")))
  expect_snapshot(print(cov_matern(nu = NULL, anisotropy = TRUE) + cov_exponential(range = 2)))
  expect_snapshot(print(neargp_control()))
})

test_that("print reports which level of a binomial response is the success, and of how many trials",
  {
    data <- latent_data(150)
    fit <- latent_fit(class ~ 1, binomial(), data)
    expect_match(capture.output(print(fit)),
      sprintf("; %d of 150 are yes", sum(data$class == "yes")), fixed = TRUE, all = FALSE)
    data$trials <- 5
    data$successes <- pmin(data$count, 5)
    fit <- latent_fit(cbind(successes, trials - successes) ~ 1, binomial(), data)
    expect_match(capture.output(print(fit)), sprintf("; %d successes in 750 trials",
      sum(data$successes)), fixed = TRUE, all = FALSE)
  })

test_that("print() reports a field that is forgotten between neighbouring locations", {
  skip_unless_extended()
  data <- latent_data(150)
  fit <- function(range, family) {
    neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(k = 10), family = family,
      covariance = cov_exponential(variance = 1, range = range))
  }
  short <- capture.output(print(fit(1e-3, poisson())))
  expect_match(short, "The process is white noise", all = FALSE)
  expect_match(short, "negative_binomial()", fixed = TRUE, all = FALSE)
  expect_no_match(capture.output(print(fit(1e-3, negative_binomial(2)))),
    "try family = negative_binomial")
  expect_no_match(capture.output(print(fit(0.2, poisson()))), "white noise")
})

test_that("of a component without variance only the variance is told to be at its boundary", {
  fit <- neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = vecchia(k = 5),
    covariance = cov_exponential())
  fit$parameters$at_boundary <- c(TRUE, TRUE, FALSE)
  expect_identical(boundary_parameters(fit),
    "variance (with the other parameters of this component)")
  fit$parameters$at_boundary <- c(TRUE, FALSE, TRUE)
  expect_identical(boundary_parameters(fit), c("variance", "nugget"))
})

test_that("the reason for missing standard errors is the right one", {
  fit <- latent_fit(count ~ 1, poisson(), latent_data(100))
  fit$parameters$std_error <- NA
  fit$convergence$converged <- FALSE
  expect_match(why_no_errors(fit), "did not converge")
  fit$parameters$at_boundary <- TRUE
  expect_match(why_no_errors(fit), "at a limit")
  expect_match(why_no_errors(neargp(z ~ 1, simulated_data(60), coords = ~ x + y,
    method = loo_k(k = 5))), "not a likelihood")
})

test_that("of many ranges the effective ones are told by what they are of each", {
  fit <- list(parameters = data.frame(name = paste0("range_x", 1:5), estimate = c(1, 2, 3, 4, 5)))
  effective <- stats::setNames(4.74 * 1:5, fit$parameters$name)
  expect_identical(effective_range_line(fit, effective, 3L),
    "Effective range (correlation 0.05): 4.74 times each range")
  expect_null(common_multiple(fit, replace(effective, 2L, 1)))
  expect_null(common_multiple(fit, effective + Inf))
})

test_that("standard deviations stand beside variances, and shapes that are fixed in the title", {
  fit <- neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = vecchia(k = 5),
    covariance = cov_matern(nu = 1.5))
  known <- coef(fit, what = "covariance")
  expect_match(printed_text(fit), sprintf("Process sd %s, noise sd %s", format(signif(sqrt(
    known[["variance"]]), 4)), format(signif(sqrt(known[["nugget"]]), 4))), fixed = TRUE)
  for (shown in c(printed_text(fit), printed_text(summary(fit)))) {
    expect_no_match(shown, "smoothness 1.5|NA")
    expect_match(shown, "smoothness nu = 1.5", fixed = TRUE)
  }
  expect_true("smoothness" %in% rownames(summary(fit)$covariance))
  counts <- latent_fit(count ~ 1, poisson(), latent_data(60))
  expect_match(printed_text(counts), "Process sd [0-9.]+ \\(log scale\\)")
  expect_no_match(printed_text(counts), "noise sd")
})

test_that("parameters that are fixed are said to be, and not to have no error", {
  fit <- neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = vecchia(k = 5),
    covariance = cov_exponential(range = 0.2))
  expect_match(printed_text(summary(fit)), "range 0.2 fixed", fixed = TRUE)
})

test_that("many ranges are a table, the most effective coordinate first", {
  withr::local_seed(1)
  data <- as.data.frame(matrix(stats::runif(600), 100, 6))
  data$V3 <- 1000 * data$V3
  data$z <- stats::rnorm(100)
  range <- c(5, 1, 400, 3, 2, 4)
  fit <- neargp(z ~ 1, data, coords = ~ ., method = vecchia(k = 5), nugget = 0.1,
    covariance = cov_matern(variance = 1, range = range, ard = TRUE))
  sorted <- order(range / vapply(data[1:6], stats::sd, 0))
  table <- printed_ranges(fit)
  expect_identical(table$coordinate, paste0("V", sorted))
  expect_equal(table$range, range[sorted])
  expect_equal(table$in_sd, sort(range / vapply(data[1:6], stats::sd, 0)), ignore_attr = TRUE)
  lines <- capture.output(print(fit))
  at <- grep("Ranges, from the coordinate with the most effect", lines)
  expect_match(lines[at + 2L], paste0("V", sorted[1L]))
  lines <- capture.output(print(summary(fit)))
  expect_identical(regmatches(lines, regexpr("^range_V[0-9]", lines)), paste0("range_V", sorted))
})

test_that("ranges show their unit", {
  stations <- colorado_precipitation()[1:60, ]
  fit <- neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326,
    covariance = cov_exponential(variance = 1e4, range = 300), nugget = 100)
  expect_match(printed_text(fit), "range \\(km\\)")
})
