# Indices of responses that share fields, against dense algebra, closed forms and separate fits.

hauls_of_two_parts <- function(n = 60L) {
  withr::with_seed(5, {
    d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n), vessel = rep(c("a", "b", "c"), n / 3))
    field <- sin(6 * d$x) + d$y
    d$present <- rbinom(n, 1L, plogis(1 + field))
    d$amount <- ifelse(d$present == 1, rgamma(n, 3, 3 / exp(field)), NA)
    d$a <- field + rnorm(n, sd = 0.3)
    d$b <- ifelse(seq_len(n) <= n / 3, NA, d$a + cos(5 * d$y))
    d
  })
}

cells_of_two_years <- function() {
  at <- (1:4 - 0.5) / 4
  cells <- expand.grid(x = at, y = at, year = 2001:2002)
  cells$z <- sin(seq_len(nrow(cells)))
  cells$km2 <- 1 + 0.5 * cos(seq_len(nrow(cells)))
  cells
}

fit_present_and_amount <- function(d = hauls_of_two_parts(), covariance, ...) {
  neargp(list(present ~ z, amount ~ 1), d, coords = ~ x + y, covariance = covariance,
    family = list(binomial(), Gamma("log")), method = vnngp(k = nrow(d) - 1L), ...)
}

block_diagonal <- function(blocks) {
  unname(Reduce(function(a, b) rbind(cbind(a, matrix(0, nrow(a), NCOL(b))),
    cbind(matrix(0, NROW(b), ncol(a)), b)), blocks, matrix(0, 0L, 0L)))
}

# A fit whose parameters count as known.
with_known_parameters <- function(fit) {
  fit$spread <- list(covariance = matrix(0, 0L, 0L), shifted = list(), rows = integer(0))
  fit
}

# Mean and covariance matrix of the linear predictors of both responses at cells, those of the first
# response first, by generalised least squares with the fit's pseudo-observations.
dense_predictors <- function(fit, cells, designs) {
  A <- unclass(fit$loadings)
  posterior <- fit$posterior
  field_of <- structure_of_fields(fit$structures)
  covariance <- function(p, q, m, l) {
    Reduce(`+`, lapply(seq_len(ncol(A)), function(field) {
      outer(A[m, field], A[l, field]) * dense_covariance(p, q,
        fit$core_structures[[field_of[field]]])
    }))
  }
  places <- posterior$coords[posterior$place, ]
  m <- posterior$response
  new <- rbind(cells, cells)
  l <- rep(1:2, each = nrow(cells))
  W <- posterior$pseudo_precision
  observed <- posterior$linear_predictor + posterior$slope / W
  X <- block_diagonal(lapply(fit$parts, function(part) part$data$X))
  design <- block_diagonal(designs)
  V <- covariance(places, places, m, m) + diag(1 / W)
  C <- covariance(places, new, m, l)
  trend <- solve(t(X) %*% solve(V, X))
  beta <- trend %*% t(X) %*% solve(V, observed)
  unseen <- design - t(C) %*% solve(V, X)
  list(mean = drop(design %*% beta + t(C) %*% solve(V, observed - X %*% beta)),
    covariance = covariance(new, new, l, l) - t(C) %*% solve(V, C) + unseen %*% trend %*% t(unseen))
}

test_that("the index of a Gaussian response is that of dense cokriging", {
  d <- hauls_of_two_parts()
  B <- matrix(c(1, 0.6, 0.6, 2), 2L)
  fit <- neargp(list(a ~ z, b ~ 1), d, coords = ~ x + y, nugget = list(0.1, 0.2),
    covariance = cov_coregionalisation(cov_exponential(range = 0.3), matrices = list(B)),
    method = vnngp(k = 59, factor = "exact", jitter = 1e-10))
  cells <- cells_of_two_years()
  dense <- dense_cokriging(d, cells, B, c(0.1, 0.2), 0.3)
  index <- predict_index(fit, cells, area = ~ km2, group = ~ year, statistics = "index",
    draws = 4000, seed = 1, level = 0.9)
  expect_named(index, c("output", "year", "statistic", "mean", "sd", "lower", "upper"))
  expect_identical(index$output, c("a", "a", "b", "b"))
  totals <- block_diagonal(split(cells$km2, cells$year))
  weights <- block_diagonal(list(totals, totals))
  covariance <- t(weights) %*% dense$total %*% weights
  expect_equal(index$mean, drop(t(weights) %*% as.vector(dense$mean)), tolerance = 1e-4)
  expect_equal(index$sd, sqrt(diag(covariance)), tolerance = 1e-4)
  expect_equal(index$upper, index$mean + qnorm(0.95) * index$sd, tolerance = 1e-8)
  # draws of both responses belong together
  expect_equal(stats::cor(t(attr(index, "draws"))), stats::cov2cor(covariance), tolerance = 0.1)
  one <- predict_index(fit, cells, area = ~ km2, statistics = "index", draws = 10, outputs = "b")
  expect_identical(one$output, "b")
  expect_equal(one$mean, sum(index$mean[3:4]), tolerance = 1e-8)
})

test_that("presence times amount is that of dense draws with the covariance of both", {
  d <- hauls_of_two_parts()
  B <- matrix(c(1, 0.7, 0.7, 0.8), 2L)
  fit <- with_known_parameters(fit_present_and_amount(d,
    cov_coregionalisation(cov_exponential(range = 0.3), matrices = list(B))))
  cells <- cells_of_two_years()[1:16, ]
  dense <- dense_predictors(fit, as.matrix(cells[c("x", "y")]), list(cbind(1, cells$z),
    matrix(1, 16L)))
  index <- predict_index(neargp_hurdle(fit), cells, area = ~ km2, draws = 4000, seed = 1,
    statistics = c("index", "center_of_gravity"))
  expect_named(index, c("statistic", "axis", "mean", "sd", "lower", "upper"))
  # E p(a) exp(b) = E exp(b) E p(a + c), where c is the covariance of a and b
  variance <- diag(dense$covariance)
  between <- diag(dense$covariance[1:16, 17:32])
  p <- vapply(1:16, function(i) stats::integrate(function(e) plogis(dense$mean[i] + between[i] +
    sqrt(variance[i]) * e) * dnorm(e), -8, 8)$value, 0)
  expected <- sum(cells$km2 * p * exp(dense$mean[17:32] + variance[17:32] / 2))
  expect_equal(index$mean[1], expected, tolerance = 1e-4)
  set.seed(3)
  eta <- dense$mean + t(chol(dense$covariance + diag(1e-9, 32))) %*% matrix(rnorm(32 * 20000), 32)
  density <- cells$km2 * plogis(eta[1:16, ]) * exp(eta[17:32, ])
  totals <- colSums(density)
  centers <- colSums(cells$x * density) / totals
  expect_equal(index$sd[1:2], c(sd(totals), sd(centers)), tolerance = 0.05)
  expect_equal(index$mean[2], mean(centers), tolerance = 0.01)
  expect_equal(index$upper[1], quantile(totals, 0.975, names = FALSE), tolerance = 0.05)
  # without the covariance the index would be less
  alone <- plogis(dense$mean[1:16]) * exp(dense$mean[17:32] + variance[17:32] / 2)
  expect_gt(index$mean[1], sum(cells$km2 * alone))
})

test_extended("without correlation the index is that of separate fits", {
  d <- hauls_of_two_parts()
  known <- cov_coregionalisation(cov_exponential(range = 0.3), matrices = diag(c(1, 0.8)))
  hurdle <- neargp_hurdle(with_known_parameters(fit_present_and_amount(d, known)))
  single <- function(formula, data, family, variance) {
    neargp(formula, data, coords = ~ x + y, family = family, method = vnngp(k = nrow(data) - 1L),
      covariance = cov_exponential(variance = variance, range = 0.3))
  }
  separate <- neargp_hurdle(single(present ~ z, d, binomial(), 1),
    single(amount ~ 1, d[d$present == 1, ], Gamma("log"), 0.8))
  cells <- cells_of_two_years()
  of <- function(hurdle, ...) {
    predict_index(hurdle, cells, area = ~ km2, group = ~ year, draws = 4000, seed = 1, ...)
  }
  shared <- of(hurdle)
  other <- of(separate, parameters = "plug-in")
  expect_identical(shared[c("year", "statistic", "axis", "prob")],
    other[c("year", "statistic", "axis", "prob")])
  total <- shared$statistic == "index"
  expect_equal(shared$mean[total], other$mean[total], tolerance = 2e-3)
  expect_equal(shared$sd, other$sd, tolerance = 0.06)
  # edges at the first or last cells do not vary
  varies <- other$sd > 0
  expect_lt(max(abs(shared$mean - other$mean)[varies] / other$sd[varies]), 0.1)
})

test_that("the index of a single cell is its prediction, with the uncertainty of all parameters", {
  d <- hauls_of_two_parts()
  d$b[1:20] <- d$a[1:20]
  rank_one <- cov_coregionalisation(cov_exponential(), rank = 1)
  fit <- neargp(list(a ~ common(z) + (1 | vessel), b ~ common(z)), d, coords = ~ x + y,
    covariance = rank_one, method = vnngp(k = 59))
  at <- data.frame(x = 0.31, y = 0.62, z = 0.5, vessel = "b", km2 = 2)
  predicted <- predict(fit, at, type = "link")
  index <- predict_index(fit, at, area = ~ km2, statistics = "index", draws = 10)
  expect_equal(index$mean, 2 * c(predicted$mean_a, predicted$mean_b), tolerance = 1e-4)
  expect_equal(index$sd, 2 * c(predicted$sd_a, predicted$sd_b), tolerance = 1e-3)
  # a new vessel adds the variance of vessels
  at$vessel <- "d"
  new <- predict_index(fit, at, area = ~ km2, statistics = "index", draws = 10,
    allow.new.levels = TRUE)
  expect_gt(new$sd[1], index$sd[1] - 1e-6)
  expect_equal(new$mean[2], index$mean[2], tolerance = 1e-6)
  index <- predict_index(fit, cells_of_two_years()[c("x", "y", "z", "year")], group = ~ year,
    draws = 20, statistics = "index", re.form = NA)
  shown <- expect_drawn(plot(index))
  if (has_ggplot2()) expect_setequal(setdiff(levels(shown$data$series), ""), c("a", "b"))
})

test_that("few neighbours give the index of the predictions of cells", {
  d <- hauls_of_two_parts(120L)
  fit <- neargp(list(present ~ z, amount ~ 1), d, coords = ~ x + y,
    family = list(binomial(), Gamma("log")), method = vnngp(k = 8))
  cells <- cells_of_two_years()
  total <- predict_index(neargp_hurdle(fit), cells, area = ~ km2, statistics = "index",
    draws = 2000, seed = 1)
  expect_equal(total$mean, sum(cells$km2 * predict(neargp_hurdle(fit), cells)$mean),
    tolerance = 0.02)
  expect_lt(abs(mean(attr(total, "draws")) - total$mean), 0.1 * total$sd)
  each <- predict_index(fit, cells, area = ~ km2, statistics = "index", draws = 20)
  predicted <- predict(fit, cells)
  expect_equal(each$mean, c(sum(cells$km2 * predicted$mean_present),
    sum(cells$km2 * predicted$mean_amount)), tolerance = 0.02)
})

test_that("wrong calls of indices of several responses get one classed error", {
  d <- hauls_of_two_parts(30L)
  fit <- fit_present_and_amount(d, cov_coregionalisation(cov_exponential(), rank = 1))
  cells <- cells_of_two_years()
  refused <- function(pattern, ..., object = fit) {
    expect_error(predict_index(object, ..., draws = 20), pattern, class = "neargp_error")
  }
  refused("amount", cells, outputs = "amuont")
  refused("outputs", cells, outputs = "amount", object = neargp_hurdle(fit))
  refused("outputs", cells, outputs = "amount", object = fit$parts[[1]])
  refused("parameters", cells, parameters = "integrated")
  refused("row 3", replace(cells, cbind(3, 4), NA))
  refused("data frame", as.matrix(cells))
})
