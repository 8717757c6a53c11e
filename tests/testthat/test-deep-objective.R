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
    expect_deep_gradient(state, data$x, data$y, score_settings())
  }
})

test_extended("several outputs have the mixture of their joint densities, of a row's those that are known", {
  data <- deep_data(12L, outputs = 3L)
  data$y[cbind(c(1, 2, 2, 5), c(1, 2, 3, 3))] <- NA
  state <- deep_state(outputs = 3L)
  expect_equal(objective_value(state, data), dense_mixture(state, data$x, data$y, 0.3),
    tolerance = 1e-10)
  expect_deep_gradient(state, data$x, data$y, score_settings())
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
    expected <- utils::modifyList(score_settings(), list(score = "expected"))
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
  expect_deep_gradient(poisson, counts$x, counts$y, score_settings())
  student <- deep_state(width = 1L, inducing = 3L,
    family = list(name = "student_t", parameters = c(0.5, 4)))
  expect_deep_gradient(student, data$x, data$y, score_settings())
})

test_extended("weights of rows divide their noise", {
  data <- deep_data(10L)
  state <- deep_state()
  weights <- seq(0.5, 2, length.out = 10)
  twice <- utils::modifyList(score_settings(), list(weights = rep(4, 10)))
  quarter <- state
  quarter$noise <- state$noise / 4
  expect_equal(objective_value(state, data, twice), objective_value(quarter, data),
    tolerance = 1e-13)
  expect_deep_gradient(state, data$x, data$y,
    utils::modifyList(score_settings(), list(weights = weights)))
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
    settings <- utils::modifyList(score_settings(),
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
      utils::modifyList(score_settings(), list(score = score, design = design, offset = offset)))
  }
  state <- deep_state()
  state$trend <- matrix(0, 3L, 1L)
  expect_error(objective_value(state, deep_data(10L),
    utils::modifyList(score_settings(), list(design = design))), "trend")
})

test_extended("the expected score of several outputs is that of quadrature, and of one that of one", {
  data <- deep_data(10L, outputs = 2L)
  data$y[cbind(c(1, 4), c(2, 1))] <- NA
  weights <- seq(0.5, 2, length.out = 10)
  design <- matrix(cos(1:10))
  for (covariance in c("diagonal", "full")) {
    state <- deep_state(outputs = 2L, covariance = covariance, inducing = 3L)
    state$trend <- matrix(c(0.4, -0.3), 1L)
    settings <- utils::modifyList(score_settings(), list(score = "expected", weights = weights,
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
  expected <- utils::modifyList(score_settings(), list(score = "expected"))
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
  settings <- utils::modifyList(score_settings(), list(weights = seq(0.5, 2, length.out = 12)))
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
      expect_deep_gradient(state, x, matrix(cases[[name]][[1L]]),
        utils::modifyList(score_settings(), list(score = score, weights = weights,
          trials = if (grepl("binomial_", name)) rep(5, 8))))
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
