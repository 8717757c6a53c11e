# Fits of loo_k() to other responses than Gaussian ones, of rows in shards.

scored_fit <- function(name, data, shards = 3L, ...) {
  pseudo_observation_fit(name, data, k = 7L, control = neargp_control(shards = shards), ...)
}

score_estimates <- c("parameters", "family_parameters", "beta", "beta_vcov", "log_likelihood",
  "pseudo_observations")

extended <- is_extended()

estimates_of <- function(fit) unclass(fit)[score_estimates]

test_extended("fits in shards are those of all rows in one", {
  data <- pseudo_observation_data(90, repeated = 8L)
  for (name in c("negative_binomial", "successes", "gamma", "student_t")) {
    whole <- pseudo_observation_fit(name, data, k = 7L)
    fit <- scored_fit(name, data)
    expect_equal(fit$log_likelihood, whole$log_likelihood, tolerance = 1e-7)
    expect_equal(coef(fit), coef(whole), tolerance = 1e-5)
    expect_equal(coef(fit, what = "covariance"), coef(whole, what = "covariance"),
      tolerance = 1e-4)
    expect_equal(fit$pseudo_observations$of_rows, whole$pseudo_observations$of_rows,
      tolerance = 1e-4)
    # Vecchia's ordering is another one
    expect_equal(sqrt(diag(vcov(fit))), sqrt(diag(vcov(whole))), tolerance = 0.2)
  }
})

# The objective at theta of the problem of pseudo_observation_example().
objective_at <- function(problem, theta) {
  problem <- with_pseudo_observations(problem, theta)
  plan <- problem$loo$scoring$plan(problem, problem$loo$observations, component_at(problem,
    theta[seq_len(nrow(problem$layout))]), 7L)
  problem$loo$scoring$objective(problem, plan)
}

in_shards <- function(problem) {
  problem$control <- neargp_control(shards = 4L)
  problem$context <- plain_context(1L)
  with_scores_in_shards(problem, NULL)
}

test_extended("scores in shards are the sums over all rows, and gradients their derivatives", {
  for (name in c("negative_binomial", if (extended) c("student_t", "successes", "gamma"))) {
    whole <- pseudo_observation_example(name)
    problem <- in_shards(whole)
    theta <- pseudo_observation_start(problem) + 0.1
    whole$loo$known <- problem$loo$known <- NULL
    objective <- objective_at(problem, theta)
    expect_equal(objective$evaluate(theta)$value, objective_at(whole, theta)$evaluate(theta)$value,
      tolerance = 1e-12)
    free <- c(problem$free, rep(TRUE, length(theta) - length(problem$free)))
    steps <- which(free)
    expect_gradient_of_differences(objective, theta, steps)
  }
})

test_extended("workers compute the same bits of each family, also where one is killed", {
  skip_on_os("windows")
  data <- pseudo_observation_data(90, repeated = 8L)
  cluster <- local_workers(2)
  for (name in c("poisson", "negative_binomial", "student_t")) {
    alone <- scored_fit(name, data, 4L)
    expect_identical(estimates_of(scored_fit(name, data, 4L, cluster = cluster)),
      estimates_of(alone))
    newdata <- data[1:5, ]
    expect_identical(predict(alone, newdata, cluster = cluster), predict(alone, newdata))
  }
  pid <- parallel::clusterCall(cluster, Sys.getpid)[[2L]]
  original <- get("reduce_rows", envir = asNamespace("neargp"))
  withr::defer(utils::assignInNamespace("reduce_rows", original, "neargp"))
  calls <- 0L
  utils::assignInNamespace("reduce_rows", function(...) {
    calls <<- calls + 1L
    if (calls == 9L) tools::pskill(pid, tools::SIGKILL)
    original(...)
  }, "neargp")
  fit <- scored_fit("student_t", data, 4L, cluster = cluster)
  expect_identical(estimates_of(fit), estimates_of(alone))
  expect_identical(fit$cluster$lost, 1L)
})

scored_source <- function(data, chunks = 3L) {
  parts <- split(data, cut(data$y, chunks, labels = FALSE))
  row_source(function(i) if (i <= chunks) parts[[i]])
}

test_extended("rows of a source have the scores and predictions of rows in memory", {
  data <- pseudo_observation_data(120, repeated = 10L)
  data <- data[order(data$y), ]
  rownames(data) <- NULL
  newdata <- data.frame(x = c(0.2, 0.9), y = c(0.5, 0.1), h = c(0, 1))
  fixed <- list(covariance = cov_exponential(variance = 1, range = 0.3), nugget = 1)
  fit_of <- function(name, data) {
    case <- pseudo_observation_families()[[name]]
    neargp(case$formula, data, coords = ~ x + y, family = case$family, method = loo_k(7),
      covariance = fixed$covariance, nugget = fixed$nugget, threads = 1L,
      control = neargp_control(shards = 3L))
  }
  for (name in c("poisson", "successes", "gamma")) {
    memory <- fit_of(name, data)
    fit <- fit_of(name, scored_source(data))
    expect_equal(fit$log_likelihood, memory$log_likelihood, tolerance = 1e-8)
    expect_equal(coef(fit), coef(memory), tolerance = 1e-5)
    expect_equal(vcov(fit), vcov(memory), tolerance = 1e-4)
    expect_equal(predict(fit, newdata), predict(memory, newdata), tolerance = 1e-5)
    expect_length(fit$pseudo_observations$data$y, 0L)
    expect_output(print(fit), "in 3 chunks")
  }
  expect_equal(scores(fit, newdata = data[1:9, ]), scores(memory, newdata = data[1:9, ]),
    tolerance = 1e-5)
})

test_that("what a source or shards cannot have is said", {
  data <- pseudo_observation_data(40)
  data$class <- factor(data$successes > 0)
  refused <- function(formula, family, error, rows = scored_source(data), method = loo_k(5), ...) {
    expect_error(neargp(formula, rows, coords = ~ x + y, family = family, method = method,
      control = neargp_control(shards = 2L), ...), class = error)
  }
  refused(number ~ h, student_t(), "neargp_error_source")
  refused(class ~ h, stats::binomial("probit"), "neargp_error_source")
  refused(share ~ h, stats::binomial("probit"), "neargp_error_response")
  refused(count ~ h, stats::poisson(), "neargp_error_weights", weights = trials + 0.5)
  refused(count ~ h, stats::poisson(), "neargp_error_cluster", data, loo_k(5, optimizer = "adam"))
  refused(count ~ h, stats::poisson(), "neargp_error_cluster", data, svgp(5,
    optimizer = "natural"))
})

test_extended("fits in shards go on from a checkpoint", {
  data <- pseudo_observation_data(60)
  data$class <- factor(data$successes > 1)
  cases <- list(list(count ~ h, negative_binomial(), loo_k(7)),
    list(class ~ h, stats::binomial(), loo_k(7)), list(number ~ h, stats::gaussian(), svgp(6)),
    list(count ~ h, stats::poisson(), svgp(6, move = FALSE)))
  for (case in cases) {
    run <- function(control = neargp_control(), resume = NULL, seed) {
      set.seed(seed)
      control$shards <- 3L
      neargp(case[[1L]], data, coords = ~ x + y, family = case[[2L]], method = case[[3L]],
        covariance = cov_exponential(), control = control, resume = resume, threads = 1L)
    }
    expect_resumes(run)
  }
})
