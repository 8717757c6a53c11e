# The term features() of a formula, which is cut out of it before the trend is made.

# The formula without features(), and what the term asks for: `names` of columns and `covariance`.
# `features` is NULL without such a term.
cut_features <- function(formula, data, others) {
  parts <- cut_special(formula[[length(formula)]], "features", environment(formula),
    "y ~ elevation + features(a, b)")
  if (!length(parts$cut)) return(list(formula = formula, features = NULL))
  if (length(parts$cut) > 1L) {
    abort_neargp("formula", c("A formula accepts one features() term.",
      i = "Name all predictors in one: features(a, b:d)."))
  }
  if (!is.data.frame(data)) refuse_features("for data that are read in pieces")
  formula[[length(formula)]] <- parts$rest %||% 1
  term <- as.list(parts$cut[[1L]])[-1L]
  options <- rlang::names2(term) %in% c("power", "scores")
  settings <- lapply(term[options], eval, environment(formula))
  names <- selected_columns(term[!options], drop_geometry(data),
    c(all.vars(formula), others), environment(formula))
  list(formula = formula, features = list(names = names, term = parts$cut[[1L]]),
    covariance = do.call(cov_features, settings))
}

# The arguments of neargp() without the features() term. Its columns become `features`, and its
# covariance is added to that of the coordinates. cov_features() takes the coordinates themselves.
with_features_term <- function(given, data) {
  if (!rlang::is_formula(given$formula)) return(given)
  used <- unlist(lapply(unclass(given)[c("coords", "time", "nugget", "by_row")], names_in))
  cut <- cut_features(given$formula, data, used)
  if (is.null(cut$features)) return(with_coordinates_as_features(given, data))
  if (is.null(given$coords) && !is_sf(data) && !is.null(given$time)) {
    abort_neargp("coordinates", c("`time` needs coordinates, which features() are not.",
      i = "Add a trend in time to the formula: y ~ time + features(.)."))
  }
  space <- if (!is.null(given$coords) || is_sf(data)) given$covariance %||% cov_exponential()
  given$formula <- cut$formula
  given$features <- cut$features
  given$covariance <- if (is.null(space)) given$covariance %||% cut$covariance else
    if (has_features(space)) space else cut$covariance + as_space(space)
  given
}

as_space <- function(covariance) {
  count <- length(covariance$components)
  for (j in seq_len(count)) {
    covariance$components[[j]]$label <- paste0("space", if (count > 1L) paste0("_", j))
  }
  covariance
}

with_coordinates_as_features <- function(given, data) {
  if (is.null(given$covariance) || !inherits(given$covariance, "neargp_covariance") ||
      !has_features(given$covariance)) return(given)
  if (is.null(given$coords) || !is.data.frame(data)) {
    refuse_features("without predictors: name them in the formula, y ~ features(a, b)")
  }
  terms <- coordinate_terms(given$coords, data, names_beside_coords(given))
  given$features <- list(names = attr(terms, "term.labels"))
  check_columns_present(given$features$names, data, "data")
  given["coords"] <- list(NULL)
  given
}

# Columns by name, by name:name and by a dot, without those behind a minus, as in
# subset(select = ).
selected_columns <- function(arguments, data, used, env) {
  places <- as.list(seq_along(data))
  names(places) <- names(data)
  free <- setdiff(names(data), used)
  places[["."]] <- match(free, names(data))
  position <- function(expression) {
    found <- tryCatch(eval(expression, places, env), error = function(e) {
      lacking <- setdiff(all.vars(expression), names(places))
      abort_neargp("columns", c(sprintf("features() cannot find %s.", deparse1(expression)),
        i = if (length(lacking)) column_hint(data, lacking, "data")), parent = e)
    })
    if (is.character(found)) match(found, names(data)) else found
  }
  chosen <- integer(0)
  for (j in seq_along(arguments)) {
    expression <- arguments[[j]]
    is_minus <- is.call(expression) && identical(expression[[1L]], quote(`-`)) &&
      length(expression) == 2L
    at <- position(if (is_minus) expression[[2L]] else expression)
    if (is_minus && j == 1L) chosen <- places[["."]]
    chosen <- if (is_minus) setdiff(chosen, at) else union(chosen, at)
  }
  check_selected(chosen, data)
  names(data)[chosen]
}

check_selected <- function(chosen, data) {
  if (!length(chosen)) {
    abort_neargp("formula", c("features() names no columns.",
      i = "Name predictors, features(a, b:d), or use all others by features(.)."))
  }
  if (!is.numeric(chosen) || anyNA(chosen) || any(chosen < 1 | chosen > length(data))) {
    abort_neargp("columns", c("features() names columns of `data`.",
      x = "Some of its names or numbers are not in `data`."))
  }
}
