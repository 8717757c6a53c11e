# Workers of mirai, a compute profile for each.

mirai_workers <- function(count, env = parent.frame()) {
  skip_if_not_installed("mirai")
  cluster <- lapply(seq_len(count), function(i) mirai::make_cluster(1))
  withr::defer(for (one in cluster) mirai::stop_cluster(one), envir = env)
  cluster
}

mirai_fit <- function(cluster, ...) {
  set.seed(12)
  data <- data.frame(x = runif(300), y = runif(300))
  data$z <- sin(6 * data$x) + rnorm(300, sd = 0.3)
  neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(8), covariance = cov_exponential(),
    threads = 1L, control = neargp_control(shards = 3, ...), cluster = cluster, verbose = FALSE)
}

process_of <- function(cluster) {
  parallel::clusterCall(cluster, Sys.getpid)[[1L]]
}

test_that("a fit by daemons of mirai is that of this process, and they serve predictions", {
  cluster <- mirai_workers(2)
  fit <- mirai_fit(cluster)
  alone <- mirai_fit(NULL)
  expect_identical(fit$parameters, alone$parameters)
  expect_identical(fit$beta, alone$beta)
  expect_identical(fit$cluster, list(workers = 2L, threads = 1L, lost = 0L, moved = 0L))
  new <- data.frame(x = runif(40), y = runif(40))
  expect_identical(predict(fit, new, cluster = cluster), predict(fit, new))
  folds <- rep_len(1:3, 300)
  expect_equal(cross_validate(fit, folds, cluster = cluster)$scores,
    cross_validate(fit, folds)$scores)
})

test_that("a daemon that is killed is lost, and the fit goes on", {
  skip_on_os("windows")
  cluster <- mirai_workers(2)
  process <- process_of(cluster[[2L]])
  # not by a fork, which would share the sockets
  system2("sh", c("-c", shQuote(sprintf("sleep 0.1; kill -9 %d", process))), wait = FALSE)
  fits <- lapply(1:3, function(i) suppressWarnings(mirai_fit(cluster, worker_timeout = 30)))
  expect_identical(fits[[3L]]$parameters, mirai_fit(NULL)$parameters)
  expect_identical(fits[[3L]]$cluster$lost, 1L)
})

test_that("daemons that share calls are refused", {
  skip_if_not_installed("mirai")
  shared <- mirai::make_cluster(2)
  withr::defer(mirai::stop_cluster(shared))
  expect_error(mirai_fit(shared), "one daemon", class = "neargp_error_cluster")
})
