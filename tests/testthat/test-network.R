# Deep kernels: warp = mlp() of svgp() and ppgpr(). Those of deep processes are in
# test-deep-network.R.

central_differences <- function(value, at, step = 1e-5) {
  vapply(seq_along(at), function(j) {
    (value(replace(at, j, at[j] + step)) - value(replace(at, j, at[j] - step))) / (2 * step)
  }, 0)
}

expect_gradient <- function(found, value, at) {
  expected <- central_differences(value, at)
  expect_lt(max(abs(found - expected)), 1e-6 * max(abs(expected)))
}

network_method <- function(epochs = 5, optimizer = "natural", ...) {
  svgp(inducing = 12, optimizer = optimizer, epochs = epochs, batch_size = 64,
    learning_rate = 0.02, ...)
}

network_fit <- function(data = curved_data(), method = network_method(), formula = z ~ 1,
                        covariance = network_covariance(), seed = 2, ...) {
  withr::with_seed(seed, neargp(formula, data, coords = ~ a + b + c, method = method,
    covariance = covariance, ...))
}

test_that("a network is that of base R, and so is its gradient", {
  inputs <- withr::with_seed(3, matrix(stats::rnorm(120), 40L))
  bar <- withr::with_seed(4, matrix(stats::rnorm(80), 40L))
  for (activation in names(activations)) for (widths in list(c(3, 2), c(3, 7, 5, 2))) {
    network <- some_network(widths, activation)
    outputs <- function(weights) {
      core_perceptron(inputs, replace(network, "weights", list(weights)), plain_context())
    }
    expect_equal(outputs(network$weights), dense_network(inputs, network), tolerance = 1e-13)
    found <- core_perceptron_gradient(inputs, network, bar, plain_context())
    expect_gradient(found, function(weights) sum(bar * outputs(weights)), network$weights)
  }
  network <- some_network(c(3, 2), "relu")
  expect_error(core_perceptron(inputs[, 1:2], network, plain_context()), "other inputs")
  expect_error(core_perceptron(inputs, replace(network, "weights", list(1)), plain_context()),
    "numbers of weights")
})

# From the objective through the coordinates of rows, with points that stay where they are.
test_extended("the gradient of the objective in the weights is that of differences", {
  data <- curved_data(50)
  inputs <- scale(as.matrix(data[c("a", "b", "c")]))
  covariance <- as_specified(list(components = list(list(family = "matern", variance = 1.3,
    range = c(0.8, 1.4), group = 1:2, anisotropy = double(0), shape = 2.5)), active = rep(TRUE, 5)))
  points <- withr::with_seed(6, matrix(stats::rnorm(16), 8L))
  posterior <- withr::with_seed(7, list(mean = stats::rnorm(8),
    root = diag(0.6, 8L) + 0.1 * lower.tri(diag(8L))))
  cases <- list(list("expected", "tight", "gaussian", 0.3, data$z - 3),
    list("expected", "standard", "poisson", double(0), data$count),
    list("predictive", "standard", "gaussian", 0.3, data$z - 3))
  for (activation in names(activations)) for (case in cases) {
    network <- some_network(c(3, 5, 2), activation)
    at <- function(weights, derivatives = FALSE) {
      coords <- core_perceptron(inputs, replace(network, "weights", list(weights)),
        plain_context())
      core_inducing_objective(coords, list(y = as.double(case[[5L]]), trials = NULL,
        weights = rep(1, 50), offset = double(50), design = matrix(0, 50L, 0L)), points, covariance,
        case[[3L]], case[[4L]], posterior, list(score = case[[1L]], bound = case[[2L]],
          kl_weight = 0.7, jitter = 1e-6), derivatives, plain_context())
    }
    bar <- at(network$weights, TRUE)$d_coords
    found <- core_perceptron_gradient(inputs, network, bar, plain_context())
    expect_gradient(found, function(weights) at(weights)$value, network$weights)
  }
})

test_that("a network starts with standardised features, from R's random numbers", {
  data <- curved_data()
  inputs <- cbind(as.matrix(data[c("a", "b", "c")]) * 100, 7)
  for (activation in names(activations)) {
    start <- function(seed) {
      withr::with_seed(seed, new_network(mlp(c(9, 3), activation), inputs))
    }
    network <- start(1)
    expect_identical(network, start(1))
    expect_false(identical(network, start(2)))
    features <- network_coordinates(inputs, network)
    expect_equal(colMeans(features), double(3), tolerance = 1e-10)
    expect_equal(apply(features, 2L, stats::sd), rep(1, 3), tolerance = 1e-10)
    expect_equal(features, dense_network(network_inputs(inputs, network), network),
      tolerance = 1e-12)
  }
})

test_that("a fit trains the network, and predicts at its features", {
  data <- curved_data()
  fit <- network_fit(data)
  inputs <- unname(as.matrix(data[c("a", "b", "c")]))
  start <- withr::with_seed(2, new_network(mlp(c(6, 2)), inputs))
  network <- fit$locations$network
  expect_gt(max(abs(network$weights - start$weights)), 0.01)
  expect_identical(network[c("center", "scale", "widths")], start[c("center", "scale", "widths")])
  features <- dense_network(network_inputs(inputs, network), network)
  expect_equal(fit$data$coords, features, tolerance = 1e-10, ignore_attr = TRUE)
  expect_equal(as.matrix(warped_coordinates(fit)), features, ignore_attr = TRUE,
    tolerance = 1e-10)
  expect_identical(names(fit$inducing), c("warp1", "warp2"))
  expect_identical(original_coords(fit), as.matrix(data[c("a", "b", "c")]), ignore_attr = TRUE)
  # a Gaussian process on the features, whose prediction svgp() computes from them as coordinates
  new <- data[c(7, 9), ]
  plain <- neargp(z ~ 1, cbind(warped_coordinates(fit), z = data$z), coords = ~ warp1 + warp2,
    method = svgp(inducing = as.matrix(fit$inducing), move = FALSE, optimizer = "collapsed"),
    covariance = cov_matern(nu = 2.5, variance = coef(fit, "covariance")[["variance"]],
      range = coef(fit, "covariance")[["range"]]), nugget = coef(fit, "covariance")[["nugget"]])
  expect_equal(predict(fit, new), predict(plain, warped_coordinates(fit, new)), tolerance = 1e-6,
    ignore_attr = TRUE)
  expect_equal(c(logLik(fit)), c(logLik(plain)), tolerance = 1e-8)
  missing <- replace(new, "b", c(NA, 0.5))
  expect_identical(is.na(warped_coordinates(fit, missing)$warp2), c(TRUE, FALSE))
  expect_identical(is.na(predict(fit, missing)$mean), c(TRUE, FALSE))
})

test_that("threads and seeds give the same bits, and a file the same predictions", {
  data <- curved_data(150)
  fit <- network_fit(data, threads = 1)
  same <- network_fit(data, threads = 2)
  expect_identical(same$locations$network, fit$locations$network)
  expect_identical(same$svgp, fit$svgp)
  expect_false(identical(network_fit(data, seed = 3)$locations$network, fit$locations$network))
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data[1:3, ]), predict(fit, data[1:3, ]))
})

test_that("ppgpr() trains a network by its score, and in two stages", {
  data <- curved_data(150)
  for (joint in c(TRUE, FALSE)) {
    fit <- network_fit(data, ppgpr(inducing = 10, joint = joint, epochs = 3, batch_size = 50))
    expect_true(all(predict(fit, data[1:4, ])$sd > 0))
    expect_true(all(is.finite(fit$locations$network$weights)))
  }
  counts <- network_fit(data, network_method(3), count ~ 1, family = poisson())
  expect_true(all(predict(counts, data[1:4, ])$mean > 0))
})

test_that("folds hold the network, or train one of their own", {
  data <- curved_data(90)
  joint <- ppgpr(inducing = 8, joint = TRUE, epochs = 3, batch_size = 30)
  for (method in list(network_method(3), joint)) {
    fit <- network_fit(data, method)
    held <- withr::with_seed(1, cross_validate(fit, folds = 2))
    again <- withr::with_seed(1, cross_validate(fit, folds = 2, refit = TRUE))
    for (found in list(held, again)) {
      expect_true(all(is.finite(found$predictions$mean)))
      expect_identical(nrow(found$predictions), 90L)
    }
    expect_false(isTRUE(all.equal(held$predictions$mean, again$predictions$mean)))
  }
})

# The network of a fold is not that of the whole fit, whose features it must not be predicted at.
test_that("a refitted fold predicts at the features of its own network", {
  data <- curved_data(90)
  fit <- network_fit(data)
  kept <- 1:60
  split <- list(fold = 1, held = 61:90, kept = kept)
  found <- withr::with_seed(4, predict_split(fit, list(arguments = list()), split, TRUE, 0.95))
  known <- withr::with_seed(4, fit_without_fold(fit, split, TRUE))
  expect_equal(found$mean, predict(known, data[61:90, ])$mean, tolerance = 1e-8)
})

test_that("a fit goes on from its network, and another one begins with its own", {
  data <- curved_data(150)
  fit <- network_fit(data, network_method(2))
  longer <- network_fit(data, network_method(1), start = fit, seed = 9)
  expect_identical(longer$locations$network$center, fit$locations$network$center)
  start <- located_network(fit$covariance, list(coords = fit$data$inputs, y = fit$data$y),
    input_locations(fit$locations), fit)
  expect_identical(start$network, fit$locations$network)
  rows <- list(coords = fit$data$inputs[-1L, ], y = fit$data$y[-1L])
  other <- located_network(fit$covariance, rows, input_locations(fit$locations), fit)
  expect_false(identical(other$network$weights, fit$locations$network$weights))
})

test_that("decay shrinks the weights", {
  data <- curved_data(150)
  size <- function(decay) {
    sum(network_fit(data, covariance = network_covariance(decay = decay),
      method = network_method(20))$locations$network$weights^2)
  }
  expect_lt(size(10), 0.9 * size(0))
})

test_that("settings are checked, and a covariance says that it has a network", {
  for (layers in list(0, 1.5, "a", integer(0), NA, c(2, 1e6), TRUE)) {
    expect_error(mlp(layers), class = "neargp_error_argument")
  }
  expect_error(mlp(2, "sigmoid"), class = "neargp_error_argument")
  expect_error(mlp(2, decay = -1), class = "neargp_error_argument")
  expect_error(cov_matern(warp = list(mlp(2), monotone(~ a))), class = "neargp_error_argument")
  expect_error(cov_matern(warp = mlp(2), penalty = 2), "decay", class = "neargp_error_argument")
  expect_output(print(mlp(c(4, 2))), "mlp(c(4, 2), \"relu\", decay = 0.01)", fixed = TRUE)
  expect_output(print(network_covariance()), "mlp(c(6, 2)", fixed = TRUE)
  expect_output(print(network_fit()), "Features: +2, learned by a perceptron \\(3-6-2, relu\\)")
})

test_that("what a network does not go with is an error of class local", {
  data <- transform(curved_data(60), kind = factor(rep(c("u", "v", "w"), 20)))
  refused <- function(message, ...) {
    expect_error(suppressMessages(network_fit(data, ...)), message, class = "neargp_error_local")
  }
  for (method in list(vecchia(), exact_gp(), loo_k(), odvgp(), vnngp(),
    svgp(optimizer = "collapsed"))) refused("not supported by this", method = method)
  refused("with several responses", formula = cbind(z, count) ~ 1)
  refused("with several responses", formula = cbind(z, count) ~ 1, method = dspp())
  refused("not supported by this", formula = kind ~ 1)
  refused("sum of covariances", covariance = network_covariance() + cov_exponential())
  refused("anisotropy", covariance = cov_matern(warp = mlp(2), anisotropy = TRUE))
  refused("model of the noise", nugget = ~ a, method = svgp(inducing = 12))
  refused("random effects", formula = z ~ (1 | kind))
  refused("shards", control = neargp_control(shards = 2), method = svgp(inducing = 12))
  expect_error(network_fit(data, covariance = cov_matern(warp = mlp(2), sd = ~ a)),
    class = "neargp_error_local")
})

test_that("a run in pieces arrives where one does in a single piece", {
  data <- curved_data(120)
  for (method in list(network_method(3), network_method(3, "adam"))) {
    file <- withr::local_tempfile()
    whole <- network_fit(data, method)
    pieces <- network_fit(data, method, control = neargp_control(checkpoint = file))
    expect_identical(pieces$locations$network, whole$locations$network)
    expect_identical(pieces$svgp, whole$svgp)
  }
})

test_that("factors, degrees and areas around points keep their columns before the network", {
  data <- transform(curved_data(120), lon = -10 * a, lat = 40 + 5 * b,
    kind = factor(rep(c("u", "v"), 60)))
  fit <- withr::with_seed(1, neargp(z ~ 1, data, coords = ~ lon + lat + kind, crs = 4326,
    method = network_method(2), covariance = network_covariance()))
  expect_identical(fit$locations$network$widths[1L], 4L)
  expect_equal(original_coords(fit)[, 1:2], as.matrix(data[c("lon", "lat")]), tolerance = 1e-10,
    ignore_attr = TRUE)
  expect_true(all(is.finite(predict(fit, data[1:3, ])$mean)))
  expect_error(predict(fit, transform(data[1, ], kind = "w")), class = "neargp_error")
  expect_false(is.null(block_folds(fit, v = 3)))
})

test_extended("svgp() trains a network on the CPU alone", {
  local_gpu_or_emulated()
  expect_identical(network_fit(device = "auto")$device, "cpu")
  expect_error(network_fit(device = "cuda"), "on a GPU by this method",
    class = "neargp_error_local")
})

test_that("narrow layers start with features that vary", {
  inputs <- as.matrix(curved_data(50)[c("a", "b", "c")])
  for (seed in 1:30) {
    network <- withr::with_seed(seed, new_network(mlp(c(1, 1, 1)), inputs))
    expect_equal(stats::sd(network_coordinates(inputs, network)), 1, tolerance = 1e-8)
  }
})

# Features that depend on rows which the new fit does not hold out would choose its epoch.
test_that("a fit that does not continue `start` draws a network of its own", {
  data <- curved_data(150)
  fit <- network_fit(data)
  new <- withr::with_seed(9, new_network(mlp(c(6, 2)), fit$data$inputs))
  still <- network_method(1, "adam")
  still$learning_rate <- 1e-12
  other <- suppressMessages(network_fit(data, still, count ~ 1, start = fit, seed = 9,
    family = poisson()))
  expect_equal(other$locations$network$weights, new$weights, tolerance = 1e-6)
})
