# Derivatives at the end of a joint search, and the locations of its levels.

# Counts and amounts of two fields, for which a joint fit ends at a clear maximum.
two_responses <- function(n = 300) {
  set.seed(3)
  d <- data.frame(x = runif(n), y = runif(n))
  distance <- as.matrix(dist(d)) / 0.15
  w <- t(chol((1 + distance) * exp(-distance) + diag(1e-8, n))) %*% matrix(rnorm(2 * n), n)
  d$count <- rpois(n, exp(0.5 + w[, 1L]))
  d$amount <- rgamma(n, 3, 3 / exp(1 - 0.6 * w[, 1L] + 0.5 * w[, 2L]))
  d
}

solved_problem <- function() {
  fit <- suppressMessages(neargp(list(count ~ 1, amount ~ x), two_responses(), coords = ~ x + y,
    family = list(poisson(), Gamma("log")), threads = 1,
    covariance = cov_coregionalisation(cov_matern(nu = 1.5), rank = 2), method = vnngp(k = 10)))
  problem <- fitted_joint_problem(fit, plain_context(1L))
  latent <- joint_latent(problem, fit$posterior)
  list(problem = problem, objective = fields_objective(problem, latent), working = problem$start)
}

test_that("differences along directions are the second derivatives, whatever is known before", {
  made <- solved_problem()
  problem <- made$problem
  free <- which(problem$free)
  unit <- joint_units(problem)
  at <- function(working) made$objective$fit_at(working, 1e-10, 500L, TRUE)
  moved <- function(a, h) {
    step <- replace(double(length(unit)), a, h * unit[a])
    up <- at(made$working + step)
    down <- at(made$working - step)
    lapply(list(gradient = "gradient", mean = "mean", beta = "beta"),
      function(name) (up[[name]] - down[[name]]) / (2 * h))
  }
  # Richardson's extrapolation of central differences
  exact <- lapply(free, function(a) Map(function(near, far) (4 * near - far) / 3, moved(a, 0.005),
    moved(a, 0.01)))
  information <- -vapply(exact, function(x) x$gradient[free] * unit[free], double(length(free)))
  center <- fit_near(problem, made$objective, made$working, 1e-8)
  known <- replace(matrix(0, length(unit), length(unit)), cbind(free, free),
    diag(information) / unit[free]^2)
  turned <- known
  turned[free, free] <- information * 3^outer(seq_along(free), seq_along(free), "==") /
    outer(unit[free], unit[free])
  errors <- sqrt(diag(solve(information)))
  for (before in list(known, turned)) {
    found <- joint_slopes_along(problem, made$objective, made$working, center, before,
      deviations = 0.02)
    scaled <- found$information[free, free] * outer(unit[free], unit[free])
    expect_equal(sqrt(diag(solve(scaled))), errors, tolerance = 0.02)
    for (a in seq_along(free)) {
      shift <- found$shifted[[free[a]]]
      expect_equal(shift$step, 0.02 * unit[free[a]])
      expect_equal(shift$mean / 0.02, exact[[a]]$mean, tolerance = 0.05)
      expect_equal(shift$beta / 0.02, exact[[a]]$beta, tolerance = 0.05)
    }
  }
})

test_that("parameters near a bound are directions of their own, and steps stay inside", {
  made <- solved_problem()
  problem <- made$problem
  a <- which(problem$layout$kind == "range")
  problem$bounds$upper[a] <- made$working[a] + 1e-3
  information <- diag(50, length(made$working)) + 5
  vectors <- difference_directions(problem, made$working, information, 0.05)$vectors
  own <- vectors[, which(vectors[match(a, which(problem$free)), ] != 0)]
  expect_equal(sum(own != 0), 1)
  tried <- list()
  objective <- made$objective
  objective$fit_at <- function(working, ...) {
    tried <<- c(tried, list(working))
    made$objective$fit_at(working, ...)
  }
  center <- fit_near(problem, objective, made$working, 1e-6)
  slopes <- joint_slopes_along(problem, objective, made$working, center, information)
  expect_true(all(vapply(tried, function(at) all(at <= problem$bounds$upper), NA)))
  expect_identical(length(tried), sum(problem$free) + 1L)
  expect_true(all(is.finite(slopes$information)))
})

test_that("patches are dense, of the given size, and as many as are three ranges wide", {
  set.seed(1)
  scaled <- matrix(runif(2000), 1000) * 40
  centers <- c(1L, 500L, 700L, 900L)
  kept <- places_in_patches(scaled, centers, 80L)
  expect_length(kept, 80L)
  expect_false(anyDuplicated(kept) > 0L)
  d <- as.matrix(dist(scaled))
  expect_setequal(intersect(kept, order(d[1L, ])[1:20]), order(d[1L, ])[1:20])
  # the radius of 40 locations is too short, and that of 80 is enough
  expect_setequal(places_in_patches(scaled / 4, centers, 80L), order(d[1L, ])[1:80])
  expect_null(places_in_patches(scaled / 40, centers, 80L))
})
