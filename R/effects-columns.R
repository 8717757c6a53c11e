# The columns of random effects and smooths. A recipe contains what a term needs to make its columns
# for new rows as for those of the fit. A block is a set of columns, d for each of m levels in turn,
# whose coefficients share one d x d covariance matrix. Smooths are mgcv's, with the basis rotated
# so that the penalty is a sum of squares. Columns without a penalty go to the trend. The others are
# blocks of independent coefficients, one for each penalty (Wood 2017, section 5.8).

# Recipes of all terms of a formula, from the rows that are fitted.
effect_recipes <- function(effects, data, env, coordinates = character(0)) {
  recipes <- c(lapply(effects$bars, group_recipe, data = data, env = env),
    unlist(lapply(effects$smooths, smooth_recipes, data = data, env = env,
      coordinates = coordinates), recursive = FALSE))
  labels <- unlist(lapply(recipes, parameter_names))
  if (anyDuplicated(labels)) {
    abort_neargp("formula", c("A random effect or smooth appears twice in the formula.",
      x = sprintf("Its standard deviation is %s.", labels[duplicated(labels)][1L]),
      i = "(x | g) includes an intercept. Write (0 + x | g) for slopes alone."))
  }
  recipes
}

# The design of new rows, with the columns of the effects after those of the formula.
with_effects_at <- function(object, X, newdata) {
  if (!length(object$effects)) return(X)
  compressed <- is_compressed(object$data)
  made <- tryCatch(effect_columns(object$effects, newdata, compressed), error = function(e) {
    if (inherits(e, "neargp_error")) rlang::cnd_signal(e)
    abort_neargp("newdata", "The groups or smooths cannot be evaluated in `newdata`.", parent = e)
  })
  cbind(X, made$X, made$Z)
}

# Names of a term's parameters in the layout, standard deviations before correlations.
parameter_names <- function(recipe) {
  if (recipe$kind == "smooth") {
    parts <- length(penalties(recipe))
    return(if (parts) paste0("sd_", recipe$label, if (parts > 1L) paste0("_", seq_len(parts))))
  }
  pairs <- lower_pairs(length(recipe$names))
  c(sprintf("sd_%s|%s", recipe$names, recipe$label),
    if (nrow(pairs)) sprintf("cor_%s.%s|%s", recipe$names[pairs[, 1L]], recipe$names[pairs[, 2L]],
      recipe$label))
}

# Pairs (row, column) below the diagonal, row by row.
lower_pairs <- function(d) {
  pairs <- which(lower.tri(diag(d)), arr.ind = TRUE)
  unname(pairs[order(pairs[, 1L], pairs[, 2L]), , drop = FALSE])
}

# `X`, columns without a penalty, `Z`, and `blocks` of the latter.
effect_columns <- function(recipes, data, compressed = needs_compression(recipes, nrow(data))) {
  fixed <- random <- blocks <- list()
  before <- 0L
  add <- function(columns, recipe, term, names, levels, parameters) {
    own <- length(names) * length(levels)
    blocks[[length(blocks) + 1L]] <<- list(term = term, label = recipe$label, kind = recipe$kind,
      names = names, levels = levels, d = length(names), parameters = parameters,
      columns = before + seq_len(own))
    random[[length(random) + 1L]] <<- columns(before)
    before <<- before + own
  }
  for (term in seq_along(recipes)) {
    recipe <- recipes[[term]]
    parameters <- parameter_names(recipe)
    if (recipe$kind == "group") {
      entries <- group_entries(recipe, data)
      add(function(before) if (compressed) group_slots(entries, length(recipe$names), before) else
        group_columns(entries, length(recipe$levels)), recipe, term, recipe$names, recipe$levels,
        parameters)
      next
    }
    made <- smooth_columns(recipe, data)
    colnames(made$fixed) <- sprintf("%s.%d", rep(recipe$label, ncol(made$fixed)),
      seq_len(ncol(made$fixed)))
    fixed[[length(fixed) + 1L]] <- made$fixed
    for (part in seq_along(made$random)) {
      columns <- made$random[[part]]
      add(function(before) if (compressed) smooth_slots(columns, before) else columns, recipe, term,
        "s", as.character(seq_len(ncol(columns))), parameters[part])
    }
  }
  Z <- if (compressed) compressed_columns(random) else unname(do.call(cbind, random))
  list(X = do.call(cbind, fixed), Z = Z, blocks = blocks, compressed = compressed)
}

# How many columns of the trend belong to smooths. They are the last ones.
count_smooth_columns <- function(fit) sum(unlist(lapply(fit$effects, `[[`, "penalty")) == 0)

smooth_coefficients <- function(fit) utils::tail(names(fit$beta), count_smooth_columns(fit))

# ---- blocks --------------------------------------------------------------------------------------

# How many coefficients each has.
block_sizes <- function(blocks) lengths(lapply(blocks, `[[`, "columns"))

# Blocks whose coefficients stand after `before` others; a block whose coefficients are the first.
blocks_after <- function(before, blocks) {
  lapply(blocks, function(block) replace(block, "columns", list(before + block$columns)))
}

block_alone <- function(block) replace(block, "columns", list(seq_along(block$columns)))
