# The columns of smooths: mgcv's bases, rotated so that the penalty is a sum of squares (Wood 2017,
# section 5.8).

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
