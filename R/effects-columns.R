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

# ---- groups --------------------------------------------------------------------------------------

group_recipe <- function(bar, data, env) {
  recipe <- list(kind = "group", label = bar$label, group = bar$group, env = env,
    lhs = stats::as.formula(call("~", bar$lhs), env))
  levels <- group_levels(recipe, data)
  recipe$levels <- sort_levels(levels, recipe, data)
  frame <- in_data("the formula", stats::model.frame(recipe$lhs, data, na.action = stats::na.pass,
    drop.unused.levels = TRUE))
  recipe$terms <- attr(frame, "terms")
  recipe$time_kinds <- time_kinds(frame)
  attr(recipe$terms, ".Environment") <- env
  design <- in_data("the formula", stats::model.matrix(recipe$terms, frame))
  recipe$contrasts <- attr(design, "contrasts")
  recipe$xlevels <- stats::.getXlevels(recipe$terms, frame)
  recipe$names <- colnames(design)
  check_group(recipe, design)
  recipe
}

# Level of each row, NA where a part of it is.
group_levels <- function(recipe, data) {
  of <- function(group) {
    if (is.call(group) && identical(group[[1L]], quote(`:`))) {
      outer <- of(group[[2L]])
      inner <- of(group[[3L]])
      return(ifelse(is.na(outer) | is.na(inner), NA, paste(outer, inner, sep = ":")))
    }
    as.character(in_data("the formula", eval(group, data, recipe$env)))
  }
  levels <- of(recipe$group)
  if (length(levels) != nrow(data)) {
    abort_neargp("formula", c(sprintf("The number of values of the groups %s must be the number of rows.",
      recipe$label), x = sprintf("There are %s for %s rows.", format_count(length(levels)),
        format_count(nrow(data)))))
  }
  levels
}

# Levels of a factor in its order, others by value.
sort_levels <- function(levels, recipe, data) {
  value <- if (is.name(recipe$group)) data[[as.character(recipe$group)]]
  check_encoding(levels, recipe$label, "data")
  known <- if (is.factor(value)) levels(value) else if (is.numeric(value))
    as.character(sort(unique(value))) else sort(unique(levels), method = "radix")
  intersect(known, levels)
}

check_group <- function(recipe, design) {
  if (!ncol(design)) {
    abort_neargp("formula", sprintf("The random effect of %s lacks terms before its bar.",
      recipe$label))
  }
  if (!all(is.finite(design))) {
    abort_neargp("missing_values",
      c(sprintf("The random effect of %s has missing or infinite values.", recipe$label),
        i = "Remove such rows by `subset`, or missing values by na.action = na.omit."))
  }
  if (length(recipe$levels) > 1L) return(invisible())
  abort_neargp("formula", c(
    sprintf("The level of the groups %s is the same in all rows.", recipe$label),
    i = "To estimate the variance between groups use at least two, and better ten."))
}

# A level for each row, and nothing but an intercept, is the noise.
check_not_noise <- function(recipes, data) {
  for (recipe in recipes) {
    if (recipe$kind != "group" || length(recipe$levels) < length(data$y)) next
    abort_neargp("formula", c(
      sprintf("Each row is a group of its own in %s: their variance cannot be distinguished from the nugget.",
        recipe$label), i = "Leave the term out."))
  }
}

# Levels of some rows by number, and their terms. Level 0 is none. If new levels are `pooled`, the
# last level stands for them. If they are `unknown`, -1 does, which is without a column.
group_entries <- function(recipe, data) {
  if (isTRUE(recipe$left_out)) {
    return(list(level = integer(nrow(data)), design = matrix(0, nrow(data), length(recipe$names))))
  }
  frame <- as_fitted_frame(new_rows_frame(recipe$terms, data),
    attr(recipe$terms, "dataClasses"), recipe$time_kinds, recipe$xlevels)
  design <- stats::model.matrix(recipe$terms, frame, contrasts.arg = recipe$contrasts)
  given <- group_levels(recipe, data)
  level <- match(given, recipe$levels, nomatch = if (isTRUE(recipe$unknown)) -1L else
    if (isTRUE(recipe$pooled)) length(recipe$levels) else NA)
  if (anyNA(level)) abort_unknown_levels(recipe, unique(given[is.na(level)]))
  list(level = level, design = design)
}

group_columns <- function(entries, levels) {
  d <- ncol(entries$design)
  columns <- matrix(0, length(entries$level), d * levels)
  known <- which(entries$level > 0L)
  for (j in seq_len(d)) {
    columns[cbind(known, d * (entries$level[known] - 1L) + j)] <- entries$design[known, j]
  }
  columns
}

# ---- smooths -------------------------------------------------------------------------------------

# A smooth with a factor `by` is one for each level; s(g, bs = "re") of a factor is (1 | g).
smooth_recipes <- function(call, data, env, coordinates = character(0)) {
  require_package("mgcv", "for smooths of covariates, s() and t2()")
  inside <- list2env(list(s = mgcv::s, t2 = mgcv::t2), parent = env)
  by_mgcv <- function(value) tryCatch(value, error = function(e) {
    abort_neargp("formula", sprintf("mgcv cannot make the smooth %s.", deparse1(call)), parent = e)
  })
  specification <- by_mgcv(eval(call, inside))
  columns <- smooth_data(specification, data)
  check_smoothed(specification, columns, call)
  made <- by_mgcv(mgcv::smoothCon(specification, columns, absorb.cons = TRUE, modCon = 3))
  warn_smooth_of_places(specification, coordinates)
  if (inherits(made[[1L]], "random.effect") && length(made) == 1L) {
    variable <- columns[[made[[1L]]$term[1L]]]
    if (length(made[[1L]]$term) == 1L && (is.factor(variable) || is.character(variable))) {
      group <- str2lang(made[[1L]]$term)
      return(list(group_recipe(list(lhs = 1, group = group, label = made[[1L]]$term), data, env)))
    }
  }
  lapply(made, one_smooth_recipe, call = call, levels_by = levels(columns[[specification$by]]))
}

# mgcv's bases of numbers; others are of factors, or made by the user.
bases_of_numbers <- paste0(c("tp", "ts", "cr", "cs", "cc", "ps", "cp", "bs", "ds", "gp", "ad"),
  ".smooth.spec")

check_smoothed <- function(specification, data, call) {
  margins <- Filter(function(margin) inherits(margin, bases_of_numbers),
    specification$margin %||% list(specification))
  names <- intersect(unlist(lapply(margins, `[[`, "term")), names(data))
  timed <- Filter(function(name) inherits(data[[name]], c("Date", "POSIXt", "difftime")), names)
  if (length(timed)) {
    abort_neargp("formula", c(
      sprintf("mgcv takes numbers, and the smooth %s is of `%s`, of class %s.", deparse1(call),
        timed[1L], class(data[[timed[1L]]])[1L]),
      i = sprintf("Give it numbers: s(as.numeric(%s)).", timed[1L])))
  }
  levelled <- Filter(function(name) is_class_vector(data[[name]]), names)
  if (!length(levelled)) return(invisible())
  abort_neargp("formula", c(sprintf("The smooth %s is of `%s`, which %s.",
    deparse1(call), levelled[1L], if (is.logical(data[[levelled[1L]]])) "is TRUE or FALSE" else
      "has levels, and no numbers"),
    i = sprintf("For effects of levels use (1 | %s) instead of the smooth, or %s.",
      levelled[1L], levelled[1L])))
}

# mgcv takes strings for numbers.
smooth_data <- function(specification, data) {
  if (is.null(specification$term)) return(data)
  strings <- vapply(data, is.character, NA)
  data[strings] <- lapply(data[strings], factor)
  data
}

one_smooth_recipe <- function(smooth, call, levels_by) {
  mixed <- tryCatch(mgcv::smooth2random(smooth, "", type = 2L), error = function(e) {
    abort_neargp("formula", c(
      sprintf("The smooth %s is not a sum of random effects.", deparse1(call)),
      i = "Use another basis, bs = \"tp\", \"cr\" or \"cc\", or t2()."), parent = e)
  })
  if (isTRUE(mixed$fixed)) {
    mixed$pen.ind <- rep(0, ncol(smooth$X))
  }
  smooth$X <- NULL
  list(kind = "smooth", label = smooth$label, smooth = smooth, rotation = mixed$trans.U,
    scale = mixed$trans.D, penalty = mixed$pen.ind, levels_by = levels_by)
}

# Columns of the rotated basis: `fixed`, and of each penalty.
smooth_columns <- function(recipe, data) {
  by <- recipe$smooth$by
  # mgcv knows levels of a factor alone.
  if (is.character(data[[by]])) data[[by]] <- factor(data[[by]])
  if (!is.null(recipe$levels_by)) check_levels_by(recipe, data[[by]])
  basis <- mgcv::PredictMat(recipe$smooth, data)
  if (!is.null(recipe$rotation)) basis <- basis %*% recipe$rotation
  if (!is.null(recipe$scale)) basis <- basis * rep(recipe$scale, each = nrow(basis))
  of <- function(penalty) basis[, recipe$penalty == penalty, drop = FALSE]
  list(fixed = of(0), random = lapply(penalties(recipe), of))
}

# Refuses levels that the fit does not know: mgcv would have zeros.
check_levels_by <- function(recipe, given) {
  unknown <- setdiff(as.character(given), c(recipe$levels_by, NA))
  if (!length(unknown)) return(invisible())
  abort_neargp("levels", c(
    sprintf("`newdata` has levels of %s that %s of the fit does not know: %s.", recipe$smooth$by,
      recipe$label, format_some(unknown)), i = "Include rows with these levels in the fit, or leave such rows out."))
}

penalties <- function(recipe) setdiff(sort(unique(recipe$penalty)), 0)

warn_smooth_of_places <- function(specification, coordinates) {
  used <- unique(unlist(lapply(specification$term, function(term) all.vars(str2lang(term)))))
  if (!length(used) || !all(used %in% coordinates)) return(invisible())
  warn_neargp("smooth", c(
    sprintf("The smooth %s uses the coordinates alone, as the Gaussian process does, so they compete.",
      specification$label),
    i = "Leave a trend of the coordinates to the process, or use few columns: x + y."))
}

# ---- all terms -----------------------------------------------------------------------------------

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
