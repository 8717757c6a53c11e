deployed_again <- function(fit) {
  file <- withr::local_tempfile()
  saveRDS(deploy(fit), file)
  readRDS(file)
}

deployable_rows <- function() {
  d <- appendable_rows(1500L)
  d$h <- round(d$h, 1)
  d
}

test_extended("a deployed fit predicts the same bits, also from a file", {
  d <- deployable_rows()
  new <- appendable_rows(30L, seed = 9L)
  same <- function(formula, method, ...) {
    fit <- suppressWarnings(suppressMessages(neargp(formula, d, coords = ~ x + y, method = method,
      covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.6), threads = 1L, ...)))
    small <- deployed_again(fit)
    for (type in c("response", "link", "quantile", "process", "trend")) {
      expect_identical(predict(small, new, type = type), predict(fit, new, type = type))
    }
    expect_identical(predict(small, new, interval = "prediction", threshold = 1),
      predict(fit, new, interval = "prediction", threshold = 1))
    expect_lt(object.size(small), object.size(fit))
  }
  same(z ~ h, vecchia(8), nugget = 0.09)
  same(z ~ h, vecchia(8), nugget = 0.09, measurement_variance = v)
  same(z ~ poly(h, 2) + offset(h^2), vecchia(8), nugget = 0.09)
  same(z ~ h + (1 | g), vecchia(8), nugget = 0.09)
  same(z ~ h, loo_k(8), nugget = 0.09)
  same(z ~ h, svgp(30), nugget = 0.09)
  same(count ~ h, svgp(30), family = poisson())
  same(count ~ h, vnngp(8), family = poisson())
  same(count ~ h, loo_k(8), family = poisson())
  same(positive ~ h, vecchia(8), nugget = 0.09, transform = "log")
})

test_that("small fits, several responses and categories predict the same", {
  d <- appendable_rows()
  new <- appendable_rows(10L, seed = 9L)
  same <- function(formula, method, ...) {
    fit <- suppressMessages(neargp(formula, d, coords = ~ x + y, method = method, threads = 1L))
    expect_identical(predict(deployed_again(fit), new), predict(fit, new))
  }
  same(z ~ h, exact_gp())
  same(wet ~ h, loo_k(8))
  same(cbind(z, positive) ~ h, vecchia(8))
})

test_that("means of polygons, rasters and joint predictions are the same", {
  skip_if_not_installed("sf")
  d <- deployable_rows()
  square <- cbind(c(0.2, 0.6, 0.6, 0.2, 0.2), c(0.2, 0.2, 0.7, 0.7, 0.2))
  polygon <- sf::st_sf(geometry = sf::st_sfc(sf::st_polygon(list(square))))
  for (method in list(vnngp(8), loo_k(8), svgp(20))) {
    fit <- suppressMessages(neargp(count ~ 1, d, coords = ~ x + y, method = method,
      family = poisson(), covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.6),
      threads = 1L))
    small <- deploy(fit)
    if (conditions_on_data(fit)) {
      expect_identical(predict(small, polygon), predict(fit, polygon))
    } else expect_error(predict(small, polygon), class = "neargp_error_method")
    expect_identical(predict(small, d[1:5, ], type = "link", joint = TRUE),
      predict(fit, d[1:5, ], type = "link", joint = TRUE))
  }
  skip_if_not_installed("terra")
  grid <- terra::rast(nrows = 5, ncols = 5, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "")
  expect_identical(terra::values(predict(small, grid)), terra::values(predict(fit, grid)))
})

test_that("data in the environment of a formula are left out, and its functions are kept", {
  fit_inside <- function() {
    d <- deployable_rows()
    large <- rnorm(1e5)
    scale_by <- 2
    doubled <- function(x) scale_by * x
    neargp(z ~ doubled(h) + I(h^scale_by), d, coords = ~ x + y, method = vecchia(8), nugget = 0.09,
      covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.6), threads = 1L)
  }
  fit <- fit_inside()
  environment(environment(fit$formula)$doubled) <- list2env(list(scale_by = 2),
    parent = globalenv())
  small <- deploy(fit)
  expect_lt(length(serialize(small, NULL)), 0.2 * length(serialize(fit, NULL)))
  new <- appendable_rows(10L, seed = 9L)
  expect_identical(predict(deployed_again(fit), new), predict(fit, new))
})

test_that("fits on inducing points keep few rows", {
  d <- appendable_rows(4000L)
  fit <- neargp(z ~ 1, d, coords = ~ x + y, method = svgp(10), nugget = 0.09,
    covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.6), threads = 1L)
  small <- deploy(fit)
  expect_lte(small$rows[["data$y"]]$length, 1000L)
  expect_identical(predict(small, d[1:9, ]), predict(fit, d[1:9, ]))
  expect_message(predict(small, data.frame(x = 100, y = 100)), class = "neargp_message_far")
})

test_that("the format is the one that the help page describes", {
  d <- deployable_rows()
  fit <- neargp(z ~ h, d, coords = ~ x + y, method = vecchia(8), nugget = 0.09,
    covariance = cov_matern(nu = 1.5, range = 0.3, variance = 0.6), threads = 1L)
  small <- deploy(fit)
  expect_identical(names(small), c("format", "version", "class", "model", "rows", "cache"))
  expect_identical(small$rows[["data$offset"]], list(length = 1500L, value = 0))
  expect_identical(deployed_fit(small)$data$y, fit$data$y)
  expect_identical(deployed_fit(small)$data$X, fit$data$X)
  expect_match(paste(capture.output(print(small)), collapse = " "), "only predicts")
  expect_error(predict(replace(small, "format", list(9L)), d), class = "neargp_error_version")
  expect_error(deploy(1), class = "neargp_error_argument")
  expect_error(predict(small), class = "neargp_error_newdata")
})
