boundary_data <- function(n = 200, seed = 3) {
  withr::local_seed(seed)
  data.frame(x = runif(n, 0, 10), y = runif(n, 0, 10), h = rnorm(n))
}

test_that("a range at its bound is reported with the bound in the units of the data and what to do",
  {
    data <- boundary_data()
    data$z <- 3 * data$x + withr::with_seed(1, rnorm(200, sd = 0.01))
    fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(15),
      covariance = cov_gaussian()))
    fit$parameters$at_boundary[] <- FALSE
    fit$parameters$working[2L] <- fit$bounds$upper[2L]
    fit$parameters$estimate[2L] <- exp(fit$bounds$upper[2L])
    fit$parameters$at_boundary[2L] <- TRUE
    expect_match(boundary_advice(fit),
      "range: its bound, .* is 100 times the extent of the locations")
    expect_equal(exp(fit$bounds$upper[["range"]]),
      100 * 2 * sqrt(2) * sqrt(mean(c(var(data$x), var(data$y)))))
  })

test_that("white noise has a variance that is told to be none, and noise-free data a nugget", {
  data <- boundary_data()
  data$z <- withr::with_seed(4, rnorm(200))
  noise <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(15),
    covariance = cov_exponential()))
  noise$parameters$at_boundary[1L] <- TRUE
  noise$parameters$working[1L] <- noise$bounds$lower[["variance"]]
  expect_match(boundary_advice(noise)[1L], "variance: the data show no process beyond the trend")
  noise$layout$kind[2L] <- "variance"
  expect_match(boundary_advice(noise)[1L], "variance: the data show no such component")
  data$z <- sin(data$x) + cos(data$y)
  smooth <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(15),
    covariance = cov_exponential()))
  expect_true(smooth$parameters$at_boundary[smooth$parameters$name == "nugget"])
  expect_match(paste(capture.output(print(smooth)), collapse = " "),
    "nugget: the process passes through the data: use nugget = 0")
})

test_that("a parameter without information is not taken for a small one", {
  data <- boundary_data()
  data$z <- sin(data$x) + cos(data$y) + withr::with_seed(4, rnorm(200, sd = 0.2))
  data$g <- factor(rep(1:20, 10))
  data$z <- data$z + withr::with_seed(5, rnorm(20))[data$g]
  fit <- neargp(z ~ (1 | g), data, coords = ~ x + y, method = vecchia(15),
    covariance = cov_exponential(), nugget = 0.05)
  vague <- fit$layout$kind %in% c("variance", "effect_sd")
  problem <- list(layout = fit$layout, bounds = fit$bounds, free = !fit$layout$fixed)
  fit$parameters$at_boundary <- at_bound(fit$parameters$working, problem,
    diag(ifelse(vague, 1e-3, 1)))
  expect_true(all(fit$parameters$at_boundary[vague]))
  printed <- printed_text(fit)
  expect_match(printed, "Poorly determined by the data: variance \\(with .*\\), sd_\\(Intercept\\)\\|g")
  expect_match(printed, "variance: the likelihood is nearly flat about the estimate, ")
  expect_match(printed, "error is not available. +Keep the term")
  expect_no_match(printed, "leave (it|the term) out|at the boundary|no such")
})

test_that("a likelihood that is flat in the range is reported", {
  data <- boundary_data()
  data$z <- withr::with_seed(2, rnorm(200)) * 0.3 + 0.2 * data$x
  fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(15),
    covariance = cov_exponential()))
  table <- fit$parameters
  table$std_error[2L] <- 2 * table$estimate[2L]
  table$std_error[1L] <- 0.1 * table$estimate[1L]
  table$at_boundary[] <- FALSE
  fit$parameters <- table
  expect_match(flat_likelihood_note(fit), fixed = TRUE,
    "The data contain little information about range: the standard error exceeds the estimate. To get a definite value, fix variance or range, give a prior (see ?pc_priors), or use data from a larger area.")
  refused <- fit
  refused$method <- svgp(10)
  expect_match(flat_likelihood_note(refused), "fix variance or range, or use data from")
  # a fit to rows of a file keeps no coordinates
  streamed <- fit
  class(streamed) <- c("neargp_streamed", class(fit))
  streamed$locations$metric <- "longlat"
  streamed$data$coords <- NULL
  expect_match(flat_likelihood_note(streamed), "fix variance or range, or give a prior")
  both <- fit
  both$parameters$std_error[1L] <- 2 * table$estimate[1L]
  expect_match(flat_likelihood_note(both), "about variance and range: the standard errors exceed the estimates")
  table$std_error[] <- 0.1 * table$estimate
  fit$parameters <- table
  expect_null(flat_likelihood_note(fit))
})

test_that("no larger area is asked for on a globe that the data or their correlation span", {
  spans <- function(lon, lat, range) {
    data <- withr::with_seed(1, data.frame(lon = runif(60, -lon, lon), lat = runif(60, -lat, lat)))
    data$z <- sin(data$lon / 20) + data$lat / 90
    fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ lon + lat, distance = "chordal",
      method = vecchia(5), nugget = 0.1, covariance = cov_exponential(1, range)))
    beyond_sphere(fit)
  }
  expect_true(spans(180, 80, 100))
  expect_false(spans(10, 10, 100))
  expect_true(spans(10, 10, 7000))
})

test_that("ranges of coordinates that play no part are told as that", {
  data <- boundary_data()
  data$z <- sin(data$x) + withr::with_seed(5, rnorm(200, sd = 0.1))
  fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y + h, method = vecchia(15),
    covariance = cov_matern(nu = 2.5, ard = TRUE)))
  ranges <- c("range_x", "range_y", "range_h")
  fit$parameters$estimate[match(ranges, fit$parameters$name)] <- exp(fit$bounds$upper[ranges]) *
    c(0.2, 1, 0.7)
  fit$parameters$at_boundary <- fit$parameters$name == "range_y"
  expect_identical(fit$parameters$name[idle_ranges(fit)], ranges[-1L])
  expect_match(idle_ranges_note(fit),
    "Almost no effect of y and h: .* more than 50 times .* without these coordinates")
  expect_length(boundary_advice(fit), 0L)
  printed <- paste(capture.output(print(fit)), collapse = " ")
  expect_match(printed, "At a limit of its search interval: range_y")
  expect_match(printed, "y and h: the ranges are more than 50 times")
  fit$parameters$estimate[match(ranges, fit$parameters$name)] <- exp(fit$bounds$upper[ranges])
  fit$parameters$at_boundary <- fit$parameters$name %in% ranges
  expect_null(idle_ranges_note(fit))
  expect_length(boundary_advice(fit), 3L)
})

test_extended("coordinates that are covariates of the covariance are not called idle", {
  data <- local_data(60)
  data$lon <- 30 * data$x
  data$lat <- 20 * data$y
  noted <- function(warp, coords = ~ x + height, ...) {
    fit <- suppressWarnings(neargp(z ~ 1, data, coords = coords, method = vecchia(k = 5), ...,
      covariance = cov_exponential(ard = TRUE, warp = warp),
      control = neargp_control(max_iterations = 1L)))
    fit$parameters$estimate[fit$layout$kind == "range"] <- c(1, 1e6)
    idle_ranges_note(fit)
  }
  expect_match(noted(expand(1, ~ wet)), "effect of height: the range is more than")
  expect_match(noted(expand(1, ~ x)), "effect of height: the range is more than")
  expect_match(noted(monotone(~ height)), "effect of height: the range is more than")
  expect_null(noted(expand(1, ~ height)))
  expect_null(noted(expand(1, ~ bumps(2))))
  on_sphere <- function(warp) noted(warp, ~ lon + lat + height, distance = "chordal")
  expect_match(on_sphere(expand(1, ~ lat)), "effect of height: the range is more than")
  expect_null(on_sphere(expand(1, ~ height)))
})

test_that("a fixed variance is not at a bound, nor are the other parameters of its component", {
  set.seed(6)
  data <- data.frame(x = runif(120), y = runif(120))
  data$z <- 5 * sin(9 * data$x) + 3 * data$y^2 + rnorm(120, sd = 0.3)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_matern(nu = 1.5, variance = 9))
  free <- !fit$layout$fixed
  expect_false(any(fit$parameters$at_boundary))
  deviation <- sqrt(diag(solve(fit$information[free, free])))
  expect_equal(fit$parameters$std_error[free], fit$parameters$estimate[free] * deviation,
    tolerance = 1e-8)
})
