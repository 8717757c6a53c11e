# Survey quantities against dense kriging, dense draws, and loops over draws in plain R.

index_covariance <- cov_exponential(variance = 0.8, range = 0.3)

index_cells <- function(years = 2001:2003, side = 6L) {
  at <- (seq_len(side) - 0.5) / side
  cells <- expand.grid(x = at, y = at, year = years)
  cells$height <- sin(seq_len(nrow(cells)))
  cells$km2 <- 1 + 0.5 * cos(seq_len(nrow(cells)))
  cells
}

# The quantities of one vector of densities, by the definitions and sdmTMB's loop for edges.
plain_quantities <- function(density, area, x, y, shares) {
  edge <- function(at, share) {
    sums <- tapply(area * density, at, sum)
    below <- cumsum(sums) / sum(sums)
    at <- sort(unique(at))
    i <- which(below >= share)[1]
    if (i == 1) return(at[1])
    at[i - 1] + (share - below[[i - 1]]) / (below[[i]] - below[[i - 1]]) * (at[i] - at[i - 1])
  }
  total <- sum(area * density)
  c(total, sum(x * area * density) / total, sum(y * area * density) / total,
    total / sum(density * area * density / total), edge(x, shares[1]), edge(x, shares[2]),
    edge(y, shares[1]), edge(y, shares[2]))
}

test_that("an index of a Gaussian response has the moments of dense kriging", {
  data <- area_data(60L)
  cells <- index_cells()
  weights <- unname(rowsum(diag(cells$km2), cells$year))
  for (method in list(exact_gp(), vecchia(k = 59))) {
    fit <- neargp(z ~ height, data, coords = ~ x + y, method = method,
      covariance = index_covariance, nugget = 0.1)
    dense <- dense_krige(fit$data, fit$core_covariance, fit$nugget, as.matrix(cells[c("x", "y")]),
      cbind(1, cells$height))
    shuffled <- cells[sample(nrow(cells)), ]
    index <- predict_index(fit, shuffled, area = ~ km2, group = ~ year, statistics = "index",
      level = 0.9, draws = 4000, seed = 1, parameters = "plug-in")
    expect_named(index, c("year", "statistic", "mean", "sd", "lower", "upper"))
    expect_identical(index$year, 2001:2003)
    covariance <- weights %*% dense$covariance %*% t(weights)
    expect_equal(index$mean, drop(weights %*% dense$mean), tolerance = 1e-8)
    expect_equal(index$sd, sqrt(diag(covariance)), tolerance = 1e-6)
    expect_equal(index$upper, index$mean + qnorm(0.95) * index$sd, tolerance = 1e-8)
    # years share the field, as their joint draws show
    draws <- attr(index, "draws")
    expect_lt(max(abs(rowMeans(draws) - index$mean) / index$sd), 0.06)
    expect_equal(stats::cov(t(draws)), covariance, tolerance = 0.1, ignore_attr = TRUE)
  }
})

test_that("centres and areas of a positive Gaussian response agree with the delta method", {
  data <- area_data(60L)
  data$z <- data$z + 60
  cells <- index_cells(2001L)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(),
    covariance = index_covariance, nugget = 0.1)
  dense <- dense_krige(fit$data, fit$core_covariance, fit$nugget, as.matrix(cells[c("x", "y")]),
    cbind(1, cells$height))
  index <- predict_index(fit, cells, area = "km2", draws = 4000, seed = 1,
    statistics = c("center_of_gravity", "effective_area"), parameters = "plug-in")
  quantities <- function(density) {
    plain_quantities(density, cells$km2, cells$x, cells$y, c(0.3, 0.8))[2:4]
  }
  slopes <- vapply(seq_len(nrow(cells)), function(i) {
    step <- replace(double(nrow(cells)), i, 1e-4)
    (quantities(dense$mean + step) - quantities(dense$mean - step)) / 2e-4
  }, double(3))
  sd <- sqrt(diag(slopes %*% dense$covariance %*% t(slopes)))
  expect_equal(index$sd[1:2], sd[1:2], tolerance = 0.05)
  expect_lt(max(abs(index$mean - quantities(dense$mean))[1:2] / sd[1:2]), 0.06)
  expect_identical(index$axis, c("x", "y", NA))
})

test_extended("all quantities of counts are those of dense draws", {
  fit <- neargp(count ~ height, area_data(60L), coords = ~ x + y, family = poisson(),
    method = vnngp(k = 20), covariance = cov_exponential(variance = 0.7, range = 0.3))
  cells <- index_cells(2001L)
  precision <- fit$posterior$pseudo_precision
  observed <- fit$posterior$linear_predictor + fit$posterior$slope / precision
  eta <- dense_field_at(fit, as.matrix(cells[c("x", "y")]), cbind(1, cells$height), precision,
    observed, jitter = 0.7e-6)
  index <- predict_index(fit, cells, area = ~ km2, probs = c(0.3, 0.8), draws = 4000, seed = 1,
    k = 500, parameters = "plug-in")
  expect_identical(index$statistic, rep(c("index", "center_of_gravity", "effective_area",
    "range_edge"), c(1, 2, 1, 4)))
  # the mean is that of the exponential
  expected <- exp(eta$mean + diag(eta$covariance) / 2)
  expect_equal(index$mean[1], sum(cells$km2 * expected), tolerance = 1e-6)
  share <- cells$km2 * expected
  expect_equal(index$sd[1], sqrt(drop(share %*% expm1(eta$covariance) %*% share)),
    tolerance = 0.06)
  set.seed(7)
  density <- exp(eta$mean + t(chol(eta$covariance)) %*% matrix(rnorm(36 * 4000), 36))
  drawn <- apply(density, 2, plain_quantities, cells$km2, cells$x, cells$y, c(0.3, 0.8))
  sd <- apply(drawn, 1, stats::sd)
  expect_equal(index$sd, sd, tolerance = 0.06)
  expect_lt(max(abs(index$mean - rowMeans(drawn)) / sd), 0.08)
  expect_lt(max(abs(index$lower - apply(drawn, 1, quantile, 0.025)) / sd), 0.2)
  expect_identical(attr(index, "draws"), attr(predict_index(fit, cells, area = ~ km2,
    probs = c(0.3, 0.8), draws = 4000, seed = 1, k = 500, parameters = "plug-in"), "draws"))
})

test_that("a hurdle model multiplies both parts", {
  set.seed(4)
  d <- data.frame(x = runif(150), y = runif(150))
  d$catch <- rbinom(150, 1, plogis(1 + sin(6 * d$x))) * rgamma(150, 3, 3 / exp(d$y))
  presence <- neargp((catch > 0) ~ 1, d, coords = ~ x + y, family = binomial(),
    method = vnngp(k = 8), covariance = index_covariance)
  positive <- neargp(catch ~ 1, d[d$catch > 0, ], coords = ~ x + y, family = Gamma("log"),
    method = vnngp(k = 8), covariance = cov_exponential(variance = 0.3, range = 0.3))
  hurdle <- neargp_hurdle(presence, positive)
  cells <- index_cells(2001:2002)
  index <- predict_index(hurdle, cells, area = ~ km2, group = "year", draws = 3000, seed = 1)
  total <- index[index$statistic == "index", ]
  cellwise <- tapply(cells$km2 * predict(hurdle, cells)$mean, cells$year, sum)
  expect_lt(max(abs(total$mean - cellwise) / total$sd), 0.05)
  # independent draws of both parts, through simulate()
  link <- function(fit, seed) as.matrix(simulate(fit, 3000, seed = seed, newdata = cells[1:36, ],
    type = "link"))
  products <- colSums(cells$km2[1:36] * plogis(link(presence, 5)) * exp(link(positive, 6)))
  expect_equal(total$sd[1], stats::sd(products), tolerance = 0.12)
})

test_extended("transforms and averages over parameters keep the mean of the cells", {
  data <- area_data(60L)
  data$amount <- exp(data$z)
  cells <- index_cells(2001L)
  expect_sum_of_cells <- function(parameters, ...) {
    fit <- suppressMessages(neargp(data = data, coords = ~ x + y, ...))
    index <- predict_index(fit, cells, area = ~ km2, draws = 500, seed = 2,
      parameters = parameters, statistics = "index")
    cellwise <- sum(cells$km2 * predict(fit, cells, parameters = parameters)$mean)
    expect_lt(abs(index$mean - cellwise) / index$sd, 0.05)
    expect_lt(abs(mean(attr(index, "draws")) - cellwise) / index$sd, 0.25)
    expect_identical(ncol(attr(index, "draws")), 500L)
  }
  expect_sum_of_cells("plug-in", amount ~ height, transform = "log", method = exact_gp())
  expect_sum_of_cells("integrated", z ~ height, method = exact_gp())
  expect_sum_of_cells("integrated", count ~ height, family = poisson(), method = vnngp(k = 10))
})

test_extended("the time of the fit is the default group, and further columns are groups", {
  set.seed(6)
  d <- data.frame(x = runif(80), y = runif(80), day = as.Date("2024-01-01") + 0:3)
  d$z <- 10 + sin(5 * d$x) + rnorm(80, sd = 0.1)
  fit <- suppressMessages(neargp(z ~ 1, d, coords = ~ x + y, time = ~ day,
    covariance = cov_spacetime(), method = vecchia(k = 8)))
  cells <- expand.grid(x = c(0.2, 0.8), y = c(0.3, 0.6), day = as.Date("2024-01-02") + 0:1)
  cells$region <- ifelse(cells$x < 0.5, "west", "east")
  expect_identical(predict_index(fit, cells, statistics = "index", draws = 10)$day,
    as.Date("2024-01-02") + 0:1)
  both <- predict_index(fit, cells, group = ~ day + region, draws = 50, seed = 1)
  expect_identical(unique(both$region), c("east", "west"))
  expect_identical(unique(both$axis), c(NA, "x", "y"))
  shown <- expect_drawn(plot(both))
  if (has_ggplot2()) expect_true(all(c("east", "west 5%") %in% levels(shown$data$series)))
  expect_drawn(plot(predict_index(fit, cells, group = ~ region, draws = 50)))
})

test_that("cells that would bias a total are refused, and negative densities", {
  fit <- neargp(z ~ height, area_data(40L), coords = ~ x + y, method = vecchia(k = 8),
    covariance = index_covariance, nugget = 0.1)
  cells <- index_cells(2001L)
  refused <- function(pattern, class, ...) {
    expect_error(predict_index(fit, ..., draws = 20), pattern, class = class)
  }
  refused("row 3", "neargp_error_newdata", replace(cells, cbind(3, 4), NA))
  backwards <- transform(cells, half = rep(2:1, each = 18))
  refused("row 3", "neargp_error_newdata", replace(backwards, cbind(3, 4), NA), group = "half")
  refused("row 2", "neargp_error_newdata", cells, area = replace(cells$km2, 2, 0))
  refused("acres", "neargp_error_columns", cells, area = ~ acres)
  refused("axes", "neargp_error_argument", transform(cells, where = "a"), axes = ~ where)
  refused("statistics", "neargp_error_argument", cells, statistics = "cog")
  refused("negative", "neargp_error_response", transform(cells, height = -100))
  refused("data frame", "neargp_error_argument", as.matrix(cells))
  expect_s3_class(predict_index(fit, transform(cells, height = -100), statistics = "index",
    draws = 20), "neargp_index")
})

test_extended("90% intervals of totals of counts cover the totals of simulated surveys", {
  cells <- index_cells(2001L)
  covered <- vapply(1:60, function(seed) {
    set.seed(seed)
    d <- data.frame(x = runif(120), y = runif(120))
    places <- rbind(d, cells[c("x", "y")])
    field <- drop(t(chol(0.8 * exp(-as.matrix(dist(places)) / 0.3))) %*% rnorm(156))
    d$count <- rpois(120, exp(1 + field[1:120]))
    fit <- suppressMessages(neargp(count ~ 1, d, coords = ~ x + y, family = poisson(),
      method = vnngp(k = 15), covariance = index_covariance))
    index <- predict_index(fit, cells, area = ~ km2, draws = 400, level = 0.9,
      statistics = c("index", "center_of_gravity"), parameters = "plug-in")
    density <- exp(1 + field[-(1:120)])
    truth <- plain_quantities(density, cells$km2, cells$x, cells$y, c(0.3, 0.8))[1:3]
    index$lower <= truth & truth <= index$upper
  }, logical(3))
  # 180 indicators, of which those of one survey depend on each other
  expect_gt(mean(covered), 0.82)
  expect_lt(mean(covered), 0.97)
})

test_that("parameters that depend on covariates are those of each cell", {
  set.seed(8)
  d <- data.frame(x = runif(200), y = runif(200))
  d$count <- rbinom(200, 1, plogis(1 - 2 * d$x)) * rpois(200, exp(1.5 + sin(6 * d$y)))
  fit <- suppressMessages(neargp(count ~ 1, d, coords = ~ x + y, family = zi_poisson(zi = ~ x),
    method = vnngp(k = 8), covariance = index_covariance))
  cells <- index_cells(2001:2002)
  index <- predict_index(fit, cells, area = ~ km2, group = "year", draws = 3000, seed = 1,
    statistics = "index", parameters = "plug-in")
  cellwise <- tapply(cells$km2 * predict(fit, cells, parameters = "plug-in")$mean, cells$year, sum)
  expect_lt(max(abs(index$mean - cellwise) / index$sd), 0.05)
  # the probability of an excess zero, by plain R
  eta <- as.matrix(simulate(fit, 3000, seed = 5, newdata = cells[1:36, ], type = "link"))
  slope <- coef(fit, what = "covariance")
  slope <- slope[grepl("x$", names(slope))]
  at <- fit$data$parameter_models$zi$recipe
  zi <- stats::plogis(stats::qlogis(fit$family_parameters[["zi"]]) +
    slope * (cells$x[1:36] - at$center))
  totals <- colSums(cells$km2[1:36] * (1 - zi) * exp(eta))
  expect_equal(index$mean[1L], mean(totals), tolerance = 0.03)
  expect_equal(index$sd[1L], stats::sd(totals), tolerance = 0.12)
  expect_error(predict_index(fit, replace(cells, "x", NA_real_), area = ~ km2),
    class = "neargp_error")
})
