# Progress of long fits: iteration, objective and, where it can be told, the time that is left. One
# line that is rewritten in place on a terminal and gone at the end, however that comes; messages
# elsewhere.

# What is known of the fit that is shown; empty where none is. Fits within a fit (starting values,
# the stationary model of a warped one) go on in its line.
progress <- new.env(parent = emptyenv())

# Evaluates a fit to `problem`. What is said on the way stands in lines of its own.
showing_progress <- function(problem, verbose, fit, dynamic = cli::is_dynamic_tty(stderr())) {
  if (!verbose || !is.null(progress$began)) return(fit)
  on.exit({
    clear_line()
    rm(list = ls(progress), envir = progress)
  })
  now <- elapsed_seconds()
  list2env(list(began = now, shown = -Inf, iteration = 0L, width = 0L, dynamic = dynamic,
    what = progress_objective(problem$method), rows = row_count(problem$data),
    log_unit = log(problem$data$basis$unit %||% 1),
    tolerance = problem$control$tolerance), progress)
  tell_stage(NULL)
  withCallingHandlers(fit, message = function(condition) clear_line(),
    warning = function(condition) clear_line())
}

elapsed_seconds <- function() proc.time()[["elapsed"]]

progress_objective <- function(method) {
  switch(method_name(method), vecchia = , exact_gp = "log-likelihood", loo_k = , mll_k = ,
    ppgpr = "score", dspp = , dgp = "objective", "bound")
}

is_line_shown <- function() isTRUE(progress$dynamic)

# A part of the fit whose values and steps are not to be compared with those before.
tell_stage <- function(stage) {
  if (is.null(progress$began)) return(invisible())
  progress$stage <- stage
  progress$values <- progress$times <- progress$steps <- double(0)
}

# Another state that an optimiser has accepted, with the value of its objective over `n` rows.
# `step` and `of`: how many there are, where that is known beforehand; `left`: seconds, where they
# are.
tell_progress <- function(value = NULL, n = progress$rows, step = NULL, of = NULL,
                          unit = "iteration", left = NULL) {
  if (is.null(progress$began)) return(invisible())
  now <- elapsed_seconds()
  progress$iteration <- step %||% (progress$iteration + 1L)
  # Steps that begin anew are those of another stage.
  if (progress$iteration <= max(progress$steps, 0)) tell_stage(progress$stage)
  progress$steps <- c(progress$steps, progress$iteration)
  progress$values <- c(progress$values, value)
  progress$times <- c(progress$times, now)
  # On a terminal what ends within a second has none, nor is it read faster than this.
  pause <- if (progress$dynamic) c(1, 0.2) else c(5, 5)
  if (now - progress$began < pause[1L] || now - progress$shown < pause[2L]) return(invisible())
  progress$shown <- now
  left <- left %||% if (is.null(of)) seconds_of_gains(progress$values, progress$times,
    progress$tolerance) else seconds_of_steps(progress$steps, progress$times, of)
  text <- progress_text(progress$stage, unit, progress$iteration, of,
    if (!is.null(value)) value - n * progress$log_unit, n, left)
  if (progress$dynamic) write_line(text) else cli::cli_inform(c(i = "{text}"))
  invisible()
}

progress_text <- function(stage, unit, iteration, of, value, n, left) {
  paste(c(stage, paste0(unit, " ", iteration, if (!is.null(of)) sprintf(" of %d", as.integer(of))),
    if (!is.null(value)) sprintf("%s %s%s", progress$what, format(value, digits = 7L),
      if (n < progress$rows) sprintf(" of %s rows", format_count(n)) else ""),
    if (!is.null(left)) sprintf("about %s left", format_seconds(left))), collapse = ", ")
}

# Seconds for the steps that are left of so many.
seconds_of_steps <- function(steps, times, of) {
  n <- length(steps)
  if (n > 1L) (of - steps[n]) * (times[n] - times[1L]) / (steps[n] - steps[1L])
}

# Seconds until gains are below the tolerance, if they shrink on as over the last four,
# geometrically. NULL where they do not, or too few are known.
seconds_of_gains <- function(values, times, tolerance) {
  n <- length(values)
  if (n < 5L) return(NULL)
  gains <- diff(values[n - 4:0])
  if (any(gains <= 0)) return(NULL)
  ratio <- (gains[4L] / gains[1L])^(1 / 3)
  if (ratio > 0.8) return(NULL)
  (times[n] - times[1L]) / (n - 1L) * max(0, log(tolerance / gains[4L]) / log(ratio))
}

format_seconds <- function(seconds) {
  if (seconds < 100) return(sprintf("%d s", as.integer(ceiling(seconds))))
  if (seconds < 6000) return(sprintf("%d min", as.integer(round(seconds / 60))))
  sprintf("%.1f h", seconds / 3600)
}

# Writes over the line before, which may have been longer, and no more than the terminal is wide.
write_line <- function(text) {
  text <- substr(text, 1L, cli::console_width() - 1L)
  cat("\r", formatC(text, width = -progress$width), file = stderr(), sep = "")
  progress$width <- nchar(text)
}

clear_line <- function() {
  if (!is_line_shown() || progress$width == 0L) return(invisible())
  cat("\r", strrep(" ", progress$width), "\r", file = stderr(), sep = "")
  progress$width <- 0L
}

# A bar of so many steps, NA where that is not known, by a function that is called after each.
progress_reporter <- function(total, verbose) {
  if (!verbose || isTRUE(total < 2L)) return(stop_if_asked)
  frame <- parent.frame(2L)
  id <- cli::cli_progress_bar("Predicting", total = total, .envir = frame)
  function() cli::cli_progress_update(id = id, .envir = frame)
}

# Stops a worker where the session that asked has been interrupted, which it says by a file.
stop_if_asked <- function() {
  if (!is.null(of_session$stop_file) && file.exists(of_session$stop_file)) {
    abort_neargp("cluster", "The predictions were interrupted.")
  }
}
