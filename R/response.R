# Turns the response in the model frame into numbers, by family.

# A list of
#   `y`: numbers, successes of binomial families.
#   `trials`: those of binomial families, NULL when each row is one trial.
#   `weights`: the given ones, but 1 where they were numbers of trials.
#   `levels`: names of failure and success, or of ordered categories, or NULL.
#   `limits`: of censored responses the lower and the upper limits as columns, or NULL.
#   `kind`: the form that was given: "numeric", "count", "positive", "unit", "amount", "ordered",
#     "censored"; "binary", "class", "successes", "proportion".
# Missing values stay as they are: check_finite_data() reports those that na.action has let through.
new_response <- function(y, family, weights, frame) {
  response <- response_family(family)$form(y, family, weights, frame)
  response <- list(y = as.double(response$y), trials = response$trials,
    weights = response$weights %||% weights,
    label = names(frame)[1L], levels = response$levels, kind = response$kind,
    limits = response$limits)
  check_variation(response, family)
  response
}

# The response as numbers, from that of the formula: a list of `y` and all else that the method
# needs.
model_response <- function(method, y, family, weights, frame) {
  UseMethod("model_response")
}

#' @export
model_response.default <- function(method, y, family, weights, frame) {
  if (!is_gaussian(family)) return(new_response(y, family, weights, frame))
  check_response(y, frame)
  list(y = as.double(y))
}

# ---- checks --------------------------------------------------------------------------------------

abort_response <- function(family, wanted, frame, found, hint = NULL) {
  abort_neargp("response", c(sprintf("A %s response must be %s.", family_call(family), wanted),
    x = sprintf("`%s` %s.", names(frame)[1L], found), i = hint))
}

describe_class <- function(y) {
  if (!is.null(dim(y))) {
    return(sprintf("is a matrix with %d column%s", ncol(y), if (ncol(y) == 1L) "" else "s"))
  }
  paste("is of class", class(y)[1L])
}

# `outside`: rows whose values the family cannot have.
check_support <- function(y, family, frame, outside, support = NULL, hint = NULL) {
  wanted <- paste(c("numeric", support), collapse = ", ")
  if (!is.numeric(y) || !is.null(dim(y))) abort_response(family, wanted, frame, describe_class(y))
  rows <- which(outside)
  if (length(rows)) {
    abort_response(family, wanted, frame,
      paste("is not in", format_rows(original_rows(frame, rows))), hint)
  }
  y
}

check_counts <- function(y, family, frame) {
  numeric <- is.numeric(y) && is.null(dim(y))
  check_support(y, family, frame, numeric & (y < 0 | y != round(y)), "whole and at least 0",
    "A rate is a count with its exposure in the offset: offset(log(exposure)).")
}

# Under a logarithmic link an offset is the logarithm of an exposure. Exposures do not differ by a
# factor of e^50, and means would overflow.
check_exposure <- function(offset, family, widest = 50) {
  if (family$link != "log" || diff(range(offset)) <= widest) return(invisible())
  abort_neargp("offset", c(
    sprintf("The offset ranges from %s to %s, so that the linear predictor overflows: it is on the scale of the logarithm of the mean.",
      format(min(offset), digits = 4L), format(max(offset), digits = 4L)),
    i = "If it is an exposure, use its logarithm: offset(log(exposure))."))
}

# Refuses responses without information about a mean on the scale of the link, or about scatter.
check_variation <- function(response, family) {
  y <- response$y
  if (anyNA(y) || !length(y)) return(invisible())
  if (!response_family(family)$says_nothing(y, response$trials)) return(invisible())
  what <- switch(response$kind, binary = y[1L], class = response$levels[1L + y[1L]],
    successes = , proportion = if (y[1L] == 0) "failures only" else "successes only", format(y[1L]))
  abort_neargp("constant_response", c(
    sprintf("The response `%s` is constant, so there is nothing to fit.", response$label),
    x = sprintf("All %s values are %s.", format_count(length(y)), what)))
}

# ---- binomial ------------------------------------------------------------------------------------

binomial_response <- function(y, weights, frame) {
  if (is.matrix(y)) return(successes_response(y, frame))
  if (is.factor(y) || is.character(y) || is.logical(y)) return(two_class_response(y, frame))
  if (!is.numeric(y)) abort_binomial(frame, describe_class(y))
  rows <- which(y < 0 | y > 1)
  if (length(rows)) {
    abort_binomial(frame, paste("has other numbers in", format_rows(original_rows(frame, rows))),
      "For numbers of successes use cbind(successes, failures).")
  }
  if (all(y %in% c(0, 1, NA))) return(list(y = y, kind = "binary"))
  proportion_response(y, weights, frame)
}

abort_binomial <- function(frame, found, hint = NULL) {
  abort_response(list(family = "binomial"),
    paste("0 or 1, TRUE or FALSE, a factor with two levels, cbind(successes, failures), or",
      "proportions with the numbers of trials as `weights`"), frame, found, hint)
}

two_class_response <- function(y, frame) {
  y <- if (is.factor(y)) droplevels(y) else factor(y)
  if (nlevels(y) != 2L) {
    hint <- if (nlevels(y) < 2L) "Were rows of another level removed by `subset` or na.action?"
    abort_binomial(frame, sprintf("has %d level%s: %s", nlevels(y),
      if (nlevels(y) == 1L) "" else "s", format_some(levels(y))), hint)
  }
  list(y = as.integer(y) - 1L, levels = levels(y), kind = "class")
}

successes_response <- function(y, frame) {
  if (is.logical(y)) storage.mode(y) <- "integer" # cbind(y == "a", y != "a")
  if (!is.numeric(y) || ncol(y) != 2L) abort_binomial(frame, describe_class(y))
  rows <- which(rowSums(y < 0 | y != round(y)) > 0)
  if (length(rows)) {
    abort_binomial(frame,
      paste("is negative or not whole in", format_rows(original_rows(frame, rows))),
      "Its columns are successes and failures; with numbers of trials it is cbind(successes, trials - successes).")
  }
  empty <- which(rowSums(y) == 0)
  if (length(empty)) {
    abort_binomial(frame, paste("has neither successes nor failures in",
      format_rows(original_rows(frame, empty))), if (all(y %in% c(0, 1, NA)))
      "For two responses of 0 and 1: family = list(binomial()), see ?joint_models." else
      "Leave rows without a trial out by `subset`.")
  }
  list(y = y[, 1L], trials = one_trial_or(rowSums(y)), levels = rev(colnames(y)),
    kind = "successes")
}

# Rows whose proportions are not those of successes among trials. The rounding of proportions given
# with seven digits is forgiven.
no_proportions <- function(y, trials) {
  successes <- y * trials
  which(abs(successes - round(successes)) > 1e-6 * pmax(1, trials) | trials != round(trials))
}

proportion_response <- function(y, weights, frame) {
  rows <- no_proportions(y, weights)
  if (length(rows)) {
    abort_binomial(frame, paste("times `weights` is not a whole number in",
      format_rows(original_rows(frame, rows))),
      "For proportions that are not successes among trials use beta_response().")
  }
  list(y = round(y * weights), trials = one_trial_or(weights), weights = rep(1, length(y)),
    kind = "proportion")
}

one_trial_or <- function(trials) if (anyNA(trials) || any(trials != 1)) as.double(trials)
