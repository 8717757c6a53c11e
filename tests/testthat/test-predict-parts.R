test_that("process and trend are those of a model whose coefficients have a very wide prior", {
  local_device("cpu")
  data <- simulated_data(60)
  new <- simulated_data(25, seed = 2)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(), verbose = FALSE)
  estimate <- coef(fit, what = "covariance")
  covariance <- function(a, b) {
    distance <- as.matrix(stats::dist(rbind(as.matrix(a[c("x", "y")]), as.matrix(b[c("x", "y")]))))
    estimate[["variance"]] * exp(-distance[seq_len(nrow(a)), nrow(a) + seq_len(nrow(b))] /
      estimate[["range"]])
  }
  X <- cbind(1, data$height)
  X0 <- cbind(1, new$height)
  of_data <- covariance(data, data) + diag(estimate[["nugget"]], 60) + 1e5 * tcrossprod(X)
  given <- function(cross, own) {
    cross <- unname(cross)
    list(mean = drop(crossprod(cross, solve(of_data, data$z))),
      variance = own - colSums(cross * solve(of_data, cross)))
  }
  process <- given(covariance(data, new), estimate[["variance"]])
  trend <- given(1e5 * X %*% t(X0), 1e5 * rowSums(X0^2))
  found <- predict(fit, new, type = "process", parameters = "plug-in")
  expect_equal(found$mean, process$mean, tolerance = 1e-4)
  expect_equal(found$sd^2, process$variance, tolerance = 1e-4)
  expect_equal(predict(fit, new[c("x", "y")], type = "process", parameters = "plug-in"), found)
  found <- predict(fit, new, type = "trend", parameters = "plug-in")
  expect_equal(found$mean, trend$mean, tolerance = 1e-4)
  expect_equal(found$sd^2, trend$variance, tolerance = 1e-4)
})

test_extended("parts of any fit add up to its field", {
  data <- simulated_data(120)
  data$count <- stats::rpois(120, exp(data$z / 4))
  data$time <- 1 + data$x
  fits <- list(fit_once(data = data),
    neargp(count ~ height + offset(log(time)), data, coords = ~ x + y, family = poisson(),
      method = vnngp(8), verbose = FALSE),
    neargp(count ~ height, data, coords = ~ x + y, family = poisson(), method = loo_k(8),
      verbose = FALSE))
  new <- transform(simulated_data(9, seed = 2), time = 2)
  for (fit in fits) {
    part <- function(type, ...) predict(fit, new, type = type, ...)
    field <- part("link")
    expect_equal(part("process")$mean + part("trend")$mean, field$mean)
    limits <- part("process", interval = "confidence", level = 0.8)
    expect_equal(limits$upper - limits$mean, stats::qnorm(0.9) * limits$sd)
  }
  joint <- predict(fits[[1]], new, type = "process", joint = TRUE, k = 120)
  expect_equal(sqrt(diag(attr(joint, "covariance"))), predict(fits[[1]], new, type = "process",
    k = 120)$sd, ignore_attr = TRUE)
})

test_that("a raster of the process needs no layers of covariates", {
  skip_if_not_installed("terra")
  fit <- fit_once()
  raster <- terra::rast(nrows = 3, ncols = 4, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "")
  cells <- data.frame(terra::xyFromCell(raster, 1:12))
  expect_equal(terra::values(predict(fit, raster, type = "process"))[, "mean"],
    predict(fit, cells, type = "process")$mean)
  expect_error(predict(fit, raster, type = "trend"), class = "neargp_error_newdata")
})

test_that("parts of the field are not observations", {
  fit <- fit_once()
  new <- simulated_data(3, seed = 2)
  expect_error(predict(fit, new, type = "process", interval = "prediction"), "`interval`",
    class = "neargp_error_argument")
  expect_error(predict(fit, new, type = "trend", threshold = 1), "`threshold`",
    class = "neargp_error_argument")
  expect_error(predict(fit, new, type = "process", local_mean = TRUE), "`local_mean`",
    class = "neargp_error_argument")
  expect_error(predict(fit, new, type = "trend", joint = TRUE), "`joint`",
    class = "neargp_error_argument")
  expect_error(predict(fit, new["x"], type = "process"), class = "neargp_error_newdata")
})
