# The generics of a fit for a hurdle model, by those of its two fits.

#' @rdname neargp_hurdle
#' @export
print.neargp_hurdle <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_sections(sections(x, digits), digits)
  invisible(x)
}

#' @export
sections.neargp_hurdle <- function(x, digits, summary = NULL) {
  c(list(new_section("Hurdle model: a response that is 0 or positive", apart = FALSE),
    new_section("--- Presence ---")), sections(x$presence, digits, summary$presence),
  list(new_section("--- Positive ---")), sections(x$positive, digits, summary$positive))
}

#' @rdname neargp_hurdle
#' @export
summary.neargp_hurdle <- function(object, ...) {
  check_no_more_arguments()
  structure(c(list(fit = object), lapply(hurdle_fits(object), summary)),
    class = c("summary.neargp_hurdle", "summary.neargp"))
}

#' @rdname neargp_hurdle
#' @export
logLik.neargp_hurdle <- function(object, ...) {
  check_no_more_arguments()
  parts <- lapply(hurdle_fits(object), stats::logLik)
  score <- unique(vapply(hurdle_fits(object), function(fit) fit$score, ""))
  structure(sum(vapply(parts, as.numeric, 0)), df = sum(vapply(parts, attr, 0, "df")),
    nobs = stats::nobs(object), score = paste(score, collapse = " and "),
    class = c("neargp_score", "logLik"))
}

#' @export
deviance.neargp_hurdle <- function(object, ...) {
  abort_not_likelihood("The deviance", attr(stats::logLik(object), "score"))
}

#' @rdname neargp_hurdle
#' @export
nobs.neargp_hurdle <- function(object, ...) stats::nobs(object$presence)

#' @export
formula.neargp_hurdle <- function(x, ...) lapply(hurdle_fits(x), stats::formula)

#' @export
family.neargp_hurdle <- function(object, ...) lapply(hurdle_fits(object), stats::family)

#' @export
model.frame.neargp_hurdle <- function(formula, ...) {
  lapply(hurdle_fits(formula), stats::model.frame)
}

# A part without random effects is left out, unless there are none at all, which is an error.
#' @export
ranef.neargp_hurdle <- function(object, se = FALSE, ...) {
  check_no_more_arguments()
  fits <- hurdle_fits(object)
  with_effects <- Filter(function(fit) has_effects(fit$data), fits)
  lapply(if (length(with_effects)) with_effects else fits, nlme::ranef, se = se)
}

# ---- coefficients --------------------------------------------------------------------------------

hurdle_parts <- c("both", "presence", "positive")

#' @rdname neargp_hurdle
#' @export
coef.neargp_hurdle <- function(object, part = c("both", "presence", "positive"),
                               what = c("trend", "covariance"), ...) {
  check_no_more_arguments()
  parts <- of_hurdle_parts(object, stats::coef, part, what)
  if (!is.list(parts)) return(parts)
  stats::setNames(unlist(parts, use.names = FALSE), part_names(lapply(parts, names)))
}

# The result of `extract` for one part, or a list of its results for both.
of_hurdle_parts <- function(object, extract, part, what, ...) {
  part <- check_choice(part, "part", hurdle_parts)
  what <- check_choice(what, "what", c("trend", "covariance"))
  if (part != "both") return(extract(object[[part]], what = what, ...))
  lapply(hurdle_fits(object), extract, what = what, ...)
}

part_names <- function(names) {
  unlist(lapply(names(names), function(part) sprintf("%s_%s", part, names[[part]])))
}

#' @rdname neargp_hurdle
#' @export
vcov.neargp_hurdle <- function(object, part = c("both", "presence", "positive"),
                               what = c("trend", "covariance"), ...) {
  check_no_more_arguments()
  parts <- of_hurdle_parts(object, stats::vcov, part, what)
  if (!is.list(parts)) return(parts)
  first <- seq_len(nrow(parts$presence))
  names <- part_names(lapply(parts, rownames))
  both <- matrix(0, length(names), length(names), dimnames = list(names, names))
  both[first, first] <- parts$presence
  second <- setdiff(seq_along(names), first)
  both[second, second] <- parts$positive
  both
}

#' @rdname neargp_hurdle
#' @export
confint.neargp_hurdle <- function(object, parm, level = 0.95, what = c("trend", "covariance"),
                                  ...) {
  check_no_more_arguments()
  parts <- of_hurdle_parts(object, stats::confint, "both", what, level = level)
  limits <- do.call(rbind, parts)
  rownames(limits) <- part_names(lapply(parts, rownames))
  if (missing(parm)) limits else take_limits(limits, parm)
}

# ---- fitted anew ---------------------------------------------------------------------------------

#' @rdname neargp_hurdle
#' @export
update.neargp_hurdle <- function(object, formula., ..., presence_arguments = list(),
                                 positive_arguments = list(), evaluate = TRUE) {
  check_flag(evaluate, "evaluate")
  common <- check_update_arguments(as.list(match.call(expand.dots = FALSE)$...), "...")
  if (any(names(common) %in% c("newdata", "refit"))) refuse_more_rows("a hurdle model")
  if (!missing(formula.)) common$formula. <- formula.
  env <- parent.frame()
  calls <- Map(function(fit, own, name) {
    own <- check_update_arguments(own, name)
    names(own)[names(own) == "formula"] <- "formula."
    given <- c(own, common[setdiff(names(common), names(own))])
    do.call(stats::update, c(list(fit), given, list(evaluate = FALSE)))
  }, hurdle_fits(object), list(presence_arguments, positive_arguments),
  c("presence_arguments", "positive_arguments"))
  if (!evaluate) return(as.call(c(quote(neargp_hurdle), calls)))
  for (fit in hurdle_fits(object)) tell_lost_recalibration(fit)
  do.call(neargp_hurdle, lapply(calls, eval, env))
}

check_update_arguments <- function(arguments, name) {
  valid <- is.list(arguments) && (!length(arguments) || rlang::is_named(arguments))
  if (!valid) abort_argument(name, "a list of arguments of neargp(), each with its name", arguments)
  arguments
}

# ---- tables --------------------------------------------------------------------------------------

#' @rdname neargp_hurdle
#' @export
tidy.neargp_hurdle <- function(x, effects = c("trend", "covariance"), conf.int = FALSE,
                               conf.level = 0.95, exponentiate = FALSE, ...) {
  check_no_more_arguments()
  parts <- lapply(names(x), function(part) {
    data.frame(component = part, generics::tidy(x[[part]], effects, conf.int, conf.level,
      exponentiate))
  })
  do.call(rbind, parts)
}

#' @rdname neargp_hurdle
#' @export
glance.neargp_hurdle <- function(x, ...) {
  check_no_more_arguments()
  value <- stats::logLik(x)
  data.frame(nobs = stats::nobs(x), n_positive = stats::nobs(x$positive), df = attr(value, "df"),
    logLik = as.numeric(value),
    converged = all(vapply(unclass(x), function(fit) fit$convergence$converged, NA)),
    elapsed = sum(vapply(unclass(x), function(fit) fit$elapsed[["total"]], 0)))
}

#' @rdname neargp_hurdle
#' @export
augment.neargp_hurdle <- function(x, data = NULL, newdata = NULL, se_fit = FALSE,
                                  interval = c("none", "confidence", "prediction"),
                                  conf.level = 0.95, ...) {
  check_no_more_arguments()
  interval <- check_choice(interval, "interval", c("none", "confidence", "prediction"))
  if (!is.null(newdata)) return(in_foreign_class(newdata, function(rows) {
    augment_hurdle(x, rows, se_fit, interval, conf.level)
  }))
  check_for_newdata(se_fit, interval)
  rows <- hurdle_rows(x)
  fitted <- fitted_hurdle(x, rows)
  left <- left_out_hurdle(x, rows, 0.95)
  with_training_columns(x$presence, data %||% rows$data, data.frame(.presence = fitted$presence,
    .fitted = fitted$mean, .resid = rows$y - fitted$mean, .loo_mean = left$mean,
    .loo_sd = left$sd, .loo_std_resid = pit_residuals(left$pit_lower, left$pit_upper)))
}

augment_hurdle <- function(x, newdata, se_fit, interval, conf.level) {
  if (!is.data.frame(newdata)) {
    abort_argument("newdata", "a data frame or sf points; predict() takes grids", newdata)
  }
  check_flag(se_fit, "se_fit")
  predicted <- function(interval) {
    drop_geometry(stats::predict(x, newdata, interval = interval, level = conf.level))
  }
  columns <- predicted(interval)
  said <- data.frame(.presence = columns$presence, .fitted = columns$mean)
  if (se_fit) said$.se.fit <- columns$se %||% predicted("confidence")$se
  if (interval != "none") said[c(".lower", ".upper")] <- columns[c("lower", "upper")]
  beside_newdata(newdata, said)
}

# ---- draws ---------------------------------------------------------------------------------------

#' @rdname neargp_hurdle
#' @export
simulate.neargp_hurdle <- function(object, nsim = 1, seed = NULL, newdata, ...) {
  check_no_more_arguments()
  nsim <- check_count(nsim, "nsim")
  check_given(missing(newdata) || is.null(newdata), "newdata", "a data frame or sf points")
  if (is_foreign_map(newdata)) {
    return(with_known_newdata("simulate", match.call(expand.dots = FALSE)))
  }
  newdata <- grid_of_hurdle(object, newdata)
  state <- seed_generator(seed)
  on.exit(state$restore())
  draws <- function(fit) draw_matrix(stats::simulate(fit, nsim, newdata = newdata))
  draws_of_product(draws(object$presence), draws(object$positive), newdata, state$seed)
}
