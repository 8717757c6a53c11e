training_data <- function(n = 600L) {
  set.seed(3)
  x <- matrix(rnorm(2 * n), n)
  list(x = x, y = drop(scale(sin(2 * x[, 1L]) * x[, 2L] +
    rnorm(n, sd = 0.1 + 0.2 * (x[, 1L] > 0)))))
}

quiet_fit <- function(data, ..., epochs = 20L) {
  settings <- list(width = 2L, inducing = 20L, sites = 3L, epochs = epochs, batch = 100L,
    regularization = 0.5)
  settings <- utils::modifyList(settings, list(...))
  suppressWarnings(deep_fit(data$x, data$y, settings), classes = "neargp_warning_deep")
}

train <- function(state, data, from, to, memory = NULL, threads = 1L) {
  held_out <- list(x = data$x[1:50, ], y = data$y[1:50])
  core_deep_train(state, data$x, data$y, held_out, list(score = "mixture", beta = 0.5, from = from,
    to = to, epochs = 8L, batch_size = 130L,
    learning_rate = 0.02, key = 4, least_noise = 1e-4, memory = memory,
    report = function(...) NULL), plain_context(threads))
}

test_extended("training is the same for any number of threads, and when it is cut into pieces", {
  data <- training_data()
  for (state in list(deep_start(data$x, data$y,
    utils::modifyList(deep_defaults(), list(inducing = 15L, width = 2L, sites = 3L)), 1),
    deep_start(data$x, data$y,
      utils::modifyList(deep_defaults(), list(inducing = 15L, width = 2L, rule = "random",
        samples = 3L)), 1))) {
        whole <- train(state, data, 0L, 8L)
        expect_identical(train(state, data, 0L, 8L, threads = 2L), whole)
        expect_identical(train(state, data, 0L, 8L, threads = 4L), whole)
        first <- train(state, data, 0L, 3L)
        rest <- train(first$state, data, 3L, 8L, first$memory)
        expect_identical(rest$state, whole$state)
        expect_identical(rest$memory, whole$memory)
        if (which.max(whole$validation) > 3L) expect_identical(rest$best, whole$best)
        expect_identical(c(first$objective, rest$objective), whole$objective)
        expect_false(identical(whole$objective[1L], whole$objective[2L]))
      }
})

# Numbers of a state on the scale of the optimiser.
working_numbers <- function(state) {
  unit <- function(unit) c(unit$positions, unit$mean, log(unit$sd), log(unit$variance),
    log(unit$range), unit$weights, unit$constant)
  c(unlist(lapply(state$layers, function(layer) lapply(layer$units, unit))), unlist(state$sites),
    log(state$noise))
}

test_extended("what is kept is the mean of the last steps, each with half of the weight left", {
  data <- training_data(100L)  # one batch: a step is an epoch
  start <- deep_start(data$x, data$y,
    utils::modifyList(deep_defaults(), list(inducing = 8L, width = 2L, sites = 3L)), 1)
  fits <- lapply(1:4, function(to) train(start, data, 0L, to))
  steps <- lapply(fits, function(fit) fit$state)
  mean_of <- function(what) Reduce(function(mean, step) (mean + step) / 2, lapply(steps, what))
  last <- fits[[4L]]$best
  expect_identical(last$epoch, 4L)
  expect_equal(working_numbers(last$state), mean_of(working_numbers), tolerance = 1e-12)
  weights <- mean_of(function(state) state$log_weights)
  expect_equal(last$state$log_weights, weights - log(sum(exp(weights))), tolerance = 1e-12)
  expect_false(isTRUE(all.equal(working_numbers(last$state), working_numbers(steps[[4L]]),
    tolerance = 1e-3)))
})

test_extended("training raises the objective, and the fit is that of the best epoch", {
  data <- training_data()
  fit <- quiet_fit(data)
  expect_gt(fit$trace$objective[20L], fit$trace$objective[1L] + 0.3)
  expect_equal(fit$notes$epoch, which.max(fit$trace$validation))
  held <- fit$validation$rows
  expect_equal(length(held), 60L)
  density <- core_deep_density(fit$state, data$x[held, ], data$y[held], list(),
    plain_context())$value
  expect_equal(fit$validation$nll, -mean(density))
  expect_equal(nrow(fit$trace), 20L)
  expect_equal(fit$trace$rate[c(1L, 11L)], c(0.03, 0.03 * 0.505))
  expect_true(fit$validation$coverage > 0.8)
})

test_extended("every kind of fit trains", {
  data <- training_data(300L)
  counts <- list(x = data$x, y = rpois(300L, exp(0.3 + 0.5 * data$y)))
  outputs <- list(x = data$x, y = cbind(data$y, replace(data$y^2, 5:9, NA)))
  kinds <- list(list(layers = 1L), list(rule = "grid"), list(rule = "symmetric"),
    list(rule = "hermite"), list(layers = 3L),
    list(rule = "random", samples = 4L), list(rule = "random", samples = 4L, covariance = "full",
      score = "expected", regularization = 1),
    list(rule = "random", samples = 4L, covariance = "full", score = "robust", gamma = 1.05),
    list(validation = 0), list(kernel = list(family = "gaussian", shape = double(0))),
    list(weights = rep(c(0.5, 2), 150L)))
  gain <- function(data, kind) {
    trace <- do.call(quiet_fit, c(list(data, epochs = 6L, restarts = 1L), kind))$trace
    trace$objective[6L] - trace$objective[1L]
  }
  for (kind in kinds) expect_gt(gain(data, kind), 0.05)
  expect_gt(gain(outputs, list()), 0.05)
  expect_gt(gain(counts, list(family = list(name = "poisson", parameters = double(0)),
    offset = rep(log(mean(counts$y)), 300L))), 0.01)
})

test_extended("fits repeat, leave R's random numbers alone, and go on from a state", {
  data <- training_data(300L)
  set.seed(1)
  before <- .Random.seed
  fit <- quiet_fit(data, epochs = 6L)
  expect_identical(.Random.seed, before)
  expect_identical(quiet_fit(data, epochs = 6L, threads = 3L), fit)
  expect_equal(nrow(fit$notes$restarts), 3L)
  expect_equal(anyDuplicated(fit$notes$restarts$nll), 0L)
  more <- quiet_fit(data, epochs = 6L, start = fit$state)
  expect_gt(more$trace$objective[1L], fit$trace$objective[1L])
  expect_null(more$notes$restarts)
})

test_extended("the start that a run goes on from is a candidate for the best", {
  data <- training_data(300L)
  fit <- quiet_fit(data, epochs = 20L)
  spoiled <- quiet_fit(data, epochs = 3L, start = fit$state, rate = 0.9,
    held_out = fit$validation$rows)
  expect_identical(spoiled$state, fit$state)
  expect_identical(spoiled$notes$epoch, 0L)
  expect_equal(spoiled$validation$nll, fit$validation$nll)
  held <- fit$validation$rows
  expect_equal(spoiled$validation$objective,
    objective_value(fit$state, list(x = data$x[-held, ], y = data$y[-held]), score_settings(0.5)))
})

test_that("each new best state of a run is handed on", {
  data <- training_data(300L)
  scores <- double(0)
  last <- NULL
  fit <- quiet_fit(data, epochs = 6L, restarts = 1L, keep = function(state, score, held_out) {
    scores <<- c(scores, score)
    last <<- list(state, held_out)
  })
  expect_false(is.unsorted(scores, strictly = TRUE))
  expect_identical(last, list(fit$state, fit$validation$rows))
})

test_that("parameters of a family stay within their bounds, and one that is fixed where it is", {
  data <- training_data(300L)
  family <- list(name = "student_t", parameters = c(0.5, 4), least = c(0.4, 4), most = c(0.5, 4))
  fit <- quiet_fit(data, epochs = 6L, restarts = 1L, family = family)
  expect_identical(fit$state$family$parameters[2L], 4)
  expect_true(fit$state$family$parameters[1L] >= 0.4 && fit$state$family$parameters[1L] < 0.5)
})

test_that("the weight of the divergence is chosen by the rows held out", {
  data <- training_data(300L)
  fit <- suppressWarnings(deep_fit(data$x, data$y, list(width = 2L, inducing = 20L, sites = 3L,
    epochs = 10L, restarts = 2L)), classes = "neargp_warning_deep")
  expect_equal(fit$notes$regularizations$beta, c(0.05, 0.5, 5))
  expect_equal(fit$notes$regularization, with(fit$notes$regularizations, beta[which.min(nll)]))
  expect_equal(fit$validation$nll, min(fit$notes$regularizations$nll))
})

test_that("few rows, and noise at its floor, are said", {
  data <- training_data(200L)
  expect_warning(deep_fit(data$x, data$y, list(width = 1L, inducing = 8L, sites = 2L, epochs = 2L,
    regularization = 1)), "may be too short", class = "neargp_warning_deep")
  steps <- round(data$x[, 1L])
  expect_warning(quiet_floor <- withCallingHandlers(
    deep_fit(data$x, steps / sd(steps), list(width = 1L, inducing = 8L, sites = 2L, epochs = 2L,
      regularization = 1, noise_floor = 0.5)),
    warning = function(w) if (grepl("too short|by heart", conditionMessage(w)))
    invokeRestart("muffleWarning")), "least that is allowed")
  expect_true(quiet_floor$notes$noise_at_floor)
  expect_true(quiet_floor$state$noise >= 0.5)
})

test_that("the least noise is that of rounding, and larger where many rows are equal", {
  smooth <- (1:2000)^1.5
  rounded <- function(step) {
    y <- step * round(stats::qnorm((1:4001) / 4002) / step)
    c(floor = noise_floor_of(y), rounding = step^2 / 12 / stats::var(y))
  }
  expect_equal(noise_floor_of(smooth), 1e-6)
  fine <- rounded(0.01)
  expect_equal(fine[["floor"]], fine[["rounding"]], tolerance = 1e-8)
  expect_equal(rounded(0.1)[["floor"]], 1e-4)
  expect_equal(noise_floor_of(cbind(smooth, c(numeric(150), smooth[-(1:150)]))), 1e-4)
  expect_equal(noise_floor_of(c(smooth, NA)), 1e-6)
  expect_equal(noise_floor_of(rep(1, 5)), 1e-4)
})

test_that("points that coincide are an error that names them", {
  data <- training_data(200L)
  state <- deep_start(data$x, data$y,
    utils::modifyList(deep_defaults(), list(inducing = 15L, width = 2L, sites = 3L)), 1)
  state$layers[[2L]]$units[[1L]]$positions[] <- 0
  state$jitter <- 1e-20
  failure <- core_deep_objective(state, data$x, data$y, score_settings(), plain_context())$failure
  expect_equal(failure[c("layer", "unit")], list(layer = 2L, unit = 1L))
  expect_error(abort_singular_unit(failure), "unit 1 in layer 2", class = "neargp_error_cholesky")
})

test_that("a state whose parts do not fit is refused", {
  data <- deep_data()
  state <- deep_state()
  state$layers[[1L]]$units[[1L]]$range <- 1
  expect_error(core_deep_components(state, data$x, plain_context()), "do not fit")
  state <- deep_state()
  state$log_weights <- c(0, 0)
  expect_error(core_deep_components(state, data$x, plain_context()), "weight")
  expect_error(core_deep_objective(deep_state(), data$x, data$y[-1L], score_settings(),
    plain_context()), "response")
})
