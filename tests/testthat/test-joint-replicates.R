# A factor as `by` of the fields of several responses, against dense cokriging within its levels.

yearly <- function(n = 60L, stations = n) {
  withr::with_seed(2, {
    d <- data.frame(x = runif(stations), y = runif(stations))[rep_len(seq_len(stations), n), ]
    d$year <- factor(2021:2023)[(seq_len(n) - 1L) %/% stations %% 3L + 1L]
    if (stations == n) d$year <- gl(3, 1, n, labels = 2021:2023)
    d$z <- rnorm(n)
    d$a <- sin(6 * d$x + as.integer(d$year)) + 0.2 * d$z + rnorm(n, sd = 0.2)
    d$b <- ifelse(seq_len(n) <= n / 4, NA, d$a + cos(5 * d$y))
    d
  })
}

# Cokriging of a ~ z and b ~ 1 at `at`. Covariances are `shared` exp(-h / .3) between all rows, plus
# `yearly` exp(-h / .2) within years.
dense_yearly <- function(d, at, shared, yearly, nuggets) {
  rows <- rbind(data.frame(d[c("x", "y", "year", "z")], m = 1L, value = d$a),
    data.frame(d[c("x", "y", "year", "z")], m = 2L, value = d$b))
  rows <- rows[!is.na(rows$value), ]
  new <- rbind(data.frame(at, m = 1L), data.frame(at, m = 2L))
  covariance <- function(p, q) {
    h <- sqrt(outer(p$x, q$x, "-")^2 + outer(p$y, q$y, "-")^2)
    same <- outer(as.character(p$year), as.character(q$year), "==")
    shared[p$m, q$m] * exp(-h / 0.3) + yearly[p$m, q$m] * exp(-h / 0.2) * same
  }
  design <- function(p) cbind(p$m == 1L, (p$m == 1L) * p$z, p$m == 2L)
  V <- covariance(rows, rows) + diag(nuggets[rows$m])
  C <- covariance(rows, new)
  X <- design(rows)
  trend <- solve(t(X) %*% solve(V, X))
  beta <- trend %*% t(X) %*% solve(V, rows$value)
  unseen <- design(new) - t(C) %*% solve(V, X)
  residual <- rows$value - X %*% beta
  list(mean = drop(design(new) %*% beta + t(C) %*% solve(V, residual)),
    sd = sqrt(diag(covariance(new, new) - t(C) %*% solve(V, C) + unseen %*% trend %*% t(unseen))),
    log_likelihood = -0.5 * (sum(residual * solve(V, residual)) +
      as.double(determinant(V)$modulus) + nrow(rows) * log(2 * pi)))
}

shared_matrix <- matrix(c(0.5, 0.2, 0.2, 0.3), 2L)
yearly_matrix <- matrix(c(1, 0.6, 0.6, 2), 2L)
none <- matrix(0, 2L, 2L)

fit_yearly <- function(d, covariance, ..., k = nrow(d) - 1L) {
  neargp(list(a ~ z, b ~ 1), d, coords = ~ x + y, covariance = covariance,
    method = vnngp(k = k, ...), nugget = list(0.1, 0.2))
}

expect_cokriging <- function(fit, dense, at, tolerance) {
  expect_equal(fit$log_likelihood, dense$log_likelihood, tolerance = tolerance)
  predicted <- predict(fit, at, type = "link")
  expect_equal(c(predicted$mean_a, predicted$mean_b), dense$mean, tolerance = tolerance)
  expect_equal(c(predicted$sd_a, predicted$sd_b), dense$sd, tolerance = tolerance)
}

test_that("responses share independent copies of a field for each level of a factor", {
  d <- yearly()
  at <- data.frame(x = c(0.4, 0.4, 0.9), y = c(0.3, 0.3, 0.1), z = 0.1, year = c("2021", "2022",
    "2023"))
  fit <- fit_yearly(d, cov_coregionalisation(cov_exponential(range = 0.2, by = ~ year),
    matrices = list(yearly_matrix)), factor = "exact", jitter = 1e-10)
  expect_cokriging(fit, dense_yearly(d, at, none, yearly_matrix, c(0.1, 0.2)), at, 1e-5)
  expect_error(predict(fit, transform(at, year = "2030")), "2030", class = "neargp_error_levels")
  # the factor of the second structure only, at stations that are visited each year
  d <- yearly(stations = 20L)
  both <- cov_coregionalisation(cov_exponential(range = 0.3), cov_exponential(range = 0.2,
    by = ~ year), matrices = list(shared_matrix, yearly_matrix))
  dense <- dense_yearly(d, at, shared_matrix, yearly_matrix, c(0.1, 0.2))
  expect_cokriging(fit_yearly(d, both, factor = "exact", jitter = 1e-8), dense, at, 1e-4)
  expect_cokriging(fit_yearly(d, both, k = 30), dense, at, 0.02)
})

test_extended("own fields have copies, and all that follows a fit works", {
  d <- yearly(90L)
  covariance <- cov_coregionalisation(cov_matern(nu = 1.5), rank = 1,
    own = list(b = cov_exponential(by = ~ year)))
  fit <- neargp(list(a ~ z, b ~ 1), list(d, d[!is.na(d$b), ]), coords = ~ x + y,
    covariance = covariance, method = vnngp(k = 89))
  expect_true(fit$convergence$converged)
  expect_match(paste(capture.output(print(fit)), collapse = "\n"), "independent, 3 levels")
  cells <- expand.grid(x = 1:3 / 4, y = 1:3 / 4, year = levels(d$year))
  cells$z <- 0
  index <- predict_index(fit, cells, group = ~ year, statistics = "index", draws = 200, k = 110)
  predicted <- predict(fit, cells)
  expect_equal(index$mean, c(tapply(predicted$mean_a, cells$year, sum), tapply(predicted$mean_b,
    cells$year, sum)), tolerance = 0.02, ignore_attr = TRUE)
  expect_true(all(is.finite(as.matrix(simulate(fit, 2, seed = 1, newdata = cells)))))
  again <- update(fit, start = fit)
  expect_equal(again$log_likelihood, fit$log_likelihood, tolerance = 1e-4)
})

test_that("factors that differ between responses get one classed error", {
  d <- yearly(30L)
  call <- function(data, covariance) {
    neargp(list(a ~ z, b ~ 1), data, coords = ~ x + y, covariance = covariance,
      method = vnngp(k = 5))
  }
  by_year <- cov_coregionalisation(cov_exponential(by = ~ year), rank = 1)
  less <- droplevels(d[d$year != "2022", ])
  expect_error(call(list(d, less), by_year), "same levels", class = "neargp_error_levels")
  d$area <- gl(2, 15)
  expect_error(call(d, cov_coregionalisation(cov_exponential(by = ~ year),
    cov_exponential(by = ~ area), rank = 1)), "one factor", class = "neargp_error_argument")
  expect_error(call(d, cov_coregionalisation(cov_exponential(by = ~ z), rank = 1)), "column",
    class = "neargp_error_argument")
})

test_that("copies of shared fields at the points of sf data are those of plain coordinates", {
  skip_if_not_installed("sf")
  d <- yearly()
  points <- sf::st_as_sf(d, coords = c("x", "y"))
  covariance <- cov_coregionalisation(cov_exponential(range = 0.2, by = ~ year),
    matrices = list(yearly_matrix))
  plain <- fit_yearly(d, covariance)
  fit <- neargp(list(a ~ z, b ~ 1), points, distance = "euclidean", covariance = covariance,
    method = vnngp(k = nrow(d) - 1L), nugget = list(0.1, 0.2))
  expect_equal(fit$log_likelihood, plain$log_likelihood, tolerance = 1e-12)
  expect_equal(sf::st_drop_geometry(predict(fit, points[1:4, ])), predict(plain, d[1:4, ]),
    ignore_attr = TRUE)
})
