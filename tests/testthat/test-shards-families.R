# Fits of svgp() and ppgpr() to responses that are not Gaussian, over rows in shards.

family_rows <- function(n) {
  set.seed(33)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  eta <- sin(6 * data$x) + cos(5 * data$y) + 0.3 * data$h
  data$count <- rpois(n, exp(eta))
  data$z <- eta + 0.3 * rt(n, 3)
  data
}

test_that("the bound in shards is that of all rows in one, with its gradient", {
  data <- family_rows(9)
  problem <- list(family = poisson(), layout = data.frame(kind = c("variance", "range")),
    context = plain_context(1L), data = list(y = as.double(data$count), offset = rep(0.1, 9),
      weights = rep(1:3, 3), X = cbind(1, data$h), coords = as.matrix(data[c("x", "y")])))
  specification <- core_covariance_specification(given_covariance())
  values <- c(1.3, 0.4, 0.2)
  positions <- rbind(c(0.3, 0.3), c(0.7, 0.6), c(0.2, 0.9))
  response <- latent_response(problem$data)
  start <- core_family_start(log(problem$data$y + 0.5), response, "poisson", double(0),
    problem$context)
  for (kind in c("tight", "standard")) {
    method <- svgp(3, bound = kind)
    bound <- function(problem) family_bound_at.default(problem, method, values, positions, start,
      1e-8, covariance = specified_covariance(specification, values))
    whole <- bound(problem)
    rows <- split(1:9, c(2, 1, 3, 2, 2, 1, 3, 3, 3))
    host <- new_shard_host(3L)
    map_rows(host, "shard_hold", list(family = "poisson", specification = specification,
      context = problem$context), lapply(rows, function(rows) list(
      coords = problem$data$coords[rows, , drop = FALSE],
      response = latent_response(take_data_rows(problem$data, rows)))))
    parts <- problem
    parts$data$shards <- list(host = host, rows = rows)
    expect_equal(bound(parts), whole, tolerance = 1e-9)
  }
})

test_extended("fits in shards are those without, to the last bit on any workers, also where one is killed", {
  skip_on_os("windows")
  data <- family_rows(120)
  fitted <- function(model, method, shards = 3L, cluster = NULL, rows = data) {
    neargp(model[[1L]], rows, coords = ~ x + y, method = method, family = model[[2L]],
      covariance = cov_matern(nu = 1.5, range = 0.4), threads = 1L, verbose = FALSE,
      control = neargp_control(shards = shards), cluster = cluster)
  }
  parts <- c("parameters", "log_likelihood", "beta", "beta_vcov", "svgp", "posterior",
    "information", "predictive")
  cases <- list(list(count ~ h, poisson()), list(z ~ h, student_t()))
  methods <- list(svgp(6, move = FALSE), ppgpr(6, move = FALSE))
  cluster <- local_workers(2)
  source <- row_source(function(i) if (i <= 2L) data[seq_len(60) + 60 * (i - 1), ])
  for (case in 1:2) {
    whole <- fitted(cases[[case]], methods[[case]], NULL)
    fit <- fitted(cases[[case]], methods[[case]])
    expect_equal(fit$log_likelihood, whole$log_likelihood, tolerance = 1e-6)
    expect_equal(coef(fit), coef(whole), tolerance = 1e-4)
    expect_equal(predict(fit, data[1:5, ]), predict(whole, data[1:5, ]), tolerance = 1e-3)
    expect_null(fit$data$shards)
    again <- fitted(cases[[case]], methods[[case]], cluster = cluster)
    expect_identical(unclass(again)[parts], unclass(fit)[parts])
    read <- fitted(cases[[case]], methods[[case]], rows = source)
    expect_identical(unclass(read)[parts], unclass(fit)[parts])
  }
  pid <- parallel::clusterCall(cluster, Sys.getpid)[[2L]]
  original <- get("map_rows", envir = asNamespace("neargp"))
  withr::defer(utils::assignInNamespace("map_rows", original, "neargp"))
  calls <- 0L
  utils::assignInNamespace("map_rows", function(host, what, ...) {
    calls <<- calls + (what == "shard_family_expect")
    if (calls == 5L) tools::pskill(pid, tools::SIGKILL)
    original(host, what, ...)
  }, "neargp")
  again <- fitted(cases[[2L]], methods[[2L]], cluster = cluster)
  expect_identical(unclass(again)[parts], unclass(fit)[parts])
  expect_identical(again$cluster$lost, 1L)
})
