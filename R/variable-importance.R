# The loss of the held-out log score without a variable. Either the model is fitted again without
# the variable, or the values of the variable are permuted among the rows.

#' Variable importance
#'
#' @description
#' Measures how much worse held-out predictions become without a covariate, a coordinate or a group
#' of them.
#'
#' ```r
#' fit <- neargp(precipitation ~ elevation, colorado_precipitation(), coords = ~ lon + lat,
#'   crs = 4326)
#' variable_importance(fit)
#' ```
#'
#' @details
#' `by = "refit"` removes the variable from formula, coordinates and `time`, and fits again (Lei et
#' al. 2018). Redundant variables are then unimportant. `by = "permute"` permutes the values of
#' held-out rows (Breiman 2001). Other formulas, for example of `nugget`, `range` or `weights`, keep
#' the variable.
#'
#' The measure is the mean log score of [scores()] at the estimates. With `folds = NULL`,
#' predictions are leave-one-out. For predictions far from data, use [block_folds()].
#'
#' @param object a fit by [neargp()] to one response, whose data still exist under the name in its
#'   call; the result for `autoplot()`.
#' @param variables names, or a named list of groups. Default `NULL`: all covariates, coordinates
#'   and `time`. sf points, and longitude with latitude, form the group `place`.
#' @param by `"refit"` (default) or `"permute"`.
#' @param folds see [cross_validate()]. Default `NULL`: leave-one-out for `"refit"`, 10 random folds
#'   for `"permute"`. Deep fits and mean-field posteriors need folds.
#' @param repeats the number of permutations, an integer. Default: 5.
#' @param seed an integer for folds and permutations. Default `NULL`: R's random numbers.
#' @param verbose `TRUE` or `FALSE`: show progress?
#' @return A data frame of class `neargp_importance`, the most important first: `variable`, `loss`,
#'   `std_error` and `log_score`. `loss` is the increase of the log score, positive if the variable
#'   helps. `std_error` is a lower limit, from independent rows. Use `plot()` and `autoplot()`.
#' @references Breiman, L. (2001). Random forests. *Machine Learning* 45, 5–32. Fisher, A., Rudin,
#'   C. and Dominici, F. (2019). All models are wrong, but many are useful. *JMLR* 20(177), 1–81.
#'   Lei, J. et al. (2018). Distribution-free predictive inference for regression. *JASA* 113,
#'   1094–1111.
#' @seealso [cross_validate()], [anova.neargp()] for tests
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' stations$noise <- sin(100 * seq_len(nrow(stations)))
#' fit <- neargp(precipitation ~ elevation + noise, stations, coords = ~ lon + lat, crs = 4326)
#' variable_importance(fit)
#'
#' # Permutations
#' permuted <- variable_importance(fit, by = "permute", seed = 1)
#' permuted
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(permuted)
#' @export
variable_importance <- function(object, variables = NULL, by = c("refit", "permute"), folds = NULL,
                                repeats = 5L, seed = NULL, verbose = rlang::is_interactive()) {
  check_given(missing(object), "object", "a fit of neargp()")
  UseMethod("variable_importance")
}

#' @export
variable_importance.default <- function(object, variables = NULL, by = c("refit", "permute"),
                                        folds = NULL, repeats = 5L, seed = NULL,
                                        verbose = rlang::is_interactive()) {
  abort_argument("object", "a fit of neargp()", object)
}

#' @export
variable_importance.neargp <- function(object, variables = NULL, by = c("refit", "permute"),
                                       folds = NULL, repeats = 5L, seed = NULL,
                                       verbose = rlang::is_interactive()) {
  check_fit(object)
  if (is_streamed(object)) refuse_rows("variable_importance()")
  refuse_outputs(object, "variable_importance()",
    "Fit one of the responses, or compare fits by cross_validate().")
  by <- check_choice(by, "by", c("refit", "permute"))
  repeats <- check_count(repeats, "repeats")
  check_flag(verbose, "verbose")
  data <- needed_data(object, "variable_importance()")
  if (by == "permute") check_permutable(object, data)
  groups <- variable_groups(object, data, variables, by)
  state <- seed_generator(seed)
  on.exit(state$restore())
  if (by == "permute") folds <- folds %||% 10
  if (!is.null(folds)) folds <- resolve_folds(folds, object)
  scores <- if (by == "refit") refitted_scores(object, groups, folds, verbose) else
    permuted_scores(object, groups, data, folds, repeats, verbose)
  new_importance(scores, by)
}

# `scores`: log scores of rows, by the fit and without each group.
new_importance <- function(scores, by) {
  n <- length(scores$fit)
  lost <- lapply(scores$without, function(without) without - scores$fit)
  table <- data.frame(variable = names(lost), loss = vapply(lost, mean, 0),
    std_error = vapply(lost, scaled_sd, 0) / sqrt(n),
    log_score = vapply(scores$without, mean, 0))
  table <- table[order(-table$loss), ]
  structure(table, row.names = seq_len(nrow(table)), log_score = mean(scores$fit), by = by,
    rows = n, class = c("neargp_importance", "data.frame"))
}

# ---- left out ------------------------------------------------------------------------------------

refitted_scores <- function(object, groups, folds, verbose) {
  fits <- lapply(groups, function(group) refit_without(object, group))
  check_comparable_fits(c(list(`the fit` = object),
    stats::setNames(fits, paste("the one without", names(fits)))))
  if (is.null(folds)) {
    score <- function(fit) -loo_log_densities(fit, "plug-in")
    return(list(fit = score(object), without = lapply(fits, score)))
  }
  fits <- c(list(object), fits)
  splits <- fold_splits(folds, object)
  scores_over_folds(splits, names(groups), verbose, function(split) {
    lapply(fits, function(fit) {
      known <- trained_without(fit, split)
      held_log_scores(known, fit, split, held_target(fit, split, known))
    })
  })
}

# The fits shall differ in the variable alone. The default covariance depends on the coordinates, so
# that the covariance of the fit is given. One that was chosen with time is chosen again without it.
refit_without <- function(object, group) {
  call <- object$call
  call$formula <- formula_without(object, group)
  call[c("start", "resume")] <- NULL
  call$control <- object$control
  call$verbose <- FALSE
  call$covariance <- object$covariance
  features <- object$locations$features
  if (is.null(features$term) && any(features$names %in% group)) {
    call$coords <- setdiff(features$names, group)
  }
  if (any(object$locations$time %in% group)) {
    call$time <- NULL
    if (isTRUE(object$default_covariance)) call$covariance <- NULL
  }
  if (any(all.vars(object$locations$terms) %in% group)) {
    call$coords <- coordinates_without(object, group)
    if (is_in_plane(object, group)) call$covariance <- without_anisotropy(call$covariance)
  }
  call$support <- support_without(object, group)
  # Messages of the first fit are not repeated.
  suppressMessages(eval(call, environment(object$formula)), classes = "neargp_message")
}

# Whether the group contains one of the coordinates that an anisotropy rotates.
is_in_plane <- function(object, group) {
  rotated <- vapply(object$covariance$components, function(component) {
    max(rotation_of(component$anisotropy)$coordinates, 2L)
  }, 0L)
  plane <- utils::head(attr(object$locations$terms, "term.labels"), max(rotated))
  any(vapply(plane, label_has, NA, variables = group))
}

# An anisotropy uses a range for the plane and one for each further coordinate. Without a coordinate
# of the plane, these are as many ranges as coordinates.
without_anisotropy <- function(covariance) {
  covariance$components <- lapply(covariance$components, function(component) {
    if (isFALSE(component$anisotropy)) return(component)
    component[c("anisotropy", "ard")] <- list(FALSE, TRUE)
    component$start["anisotropy"] <- list(NULL)
    component
  })
  covariance
}

# ---- permuted ------------------------------------------------------------------------------------

permuted_scores <- function(object, groups, data, folds, repeats, verbose) {
  rows <- fitted_rows(object, data)
  if (!is_sf(rows)) rows <- as.data.frame(rows)
  orders <- permutations(groups, nrow(rows), repeats)
  scores_over_folds(fold_splits(folds, object), names(groups), verbose, function(split) {
    known <- trained_without(object, split)
    score <- function(at) held_log_scores(known, object, split, at)
    permuted <- Map(function(group, orders) {
      rowMeans(do.call(cbind, lapply(orders, function(order) {
        score(permuted_target(object, rows, group, order, split$held))
      })))
    }, groups, orders)
    c(list(score(held_target(object, split))), permuted)
  })
}

permutations <- function(groups, rows, repeats) {
  lapply(groups, function(group) replicate(repeats, sample.int(rows), FALSE))
}

# The rows `held` with the group's columns of other rows.
permuted_rows <- function(rows, group, order, held) {
  others <- rows[order[held], , drop = FALSE]
  permuted <- rows[held, , drop = FALSE]
  columns <- setdiff(group, attr(rows, "sf_column"))
  permuted[columns] <- drop_geometry(others)[columns]
  if (length(columns) < length(group)) {
    permuted <- sf::st_set_geometry(permuted, sf::st_geometry(others))
  }
  permuted
}

permuted_target <- function(object, rows, group, order, held) {
  complete_target(object, permuted_rows(rows, group, order, held), held)
}

# The targets of such rows; `held`: their numbers in the fit.
complete_target <- function(object, permuted, held) {
  target <- new_target(object, permuted)
  if (!all(target$complete)) {
    abort_neargp("missing_values", c(sprintf("Rows cannot be predicted again: %s lack values.",
      format_rows(held[!target$complete])),
      i = "They were imputed by `na.action`: use by = \"refit\"."))
  }
  take_places(target, seq_along(held))
}

# ---- scores of folds -----------------------------------------------------------------------------

# `score`: a function of a split. It returns the log scores by the fit and without each of `names`.
scores_over_folds <- function(splits, names, verbose, score) {
  pieces <- apply_tasks(length(splits), verbose, function(i) score(splits[[i]]))
  rows <- order(unlist(lapply(splits, `[[`, "held")))
  scores <- do.call(Map, c(list(function(...) c(...)[rows]), lapply(pieces, unname)))
  list(fit = scores[[1L]], without = stats::setNames(scores[-1L], names))
}

# Covariance parameters are of all rows. Deep fits do not condition on rows and are trained again.
trained_without <- function(fit, split) without_fold(fit, split, !is.null(fit$deep))
# Log scores of the held-out rows of one fold, at `at`.
held_log_scores <- function(known, fit, split, at) {
  if (inherits(fit, "neargp_classifier")) {
    number <- as.integer(observed_classes(fit)[split$held])
    return(-predictive_log_density(number, held_classes(known, fit, split, at)))
  }
  held <- held_observations(known, fit, split, at)
  -predictive_log_density(observed_response(held$data), held$distribution)
}

# ---- shown ---------------------------------------------------------------------------------------

#' @rdname variable_importance
#' @param x the result of `variable_importance()`.
#' @param digits number of significant digits to print.
#' @param ... not used.
#' @export
print.neargp_importance <- function(x, digits = 3L, ...) {
  cat(sprintf("Log score lost without a variable (%s; %s rows, log score %s)\n",
    importance_label(x), format_count(attr(x, "rows")), format(attr(x, "log_score"), digits = 4L)))
  table <- as.data.frame(x)
  table$log_score <- NULL
  table[-1L] <- lapply(table[-1L], signif, digits)
  print.data.frame(table, row.names = FALSE)
  invisible(x)
}

importance_label <- function(x) {
  switch(attr(x, "by"), refit = "left out and fitted again", permute = "permuted")
}

importance_limits <- function(x) {
  data.frame(variable = factor(x$variable, rev(x$variable)), loss = x$loss,
    normal_limits(x$loss, x$std_error, 0.95))
}

#' @rdname variable_importance
#' @export
plot.neargp_importance <- function(x, ...) {
  check_no_more_arguments()
  draw_plots(autoplot.neargp_importance(x))
}

#' @rdname variable_importance
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_importance <- function(object, ...) {
  check_no_more_arguments()
  new_plot(importance_limits(object), ggplot2::aes(.data$loss, .data$variable),
    sprintf("Variables, %s", importance_label(object)), y = NULL,
    x = "log score lost a row (nats; bars: 95%)") +
    ggplot2::geom_vline(xintercept = 0, colour = "grey70") +
    ggplot2::geom_segment(ggplot2::aes(x = .data$lower, xend = .data$upper,
      yend = .data$variable), colour = "grey50") +
    ggplot2::geom_point(shape = 18, size = 3, colour = "#D55E00")
}
