# A clock that is some seconds later whenever it is read.
local_clock <- function(seconds, env = parent.frame()) {
  now <- 0
  original <- elapsed_seconds
  withr::defer(utils::assignInNamespace("elapsed_seconds", original, "neargp"), env)
  utils::assignInNamespace("elapsed_seconds", function() now <<- now + seconds, "neargp")
}

# What a terminal of one line shows in the end.
left_on_screen <- function(written) {
  screen <- character(0)
  for (part in strsplit(paste(written, collapse = "\n"), "\r", fixed = TRUE)[[1]]) {
    letters <- strsplit(part, "")[[1]]
    screen[seq_along(letters)] <- letters
  }
  trimws(paste(screen, collapse = ""))
}

written_by <- function(expression) {
  file <- withr::local_tempfile()
  connection <- file(file, "w")
  sink(connection, type = "message")
  withr::defer({
    sink(type = "message")
    close(connection)
  })
  force(expression)
  flush(connection)
  readChar(file, 1e5)
}

example_fit_problem <- function() {
  list(method = vecchia(5), data = list(y = rnorm(50)), control = neargp_control())
}

test_that("the time left is that of the steps, or of gains that shrink geometrically", {
  expect_equal(seconds_of_steps(c(10, 20, 40), c(5, 10, 20), 100), 30)
  expect_null(seconds_of_steps(10, 5, 100))
  values <- cumsum(c(0, 8, 4, 2, 1))
  expect_equal(seconds_of_gains(values, 3 * 1:5, 1 / 16), 12)
  expect_equal(seconds_of_gains(values, 3 * 1:5, 2), 0)
  expect_null(seconds_of_gains(1:5, 1:5, 0.1))
  expect_null(seconds_of_gains(values[-1], 1:4, 0.1))
  expect_identical(format_seconds(59.2), "60 s")
  expect_identical(format_seconds(600), "10 min")
  expect_identical(format_seconds(9000), "2.5 h")
})

test_that("messages off a terminal have iterations and the log-likelihood, in the user's unit", {
  local_clock(3)
  data <- simulated_data(100)
  data$z <- 1000 * data$z
  told <- character(0)
  withCallingHandlers(
    fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5), verbose = TRUE,
      control = neargp_control(coarse_k = 0)),
    message = function(condition) {
      told <<- c(told, conditionMessage(condition))
      rlang::cnd_muffle(condition)
    })
  steps <- grep("^. k = 5, iteration [0-9]+, log-likelihood", told, value = TRUE)
  expect_gt(length(steps), 1)
  last <- as.numeric(sub(".*log-likelihood ([-0-9.]+).*", "\\1", steps[length(steps)]))
  expect_lt(abs(last - fit$log_likelihood), 0.01 * abs(fit$log_likelihood))
  expect_silent(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5),
    covariance = cov_exponential(), verbose = FALSE))
  expect_length(ls(progress), 0)
})

test_that("the line of a terminal is rewritten in place, and nothing of it is left in any case", {
  local_clock(1.5)
  steps <- function() for (i in 1:3) tell_progress(-10^(5 - i), step = i, of = 3)
  shown <- written_by(showing_progress(example_fit_problem(), TRUE, {
    tell_stage("k = 5")
    steps()
  }, dynamic = TRUE))
  expect_match(shown, "k = 5, iteration 2 of 3, log-likelihood -1000, about")
  expect_false(grepl("\n", shown))
  expect_identical(left_on_screen(shown), "")
  for (stop in list(rlang::interrupt, function() stop("no"))) {
    shown <- written_by(tryCatch(showing_progress(example_fit_problem(), TRUE, {
      steps()
      stop()
    }, dynamic = TRUE), interrupt = identity, error = identity))
    expect_match(shown, "iteration 3")
    expect_identical(left_on_screen(shown), "")
    expect_length(ls(progress), 0)
  }
  # What is said on the way has a line of its own.
  shown <- written_by(showing_progress(example_fit_problem(), TRUE, {
    steps()
    message("said")
  }, dynamic = TRUE))
  expect_identical(left_on_screen(shown), "said")
})

test_that("short fits show nothing on a terminal, fits that are not to tell nothing anywhere", {
  expect_identical(written_by(showing_progress(example_fit_problem(), TRUE, tell_progress(1),
    dynamic = TRUE)), character(0))
  expect_silent(showing_progress(example_fit_problem(), FALSE, tell_progress(1)))
  expect_silent(tell_progress(1))
})
