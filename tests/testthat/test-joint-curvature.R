# The end of a joint search is a maximum: no direction curves upwards, and parameters at a limit are
# pushed outwards.

matern_root <- function(places, range = 0.15) {
  d <- as.matrix(dist(places[c("x", "y")])) / range
  t(chol((1 + d) * exp(-d) + diag(1e-8, nrow(d))))
}

# Measurements whose locations depend on the measured field, and counts of these locations.
preferential_fit <- function(seed, preference) {
  set.seed(seed)
  cells <- expand.grid(x = (1:20 - 0.5) / 20, y = (1:20 - 0.5) / 20)
  root <- matern_root(cells)
  w <- drop(root %*% rnorm(400))
  unused <- rnorm(400)
  at <- sample(400, 100, TRUE, exp(preference * w))
  cells$count <- tabulate(at, 400)
  stations <- data.frame(cells[at, c("x", "y")], level = 4 + w[at] + rnorm(100, 0, 0.3))
  suppressMessages(neargp(list(level ~ 1, count ~ 1), list(stations, cells), coords = ~ x + y,
    family = list(gaussian(), poisson()), threads = 1))
}

# Presence and amounts with uncorrelated fields, half of the amounts missing.
hurdle_data <- function(seed, n = 400) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n))
  w <- matern_root(d) %*% matrix(rnorm(2 * n), n)
  d$present <- rbinom(n, 1, plogis(1.2 * w[, 1L]))
  catch <- d$present * rgamma(n, 2, 2 / exp(1 + 0.8 * w[, 2L]))
  seen <- setdiff(seq_len(n), sample(n, n / 4))
  caught <- seen[d$present[seen] == 1]
  d$amount <- replace(rep(NA_real_, n), caught, catch[caught])
  d$amount[sample(caught, round(length(caught) / 2))] <- NA
  d[seen, ]
}

hurdle_fit <- function(d) {
  suppressMessages(neargp(list(present ~ 1, amount ~ 1), d, coords = ~ x + y,
    family = list(binomial(), Gamma("log")), threads = 1))
}

objective_of <- function(fit) {
  problem <- fitted_joint_problem(fit, plain_context(1L))
  list(problem = problem, objective = fields_objective(problem, joint_latent(problem,
    fit$posterior)))
}

# The least eigenvalue of minus the second derivatives, in units of the parameters, by differences
# of exact gradients. Parameters at a limit are left out, and their gradient points outwards.
expect_maximum <- function(fit, tolerance = 0.05) {
  made <- objective_of(fit)
  working <- made$problem$start
  unit <- joint_units(made$problem)
  gradient <- function(at) made$objective$fit_at(at, 1e-9, 500L, TRUE)$gradient * unit
  at_end <- gradient(working)
  bounds <- made$problem$bounds
  low <- made$problem$free & working <= bounds$lower + 1e-6
  high <- made$problem$free & working >= bounds$upper - 1e-6
  expect_true(all(at_end[low] < 0.01) && all(at_end[high] > -0.01))
  expect_identical(fit$parameters$at_boundary, low | high)
  free <- which(made$problem$free & !low & !high & !of_vanished_fields(made$problem, working))
  expect_lt(max(abs(at_end[free])), 0.1)
  information <- vapply(free, function(a) {
    step <- replace(double(length(working)), a, 0.002 * unit[a])
    (gradient(working - step) - gradient(working + step))[free] / 0.004
  }, double(length(free)))
  expect_gt(min(eigen(information + t(information), TRUE)$values / 2), -tolerance)
}

# Searches from other fields end no higher.
expect_highest <- function(fit, tolerance = 0.1) {
  made <- objective_of(fit)
  problem <- made$problem
  end <- made$objective$evaluate(problem$start)$value
  loadings <- loading_rows(problem$layout, 2L)
  deviation <- pmax(sqrt(diag(tcrossprod(unclass(fit$loadings)))), 0.3)
  ranges <- problem$layout$kind == "range"
  for (correlation in c(0.6, -0.6, 0.95)) {
    begun <- problem$start
    begun[loadings] <- c(deviation * c(1, correlation), 0, deviation[2L] * sqrt(1 - correlation^2))
    begun[ranges] <- c(-1.8, -2)
    found <- joint_quasi_newton(problem, 1e-8)(made$objective, begun)
    expect_lt(found$evaluated$value, end + tolerance)
  }
}

test_extended("a search leaves the ridge of fields with nearly equal ranges", {
  # it once ended at ranges of 0.112 and 0.116, with curvature -0.07, and 0.67 units lower
  fit <- preferential_fit(1001, 2)
  expect_maximum(fit)
  expect_highest(fit)
  expect_identical(fit$layout$name[fit$parameters$at_boundary], "range_1")
  expect_match(paste(capture.output(print(fit)), collapse = " "),
    "standard errors take it as known: range_1")
  errors <- diag(vcov(fit, what = "covariance"))
  expect_identical(is.na(errors[["range_1"]]), TRUE)
  expect_true(all(errors[grepl("loading", names(errors))] > 0))
})

test_extended("a field that vanished alone grows in the joint fit", {
  fit <- hurdle_fit(hurdle_data(2002))
  expect_maximum(fit)
  expect_highest(fit)
  expect_gt(abs(fit$loadings["amount", 2L]), 0.3)
})

test_extended("a response without a field: its loadings are named, and nothing else suffers", {
  fit <- preferential_fit(1001, 0)
  expect_maximum(fit)
  poor <- fit$layout$name[fit$parameters$poor]
  expect_true(all(c("loading_count_f1_1", "loading_count_f1_2", "range_2") %in% poor))
  expect_match(paste(capture.output(print(fit)), collapse = " "), "Poorly determined by the data")
  errors <- diag(vcov(fit, what = "covariance"))
  expect_true(all(is.na(errors[poor])))
})

test_extended("ends of ten small data sets are maxima", {
  for (seed in 2001:2005) expect_maximum(hurdle_fit(hurdle_data(seed)))
  for (seed in 1002:1006) expect_maximum(preferential_fit(seed, 1))
})

test_extended("a search by levels ends where a plain one does", {
  d <- hurdle_data(2002, 800)
  parts <- Map(function(formula, family) suppressMessages(neargp(formula,
    d[!is.na(d[[all.vars(formula)]]), ], coords = ~ x + y, family = family,
    covariance = cov_matern(nu = 1.5), method = vnngp(k = 10))),
    list(present = present ~ 1, amount = amount ~ 1), list(binomial(), Gamma("log")))
  component <- cov_matern(nu = 1.5)$components[[1L]]
  problem <- new_joint_problem(parts, lapply(1:2, function(of) new_structure(component, 1L,
    of = of)), vnngp(k = 10), neargp_control(), plain_context(1L), new_session())
  plain <- joint_optimum(problem)
  levels <- joint_optimum(problem, few_places = 300L)
  expect_equal(levels$evaluated$value, plain$evaluated$value, tolerance = 1e-5)
})

test_that("weak directions count with little information, and a saddle gives a warning", {
  rows <- 1:3
  V <- qr.Q(qr(matrix(c(2, 1, 0, 1, 3, 1, 0, 1, 4), 3L)))
  unit <- c(1, 2, 0.5)
  curvature <- list(rows = rows, values = c(4, 0.001, -1), directions = unit * V)
  spread <- joint_spread(list(shifted = list("a", "b", "c")), curvature)
  expect_equal(spread$covariance, diag(unit) %*% V %*% diag(c(0.25, 20, 20)) %*% t(V) %*%
    diag(unit))
  expect_identical(spread$poor, 1:3)
  expect_warning(warn_unless_maximum(curvature, c("a", "b", "c")), "curves upwards",
    class = "neargp_warning_curvature")
  curvature$values <- c(4, 1, 0.001)
  expect_silent(warn_unless_maximum(curvature, c("a", "b", "c")))
})
