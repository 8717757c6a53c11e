# The effects of a formula at the rows of a model frame, and which models cannot have them.

# A row's number where all of its variables are known, NA where one is missing, so that na.action
# sees it.
complete_rows <- function(data, variables) {
  rows <- seq_len(nrow(data))
  replace(rows, !stats::complete.cases(data[variables]), NA)
}

# Groups and what smooths are of are columns; numbers such as a basis size may be variables.
check_effect_columns <- function(effects, data) {
  check_columns_present(unlist(lapply(effects$bars, bar_variables)), data, "data")
  smoothed <- lapply(effects$smooths, function(call) {
    arguments <- as.list(call)[-1L]
    names <- names(arguments) %||% rep("", length(arguments))
    all.vars(as.call(c(quote(c), arguments[names %in% c("", "by")])))
  })
  check_columns_present(unlist(smoothed), data, "data")
}

# A dot in the trend does not stand for what effects are made of.
without_effects_of <- function(data, effects) {
  data[setdiff(names(data), effect_variables(effects, data))]
}

# Recipes and columns of the effects of a formula, NULL without effects.
model_effects <- function(frame, formula) {
  effects <- effect_terms(formula)
  if (!length(effects$bars) && !length(effects$smooths)) return(NULL)
  data <- attr(frame, "effect_variables")
  unknown <- which(!stats::complete.cases(data))
  if (length(unknown)) {
    abort_neargp("missing_values",
      c(sprintf("The groups or smooths have missing values in %s.",
        format_rows(original_rows(frame, unknown))),
        i = "Remove them by `subset`, or by na.action = na.omit."))
  }
  recipes <- effect_recipes(effects, data, environment(formula),
    colnames(frame[["(locations)"]]))
  list(recipes = recipes, data = effect_columns(recipes, data))
}

check_effects <- function(recipes, data, settings) {
  if (!length(recipes)) return(invisible())
  if (is_gaussian(settings$family) && is.null(settings$nugget)) check_not_noise(recipes, data)
  if (!is_compressed(data) || takes_compressed(settings)) return(invisible())
  most <- most_dense(nrow(data$effects$Z))
  abort_neargp("size", c(sprintf("The random effects and smooths have %s columns; at most %s are fitted by %s.",
    format_count(count_coefficients(data)), format_count(most), settings$method$label),
    x = largest_block(data),
    i = if (is_gaussian(settings$family))
    "vecchia() on the CPU fits 10,000 without shards, and more where the rows of a level are near each other." else
      "No method fits more of this family; vecchia() does of a Gaussian response, for example a transformed one.",
    i = "The Gaussian process describes groups that are locations; you can merge others."))
}

takes_compressed <- function(settings) {
  inherits(settings$method, "neargp_vecchia") && !identical(settings$device, "cuda") &&
    !wants_shards(settings)
}

# ---- what cannot have them -----------------------------------------------------------------------

check_takes_effects <- function(settings, formula, source) {
  if (!formula_has_effects(formula)) return(invisible())
  if (!is.null(source)) refuse_effects("rows that are read in pieces")
  if (!has_ability(settings$method, "effects", settings$family)) {
    refuse_effects(sprintf("%s%s", settings$method$label, if (is_gaussian(settings$family)) "" else
      sprintf(" of %s response", with_article(settings$family))))
  }
}

# The default for factors is a method without effects. For a named family it is one with effects.
check_classes_take_effects <- function(settings, frame, formula) {
  response <- stats::model.response(frame)
  if (!formula_has_effects(formula) || !settings$method_open || !settings$family_open ||
    !is_class_vector(response)) {
    return(invisible())
  }
  name <- names(frame)[1L]
  levels <- levels(droplevels(factor(response)))
  if (length(levels) == 2L) {
    abort_neargp("method", c(
      sprintf("`%s` is %s. With s() or (1 | group) its family must be named.", name,
        if (is.logical(response)) "logical" else "a factor or text"),
      i = sprintf("Fit the probability of %s: family = binomial().", levels[2L])))
  }
  abort_neargp("method", c(
    sprintf("`%s` has %d categories, and s() and (1 | group) are for one probability.", name,
      length(levels)),
    i = sprintf("Fit one category: I(%s == \"%s\") ~ ..., family = binomial().", name, levels[1L]),
    i = "Groups can enter the trend as a factor, smooths as splines::ns(z, df = 4)."))
}

refuse_effects <- function(what) {
  abort_neargp("method", c(sprintf("Random effects and smooths are not fitted by %s.", what),
    i = sprintf("They are by %s.", able_methods("effects")),
    i = "Groups can enter the trend as a factor, smooths as splines::ns(z, df = 4)."))
}
