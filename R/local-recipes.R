# Recipes of local fields, see local-fields.R: from formulas and the rows of a fit to columns of
# covariates, and to those of other rows.

# Returns the number of each row of the data. It is missing where a covariate is missing, or a value
# that a formula computes from it, so that na.action treats the row as it treats others. Formulas
# that cannot be evaluated at all are ignored here, and new_local_recipe() reports them.
local_rows <- function(data, formulas, raw, locations, predictors = NULL) {
  known <- intersect(c(unlist(lapply(formulas, all.vars)), predictors), names(data))
  rows <- seq_len(nrow(data))
  if (length(known)) rows <- rows[stats::complete.cases(data[known])]
  table <- local_table(data, raw, locations)[rows, , drop = FALSE]
  complete <- rep(TRUE, length(rows))
  for (formula in formulas) {
    frame <- tryCatch(local_frame(with_places_of(formula, locations), table),
      error = function(e) NULL)
    if (NROW(frame) == length(rows) && NCOL(frame)) {
      complete <- complete & stats::complete.cases(frame)
    }
  }
  replace(rep(NA_real_, nrow(data)), rows[complete], rows[complete])
}

local_frame <- function(formula, table) {
  suppressWarnings(stats::model.frame(formula, table, na.action = stats::na.pass,
    drop.unused.levels = TRUE))
}

# Adds the recipes to the locations.
with_local_fields <- function(locations, covariance, data, rows, raw, row_names, several_outputs) {
  if (several_outputs) refuse_local_fields("for several responses", "Fit the responses one by one.")
  table <- local_table(drop_geometry(data)[rows, , drop = FALSE], raw, locations)
  first <- length(locations$embedded_names) + count_feature_columns(locations) +
    count_linear_columns(locations)
  locations$local <- list()
  for (j in seq_along(covariance$components)) {
    settings <- covariance$components[[j]]$local
    for (kind in column_kinds) {
      if (is.null(settings[[kind]])) next
      for (recipe in new_recipes(settings[[kind]], kind, covariance$components[[j]], table,
        locations, raw, row_names)) {
          recipe[c("component", "kind")] <- list(j, kind)
          recipe["penalty"] <- list(if (kind == "by") 0 else settings$penalty)
          recipe$columns <- first + seq_along(recipe$names)
          first <- first + length(recipe$names)
          locations$local <- c(locations$local, list(recipe))
        }
    }
  }
  coefficients <- sum(vapply(locations$local, function(recipe) {
    if (recipe$kind == "by") 0 else length(recipe$names) * (recipe$q %||% 1L)
  }, 0))
  check_local_coefficients(coefficients, length(rows))
  locations$local <- lapply(locations$local, function(recipe) {
    recipe$penalty <- recipe$penalty %||% default_local_penalty(recipe$kind, coefficients,
      length(rows))
    recipe
  })
  locations
}

new_recipes <- function(settings, kind, component, table, locations, raw, row_names) {
  if (kind == "monotone") return(monotone_recipes(settings, component, locations, raw))
  if (kind == "by") return(list(new_by_recipe(settings, table, locations, row_names)))
  if (kind != "expand") return(list(new_local_recipe(settings, table, locations,
    local_names_in_messages[[kind]], row_names)))
  group <- range_groups(component, locations)$group
  list(expand_recipe(settings, table, locations, embed_places(raw, locations, "data"), group,
    row_names))
}

# Penalties by the log scores of held-out rows, bench/non-stationary.R.
default_local_penalty <- function(kind, coefficients, rows) {
  max(if (kind == "expand") 5 else 1, 100 * coefficients / rows)
}

place_names <- function(count) sprintf(".place%d", seq_len(count))

# The columns that formulas see: those of the data, and the numeric coordinates of space.
local_table <- function(data, raw, locations) {
  numbers <- numeric_names(locations)
  places <- as.data.frame(raw[, numbers, drop = FALSE])
  absent <- setdiff(numbers, names(data))
  table <- if (is.null(data)) places else data
  table[absent] <- places[match(absent, numbers)]
  table[place_names(length(numbers))] <- places
  table
}

# bumps(4) as bumps(.place1, .place2, 4).
with_places <- function(expression, count) {
  if (!is.call(expression)) return(expression)
  if (deparse(expression[[1L]])[1L] %in% c("bumps", "neargp::bumps")) {
    arguments <- as.list(expression)[-1L]
    named <- names(arguments) %||% rep("", length(arguments))
    given <- sum(!nzchar(named))
    if (given == 0L || (given == 1L && !"count" %in% named)) {
      return(as.call(c(expression[[1L]], lapply(place_names(count), as.name), arguments)))
    }
    return(expression)
  }
  expression[-1L] <- lapply(as.list(expression)[-1L], with_places, count)
  expression
}

with_places_of <- function(formula, locations) {
  formula[[2L]] <- with_places(formula[[2L]], length(numeric_names(locations)))
  environment(formula) <- local_environment(environment(formula))
  formula
}

local_names_in_messages <- c(log_sd = "`sd` of the covariance",
  log_range = "`range` of the covariance", expand = "`warp` of the covariance")

# `what`: its name in messages.
new_local_recipe <- function(formula, table, locations, what, row_names) {
  model <- local_model(formula, table, locations, what)
  check_local_design(model$design, what, row_names)
  complete_recipe(model, local_coefficient_names(colnames(model$design), model$frame),
    unname(colMeans(model$design)), unname(apply(model$design, 2L, scaled_sd)), table, what)
}


# A standard deviation whose squares do not overflow. A power of two rounds nothing.
scaled_sd <- function(x) {
  scale <- 2^floor(log2(max(abs(x), .Machine$double.xmin)))
  scale * stats::sd(x / scale)
}

# The columns that a formula makes of the rows of a fit.
local_model <- function(formula, table, locations, what) {
  formula <- with_places_of(formula, locations)
  frame <- tryCatch(local_frame(formula, table), error = identity)
  check_local_length(frame, formula, table, "columns", "the rows that are fitted are %s")
  frame <- in_data(what, if (inherits(frame, "error")) stop(frame) else frame)
  terms <- attr(frame, "terms")
  attr(terms, "intercept") <- 1L
  if (!is.null(attr(terms, "offset"))) {
    abort_neargp("local", sprintf("%s cannot include an offset.", what))
  }
  check_levels(frame, terms)
  design <- stats::model.matrix(terms, frame)
  contrasts <- attr(design, "contrasts")
  list(frame = frame, terms = terms, contrasts = contrasts,
    design = design[, colnames(design) != "(Intercept)", drop = FALSE])
}

complete_recipe <- function(model, names, center, scale, table, what) {
  recipe <- list(terms = model$terms, xlevels = stats::.getXlevels(model$terms, model$frame),
    contrasts = model$contrasts, types = attr(model$terms, "dataClasses"),
    time_kinds = time_kinds(model$frame), names = names, center = center, scale = scale)
  check_rows_alone(recipe, table, unname(model$design), what)
  recipe
}

# A basis of which knots or scale are not kept, as inside of I(), would be made again of the rows of
# `newdata`.
check_rows_alone <- function(recipe, table, design, what) {
  if (any(outside_sizes(recipe$terms, names(table)) == nrow(table))) return(invisible())
  few <- seq_len(min(2L, nrow(table)))
  alone <- tryCatch(local_design(recipe, table[few, , drop = FALSE]), error = function(e) NULL)
  among_all <- sweep(sweep(design[few, , drop = FALSE], 2L, recipe$center), 2L, recipe$scale, "/")
  if (!isTRUE(all.equal(unname(alone), among_all, check.attributes = FALSE))) {
    abort_neargp("local",
      c(sprintf("The covariates of a row by %s depend on the other rows.", what),
        i = "bumps(), poly(), ns() and scale() keep what they are made of where they are terms by themselves, and not inside of a call such as I()."))
  }
}

# bumps1, bumps2, ... where one basis alone is meant by it; of several bumps(4)1, or bumps(x, 4)1.
local_coefficient_names <- function(names, frame) {
  basis <- base::names(frame)[vapply(frame, inherits, NA, "neargp_bumps")]
  for (call in basis) {
    shown <- if (length(basis) == 1L) "bumps" else gsub("\\.place[0-9]+, ", "", call)
    names <- sub(call, shown, names, fixed = TRUE)
  }
  make.unique(names)
}

# Variables of the workspace go with the rows of a data set only where they are as many. A number
# for all rows is none of them.
check_local_length <- function(frame, formula, table, class, rows) {
  if (is.data.frame(frame) && nrow(frame) == nrow(table)) return(invisible())
  sizes <- outside_sizes(formula, names(table))
  wrong <- which(sizes > 1L & sizes != nrow(table))
  if (!length(wrong)) return(invisible())
  abort_neargp(class, c(sprintf("`%s` of the covariance's local sd, range, warp or by, of the nugget, or of a parameter of the family, has %s values, and %s.",
    names(sizes)[wrong[1L]], format_count(sizes[wrong[1L]]),
    sprintf(rows, format_count(nrow(table)))),
    i = "It is not a column of `data` but was found elsewhere. Make it a column of `data`."))
}

outside_sizes <- function(formula, columns) {
  found <- function(name) {
    get0(name, environment(formula), mode = "numeric") %||% get0(name, environment(formula))
  }
  vapply(sapply(setdiff(all.vars(formula), columns), found, simplify = FALSE), NROW, 0L)
}

# Where bumps() is found whatever the formula's own environment has, and though the package is not
# attached.
local_environment <- function(parent) {
  list2env(list(bumps = bumps), parent = parent %||% globalenv())
}

check_local_design <- function(design, what, row_names) {
  if (ncol(design) == 0L) {
    abort_neargp("local", c(sprintf("%s does not name covariates.", what),
      i = sprintf("Leave the formula of %s out where it is the same everywhere.", what)))
  }
  check_local_finite(design, what, row_names)
  spread <- apply(design, 2L, scaled_sd)
  constant <- !(spread > 1e-10 * pmax(apply(abs(design), 2L, max), 1e-300))
  if (any(constant)) {
    abort_neargp("local",
      c(sprintf("%s does not vary among the rows, so its coefficient in %s cannot be estimated.",
        format_some(colnames(design)[constant]), what), i = sprintf("Leave %s out of the formula.",
          format_some(colnames(design)[constant]))))
  }
}

check_local_finite <- function(design, what, row_names) {
  bad <- which(rowSums(!is.finite(design)) > 0)
  if (!length(bad)) return(invisible())
  abort_neargp("missing_values",
    c(sprintf("The covariates of %s have missing or infinite values in %s.", what,
      format_rows(row_names[bad])), i = "Remove such rows by `subset`."))
}

check_local_coefficients <- function(coefficients, rows) {
  if (coefficients < rows) return(invisible())
  abort_neargp("local",
    c(sprintf("Local sd, range and warps of the covariance have %d coefficients for %d rows.",
      coefficients, rows), i = "Use fewer covariates, or a smaller basis."))
}

# ---- columns -------------------------------------------------------------------------------------

# The columns of all recipes at rows of a data set, in the order in which they follow the
# coordinates. `data`: NULL where only the coordinates are known. Columns of other kinds than
# `kinds` are NA, and those left out are 0.
local_columns <- function(locations, data, raw, argument, kinds = column_kinds) {
  # Basis functions such as splines refuse to be evaluated in no rows.
  if (nrow(raw) == 0L) return(matrix(0, 0L, sum(lengths(lapply(locations$local, `[[`, "columns")))))
  table <- local_table(data, raw, locations)
  is_wanted <- function(recipe) recipe$kind %in% kinds && is.null(recipe$left_out)
  wanted <- Filter(is_wanted, locations$local)
  missing <- setdiff(unique(unlist(lapply(wanted, local_names, locations))), names(table))
  if (length(missing)) {
    abort_neargp("local",
      c(sprintf("The local sd, range, warp or by of the covariance needs the %s %s, which %s does not have.",
        if (length(missing) == 1L) "covariate" else "covariates", format_some(missing), argument),
        i = "Give `newdata` with all covariates of the covariance."))
  }
  do.call(cbind, lapply(locations$local, function(recipe) {
    if (recipe$kind == "monotone") return(monotone_columns(raw[, recipe$raw_column], recipe))
    if (is_wanted(recipe)) return(local_design(recipe, table))
    matrix(if (is.null(recipe$left_out)) NA_real_ else 0, nrow(table), length(recipe$columns))
  }))
}

# Whether a local field is known only where covariates are, and not wherever there are coordinates.
has_local_covariates <- function(fit) {
  numbers <- numeric_names(fit$locations)
  coordinates <- c(numbers, place_names(length(numbers)))
  needs <- function(recipe) {
    if (recipe$kind == "monotone") return(FALSE)
    length(setdiff(local_names(recipe, fit$locations), coordinates)) > 0L ||
      any(outside_sizes(recipe$terms, coordinates) == length(fit$data$y))
  }
  any(vapply(fit$locations$local, needs, NA))
}

# Variables of a recipe that a data set must have: those of its formula's environment are there
# already.
local_names <- function(recipe, locations) {
  if (recipe$kind == "monotone") return(character(0))
  variables <- setdiff(all.vars(recipe$terms), place_names(length(numeric_names(locations))))
  variables[!vapply(variables, exists, NA, envir = environment(recipe$terms), mode = "numeric")]
}

local_design <- function(recipe, table) {
  frame <- tryCatch(suppressWarnings(new_rows_frame(recipe$terms, table)), error = identity)
  check_local_length(frame, recipe$terms, table, "newdata",
    if (nrow(table) == 1L) "newdata %s row" else "newdata %s rows")
  if (inherits(frame, "error")) {
    what <- c(noise = "covariates of the nugget", family = "covariates of the family's parameters")
    abort_neargp("newdata", sprintf("The %s cannot be evaluated in `newdata`.",
      if (recipe$kind %in% names(what)) what[[recipe$kind]] else
        "local sd, range, warp or by of the covariance"), parent = frame)
  }
  frame <- as_fitted_frame(frame, recipe$types, recipe$time_kinds, recipe$xlevels)
  design <- stats::model.matrix(recipe$terms, frame, contrasts.arg = recipe$contrasts)
  design <- design[, colnames(design) != "(Intercept)", drop = FALSE]
  unname(sweep(sweep(design, 2L, recipe$center), 2L, recipe$scale / (recipe$unit %||% 1), "/"))
}
