# The key facts of the compiled core, through its bindings and with each instruction set of this
# processor. The core's own tests are in tests/cpp.

core_component <- function(family, variance = 1.3, range = 0.3, group = c(1L, 1L),
                           anisotropy = numeric(0), shape = numeric(0)) {
  list(family = family, variance = variance, range = range, group = group, anisotropy = anisotropy,
    shape = shape)
}

core_test_models <- list(
  exponential = list(core_component("exponential")),
  matern = list(core_component("matern", shape = 1.5)),
  rough_matern = list(core_component("matern", shape = 0.8)),
  gaussian = list(core_component("gaussian", range = 0.15)),
  power = list(core_component("powered_exponential", shape = 1.3)),
  cauchy = list(core_component("cauchy", shape = 0.9)),
  anisotropic = list(core_component("matern", anisotropy = c(0.3, -0.4), shape = 2.5)),
  sum = list(core_component("matern", range = c(0.2, 0.4), group = 1:2, shape = 1.2),
    core_component("exponential", range = 0.05))
)

core_test_data <- function(n = 30) {
  withr::local_seed(4)
  coords <- matrix(runif(2 * n), n)
  list(coords = coords, columns = cbind(rnorm(n), 1, coords[, 1]), noise = runif(n, 0.5, 2),
    nugget = 0.2)
}

core_reference <- function(data, covariance) {
  sigma <- core_covariance_matrix(data$coords, data$coords, covariance) +
    diag(data$nugget * data$noise)
  list(log_det = as.numeric(determinant(sigma)$modulus),
    gram = crossprod(data$columns, solve(sigma, data$columns)))
}

test_that("correlations are those of the formulas", {
  r <- c(0, 1e-6, 0.01, 0.3, 1, 4, 20)
  at <- function(family, shape = numeric(0)) {
    core_correlation(core_component(family, range = 2, shape = shape), 2 * r)
  }
  expect_equal(at("exponential"), exp(-r))
  expect_equal(at("gaussian"), exp(-r^2))
  expect_equal(at("powered_exponential", 1.3), exp(-r^1.3))
  expect_equal(at("cauchy", 0.7), (1 + r^2)^-0.7)
  for (nu in c(0.3, 0.5, 1, 1.5, 2.5, 3.5, 4.2)) {
    expect_equal(at("matern", nu), c(1, 2^(1 - nu) / gamma(nu) * r[-1]^nu * besselK(r[-1], nu)),
      tolerance = 1e-11)
  }
})

test_on_devices(
  "with all earlier points as neighbours the likelihood and its derivatives are the dense ones", {
    data <- core_test_data()
    n <- nrow(data$coords)
    neighbors <- core_neighbors_before(data$coords, n:1, n - 1L, test_context())
    problem <- core_problem(data$coords, data$columns, data$noise, neighbors, test_context())
    for (model in names(core_test_models)) {
      covariance <- as_specified(list(components = core_test_models[[model]]))
      reference <- core_reference(data, covariance)
      exact <- core_exact(data$coords, data$columns, data$noise, covariance, data$nugget, TRUE,
        test_context())
      expect_equal(exact[c("log_det", "gram")], reference, tolerance = 1e-10, info = model)
      with_each_simd(function(name) {
        info <- paste(model, name)
        expect_equal(core_evaluate(problem, covariance, data$nugget, TRUE, test_context()), exact,
          tolerance = 1e-9, info = info)
        beta <- c(0.3, -0.2)
        r <- c(1, -beta)
        adjoint <- core_gradient(problem, covariance, data$nugget, beta, test_context())
        quadratic <- function(gram) sum(r * (gram %*% r))
        expect_equal(adjoint$value,
          -0.5 * (n * log(2 * pi) + exact$log_det + quadratic(exact$gram)), tolerance = 1e-10,
          info = info)
        expect_equal(adjoint$gradient,
          -0.5 * (exact$d_log_det + apply(exact$d_gram, 3L, quadratic)), tolerance = 1e-8,
          info = info)
      })
    }
  })

test_on_devices("LOO-k and MLL-k are the densities of the neighbourhoods", {
  data <- core_test_data()
  neighbors <- as.matrix(core_neighbors_others(data$coords, 6L, test_context()))
  problem <- core_problem(data$coords, data$columns, data$noise, neighbors, test_context())
  covariance <- as_specified(list(components = core_test_models$sum))
  part <- function(rows) {
    core_reference(list(coords = data$coords[rows, , drop = FALSE],
      columns = data$columns[rows, , drop = FALSE],
      noise = data$noise[rows], nugget = data$nugget), covariance)
  }
  log_det <- c(loo = 0, mll = 0)
  for (i in seq_len(ncol(neighbors))) {
    whole <- part(c(neighbors[, i], i))$log_det
    log_det <- log_det + c(whole - part(neighbors[, i])$log_det, whole / 7)
  }
  with_each_simd(function(name) {
    expect_equal(core_evaluate(problem, covariance, data$nugget, FALSE, test_context())$log_det,
      log_det[["loo"]], tolerance = 1e-10, info = name)
    expect_equal(core_evaluate_joint(problem, covariance, data$nugget, test_context())$log_det,
      log_det[["mll"]], tolerance = 1e-10, info = name)
  })
})

test_on_devices("numbers do not depend on threads", {
  withr::local_seed(5)
  n <- 800
  coords <- matrix(runif(2 * n), n)
  new <- matrix(runif(2 * 300), 300)
  columns <- cbind(rnorm(n), 1)
  noise <- rep(1, n)
  normals <- matrix(rnorm(2 * 300), 300)
  covariance <- as_specified(list(components = core_test_models$sum))
  everything <- function(threads) {
    order <- core_order(coords, "maxmin", 0, test_context(threads))
    order_new <- core_order(new, "maxmin", 0, test_context(threads))
    neighbors <- core_neighbors_others(coords, 8L, test_context(threads))
    near <- core_neighbors_to(coords, new, 9L, test_context(threads))
    joint <- core_neighbors_joint(coords, new, order_new, 7L, test_context(threads))
    problem <- core_problem(coords, columns, noise, neighbors, test_context(threads))
    sectors <- core_index_by_sector(core_index(coords, core_unit_metric(2L)), new, FALSE, 4L, 2L,
      test_context(threads))
    before <- core_neighbors_before(coords, order, 8L, test_context(threads))
    list(order, lapply(list(neighbors, near, joint, before, sectors), as.matrix),
      value = core_evaluate(problem, covariance, 0.2, FALSE, test_context(threads)),
      information = core_evaluate(problem, covariance, 0.2, TRUE, test_context(threads)),
      gradient = core_gradient(problem, covariance, 0.2, 0.5, test_context(threads)),
      joint = core_evaluate_joint(problem, covariance, 0.2, test_context(threads)),
      joint_gradient = core_gradient_joint(problem, covariance, 0.2, 0.5, test_context(threads)),
      kriging = core_krige(core_kriging(coords, columns, noise, covariance, 0.2), new, near, TRUE,
        test_context(threads)),
      simulation = core_simulate(coords, columns, noise, new, order_new, joint, covariance, 0.2,
        normals, test_context(threads)),
      exact_simulation = core_exact_simulate(coords[1:300, ], columns[1:300, ], noise[1:300], new,
        covariance, 0.2, normals, test_context(threads)))
  }
  with_each_simd(function(name) {
    one <- everything(1L)
    for (threads in c(if (is_extended()) 2L, 4L)) expect_identical(everything(threads), one,
      info = paste(name, threads))
  })
})

test_on_devices(
  "kriging with all data is the dense prediction, also at the data and without a nugget", {
    data <- core_test_data()
    new <- rbind(matrix(c(0.1, 0.5, 0.9, 0.4), 2), data$coords[3, ])
    neighbors <- core_neighbors_to(data$coords, new, nrow(data$coords), test_context())
    covariance <- as_specified(list(components = core_test_models$matern))
    for (nugget in c(data$nugget, 0)) {
      exact <- core_exact_krige(core_exact_kriging(data$coords, data$columns, data$noise,
        covariance, nugget, test_context()), new, test_context())
      with_each_simd(function(name) {
        local <- core_krige(core_kriging(data$coords, data$columns, data$noise, covariance, nugget),
          new, neighbors, FALSE, test_context())
        expect_equal(local, exact, tolerance = 1e-8, info = name)
      })
    }
    expect_equal(exact$weighted[3, ], data$columns[3, ], tolerance = 1e-8)
    expect_equal(exact$variance[3], 0, tolerance = 1e-9)
  })

test_on_devices("a singular covariance matrix is reported with its row", {
  coords <- rbind(cbind(0:4 / 4, 0), c(0.5, 0))
  problem <- core_problem(coords, cbind(1:6, 1), rep(1, 6), core_neighbors_before(coords, 1:6, 3L,
    test_context()), test_context())
  covariance <- as_specified(list(components = core_test_models$matern))
  with_each_simd(function(name) {
    expect_identical(core_evaluate(problem, covariance, 0, TRUE, test_context())$failed, 6L)
    expect_identical(core_evaluate(problem, covariance, 0.1, TRUE, test_context())$failed, 0L)
  })
})
