#' Continue an interrupted fit
#'
#' @description
#' Returns the parameters that the last fit had reached when it was interrupted or failed.
#'
#' ```r
#' # neargp(...)  interrupted by Ctrl-C or Esc
#' # neargp(..., start = neargp_last())
#' ```
#'
#' @details
#' The state contains covariance parameters and, for methods that move them, the positions of
#' inducing points. For [dspp()] and [dgp()] it is the best state on the held-out observations. It
#' is kept until the next call of [neargp()], so store it in a variable. An error of class
#' `neargp_error` contains the same state in its field `last`.
#'
#' Coefficients, posteriors and the moments of Adam are not kept: they are computed again, and
#' epochs or steps start at the first one. A fit with a checkpoint loses nothing, see [checkpoints].
#'
#' @param file the name of a checkpoint file. Default `NULL`: the last fit of this session.
#' @return A list of class `neargp_last` with the named numbers `parameters`, the data frame
#'   `inducing` or `NULL`, `call`, the number of `accepted` states, `positions`, and for deep fits
#'   `deep`.
#' @seealso [neargp()] and its argument `start`.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(300), y = runif(300))
#' d$z <- sin(6 * d$x) + rnorm(300, sd = 0.1)
#' # An interrupt after half a second, as Ctrl-C would be
#' interrupted <- tryCatch({
#'   setTimeLimit(elapsed = 0.5, transient = TRUE)
#'   neargp(z ~ 1, d, coords = ~ x + y, method = svgp(100, optimizer = "natural", epochs = 1e5))
#' }, interrupt = function(e) "stopped", error = function(e) "stopped")
#' setTimeLimit()
#' reached <- try(neargp_last(), silent = TRUE)
#' if (inherits(reached, "neargp_last")) {
#'   print(reached$parameters)
#'   neargp(z ~ 1, d, coords = ~ x + y,
#'     method = svgp(100, optimizer = "natural", epochs = 5), start = reached)
#' }
#' @export
neargp_last <- function(file = NULL) {
  if (!is.null(file)) return(last_of_checkpoint(file))
  last <- as_last_state(process_state$last)
  if (is.null(last)) {
    abort_neargp("last",
      c("No fit of this session has ended early with parameters that its optimiser had accepted.",
        i = "The state belongs to the last call of neargp(). A later successful fit removes it."))
  }
  last
}

# The problem with the function by which optimisers report what they accept, working parameters of
# its layout. The session holds what they report: the problem's layout once, parameters and
# positions again and again.
recording_states <- function(problem) {
  session <- problem$session
  last <- list2env(list(call = session$call, layout = problem$layout,
    locations = problem$locations, unit = problem$data$basis$unit %||% 1, accepted = 0L),
    parent = emptyenv())
  session$last <- process_state$last <- last
  problem$keep <- function(working, positions = NULL) {
    last$accepted <- last$accepted + 1L
    last$working <- working
    if (!is.null(positions)) last$positions <- positions
  }
  problem
}

# A fit that has succeeded leaves none.
forget_last_state <- function() process_state$last <- NULL

# Reports an accepted state. Problems that are fitted on the way to others (folds, starts on few
# rows) record none.
keep_state <- function(problem, working, positions = NULL) {
  if (!is.null(problem$keep)) problem$keep(working, positions)
  invisible()
}

# The same by an objective, which knows how the optimiser's parameters are those of the problem.
note_accepted <- function(objective, working) {
  if (!is.null(objective$accept)) objective$accept(working)
  invisible()
}

# The value of neargp_last() for a session's `last`, NULL where the optimiser has accepted nothing.
as_last_state <- function(last) {
  if (is.null(last$working)) return(NULL)
  layout <- last$layout
  values <- to_core(last$working, layout$transform) * last$unit^unit_power(layout)
  positions <- last$positions
  # coef() leaves out a nugget that there is none of as well
  shown <- !(layout$kind == "nugget" & layout$fixed & layout$value %in% 0)
  structure(list(parameters = natural_values(layout, values)[shown],
    inducing = if (!is.null(positions)) position_frame(positions, last$locations),
    call = last$call, accepted = last$accepted, positions = positions, deep = last$deep),
    class = "neargp_last")
}

# An interrupted fit says how to go on.
inform_interrupted <- function(session) {
  if (is.null(session$last$working)) return(invisible())
  process_state$last <- session$last
  make_room(session)
  inform_neargp("last", c("The fit was interrupted.", i = last_state_hint))
}

# Adds the last state to an error: its message names the state, and the condition holds it.
add_last_state <- function(session, condition) {
  last <- as_last_state(session$last)
  if (is.null(last) || !is.null(condition$last)) return(invisible())
  process_state$last <- session$last
  condition$last <- last
  condition$body <- c(condition$body, i = last_state_hint)
  rlang::cnd_signal(condition)
}

last_state_hint <-
  "neargp_last() returns the parameters that were reached: give them as `start` to go on."

#' @export
print.neargp_last <- function(x, ...) {
  cat("Parameters of a fit that ended early, accepted ", format_count(x$accepted),
    if (x$accepted == 1L) " time\n" else " times\n", sep = "")
  print(signif(x$parameters, 4L))
  if (!is.null(x$inducing)) cat(format_count(nrow(x$inducing)), "inducing points\n")
  cat("To go on: the same call of neargp() with start = <this>\n")
  invisible(x)
}

keep_theta <- function(problem, theta) keep_state(problem, theta[seq_len(nrow(problem$layout))])
