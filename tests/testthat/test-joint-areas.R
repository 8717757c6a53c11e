# Areas as Gaussian observations of joint fits, compared with cokriging by dense matrices whose
# covariances are means over the points of each area.

block_diagonal <- function(a, b) {
  rbind(cbind(a, matrix(0, nrow(a), ncol(b))), cbind(matrix(0, nrow(b), ncol(a)), b))
}

# Stations, and means over squares of a field that has something in common with theirs.
stations_and_squares <- function(across = 3L, places = 14L) {
  set.seed(4)
  at <- data.frame(x = runif(places), y = runif(places), height = rnorm(places))
  field <- function(p) sin(6 * p$x) + cos(5 * p$y)
  at$level <- 1 + 0.5 * at$height + field(at) + rnorm(places, sd = 0.2)
  points <- square_points(across, per_side = 2L)
  A <- averaging(points$area)
  squares <- sf::st_sf(seen = 2 + drop(A %*% (0.7 * field(points) + sin(9 * points$x))) +
    rnorm(across^2, sd = 0.1), people = runif(across^2, 0.5, 2),
  geometry = unit_squares(across, crs = 32633))
  list(stations = sf::st_as_sf(at, coords = c("x", "y"), crs = 32633), squares = squares,
    coords = rbind(as.matrix(at[c("x", "y")]), as.matrix(points[c("x", "y")])),
    A = block_diagonal(diag(places), A), response = rep(1:2, c(places, across^2)),
    X = block_diagonal(cbind(1, at$height), matrix(1, across^2)),
    y = c(at$level, squares$seen), weights = c(rep(1, places), squares$people))
}

# The log-likelihood at its best trend, and cokriging of both responses at locations. Fields are
# exponential with these ranges, and `loadings` are responses x fields.
dense_cokriging_of_areas <- function(d, loadings, ranges, nuggets, coords = NULL, X = NULL) {
  n <- ncol(d$A)
  of_point <- max.col(crossprod(d$A, outer(d$response, 1:2, "==")))
  covariance <- function(a, b, m, p) {
    h <- sqrt(outer(a[, 1L], b[, 1L], "-")^2 + outer(a[, 2L], b[, 2L], "-")^2)
    Reduce(`+`, lapply(seq_along(ranges), function(q) {
      outer(loadings[m, q], loadings[p, q]) * exp(-h / ranges[q])
    }))
  }
  S <- d$A %*% covariance(d$coords, d$coords, of_point, of_point) %*% t(d$A) +
    diag(nuggets[d$response] / d$weights)
  vcov <- solve(crossprod(d$X, solve(S, d$X)))
  beta <- drop(vcov %*% crossprod(d$X, solve(S, d$y)))
  residual <- d$y - drop(d$X %*% beta)
  value <- -0.5 * (length(d$y) * log(2 * pi) + as.double(determinant(S)$modulus) +
    sum(residual * solve(S, residual)))
  if (is.null(coords)) return(list(value = value, beta = beta))
  m <- rep(1:2, each = nrow(coords))
  twice <- rbind(coords, coords)
  cross <- d$A %*% covariance(d$coords, twice, of_point, m)
  unseen <- X - t(cross) %*% solve(S, d$X)
  list(value = value, beta = beta, vcov = vcov, mean = drop(X %*% beta + t(cross) %*%
    solve(S, residual)), covariance = covariance(twice, twice, m, m) - t(cross) %*%
    solve(S, cross) + unseen %*% vcov %*% t(unseen), S = S)
}

two_levels <- list(stations = level ~ height, grid = seen ~ 1)
loadings_of_two <- cbind(c(0.9, 0.5), c(0.2, 0.6))

fit_of_areas <- function(d, ..., covariance = NULL, k = 49L) {
  suppressMessages(neargp(two_levels, list(d$stations, d$squares), family = list(gaussian()),
    support = block_support(points = 4), covariance = covariance, verbose = FALSE,
    weights = list(NULL, people),
    method = vnngp(k = k, factor = "exact", jitter = 1e-10), ...))
}

test_that("likelihood and gradient are those of dense cokriging", {
  d <- stations_and_squares()
  parts <- fit_of_areas(d, covariance = cov_coregionalisation(cov_exponential(), rank = 1))
  structures <- lapply(1:2, function(of) new_structure(cov_exponential()$components[[1L]], 1L,
    of = of))
  problem <- new_joint_problem(parts$parts, structures, vnngp(k = 49L, factor = "exact",
    jitter = 1e-10), neargp_control(), plain_context(), new_session())
  expect_equal(dim(problem$place), c(4L, 23L))
  objective <- fields_objective(problem, joint_latent(problem, joint_search(problem,
    problem$start)))
  layout <- problem$layout
  working <- problem$start
  working[loading_rows(layout, 2L)] <- as.vector(loadings_of_two)
  working[layout$kind == "range"] <- log(c(0.3, 0.5))
  nugget <- which(layout$kind == "nugget")
  working[nugget] <- log(c(0.05, 0.02))
  dense <- function(working) {
    dense_cokriging_of_areas(d, matrix(working[loading_rows(layout, 2L)], 2L),
      exp(working[layout$kind == "range"]), exp(working[nugget]))$value
  }
  found <- objective$fit_at(working, 1e-11, 300L, TRUE)
  expect_equal(found$value, dense(working), tolerance = 1e-8)
  slopes <- vapply(seq_along(working), function(a) {
    step <- replace(0 * working, a, 1e-4)
    (dense(working + step) - dense(working - step)) / 2e-4
  }, 0)
  expect_equal(found$gradient, slopes, tolerance = 1e-6)
})

test_that("counts at stations: the gradient with an incomplete factor agrees with differences", {
  d <- stations_and_squares(places = 80L)
  d$stations$count <- rpois(80L, exp(d$stations$level / 2))
  fit <- suppressMessages(neargp(list(count = count ~ 1, grid = seen ~ 1), list(d$stations,
    d$squares), family = list(poisson(), gaussian()), support = block_support(points = 4),
  nugget = 0.2, method = vnngp(k = 12),
  covariance = cov_coregionalisation(cov_exponential(), rank = 1)))
  problem <- fitted_joint_problem(fit, plain_context())
  latent <- joint_latent(problem, joint_search(problem, problem$start))
  objective <- fields_objective(problem, latent)
  value <- function(working) objective$fit_at(working, 1e-11, 300L)$value
  # with less noise, or a shorter range, an exact factor takes over
  working <- replace(problem$start, problem$layout$kind == "range", log(0.4))
  found <- objective$fit_at(working, 1e-11, 300L, TRUE)
  expect_false(core_latent_is_exact(latent))
  for (a in which(problem$free)) {
    step <- replace(0 * working, a, 1e-4)
    expect_equal(found$gradient[a], (value(working + step) - value(working - step)) / 2e-4,
      tolerance = 1e-5)
  }
})

test_that("predictions, trends and fitted areas are those of dense cokriging", {
  d <- stations_and_squares()
  fit <- fit_of_areas(d, covariance = cov_coregionalisation(cov_exponential(), rank = 2))
  at <- cbind(x = c(0.11, 0.52, 0.9), y = c(0.35, 0.5, 0.97))
  new <- sf::st_as_sf(data.frame(height = c(-1, 0, 2), at), coords = c("x", "y"), crs = 32633)
  parameters <- coef(fit, "covariance")
  # the uncertainty of the parameters aside
  fit$spread <- list(covariance = matrix(0, 0L, 0L), shifted = list(), rows = integer(0))
  fit$core_trend <- fit$posterior[c("beta", "beta_vcov")]
  X <- block_diagonal(cbind(1, new$height), matrix(1, 3L))
  nuggets <- unname(parameters[c("stations:nugget", "grid:nugget")])
  dense <- dense_cokriging_of_areas(d, unname(unclass(fit$loadings)),
    rep(parameters[["range"]], 2L), nuggets, at, X)
  expect_equal(fit$log_likelihood, dense$value, tolerance = 1e-6)
  expect_equal(unname(coef(fit)), dense$beta, tolerance = 1e-5)
  found <- predict(fit, new, type = "link", covariance = TRUE)
  expect_equal(c(found$mean_stations, found$mean_grid), dense$mean, tolerance = 1e-5)
  expect_equal(c(found$sd_stations, found$sd_grid), sqrt(diag(dense$covariance)), tolerance = 1e-4)
  expect_equal(attr(found, "covariance")[2L, 1L, 2L], dense$covariance[2L, 5L], tolerance = 1e-4)
  # fitted means over areas: observation less the nugget's share of the residual
  fitted <- d$y - nuggets[d$response] / d$weights * solve(dense$S, d$y - drop(d$X %*% dense$beta))
  expect_equal(unname(unlist(stats::fitted(fit))), unname(fitted), tolerance = 1e-5)
  expect_output(print(fit), "9 areas of up to 4 points")
  expect_null(fit$separate)
})

test_that("draws at areas are means of the field over their points", {
  d <- stations_and_squares()
  fit <- fit_of_areas(d)
  draws <- as.matrix(stats::simulate(fit, 2000, seed = 1)$grid)
  expect_equal(dim(draws), c(9L, 2000L))
  own <- d$response == 2L
  error <- sqrt(fit$parts$grid$posterior$variance_at_data + fit$parts$grid$nugget /
    d$weights[own])
  expect_lt(max(abs(rowMeans(draws) - stats::fitted(fit)$grid) / error), 0.1)
  expect_equal(apply(draws, 1L, stats::sd), error, tolerance = 0.15)
})

test_that("missing areas and points of one location", {
  d <- stations_and_squares()
  d$squares$seen[4L] <- NA
  fit <- fit_of_areas(d, covariance = cov_coregionalisation(cov_exponential(), rank = 1))
  expect_equal(unname(tabulate(fit$parts$grid$areas$row)), rep(4L, 8L))
  expect_length(fit$posterior$response, 22L)
  expect_equal(colSums(fit$posterior$shares), rep(1, 22L))
  # equal points of an area count once, with the sum of their weights
  part <- function(coords, rows, areas = NULL) list(data = list(coords = coords, y = double(rows)),
    areas = areas)
  places <- places_of_parts(list(part(cbind(c(1, 2), 0), 2L), part(cbind(0, 0), 1L,
    list(coords = cbind(c(2, 3, 2), 0), row = c(1L, 1L, 1L), weight = c(0.2, 0.5, 0.3)))))
  expect_equal(places$place, cbind(c(1L, NA), c(2L, NA), c(2L, 3L)))
  expect_equal(places$shares, cbind(c(1, 0), c(1, 0), c(0.5, 0.5)))
})

test_that("model frames of areas are those of the means at their middles", {
  skip_on_cran()
  d <- stations_and_squares()
  d$squares$seen[4] <- NA
  fit <- suppressMessages(neargp(list(stations = level ~ height, grid = seen ~ 1), list(d$stations,
    d$squares), family = list(gaussian()), support = block_support(points = 4),
  weights = list(NULL, people), method = vnngp(k = 12),
  covariance = cov_coregionalisation(cov_exponential(), rank = 1)))
  frames <- model.frame(fit)
  expect_named(frames, c("stations", "grid"))
  expect_equal(frames$grid$seen, d$squares$seen[-4])
  expect_equal(frames$grid[["(weights)"]], d$squares$people[-4])
  expect_equal(row.names(frames$grid), as.character(setdiff(1:9, 4)))
  expect_equal(frames$stations$height, d$stations$height)
  d$squares$seen[1] <- 7
  expect_error(model.frame(fit), "response differs", class = "neargp_error_newdata")
})

test_that("an error of the posterior names what helps areas", {
  remedy_with <- function(points) {
    remedy_for_areas(list(shares = 1, coords = matrix(0, 3000, 2), method = list(k = 30L),
      structures = list(list(fields = 2L)),
      parts = list(list(), list(areas = list(points = points)))))
  }
  remedy <- remedy_with(9L)
  expect_match(remedy[1L], "block_support(points = 4), or more neighbours, vnngp(k = 60)",
    fixed = TRUE)
  expect_match(remedy[2L], "6,000 unknowns then takes some 7 s", fixed = TRUE)
  expect_match(remedy_with(4L)[1L], "points = 2)", fixed = TRUE)
  expect_identical(remedy_with(1L)[["i"]], "Take more neighbours, vnngp(k = 60).")
  expect_null(remedy_for_areas(list(shares = NULL)))
  told <- function(remedy) {
    conditionMessage(expect_error(abort_posterior(1e-6, simpleError("it broke down"), remedy),
      class = "neargp_error_cholesky"))
  }
  expect_match(told(remedy), "block_support", fixed = TRUE)
  expect_no_match(told(remedy), "also gains by more neighbours", fixed = TRUE)
  expect_match(told(NULL), "also gains by more neighbours", fixed = TRUE)
})

test_that("what areas do not support is an error of class neargp_error_support", {
  d <- stations_and_squares()
  run <- function(..., family = list(gaussian()), support = block_support(points = 4)) {
    suppressMessages(neargp(two_levels, list(d$stations, d$squares), family = family,
      method = vnngp(k = 8), support = support, ...))
  }
  expect_error(run(family = list(gaussian(), poisson())), "Counts", class = "neargp_error_support")
  expect_error(neargp(two_levels, list(d$stations, d$squares), family = list(gaussian()),
    subset = list(NULL, seen > 1)), "before the call", class = "neargp_error_support")
  expect_error(run(support = block_support(points = 100)), "points = 100\\) cuts",
    class = "neargp_error_support")
  expect_error(run(support = 4), class = "neargp_error_argument")
  expect_error(neargp(two_levels, list(d$stations, transform(d$stations, seen = level)),
    family = list(gaussian()), support = block_support(), method = vnngp(k = 8)), "no response",
  class = "neargp_error_support")
  fit <- run(covariance = cov_coregionalisation(cov_exponential(), rank = 1))
  expect_error(cross_validate(fit), "several locations", class = "neargp_error_support")
})
