#' The parameters at which an interrupted fit had arrived
#'
#' A fit that is interrupted (Ctrl-C, or Esc), or that ends with an error when its optimiser was
#' already under way, leaves what it had reached: the covariance parameters that the optimiser had
#' last accepted and, of methods that move inducing points, their positions. To go on from there,
#' give it as `start` to the same call of [neargp()].
#'
#' The state is that of the last call of [neargp()] in this session, and kept until the next call of
#' it, or until one succeeds: store it in a variable. It holds parameters, not data. Of fits by
#' [dspp()] and [dgp()] it is the state that scored best on the rows held out, with all that was
#' learned. An error of class `neargp_error` has the same in its field `last`, for handlers: of
#' `tryCatch(neargp(..), neargp_error = identity)` it is `$last`, `NULL` where the optimiser had
#' accepted nothing yet.
#'
#' What is not kept is what the parameters determine (the trend's coefficients, posteriors), and the
#' moments of Adam, which begin anew: a fit that ends with its epochs or steps begins them anew,
#' too. Give a smaller number of them. A fit with a checkpoint loses none of it, see [checkpoints].
#'
#' @param file name of a checkpoint, for what its fit had reached; `NULL` for that of this session.
#' @return A list of class `neargp_last`: `parameters`, named as `coef(fit, what = "covariance")`
#'   has them (of several outputs their loadings); `inducing`, a data frame of positions in the
#'   coordinates of the data, or `NULL`; `call`, that of [neargp()]; `accepted`, how often a state
#'   had been accepted; and `positions`, the positions in the core's coordinates; of fits by
#'   [dspp()] and [dgp()] `deep`, their best state.
#' @section Errors: `neargp_error_last` where there is none; `neargp_error_checkpoint` of a file
#'   that cannot be read, see [checkpoints].
#' @seealso [neargp()], whose argument `start` takes it.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(300), y = runif(300))
#' d$z <- sin(6 * d$x) + rnorm(300, sd = 0.1)
#' # An interrupt after half a second, as Ctrl-C would be.
#' interrupted <- tryCatch({
#'   setTimeLimit(elapsed = 0.5, transient = TRUE)
#'   neargp(z ~ 1, d, coords = ~ x + y, method = svgp(100, optimizer = "natural", epochs = 1e5))
#' }, interrupt = function(e) "stopped", error = function(e) "stopped")
#' setTimeLimit()
#' reached <- try(neargp_last(), silent = TRUE)
#' if (inherits(reached, "neargp_last")) {
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
        i = "The state is that of the last call of neargp(), and gone where a later one succeeded."))
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
  # coef() leaves out a nugget that there is none of, too
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

# An error names the last state, too, and holds it.
add_last_state <- function(session, condition) {
  last <- as_last_state(session$last)
  if (is.null(last) || !is.null(condition$last)) return(invisible())
  process_state$last <- session$last
  condition$last <- last
  condition$body <- c(condition$body, i = last_state_hint)
  rlang::cnd_signal(condition)
}

last_state_hint <-
  "neargp_last() has the parameters that were reached: give them as `start` to go on."

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
