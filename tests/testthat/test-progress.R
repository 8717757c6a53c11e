# A clock that is some seconds later whenever it is read.
local_clock <- function(seconds, env = parent.frame()) {
  now <- 0
  original <- elapsed_seconds
  withr::defer(utils::assignInNamespace("elapsed_seconds", original, "neargp"), env)
  utils::assignInNamespace("elapsed_seconds", function() now <<- now + seconds, "neargp")
}

# The last line of a terminal in the end.
left_on_screen <- function(written) {
  screen <- character(0)
  for (part in strsplit(paste(written, collapse = "\n"), "\r", fixed = TRUE)[[1]]) {
    letters <- strsplit(part, "")[[1]]
    screen[seq_along(letters)] <- letters
  }
  trimws(paste(screen, collapse = ""))
}

# The output of `work(session)` while a session shows its progress on a terminal without colours.
# `stops`: whether it ends by an error or an interrupt.
shown_by <- function(work, verbose = TRUE, dynamic = TRUE, stops = FALSE) {
  withr::local_options(cli.dynamic = dynamic, cli.ansi = FALSE, cli.num_colors = 1L,
    cli.hide_cursor = FALSE, cli.width = 100)
  session <- new_session(verbose = verbose)
  withr::defer(expect_null(session$progress))
  run <- function() run_in_session(session, function() {
    begin_progress(session, example_fit_problem())
    work(session)
  })
  written_by(if (stops) tryCatch(run(), interrupt = identity, error = identity) else run())
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
  messages <- character(0)
  withCallingHandlers(
    fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5), verbose = TRUE,
      control = neargp_control(coarse_k = 0)),
    message = function(condition) {
      messages <<- c(messages, conditionMessage(condition))
      rlang::cnd_muffle(condition)
    })
  steps <- grep("^. k = 5, iteration [0-9]+, log-likelihood", messages, value = TRUE)
  expect_gt(length(steps), 1)
  last <- as.numeric(sub(".*log-likelihood ([-0-9.]+).*", "\\1", steps[length(steps)]))
  expect_lt(abs(last - fit$log_likelihood), 0.01 * abs(fit$log_likelihood))
  expect_silent(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5),
    covariance = cov_exponential(), verbose = FALSE))
})

steps_in <- function(session) {
  for (i in 1:3) report_progress(session, -10^(5 - i), step = i, of = 3)
}

test_that("the line of a terminal is rewritten in place, and nothing of it is left in any case", {
  local_clock(1.5)
  shown <- shown_by(function(session) {
    begin_stage(session, "k = 5")
    steps_in(session)
  })
  expect_match(shown, "k = 5, iteration 2 of 3, log-likelihood -1000, about")
  expect_false(grepl("\n", shown))
  expect_identical(left_on_screen(shown), "")
  for (stop in list(rlang::interrupt, function() stop("no"))) {
    shown <- shown_by(function(session) {
      steps_in(session)
      stop()
    }, stops = TRUE)
    expect_match(shown, "iteration 3")
    expect_identical(left_on_screen(shown), "")
  }
})

test_that("messages, warnings and other lines of cli stand beside the line of progress", {
  local_clock(1.5)
  others <- list(function() message("a message"), function() cli::cli_inform("a message"),
    function() cli::cli_text("a message"))
  for (other in others) {
    shown <- shown_by(function(session) {
      steps_in(session)
      other()
    })
    expect_match(shown, "iteration 3 of 3")
    lines <- vapply(strsplit(shown, "\n", fixed = TRUE)[[1]], left_on_screen, "")
    expect_identical(lines[nzchar(lines)], "a message", ignore_attr = TRUE)
  }
  # a step after it begins the line once more
  shown <- shown_by(function(session) {
    steps_in(session)
    message("a message")
    report_progress(session, -5, step = 4, of = 5)
  })
  lines <- strsplit(shown, "\n", fixed = TRUE)[[1]]
  expect_length(lines, 2)
  expect_match(lines[2], "iteration 4 of 5")
  expect_identical(left_on_screen(lines[2]), "")
})

test_that("short fits show nothing on a terminal, fits that are not to tell nothing anywhere", {
  expect_identical(shown_by(function(session) report_progress(session, 1)), character(0))
  expect_silent(run_in_session(new_session(), function() report_progress(new_session(), 1)))
  expect_silent(report_progress(NULL, 1))
  for (dynamic in c(TRUE, FALSE)) {
    expect_identical(shown_by(steps_in, verbose = FALSE, dynamic = dynamic), character(0))
  }
})
