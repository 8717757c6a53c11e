# The shell lets children in the background ignore interrupts. Before 4.6 R took that back.
interruptible <- function(command) {
  reset <- c("env", "--default-signal=INT")
  can_reset <- suppressWarnings(system2(reset[1L], c(reset[2L], "true"), stdout = FALSE,
    stderr = FALSE)) == 0L
  c(if (can_reset) reset, command)
}

# A child process begins, is sent an interrupt, and says how that ended and whether the package
# still works.
interrupted <- function(expression, delay) {
  files <- c(withr::local_tempfile(), withr::local_tempfile())
  script <- withr::local_tempfile(fileext = ".R")
  writeLines(c(sprintf(".libPaths(%s)", deparse1(.libPaths())), "library(neargp)",
    "set.seed(1); n <- 20000; data <- data.frame(x = runif(n), y = runif(n)); data$z <- rnorm(n); data$count <- rpois(n, 1)",
    "data$class <- factor(sample(letters[1:3], n, TRUE)); inputs <- matrix(runif(50 * n), ncol = 50)",
    "held <- cov_exponential(variance = 1, range = 0.2)",
    sprintf("writeLines(format(Sys.getpid()), %s)", deparse1(files[1L])),
    # again and again, so that no machine is too fast for the delay
    sprintf("outcome <- tryCatch(repeat { %s }, interrupt = function(e) \"interrupted\", error = conditionMessage)", expression),
    # where something had been accepted it is a start
    "reached <- tryCatch(neargp_last(), neargp_error_last = function(e) NULL)",
    "if (!is.null(reached)) stopifnot(is.finite(reached$parameters))",
    "works <- neargp(z ~ 1, data[1:200, ], coords = ~ x + y, method = vecchia(5), verbose = FALSE)",
    sprintf("writeLines(c(outcome, class(works)), %s)", deparse1(files[2L]))), script)
  start <- interruptible(file.path(R.home("bin"), "Rscript"))
  system2(start[1L], c(start[-1L], "--vanilla", shQuote(script)), wait = FALSE, stdout = FALSE,
    stderr = FALSE)
  wait_for <- function(file) {
    for (trial in 1:1200) if (file.exists(file) && length(readLines(file, warn = FALSE)))
      return(TRUE) else Sys.sleep(0.1)
    FALSE
  }
  if (!wait_for(files[1L])) return("did not start")
  Sys.sleep(delay)
  tools::pskill(as.integer(readLines(files[1L])), tools::SIGINT)
  if (!wait_for(files[2L])) return("did not end")
  readLines(files[2L])
}

long_work <- function() {
  c(search = "neargp:::core_neighbors_others(inputs, 30L, neargp:::plain_context())",
    vecchia = "neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(100), covariance = cov_matern(nu = NULL), threads = 1)",
    exact = "neargp(z ~ 1, data[1:4000, ], coords = ~ x + y, method = exact_gp(), threads = 1)",
    loo = "neargp(z ~ 1, data, coords = ~ x + y, method = loo_k(100), covariance = cov_matern(nu = NULL), threads = 1)",
    mll = "neargp(z ~ 1, data, coords = ~ x + y, method = mll_k(100), covariance = cov_matern(nu = NULL), threads = 1)",
    classes = "neargp(class ~ 1, data, coords = ~ x + y, method = loo_k(60), threads = 1)",
    counts = "neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(40), family = poisson(), threads = 1)",
    pseudo_observations = "neargp(count ~ 1, data, coords = ~ x + y, method = loo_k(60), family = poisson(), threads = 1)",
    adam = "neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(30, posterior = 'mean-field', optimizer = 'adam'), family = poisson(), threads = 1)",
    outputs = "neargp(cbind(z, count) ~ 1, data, coords = ~ x + y, method = vecchia(40), threads = 1)",
    inducing = "neargp(z ~ 1, data, coords = ~ x + y, method = svgp(512), threads = 1)",
    source = "neargp(z ~ 1, row_source(function(i) if (i < 3) data), coords = ~ x + y, method = svgp(512), threads = 1)",
    inducing_counts = "neargp(count ~ 1, data, coords = ~ x + y, method = svgp(512), family = poisson(), threads = 1)",
    neighborhoods = "neargp(count ~ 1, data, coords = ~ x + y, method = swsgp(30, inducing = 2000), family = poisson(), threads = 1)",
    # the second stages alone: all parameters of the first are fixed
    exact_mean = "neargp(z ~ 1, data, coords = ~ x + y, method = odvgp(20, move = FALSE), covariance = held, nugget = 0.1, threads = 1)",
    predictive = "neargp(count ~ 1, data, coords = ~ x + y, method = ppgpr(400, move = FALSE), family = poisson(), covariance = held, threads = 1)")
}

test_that("searches and fits answer to an interrupt, and the session goes on", {
  skip_on_os("windows")
  skip_on_cran()
  for (work in c("search", "counts", "inducing")) expect_identical(interrupted(long_work()[[work]],
    0.5), c("interrupted", "neargp"))
})

test_that("every method answers to an interrupt at any moment", {
  skip_on_os("windows")
  skip_unless_extended()
  delays <- withr::with_seed(1, stats::runif(length(long_work()), 0, 3))
  for (i in seq_along(delays)) {
    expect_identical(interrupted(long_work()[[i]], delays[i]), c("interrupted", "neargp"),
      label = names(long_work())[i])
  }
})
