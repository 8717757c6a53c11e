# Progress of long fits: iteration, objective and, where it can be estimated, the time that is left.
# On a terminal it is a progress bar of package cli, one line that goes at the end, however that
# comes. Elsewhere there are messages.

# The line of a session's fit to `problem`. Fits within the fit (starting values, the stationary
# model of a warped one) go on in it.
begin_progress <- function(session, problem, dynamic = cli::is_dynamic_tty()) {
  if (!session$verbose) return(invisible())
  session$progress <- list2env(list(began = elapsed_seconds(), shown = -Inf, iteration = 0L,
    dynamic = dynamic, bar = NULL, what = progress_objective(problem$method),
    rows = row_count(problem$data), log_unit = log(problem$data$basis$unit %||% 1),
    tolerance = problem$control$tolerance), parent = emptyenv())
  begin_stage(session, NULL)
}

end_progress <- function(session) {
  clear_line(session$progress)
  session$progress <- NULL
}

elapsed_seconds <- function() proc.time()[["elapsed"]]

progress_objective <- function(method) {
  switch(method_name(method), vecchia = , exact_gp = "log-likelihood", loo_k = , mll_k = ,
    ppgpr = "score", dspp = , dgp = "objective", "bound")
}

is_line_shown <- function(session) isTRUE(session$progress$dynamic)

# A part of the fit whose values and steps are not to be compared with those before.
begin_stage <- function(session, stage) {
  progress <- session$progress
  if (is.null(progress)) return(invisible())
  progress$stage <- stage
  progress$values <- progress$times <- progress$steps <- double(0)
}

# Another state that an optimiser has accepted, with the value of its objective over `n` rows.
# `step` and `of`: how many there are, where that is known beforehand; `left`: seconds, where they
# are.
report_progress <- function(session, value = NULL, n = session$progress$rows, step = NULL,
                            of = NULL, unit = "iteration", left = NULL) {
  progress <- session$progress
  if (is.null(progress)) return(invisible())
  now <- elapsed_seconds()
  progress$iteration <- step %||% (progress$iteration + 1L)
  # Steps that begin again are those of another stage.
  if (progress$iteration <= max(progress$steps, 0)) begin_stage(session, progress$stage)
  progress$steps <- c(progress$steps, progress$iteration)
  progress$values <- c(progress$values, value)
  progress$times <- c(progress$times, now)
  # On a terminal, work of less than a second shows no line, and a line is not read faster than
  # this.
  pause <- if (progress$dynamic) c(1, 0.2) else c(5, 5)
  if (now - progress$began < pause[1L] || now - progress$shown < pause[2L]) return(invisible())
  progress$shown <- now
  left <- left %||% if (is.null(of)) seconds_of_gains(progress$values, progress$times,
    progress$tolerance) else seconds_of_steps(progress$steps, progress$times, of)
  text <- progress_text(progress, unit, of, if (!is.null(value)) value - n * progress$log_unit, n,
    left)
  if (progress$dynamic) show_line(progress, text, of) else cli::cli_inform(c(i = "{text}"))
  invisible()
}

progress_text <- function(progress, unit, of, value, n, left) {
  paste(c(progress$stage, paste0(unit, " ", progress$iteration,
    if (!is.null(of)) sprintf(" of %d", as.integer(of))),
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

# `of`: the steps of the bar, NULL where they are not known.
show_line <- function(progress, text, of) {
  progress$bar <- progress$bar %||% cli::cli_progress_bar(format = "{cli::pb_status}",
    type = "custom", clear = TRUE, current = FALSE, auto_terminate = FALSE, .auto_close = FALSE)
  # The bar is as wide as the terminal at most, and never two lines.
  cli::cli_progress_update(set = progress$iteration, total = of %||% NA, id = progress$bar,
    status = substr(text, 1L, cli::console_width() - 1L), force = TRUE)
}

# The next state begins another line.
clear_line <- function(progress) {
  if (is.null(progress$bar)) return(invisible())
  cli::cli_progress_done(id = progress$bar)
  progress$bar <- NULL
}

# Makes room for a message, which needs a line for itself. Messages by which cli writes, such as the
# bar, leave the line alone.
make_room <- function(session, condition = NULL) {
  if (!inherits(condition, "cliMessage")) clear_line(session$progress)
}

# A bar of so many steps, NA where that is not known, by a function that is called after each.
progress_reporter <- function(total, verbose) {
  if (!verbose || isTRUE(total < 2L)) return(stop_if_asked)
  frame <- parent.frame(2L)
  id <- cli::cli_progress_bar("Predicting", total = total, .envir = frame)
  function() cli::cli_progress_update(id = id, .envir = frame)
}

# Stops a worker where the call that it works for was interrupted: that call then makes a file.
stop_if_asked <- function() {
  if (!is.null(process_state$stop_file) && file.exists(process_state$stop_file)) {
    abort_neargp("cluster", "The predictions were interrupted.")
  }
}
