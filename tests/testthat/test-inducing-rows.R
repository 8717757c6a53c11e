# Fits of svgp(), whose bound is a sum over the rows of shards.

bound_data <- function(n = 200) {
  set.seed(31)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n), w = rep(1:2, length.out = n))
  data$z <- 50 * (sin(6 * data$x) + cos(5 * data$y) + data$h + rnorm(n, sd = 0.2))
  data
}

bound_fit <- function(data, shards = 3L, method = svgp(8, optimizer = "collapsed"), ...) {
  neargp(z ~ h, data, coords = ~ x + y, weights = w, method = method, threads = 1L,
    covariance = cov_matern(nu = 1.5), control = neargp_control(shards = shards), ...)
}

test_that("the bound in shards is that of all rows in one, with its gradient", {
  data <- list(y = c(2, 1, 4, 3, 0.5, 1.5, 2.5, 1), offset = double(8), weights = rep(1:2, 4),
    X = matrix(1, 8, 1), coords = cbind(c(1, 3, 2, 7, 5, 6, 4, 8), c(2, 1, 7, 3, 8, 5, 4, 6)) / 8)
  covariance <- specified_covariance(core_covariance_specification(given_covariance()),
    c(1.3, 0.4, 0.2))
  positions <- rbind(c(0.3, 0.3), c(0.7, 0.6), c(0.2, 0.9))
  for (kind in c("tight", "standard")) {
    method <- svgp(3, bound = kind)
    whole <- bound_over_rows(data, method, plain_context(1L))(covariance, 0.2, positions, TRUE)
    host <- new_shard_host(3L)
    own <- lapply(split(1:8, c(1, 1, 2, 2, 2, 3, 3, 3)), function(rows)
      shard_rows(take_data_rows(data, rows), rows))
    map_rows(host, "shard_hold", list(specification = covariance$specification,
      context = plain_context(1L)), own)
    data$shards <- list(host = host, unit = 1)
    found <- bound_over_rows(data, method, plain_context(1L))(covariance, 0.2, positions, TRUE)
    expect_equal(found, whole, tolerance = 1e-10)
    # and the score of ppgpr() there
    method <- ppgpr(3, bound = kind, kl_weight = 0.3)
    relative <- rbind(c(1.2, 0, 0), c(0.3, 0.8, 0), c(-0.2, 0.1, 1.1))
    score <- function(data) {
      stage <- gaussian_stage(data, covariance, 0.2, positions, method, plain_context(1L))
      predictive_score_at(stage, method, gaussian(), covariance, plain_context(1L))(relative, 0.3)
    }
    expect_equal(score(data), score(replace(data, "shards", list(NULL))), tolerance = 1e-10)
    data$shards <- NULL
  }
})

test_extended("fits in shards are those without, to the last bit on any workers, also where one is killed", {
  skip_on_os("windows")
  data <- bound_data()
  parts <- c("parameters", "log_likelihood", "beta", "beta_vcov", "svgp", "information")
  for (method in list(svgp(8, optimizer = "collapsed"),
    svgp(8, move = FALSE, bound = "standard"))) {
    whole <- bound_fit(data, NULL, method)
    fit <- bound_fit(data, 4L, method)
    expect_equal(fit$log_likelihood, whole$log_likelihood, tolerance = 1e-6)
    expect_equal(coef(fit), coef(whole), tolerance = 1e-3)
    expect_equal(predict(fit, data[1:5, ]), predict(whole, data[1:5, ]), tolerance = 1e-3)
    expect_null(fit$data$shards)
    cluster <- local_workers(2)
    expect_identical(unclass(bound_fit(data, 4L, method, cluster = cluster))[parts],
      unclass(fit)[parts])
  }
  # the second stage ends where its score is flat
  score <- ppgpr(8)
  scored <- bound_fit(data, 4L, score)
  expect_equal(predict(scored, data[1:5, ]), predict(bound_fit(data, NULL, score), data[1:5, ]),
    tolerance = 0.01)
  parts_of_score <- c(parts, "predictive")
  expect_identical(unclass(bound_fit(data, 4L, score, cluster = cluster))[parts_of_score],
    unclass(scored)[parts_of_score])
  pid <- parallel::clusterCall(cluster, Sys.getpid)[[2L]]
  original <- get("reduce_rows", envir = asNamespace("neargp"))
  withr::defer(utils::assignInNamespace("reduce_rows", original, "neargp"))
  calls <- 0L
  # between sums and adjoints of one bound
  utils::assignInNamespace("reduce_rows", function(host, what, ...) {
    calls <<- calls + 1L
    if (calls > 5L && what == "part_bound_adjoints") tools::pskill(pid, tools::SIGKILL)
    original(host, what, ...)
  }, "neargp")
  again <- bound_fit(data, 4L, method, cluster = cluster)
  expect_identical(unclass(again)[parts], unclass(fit)[parts])
  expect_identical(again$cluster$lost, 1L)
})

test_extended("rows of a source have the bound of rows in memory", {
  data <- bound_data()
  data <- data[order(data$y), ]
  rownames(data) <- NULL
  pieces <- split(data, rep(1:4, each = 50))
  source <- row_source(function(i) if (i <= 4L) pieces[[i]])
  method <- svgp(8, move = FALSE, optimizer = "collapsed")
  fit <- bound_fit(source, 3L, method)
  memory <- bound_fit(source, NULL, method)
  expect_equal(fit$log_likelihood, memory$log_likelihood, tolerance = 1e-6)
  expect_equal(predict(fit, data[1:5, ]), predict(memory, data[1:5, ]), tolerance = 1e-3)
  expect_null(fit$source$recipe)
})

test_that("bounds that are no sums over the rows of shards are refused", {
  data <- bound_data(40)
  refused <- function(method) {
    expect_error(bound_fit(data, 2L, method), class = "neargp_error_cluster")
  }
  refused(svgp(5, optimizer = "natural"))
  refused(svgp(5, kl_weight = 0.5))
  refused(ppgpr(5, joint = TRUE))
  expect_error(bound_fit(data, 2L, odvgp(5)), "covariances of each row with all others",
    class = "neargp_error_cluster")
  expect_error(bound_fit(data, 2L, measurement_variance = w / 10), "noise",
    class = "neargp_error_cluster")
})
