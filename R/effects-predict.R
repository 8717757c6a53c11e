# Predictions with random effects and smooths: their columns at new rows, levels that the fit does
# not know, and draws.

# The columns after those of the trend, of which there may be none.
effects_part <- function(data, columns) {
  columns[, seq_len(ncol(columns)) > ncol(data$X), drop = FALSE]
}

# ---- levels that the fit does not know -----------------------------------------------------------

# The fit for predictions at newdata. `pooled`: whether one new level stands for all of a term,
# which is enough where rows are predicted one by one.
for_effects_of <- function(object, newdata, re_form, allow_new_levels, pooled) {
  if (!length(object$effects)) return(object)
  if (leaves_groups_out(re_form)) return(without_groups(object))
  check_groups_given(object, newdata)
  if (!check_flag(allow_new_levels, "allow.new.levels")) return(object)
  if (!is.data.frame(newdata)) {
    abort_argument("allow.new.levels", "FALSE for grids and rasters", allow_new_levels)
  }
  plain <- drop_geometry(with_fitted_columns(object, newdata))
  unknown <- lapply(object$effects, function(recipe) {
    if (recipe$kind != "group") return(character(0))
    unique(setdiff(group_levels(recipe, plain), c(recipe$levels, NA)))
  })
  if (!any(lengths(unknown) > 0L)) return(object)
  if (is_compressed(object$data)) {
    object$effects <- lapply(object$effects, replace, "unknown", TRUE)
    return(object)
  }
  with_new_levels(object, unknown, pooled)
}

leaves_groups_out <- function(re_form) {
  if (is.null(re_form)) return(FALSE)
  none <- rlang::is_formula(re_form) && identical(re_form[[length(re_form)]], 0)
  if (none || length(re_form) == 1L && is.na(re_form)) return(TRUE)
  abort_argument("re.form", "NULL, all effects, or NA, none of groups", re_form)
}

# Rows with missing covariates predict NA. A whole column of them, `vessel = NA`, is a question for
# another prediction.
check_groups_given <- function(object, newdata) {
  groups <- Filter(function(recipe) recipe$kind == "group", object$effects)
  for (name in intersect(unlist(lapply(groups, recipe_variables)), names(newdata))) {
    values <- newdata[[name]]
    if (!length(values) || !is.logical(values) || !all(is.na(values))) next
    abort_neargp("newdata", c(
      sprintf("`%s` is NA in all rows of `newdata`, so that no row can be predicted.", name),
      i = "re.form = NA predicts without effects of groups.",
      i = sprintf("allow.new.levels = TRUE predicts a new level of %s.", name)))
  }
}

# Their columns are 0 at new rows, for which groups are not needed then.
without_groups <- function(object) {
  grouped <- vapply(object$effects, function(recipe) recipe$kind == "group", NA)
  variables <- function(recipes) unlist(lapply(recipes, recipe_variables))
  others <- c(variables(object$effects[!grouped]), all.vars(stats::delete.response(object$terms)),
    all.vars(object$locations$terms), object$locations$time, all.vars(object$offset_argument),
    local_variables(object$covariance))
  object$required_columns <- setdiff(object$required_columns,
    setdiff(variables(object$effects[grouped]), others))
  object$effects[grouped] <- lapply(object$effects[grouped], replace, "left_out", TRUE)
  object
}

recipe_variables <- function(recipe) {
  if (recipe$kind == "group") return(bar_variables(recipe))
  unlist(lapply(c(recipe$smooth$term, setdiff(recipe$smooth$by, "NA")),
    function(term) all.vars(str2lang(term))))
}

# The fit with further levels without data: columns of 0, an effect of 0 with the covariance matrix
# of a level.
with_new_levels <- function(object, unknown, pooled) {
  if (pooled) unknown <- lapply(unknown, utils::head, 1L)
  effects <- fitted_effects(object)
  added <- lapply(effects$blocks, function(block) if (block$kind == "group")
    unknown[[block$term]] else character(0))
  # where each coefficient was, NA of a new one; those of a block stay together
  p <- length(object$beta)
  from <- c(list(seq_len(p)), Map(function(block, levels) {
    c(p + block$columns, rep(NA, block$d * length(levels)))
  }, effects$blocks, added))
  last <- cumsum(lengths(from)) - p
  blocks <- Map(function(block, levels, from, last) {
    block$columns <- last - length(from) + seq_along(from)
    block$levels <- c(block$levels, levels)
    block
  }, effects$blocks, added, from[-1L], last[-1L])
  from <- unlist(from)
  object <- with_new_columns(object, from, blocks)
  object$core_trend$beta_vcov <- with_prior_of_new(object$core_trend$beta_vcov, is.na(from), p,
    blocks, effects$factors)
  for (term in which(lengths(unknown) > 0L)) {
    object$effects[[term]]$levels <- c(object$effects[[term]]$levels, unknown[[term]])
    object$effects[[term]]$pooled <- pooled
  }
  with_own_cache(object)
}

# `from`: of each coefficient the place of the fit's, NA where there was none, which then is 0.
with_new_columns <- function(object, from, blocks) {
  new <- is.na(from)
  old <- replace(from, new, 1L)
  trend <- core_trend(object)
  vcov <- trend$beta_vcov[old, old]
  vcov[new, ] <- vcov[, new] <- 0
  object$core_trend <- list(beta = replace(trend$beta[old], new, 0), beta_vcov = vcov,
    spread = trend$spread)
  p <- length(object$beta)
  Z <- object$data$effects$Z[, pmax(old[seq_along(old) > p] - p, 1L), drop = FALSE]
  Z[, new[seq_along(new) > p]] <- 0
  object$data$effects <- list(Z = Z, blocks = blocks)
  with_new <- function(response) {
    response <- response[, old, drop = FALSE]
    response[, new] <- 0
    response
  }
  if (!is.null(object$posterior$field_response)) {
    object$posterior$field_response <- with_new(object$posterior$field_response)
  }
  weights <- object$svgp$weights
  if (!is.null(weights)) object$svgp$weights <- cbind(weights[, 1L], with_new(weights[, -1L,
    drop = FALSE]))
  object
}

with_prior_of_new <- function(vcov, new, p, blocks, factors) {
  for (k in seq_along(blocks)) {
    columns <- matrix(p + blocks[[k]]$columns, blocks[[k]]$d)
    for (level in which(new[columns[1L, ]])) {
      vcov[columns[, level], columns[, level]] <- tcrossprod(factors[[k]])
    }
  }
  vcov
}

# ---- draws ---------------------------------------------------------------------------------------

# Coefficients and effects given the data, or effects of the prior about the estimated trend.
# Effects without variance make the matrix singular.
draw_effects <- function(object, nsim, conditional) {
  trend <- core_trend(object)
  q <- length(trend$beta)
  normals <- matrix(stats::rnorm(q * nsim), q, nsim)
  if (conditional) {
    parts <- eigen(trend$beta_vcov, symmetric = TRUE)
    return(trend$beta + parts$vectors %*% (sqrt(pmax(parts$values, 0)) * normals))
  }
  effects <- fitted_effects(object)
  p <- length(object$beta)
  drawn <- t(times_factors(t(normals[p + seq_len(q - p), , drop = FALSE]), effects$blocks,
    lapply(effects$factors, t)))
  rbind(matrix(trend$beta[seq_len(p)], p, nsim), drawn)
}

# ---- parts of the linear predictor ---------------------------------------------------------------

# Z b of each term.
effect_parts <- function(object, X) {
  trend <- core_trend(object)
  p <- length(object$beta)
  parts <- list()
  for (block in object$data$effects$blocks) {
    own <- block_part(object$data, block, X, trend$beta, p)
    parts[[block$label]] <- parts[[block$label]] %||% 0 + own
  }
  parts
}

block_part <- function(data, block, X, beta, p) {
  columns <- p + block$columns
  if (!is_compressed(data)) return(drop(row_products(X[, columns, drop = FALSE], beta[columns])))
  slots <- split_compressed(effects_part(data, X), data$effects$blocks)
  number <- match(list(block$columns), lapply(data$effects$blocks, `[[`, "columns"))
  slot_products(slots, beta[seq_along(beta) > p], number)
}

# Parts of smooths without a penalty, which are columns of the trend after those of the formula.
smooth_trends <- function(object, X) {
  recipes <- Filter(function(recipe) recipe$kind == "smooth", object$effects)
  counts <- vapply(recipes, function(recipe) sum(recipe$penalty == 0), 0L)
  first <- length(object$beta) - sum(counts) + cumsum(counts) - counts
  parts <- list()
  for (i in which(counts > 0L)) {
    columns <- first[i] + seq_len(counts[i])
    parts[[recipes[[i]]$label]] <- drop(row_products(X[, columns, drop = FALSE],
      object$beta[columns]))
  }
  parts
}
