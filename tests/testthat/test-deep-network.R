# Deep kernels before the layers of dspp() and dgp().

with_some_network <- function(state, widths, activation = "tanh", decay = 0.3) {
  state$network <- c(some_network(widths, activation), decay = decay)
  state
}

test_that("layers take the features of the network, and the objective its decay", {
  data <- deep_data(12L, dim = 4L)
  for (activation in names(activations)) for (layers in 1:3) {
    plain <- deep_state(layers = layers, dim = 2L, skip = "both")
    state <- with_some_network(plain, c(4, 5, 2), activation)
    features <- list(x = dense_network(data$x, state$network), y = data$y)
    expect_equal(objective_value(state, data), objective_value(plain, features) -
      0.15 * sum(state$network$weights^2), tolerance = 1e-12)
    expect_equal(core_deep_components(state, data$x, plain_context()),
      core_deep_components(plain, features$x, plain_context()), tolerance = 1e-12)
    expect_equal(core_deep_density(state, data$x, data$y, list(), plain_context()),
      core_deep_density(plain, features$x, data$y, list(), plain_context()), tolerance = 1e-12)
  }
})

test_extended("the gradient in the weights is that of differences, in all topologies and scores", {
  data <- deep_data(10L, dim = 4L)
  expected <- utils::modifyList(score_settings(), list(score = "expected"))
  for (state in list(deep_state(layers = 1L, dim = 2L), deep_state(dim = 2L),
    deep_state(dim = 2L, covariance = "full"), deep_state(dim = 2L, rule = "random"),
    deep_state(layers = 3L, dim = 2L, skip = "inputs"),
    deep_state(layers = 3L, dim = 2L, skip = "mean"),
    deep_state(layers = 3L, dim = 2L, skip = "both"))) {
    state <- with_some_network(state, c(4, 3, 2))
    expect_deep_gradient(state, data$x, data$y, score_settings())
    expect_deep_gradient(state, data$x, data$y, expected)
  }
})

test_that("rows in blocks and threads give the same gradient of the network", {
  data <- deep_data(150L, dim = 4L)
  state <- with_some_network(deep_state(dim = 2L), c(4, 5, 2), "relu")
  gradient <- function(rows, threads) {
    core_deep_objective(state, data$x[rows, , drop = FALSE], data$y[rows, , drop = FALSE],
      score_settings(beta = 0), plain_context(threads))$gradient$network$weights
  }
  expect_identical(gradient(1:150, 2L), gradient(1:150, 1L))
  parts <- list(1:40, 41:100, 101:150)
  # the objective is a mean over rows
  sum_of_parts <- Reduce(`+`, lapply(parts, function(rows) length(rows) * gradient(rows, 1L)))
  expect_equal(sum_of_parts / 150, gradient(1:150, 1L), tolerance = 1e-10)
})

deep_network_fit <- function(method = dspp(inducing = 10, width = 2, sites = 3, epochs = 4,
                               batch_size = 60, restarts = 1, seed = 1), data = curved_data(),
                             formula = z ~ 1, seed = 2, ...) {
  suppressWarnings(withr::with_seed(seed, neargp(formula, data, coords = ~ a + b + c,
    method = method, covariance = network_covariance(), ...)))
}

short_dgp <- function(...) {
  dgp(inducing = 10, width = 2, samples = 3, epochs = 3, batch_size = 60, restarts = 1, seed = 1,
    ...)
}

test_that("a fit trains the network with the layers, and predicts at its features", {
  data <- curved_data()
  inputs <- unname(as.matrix(data[c("a", "b", "c")]))
  start <- withr::with_seed(2, new_network(mlp(c(6, 2)), inputs))
  for (fit in list(deep_network_fit(), deep_network_fit(short_dgp()))) {
    network <- fit$locations$network
    expect_gt(max(abs(network$weights - start$weights)), 0.01)
    expect_null(fit$deep$state$network)
    features <- dense_network(network_inputs(inputs, network), network)
    expect_equal(as.matrix(warped_coordinates(fit)), features, ignore_attr = TRUE,
      tolerance = 1e-10)
    at <- core_deep_components(fit$deep$prediction, features[c(7, 9), ], plain_context())
    weights <- exp(fit$deep$prediction$log_weights)
    expect_equal(predict(fit, data[c(7, 9), ], type = "link")$mean,
      mean(data$z) + stats::sd(data$z) * drop(at$mean %*% weights), tolerance = 1e-8)
    expect_output(print(fit), "learned by a perceptron \\(3-6-2, relu\\)")
    file <- withr::local_tempfile()
    saveRDS(fit, file)
    expect_identical(predict(readRDS(file), data[1:3, ]), predict(fit, data[1:3, ]))
  }
})

test_that("threads, pieces and counts train the same network", {
  fit <- deep_network_fit(threads = 1)
  expect_identical(deep_network_fit(threads = 2)$locations$network, fit$locations$network)
  file <- withr::local_tempfile()
  pieces <- deep_network_fit(control = neargp_control(checkpoint = file))
  expect_identical(pieces$locations$network, fit$locations$network)
  expect_identical(pieces$deep$state, fit$deep$state)
  counts <- deep_network_fit(formula = count ~ 1, family = poisson())
  expect_true(all(predict(counts, curved_data()[1:4, ])$mean > 0))
})

test_that("a fit goes on from its network, and folds train one of their own", {
  data <- curved_data(150)
  fit <- deep_network_fit(data = data)
  longer <- deep_network_fit(data = data, start = fit, seed = 9)
  expect_identical(longer$locations$network$center, fit$locations$network$center)
  expect_lt(max(abs(longer$locations$network$weights - fit$locations$network$weights)), 0.05)
  expect_message(suppressWarnings(neargp(z ~ 1, data, coords = ~ a + b + c, method = fit$method,
    covariance = network_covariance(c(4, 2)), start = fit)), class = "neargp_message_start")
  wider <- dspp(inducing = 10, width = 3, sites = 3, epochs = 1, batch_size = 60, restarts = 1,
    seed = 1, learning_rate = 1e-12)
  other <- suppressMessages(deep_network_fit(wider, data, start = fit, seed = 9))
  new <- withr::with_seed(9, new_network(mlp(c(6, 2)), fit$data$inputs))
  expect_equal(other$locations$network$weights, new$weights, tolerance = 1e-6)
  again <- withr::with_seed(1, suppressWarnings(cross_validate(fit, folds = 2, refit = TRUE)))
  expect_true(all(is.finite(again$predictions$mean)))
})

# expect_resumes() goes on with another seed.
test_extended("a fit that is resumed in another session draws the network of the first", {
  method <- dspp(inducing = 10, width = 2, sites = 3, epochs = 4, batch_size = 60, restarts = 3,
    seed = 1)
  expect_resumes(function(seed, ...) {
    set.seed(seed)
    suppressWarnings(neargp(z ~ 1, curved_data(), coords = ~ a + b + c, method = method,
      covariance = network_covariance(), ...))
  })
  expect_resumes(function(seed, ...) {
    set.seed(seed)
    neargp(z ~ 1, curved_data(), coords = ~ a + b + c, covariance = network_covariance(),
      method = svgp(inducing = 12, optimizer = "natural", epochs = 3, batch_size = 64), ...)
  })
})
