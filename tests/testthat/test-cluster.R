cluster_data <- function(n = 400) {
  set.seed(12)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  data$z <- sin(6 * data$x) + data$h + rnorm(n, sd = 0.3)
  data
}

cluster_fit <- function(cluster, method = vecchia(10), data = cluster_data(), shards = 5L,
                        covariance = cov_exponential(), ...) {
  neargp(z ~ h, data, coords = ~ x + y, method = method, covariance = covariance, threads = 1L,
    control = neargp_control(shards = shards, ...), cluster = cluster, verbose = FALSE)
}

# All that is estimated, to the last bit.
estimated <- function(fit) {
  # the place of the call is in formulas, and in the recipe of locations
  unclass(fit)[setdiff(names(fit), c("call", "formula", "terms", "locations", "elapsed", "cache",
    "cluster", "control"))]
}

test_extended("a fit by workers is that of this process, to the last bit", {
  cluster <- local_workers(2)
  data <- cluster_data(150)
  fit <- cluster_fit(cluster, data = data)
  expect_identical(estimated(fit), estimated(cluster_fit(NULL, data = data)))
  expect_identical(fit$cluster, list(workers = 2L, threads = 1L, lost = 0L, moved = 0L))
  expect_output(print(fit), "Shards: +5, on 2 workers\n")
  # idle and empty afterwards
  expect_identical(held_by_workers(cluster), list(0L, 0L))
})

test_extended("any number of workers and each method give the same bits", {
  metric <- cov_matern(nu = 1.5, ard = TRUE)
  for (method in list(vecchia(10), vecchia(10, estimation = "REML"), loo_k(10), mll_k(10))) {
    alone <- estimated(cluster_fit(NULL, method, covariance = metric))
    for (count in c(1, 4)) {
      cluster <- local_workers(count)
      expect_identical(estimated(cluster_fit(cluster, method, covariance = metric)), alone)
    }
  }
  sockets <- parallel::makePSOCKcluster(2)
  withr::defer(parallel::stopCluster(sockets))
  expect_identical(estimated(cluster_fit(sockets, method, covariance = metric)), alone)
  # shards by default
  fit <- cluster_fit(sockets, data = cluster_data(2500), shards = NULL)
  expect_identical(fit$control$shards, 4L)
})

test_that("what is no cluster is refused", {
  data <- cluster_data(60)
  expect_error(cluster_fit(list(1)), class = "neargp_error_cluster")
  expect_error(cluster_fit(structure(list(), class = "cluster")), class = "neargp_error_cluster")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(),
    cluster = structure(list(1), class = "cluster")), "exact_gp", class = "neargp_error_cluster")
  expect_error(check_greetings(list(list(node = "one"))), "does not find neargp",
    class = "neargp_error_cluster")
  other <- utils::modifyList(greeting(), list(version = "0.0.1"))
  expect_error(check_greetings(list(greeting(), other)), "same version",
    class = "neargp_error_cluster")
})

test_that("all use the widest instruction set that all have, and no wider one than this session", {
  sets <- core_simd_available()
  narrow <- sets[length(sets)]
  expect_identical(common_instruction_set(sets), core_simd())
  expect_identical(common_instruction_set(narrow), narrow)
  expect_error(common_instruction_set("other"),
    class = "neargp_error_cluster")
})

test_extended("errors of a fit on workers are those of the fit", {
  data <- cluster_data(60)
  data[60, c("x", "y")] <- data[1, c("x", "y")]
  cluster <- local_workers(2)
  singular <- function(cluster) tryCatch(neargp(z ~ 1, rbind(data, data), coords = ~ x + y,
    method = loo_k(10), covariance = cov_gaussian(variance = 1, range = 50), nugget = 1e-16,
    control = neargp_control(shards = 2L), cluster = cluster), neargp_error_cholesky = identity)
  alone <- singular(NULL)
  expect_s3_class(alone, "neargp_error_cholesky")
  expect_identical(conditionMessage(singular(cluster)), conditionMessage(alone))
})

# The binding of the package, and back at the end of the function that calls.
local_binding <- function(name, value, env = parent.frame()) {
  original <- get(name, envir = asNamespace("neargp"))
  withr::defer(utils::assignInNamespace(name, original, "neargp"), env)
  utils::assignInNamespace(name, value, "neargp")
  original
}

# `harm` is done to a worker at the `at`-th evaluation.
harmed_fit <- function(cluster, harm, at, ...) {
  count <- 0L
  evaluate <- local_binding("reduce_rows", function(...) {
    count <<- count + 1L
    if (count == at) harm()
    evaluate(...)
  })
  cluster_fit(cluster, ...)
}

pids_of <- function(cluster) unlist(parallel::clusterCall(cluster, Sys.getpid))

test_extended("the shards of a worker that is killed go to another, with the same result", {
  skip_on_os("windows")
  extended <- is_extended()
  data <- cluster_data(150)
  alone <- estimated(cluster_fit(NULL, data = data))
  for (at in if (extended) c(1, 2, 4) else 4) {
    cluster <- local_workers(3)
    pids <- pids_of(cluster)
    fit <- harmed_fit(cluster, function() tools::pskill(pids[2L], tools::SIGKILL), at,
      data = data)
    expect_identical(estimated(fit), alone)
    expect_identical(fit$cluster[c("lost", "moved")], list(lost = 1L, moved = 2L))
    expect_output(print(fit), "on 3 workers \\(1 worker lost, 2 shards moved\\)")
  }
})

test_extended("a worker that does not answer in time is given up", {
  cluster <- local_workers(2)
  pids <- pids_of(cluster)
  withr::defer(tools::pskill(pids[1L], tools::SIGCONT))
  fit <- harmed_fit(cluster, function() tools::pskill(pids[1L], tools::SIGSTOP), 3,
    worker_timeout = 6)
  expect_identical(estimated(fit), estimated(cluster_fit(NULL)))
  expect_identical(fit$cluster$lost, 1L)
  # its late answer is none to another fit
  tools::pskill(pids[1L], tools::SIGCONT)
  Sys.sleep(0.5)
  expect_identical(estimated(cluster_fit(cluster)), estimated(fit))
})

test_extended("a fit without a worker left says so, and goes on from its checkpoint", {
  cluster <- local_workers(2)
  pids <- pids_of(cluster)
  file <- withr::local_tempfile(fileext = ".checkpoint")
  expect_error(harmed_fit(cluster, function() tools::pskill(pids, tools::SIGKILL), 5,
    checkpoint = file), "All 2 workers", class = "neargp_error_cluster")
  expect_message(fit <- cluster_fit(local_workers(1), checkpoint = file), "goes on from",
    class = "neargp_message_checkpoint")
  expect_identical(estimated(fit), estimated(cluster_fit(NULL)))
})

test_extended("after an interrupt workers are idle", {
  cluster <- local_workers(2)
  # an interrupt, as Ctrl-C would be, while workers compute
  count <- 0L
  local({
    send <- local_binding("send_call", function(...) {
      tag <- send(...)
      count <<- count + 1L
      if (count == 30L) rlang::interrupt()
      tag
    })
    expect_identical(tryCatch(cluster_fit(cluster), interrupt = function(condition) "stopped"),
      "stopped")
  })
  expect_identical(parallel::clusterCall(cluster, function() "idle"), list("idle", "idle"))
  expect_identical(held_by_workers(cluster), list(0L, 0L))
  expect_identical(estimated(cluster_fit(cluster)), estimated(cluster_fit(NULL)))
})

test_that("messages of an evaluation are short", {
  arguments <- list(key = "120000.123456 12345 12345", call = list(what = "shard_sums",
    common = list(values = runif(6), information = TRUE), tree = 1:16), ids = 1:4, own = NULL)
  message <- list(type = "EXEC", data = list(fun = as_sent(worker_call), args = list(
    name = "answer_request", arguments = arguments), return = TRUE, tag = 1))
  # no closure has brought what is around it
  expect_lt(length(serialize(message, NULL)), 4000)
})

test_extended("predictions and folds by workers are those of this process", {
  data <- cluster_data(120)
  fit <- cluster_fit(NULL, data = data, shards = NULL)
  cluster <- local_workers(2)
  newdata <- data.frame(x = c(runif(9), NA), y = runif(10), h = 0)
  expect_identical(predict(fit, newdata, interval = "prediction", cluster = cluster),
    predict(fit, newdata, interval = "prediction"))
  expect_identical(predict(fit, newdata[1L, ], cluster = cluster), predict(fit, newdata[1L, ]))
  expect_error(predict(fit, newdata, joint = TRUE, cluster = cluster),
    class = "neargp_error_cluster")
  expect_error(predict(fit, newdata, cluster = 2), class = "neargp_error_cluster")
  folds <- rep(1:3, 40)
  compared <- c("scores", "fold_scores", "predictions")
  expect_identical(unclass(cross_validate(fit, folds, refit = TRUE, cluster = cluster))[compared],
    unclass(cross_validate(fit, folds, refit = TRUE))[compared])
})

test_that("what workers do not predict is refused, not predicted as something else", {
  cluster <- local_workers(2)
  data <- cluster_data(60)
  fit <- neargp(z ~ h, data, coords = ~ x + y, method = vecchia(5), threads = 1L,
    covariance = cov_exponential(variance = 1, range = 0.3, by = ~ h), nugget = 0.1)
  for (type in c("coefficients", "terms")) {
    expect_error(predict(fit, data[1:3, ], type = type, cluster = cluster), type,
      class = "neargp_error_cluster")
  }
})

test_extended("warnings of folds on workers are those of folds without", {
  cluster <- local_workers(2)
  data <- cluster_data(90)
  fit <- suppressWarnings(neargp(z ~ h, data, coords = ~ x + y, method = vecchia(5), threads = 1L,
    control = neargp_control(max_iterations = 1)))
  warnings_of <- function(...) {
    messages <- character(0)
    withCallingHandlers(cross_validate(fit, folds = rep(1:3, 30), refit = TRUE, ...),
      warning = function(condition) {
        messages <<- c(messages, conditionMessage(condition))
        invokeRestart("muffleWarning")
      })
    messages
  }
  alone <- warnings_of()
  expect_gt(length(alone), 0L)
  expect_identical(sort(warnings_of(cluster = cluster)), sort(alone))
})

test_extended("workers leave their random numbers as they were, and compute by the instruction set of this session", {
  cluster <- local_workers(2)
  parallel::clusterSetRNGStream(cluster, 1)
  before <- parallel::clusterEvalQ(cluster, .Random.seed)
  fit <- cluster_fit(NULL, data = cluster_data(60), shards = NULL)
  cross_validate(fit, folds = rep(1:3, 20), cluster = cluster)
  expect_identical(parallel::clusterEvalQ(cluster, .Random.seed), before)
  workers <- open_workers(cluster, 1L)
  withr::defer(close_workers(workers))
  workers$instruction_sets <- "none"
  expect_error(share_instruction_set(workers), class = "neargp_error_cluster")
})

test_extended("workers, their number and their loss change no bit of vnngp() either", {
  skip_on_os("windows")
  data <- cluster_data(150)
  data$count <- rpois(150, exp(data$z / 2))
  fitted <- function(cluster, ...) neargp(count ~ h, data, coords = ~ x + y, cluster = cluster,
    method = vnngp(k = 8, overlap = 4), covariance = cov_exponential(), family = poisson(),
    threads = 1L, control = neargp_control(shards = 3L, ...), verbose = FALSE)
  new <- data.frame(x = c(runif(30), NA), y = runif(31), h = 0)
  alone <- fitted(NULL)
  cluster <- local_workers(2)
  fit <- fitted(cluster)
  expect_identical(estimated(fit), estimated(alone))
  expect_identical(predict(fit, new, cluster = cluster), predict(alone, new))
  # a worker is lost between a fit of the fields and what is asked of them, and between fits
  for (what in c("reduce_rows", "fit_fields")) local({
    cluster <- local_workers(3)
    pids <- pids_of(cluster)
    calls <- 0L
    original <- local_binding(what, function(...) {
      calls <<- calls + 1L
      if (calls == 5L) tools::pskill(pids[2L], tools::SIGKILL)
      original(...)
    })
    fit <- fitted(cluster)
    expect_identical(estimated(fit), estimated(alone))
    expect_identical(fit$cluster$lost, 1L)
  })
  # all are lost: the checkpoint has what was done
  cluster <- local_workers(2)
  pids <- pids_of(cluster)
  file <- withr::local_tempfile(fileext = ".checkpoint")
  local({
    calls <- 0L
    original <- local_binding("fit_fields", function(...) {
      calls <<- calls + 1L
      if (calls == 9L) tools::pskill(pids, tools::SIGKILL)
      original(...)
    })
    expect_error(fitted(cluster, checkpoint = file), "All 2 workers",
      class = "neargp_error_cluster")
  })
  expect_message(fit <- fitted(NULL, checkpoint = file), "goes on from",
    class = "neargp_message_checkpoint")
  expect_identical(estimated(fit), estimated(alone))
})
