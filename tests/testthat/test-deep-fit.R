deep_settings <- function(beta = 0.3, ...) list(score = "mixture", beta = beta, rows = 0, ...)

deep_data <- function(n = 30L, dim = 3L, outputs = 1L) {
  set.seed(11)
  list(x = matrix(rnorm(n * dim), n), y = matrix(rnorm(n * outputs), n))
}

objective_value <- function(state, data, settings = deep_settings(), threads = 1L) {
  core_deep_objective(state, data$x, data$y, settings, plain_context(threads))$value
}

test_extended("the objective and the components are those of dense matrices", {
  data <- deep_data()
  for (state in list(deep_state(layers = 1L), deep_state(), deep_state(covariance = "full"),
    deep_state(rule = "grid"), deep_state(rule = "symmetric"), deep_state(rule = "hermite"),
    deep_state(layers = 3L), deep_state(layers = 3L, skip = "inputs"),
    deep_state(layers = 3L, skip = "mean"), deep_state(layers = 3L, skip = "both", rule = "grid",
      sites = 2L))) {
      expect_equal(objective_value(state, data), dense_mixture(state, data$x, data$y, 0.3),
        tolerance = 1e-10)
      components <- core_deep_components(state, data$x, plain_context())
      dense <- dense_components(state, data$x)
      expect_equal(components$mean, sapply(dense, `[[`, "mean"), tolerance = 1e-9)
      expect_equal(components$variance, sapply(dense, `[[`, "variance"), tolerance = 1e-9)
      expect_equal(core_deep_density(state, data$x, data$y, list(), plain_context())$value,
        log(rowSums(exp(sweep(dense_log_densities(state, data$x, data$y), 2L, state$log_weights,
          "+")))), tolerance = 1e-9)
    }
})

test_extended("the gradient is that of differences, in all layers, topologies and rules", {
  data <- deep_data(12L)
  for (state in list(deep_state(layers = 1L), deep_state(), deep_state(covariance = "full"),
    deep_state(rule = "grid", sites = 2L), deep_state(rule = "symmetric"),
    deep_state(rule = "random"), deep_state(layers = 3L),
    deep_state(layers = 3L, skip = "inputs"), deep_state(layers = 3L, skip = "mean"),
    deep_state(layers = 3L, skip = "both"))) {
    expect_deep_gradient(state, data$x, data$y, deep_settings())
  }
})

test_extended("several outputs have the mixture of their joint densities, of a row's those that are known", {
  data <- deep_data(12L, outputs = 3L)
  data$y[cbind(c(1, 2, 2, 5), c(1, 2, 3, 3))] <- NA
  state <- deep_state(outputs = 3L)
  expect_equal(objective_value(state, data), dense_mixture(state, data$x, data$y, 0.3),
    tolerance = 1e-10)
  expect_deep_gradient(state, data$x, data$y, deep_settings())
  components <- core_deep_components(state, data$x, plain_context())
  dense <- dense_components(state, data$x)
  expect_equal(components$mean,
    do.call(cbind,
      lapply(1:3, function(p) sapply(dense, function(at) drop(at$mean %*% state$mixing[, p])))),
    tolerance = 1e-9)
  expect_equal(components$variance,
    do.call(cbind,
      lapply(1:3, function(p) sapply(dense,
        function(at) drop(at$variance %*% state$mixing[, p]^2)))), tolerance = 1e-9)
})

test_extended("other scores and families are those of quadrature, and so are their gradients", {
  data <- deep_data(10L)
  counts <- list(x = data$x, y = matrix(rpois(10L, 2)))
  node <- seq(-9, 9, length.out = 2001)
  mass <- dnorm(node) / sum(dnorm(node))
  expectation <- function(state, x, f) {
    sum(exp(state$log_weights) * vapply(dense_components(state, x), function(at) {
      mean(vapply(seq_len(nrow(x)), function(i) f(i, at$mean[i] + sqrt(at$variance[i]) * node), 0))
    }, 0))
  }
  divergence <- function(state, x) 0.3 / nrow(x) * dense_divergence(state, x)
  for (covariance in c("diagonal", "full")) {
    state <- deep_state(covariance = covariance, width = 1L, inducing = 3L)
    expected <- utils::modifyList(deep_settings(), list(score = "expected"))
    expect_equal(objective_value(state, data, expected),
      expectation(state, data$x,
        function(i, eta) sum(mass * dnorm(data$y[i], eta, sqrt(state$noise), log = TRUE))) -
        divergence(state, data$x),
      tolerance = 1e-8)
    expect_deep_gradient(state, data$x, data$y, expected)
    gamma <- 1.1
    robust <- utils::modifyList(expected, list(score = "robust", gamma = gamma))
    response <- seq(-60, 60, length.out = 1e5)
    normaliser <- sum(dnorm(response, 0, sqrt(state$noise))^gamma) * diff(response[1:2])
    expect_equal(objective_value(state, data, robust),
      expectation(state, data$x, function(i, eta) {
        gamma / (gamma - 1) * (sum(mass * dnorm(data$y[i], eta, sqrt(state$noise))^(gamma - 1)) /
          normaliser^((gamma - 1) / gamma) - 1)
      }) - divergence(state, data$x), tolerance = 1e-8)
    expect_deep_gradient(state, data$x, data$y, robust)
  }
  poisson <- deep_state(width = 1L, inducing = 3L,
    family = list(name = "poisson", parameters = double(0)))
  poisson$layers[[2L]]$units[[1L]]$mean <- poisson$layers[[2L]]$units[[1L]]$mean / 4
  densities <- vapply(dense_components(poisson, counts$x), function(at) {
    vapply(1:10, function(i) log(sum(mass * dpois(counts$y[i],
      exp(at$mean[i] + sqrt(at$variance[i]) * node)))), 0)
  }, double(10L))
  expect_equal(core_deep_density(poisson, counts$x, counts$y, list(), plain_context())$value,
    log(drop(exp(densities) %*% exp(poisson$log_weights))), tolerance = 1e-7)
  expect_deep_gradient(poisson, counts$x, counts$y, deep_settings())
  student <- deep_state(width = 1L, inducing = 3L,
    family = list(name = "student_t", parameters = c(0.5, 4)))
  expect_deep_gradient(student, data$x, data$y, deep_settings())
})

test_extended("weights of rows divide their noise", {
  data <- deep_data(10L)
  state <- deep_state()
  weights <- seq(0.5, 2, length.out = 10)
  twice <- utils::modifyList(deep_settings(), list(weights = rep(4, 10)))
  quarter <- state
  quarter$noise <- state$noise / 4
  expect_equal(objective_value(state, data, twice), objective_value(quarter, data),
    tolerance = 1e-13)
  expect_deep_gradient(state, data$x, data$y,
    utils::modifyList(deep_settings(), list(weights = weights)))
})

test_extended("a trend and an offset are added to the means, of each output its own", {
  set.seed(4)
  design <- matrix(rnorm(20), 10L)
  offset <- rnorm(10)
  for (outputs in 1:2) {
    data <- deep_data(10L, outputs = outputs)
    if (outputs > 1L) data$y[3, 2] <- NA
    state <- deep_state(outputs = outputs)
    state$trend <- matrix(rnorm(2 * outputs), 2L)
    settings <- utils::modifyList(deep_settings(),
      list(design = design, weights = seq(0.5, 2, length.out = 10)))
    known <- design %*% state$trend
    if (outputs == 1L) {
      settings$offset <- offset
      known <- known + offset
    }
    expect_equal(objective_value(state, data, settings), dense_mixture(state, data$x, data$y, 0.3,
      known = known, weights = settings$weights), tolerance = 1e-10)
    expect_deep_gradient(state, data$x, data$y, settings)
    density <- sweep(dense_log_densities(state, data$x, data$y, known, settings$weights), 2L,
      state$log_weights, "+")
    expect_equal(core_deep_density(state, data$x, data$y, settings, plain_context())$value,
      log(rowSums(exp(density))), tolerance = 1e-9)
  }
  counts <- list(x = deep_data(10L)$x, y = matrix(rpois(10L, 2)))
  poisson <- deep_state(width = 1L, inducing = 3L,
    family = list(name = "poisson", parameters = double(0)))
  poisson$trend <- matrix(c(0.3, -0.2))
  for (score in c("mixture", "expected")) {
    expect_deep_gradient(poisson, counts$x, counts$y,
      utils::modifyList(deep_settings(), list(score = score, design = design, offset = offset)))
  }
  state <- deep_state()
  state$trend <- matrix(0, 3L, 1L)
  expect_error(objective_value(state, deep_data(10L),
    utils::modifyList(deep_settings(), list(design = design))), "trend")
})

test_extended("the expected score of several outputs is that of quadrature, and of one that of one", {
  data <- deep_data(10L, outputs = 2L)
  data$y[cbind(c(1, 4), c(2, 1))] <- NA
  weights <- seq(0.5, 2, length.out = 10)
  design <- matrix(cos(1:10))
  for (covariance in c("diagonal", "full")) {
    state <- deep_state(outputs = 2L, covariance = covariance, inducing = 3L)
    state$trend <- matrix(c(0.4, -0.3), 1L)
    settings <- utils::modifyList(deep_settings(), list(score = "expected", weights = weights,
      design = design))
    node <- seq(-9, 9, length.out = 2001)
    mass <- dnorm(node) / sum(dnorm(node))
    of_component <- vapply(dense_components(state, data$x), function(at) {
      mean(vapply(1:10, function(i) sum(vapply(which(!is.na(data$y[i, ])), function(p) {
        A <- state$mixing[, p]
        eta <- sum(A * at$mean[i, ]) + sqrt(sum(A^2 * at$variance[i, ])) * node +
          design[i] * state$trend[p]
        sum(mass * dnorm(data$y[i, p], eta, sqrt(state$noise[p] / weights[i]), log = TRUE))
      }, 0)), 0))
    }, 0)
    expect_equal(objective_value(state, data, settings),
      sum(exp(state$log_weights) * of_component) - 0.3 / 10 * dense_divergence(state, data$x),
      tolerance = 1e-8)
    expect_deep_gradient(state, data$x, data$y, settings)
  }
  one <- deep_data(10L)
  state <- deep_state()
  expected <- utils::modifyList(deep_settings(), list(score = "expected"))
  expect_equal(objective_value(c(state[names(state) != "mixing"], list(mixing = matrix(1))), one,
    expected), objective_value(state, one, expected), tolerance = 1e-12)
  expect_error(objective_value(deep_state(outputs = 2L), data,
    list(score = "robust", gamma = 1.1, beta = 1, rows = 0)), "robust")
})

test_that("one output by the way of several is the same, in value and gradient", {
  data <- deep_data(12L)
  state <- deep_state(layers = 3L)
  mixed <- state
  mixed$mixing <- matrix(1)
  settings <- utils::modifyList(deep_settings(), list(weights = seq(0.5, 2, length.out = 12)))
  one <- core_deep_objective(state, data$x, data$y, settings, plain_context())
  other <- core_deep_objective(mixed, data$x, data$y, settings, plain_context())
  expect_equal(other$value, one$value, tolerance = 1e-13)
  for (what in c("layers", "sites", "log_weights", "noise")) expect_equal(other$gradient[[what]],
    one$gradient[[what]], tolerance = 1e-11)
  expect_equal(core_deep_components(mixed, data$x, plain_context()), core_deep_components(state,
    data$x, plain_context()), tolerance = 1e-13)
})

test_extended("every family's density has its gradient, with weights and trials", {
  set.seed(8)
  x <- deep_data(8L)$x
  weights <- rep(c(1, 2), 4L)
  cases <- list(student_t = list(rnorm(8), c(0.5, 4)), binomial_logit = list(rbinom(8, 5, 0.4),
    double(0)), binomial_probit = list(rbinom(8, 5, 0.4), double(0)),
    binomial_cloglog = list(rbinom(8, 5, 0.4), double(0)),
    poisson = list(rpois(8, 2), double(0)), negative_binomial = list(rpois(8, 2), 1.5),
    gamma = list(rgamma(8, 2), 2), beta = list(rbeta(8, 2, 2), 5))
  for (name in names(cases)) {
    state <- deep_state(width = 1L, inducing = 3L, sites = 2L,
      family = list(name = name, parameters = cases[[name]][[2L]]))
    state$layers[[2L]]$units[[1L]]$mean <- state$layers[[2L]]$units[[1L]]$mean / 4
    for (score in c("mixture", "expected")) {
      expect_deep_gradient(state, x, matrix(cases[[name]][[1L]]), utils::modifyList(deep_settings(),
        list(score = score, weights = weights, trials = if (grepl("binomial_", name)) rep(5, 8))))
    }
  }
})

test_that("signs and scales of hidden units change nothing", {
  data <- deep_data()
  state <- deep_state(layers = 3L, skip = "both")
  components <- function(at) core_deep_components(at, data$x, plain_context())[c("mean",
    "variance")]
  flipped <- scaled <- state
  unit <- flipped$layers[[1L]]$units[[2L]]
  unit[c("mean", "weights", "constant")] <- lapply(unit[c("mean", "weights", "constant")], `-`)
  flipped$layers[[1L]]$units[[2L]] <- unit
  flipped$sites[[1L]][, 2L] <- -flipped$sites[[1L]][, 2L]
  scaled$layers[[1L]]$units[[2L]] <- within(state$layers[[1L]]$units[[2L]], {
    variance <- 9 * variance
    weights <- 3 * weights
    constant <- 3 * constant
  })
  for (u in 1:2) {
    flipped$layers[[2L]]$units[[u]]$positions[, 2L] <- -flipped$layers[[2L]]$units[[u]]$positions[,
      2L]
    flipped$layers[[2L]]$units[[u]]$weights[2L] <- -flipped$layers[[2L]]$units[[u]]$weights[2L]
    scaled$layers[[2L]]$units[[u]]$positions[, 2L] <- 3 *
      scaled$layers[[2L]]$units[[u]]$positions[, 2L]
    scaled$layers[[2L]]$units[[u]]$range[2L] <- 3 * scaled$layers[[2L]]$units[[u]]$range[2L]
    scaled$layers[[2L]]$units[[u]]$weights[2L] <- scaled$layers[[2L]]$units[[u]]$weights[2L] / 3
  }
  expect_equal(components(flipped), components(state), tolerance = 1e-12)
  expect_equal(components(scaled), components(state), tolerance = 1e-12)
})

test_that("with a site at zero a component is the last layer at the hidden means", {
  data <- deep_data()
  state <- deep_state(sites = 2L)
  state$sites[[1L]][1L, ] <- 0
  found <- core_deep_components(state, data$x, plain_context())
  for (u in 1:2) state$layers[[1L]]$units[[u]]$sd <- 3 * state$layers[[1L]]$units[[u]]$sd
  other <- core_deep_components(state, data$x, plain_context())
  expect_equal(other$mean[, 1L], found$mean[, 1L], tolerance = 1e-14)
  expect_gt(max(abs(other$mean[, 2L] - found$mean[, 2L])), 1e-3)
})

test_that("a row's components do not depend on the rows beside it, nor on threads", {
  data <- deep_data(300L)
  state <- deep_state()
  all <- core_deep_components(state, data$x, plain_context())
  expect_identical(core_deep_components(state, data$x, plain_context(4L)), all)
  one <- core_deep_components(state, data$x[211L, , drop = FALSE], plain_context())
  expect_identical(drop(one$mean), all$mean[211L, ])
  expect_identical(drop(one$variance), all$variance[211L, ])
})

# ---- training ------------------------------------------------------------------------------------

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
        expect_identical(c(first$objective, rest$objective), whole$objective)
        expect_false(identical(whole$objective[1L], whole$objective[2L]))
      }
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
    objective_value(fit$state, list(x = data$x[-held, ], y = data$y[-held]), deep_settings(0.5)))
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

test_that("points that coincide are an error that names them", {
  data <- training_data(200L)
  state <- deep_start(data$x, data$y,
    utils::modifyList(deep_defaults(), list(inducing = 15L, width = 2L, sites = 3L)), 1)
  state$layers[[2L]]$units[[1L]]$positions[] <- 0
  state$jitter <- 1e-20
  failure <- core_deep_objective(state, data$x, data$y, deep_settings(), plain_context())$failure
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
  expect_error(core_deep_objective(deep_state(), data$x, data$y[-1L], deep_settings(),
    plain_context()), "response")
})
