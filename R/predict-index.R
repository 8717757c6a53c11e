#' Survey indices: totals, centres of gravity, areas occupied and range edges
#'
#' @description
#' Summarises expected responses on a grid by year, with joint uncertainty. Experimental.
#'
#' ```r
#' index <- predict_index(fit, grid, area = ~ km2, group = ~ year)
#' ```
#'
#' @details
#' With areas a, coordinates x and expected responses d, the quantities are
#'
#' * `"index"`: sum(a d),
#' * `"center_of_gravity"`: sum(x a d) / sum(a d),
#' * `"effective_area"`: sum(a d)^2 / sum(a d^2) (doi:10.1098/rspb.2016.1853),
#' * `"range_edge"`: the x below which a share `probs` of sum(a d) lies
#'   (doi:10.1111/gcb.15614).
#'
#' Definitions are those of sdmTMB. A Gaussian index is exact. See [neargp_hurdle()] for [joint
#' fits][joint_models], and the article "Index of abundance".
#'
#' @param object a fit that supports [predict_areas()], a joint fit, or a hurdle model.
#' @param newdata cells of each group.
#' @param area positive areas of cells, or their column. Default: 1.
#' @param group columns, as a formula or names. Default: the fit's time.
#' @param statistics default: all.
#' @param axes columns for centres and edges. Default: numbers among `coords`.
#' @param probs shares for range edges.
#' @param draws number of draws.
#' @param level,seed,k,threads,verbose,re.form,allow.new.levels,parameters see [predict_areas()].
#' @param outputs responses of a joint fit. Default `NULL`: all.
#' @param ... not used.
#' @return A data frame of class `neargp_index`: `output` for joint fits, columns of `group`,
#'   `statistic`, `axis`, `prob`, `mean`, `sd`, `lower` and `upper`. Attribute `"draws"`: rows x
#'   draws.
#'   Incomplete cells are errors.
#' @examples
#' hauls <- data.frame(x = runif(300), y = runif(300), year = 1:3)
#' hauls$count <- rpois(300, exp(hauls$x * hauls$year))
#' fit <- neargp(count ~ factor(year) * x, hauls, coords = ~ x + y, family = poisson())
#' cells <- expand.grid(x = 1:9 / 10, y = 1:9 / 10, year = 1:3)
#' index <- predict_index(fit, cells, area = 0.01, group = ~ year)
#' plot(index)
#' draws <- attr(index, "draws")[index$statistic == "index", ]
#' mean(draws[3, ] > draws[1, ])  # growth?
#' @export
predict_index <- function(object, newdata, area = 1, group = NULL,
                          statistics = c("index", "center_of_gravity", "effective_area",
                            "range_edge"), axes = NULL, probs = c(0.05, 0.95), level = 0.95,
                          draws = 1000L, seed = NULL, k = NULL, threads = NULL,
                          verbose = rlang::is_interactive(), re.form = NULL,
                          allow.new.levels = FALSE, parameters = NULL, outputs = NULL, ...) {
  check_no_more_arguments()
  check_required()
  model <- index_model(object, newdata, list(outputs = outputs, re_form = re.form,
    allow_new_levels = allow.new.levels))
  settings <- new_area_settings(model$fits[[1L]], list(fun = "sum", type = "response",
    interval = "confidence", level = level, joint = FALSE, draws = draws, k = k,
    threads = threads, verbose = verbose))
  settings$statistics <- check_choices(statistics, "statistics", names(index_statistics))
  settings$probs <- check_probs(probs)
  grid <- index_grid(model$fits[[1L]], newdata, area, group, axes)
  settings$parameters <- parameters
  state <- seed_generator(seed)
  on.exit(state$restore())
  rows <- index_rows(settings, colnames(grid$axes))
  tables <- lapply(index_values(model, grid, rows, settings), function(values) {
    index_table(grid, rows, values, settings)
  })
  joined_indices(tables)
}

# The model of one index or several: a list with its `fits`. Unless they share fields, their
# expected responses multiply to the density. `given`: `outputs`, and the arguments for effects.
index_model <- function(object, newdata, given) {
  UseMethod("index_model")
}

#' @export
index_model.default <- function(object, newdata, given) {
  check_class(object, "object", "neargp", "a fit of neargp() or neargp_hurdle()")
  separate_model(list(object), newdata, given)
}

#' @export
index_model.neargp_hurdle <- function(object, newdata, given) {
  fits <- unname(hurdle_fits(object))
  both <- all(vapply(fits, inherits, NA, "neargp"))
  if (both && !inherits(fits[[1L]], "neargp_classifier")) {
    return(separate_model(fits, newdata, given))
  }
  abort_neargp("method",
    c("predict_index() needs a hurdle model of two fits, with a binomial() presence.",
      i = "Fit presence by vnngp() with family = binomial(), and both parts on their own."))
}

separate_model <- function(fits, newdata, given) {
  if (!is.null(given$outputs)) {
    abort_argument("outputs", "NULL, unless the fit is of several responses", given$outputs)
  }
  list(fits = lapply(fits, function(fit) {
    check_fit(fit)
    check_predicts_areas(fit, by_cell = TRUE)
    check_grid_frame(newdata)
    for_effects_of(fit, newdata, given$re_form, given$allow_new_levels, pooled = FALSE)
  }))
}

# ---- the grid ------------------------------------------------------------------------------------

check_grid_frame <- function(newdata) {
  if (is.data.frame(newdata)) return(invisible())
  abort_argument("newdata",
    "a data frame or sf points, for rasters terra::as.data.frame(raster, xy = TRUE)", newdata)
}

# Cells in the order of their groups. `number`: the group of each cell. `groups`: a row for each.
index_grid <- function(object, newdata, area, group, axes) {
  plain <- drop_geometry(newdata)
  if (!nrow(plain)) abort_argument("newdata", "a data frame with at least one row", newdata)
  names <- index_columns(group %||% object$locations$time %||% character(0), plain, "group")
  columns <- plain[names]
  check_index_column(stats::complete.cases(columns) | !length(names), "`group`")
  area <- index_areas(area, plain)
  axes <- index_axes(object, newdata, plain, axes)
  ranks <- lapply(unname(columns), function(x) match(x, sort(unique(x))))
  order <- do.call(order, c(ranks, list(seq_len(nrow(plain)))))
  sorted <- columns[order, , drop = FALSE]
  first <- if (length(names)) !duplicated(sorted) else order == order[1L]
  groups <- sorted[first, , drop = FALSE]
  row.names(groups) <- NULL
  list(newdata = newdata[order, , drop = FALSE], area = area[order], rows = order,
    axes = axes[order, , drop = FALSE], number = cumsum(first), groups = groups)
}

index_columns <- function(given, plain, argument) {
  names <- if (rlang::is_formula(given)) all.vars(given) else given
  if (!is.character(names) || anyNA(names)) {
    abort_argument(argument, "names of columns of `newdata`, or a formula of them", given)
  }
  check_columns_present(names, plain, "newdata")
  unique(names)
}

index_areas <- function(area, plain) {
  if (!is.numeric(area)) area <- plain[[index_columns(area, plain, "area")[1L]]]
  if (!is.numeric(area) || !length(area) %in% c(1L, nrow(plain))) {
    abort_argument("area", "a number, one for each row of `newdata`, or a column of numbers", area)
  }
  area <- rep_len(as.double(area), nrow(plain))
  check_index_column(is.finite(area) & area > 0, "`area`",
    "Areas are positive numbers. Leave out cells without area.")
  area
}

index_axes <- function(object, newdata, plain, axes) {
  raw <- newdata_coordinates(object, newdata)
  in_space <- setdiff(colnames(raw), c(object$locations$time, names(object$locations$factors)))
  values <- if (is.null(axes)) raw[, in_space, drop = FALSE] else {
    names <- index_columns(axes, plain, "axes")
    if (!all(vapply(plain[names], is.numeric, NA))) {
      abort_argument("axes", "numeric columns of `newdata`", axes)
    }
    as.matrix(plain[names])
  }
  check_index_column(stats::complete.cases(values), "`axes`")
  values
}

# `what`: the name of the values in the message.
# `rows`: of newdata, whose order groups change.
check_index_column <- function(valid, what, hint = "Leave these cells out, or complete them.",
                               rows = seq_along(valid)) {
  if (all(valid)) return(invisible())
  abort_neargp("newdata", c(sprintf("Missing or invalid values of %s in %s of `newdata`.", what,
    format_rows(sort(rows[!valid]))), i = hint))
}
