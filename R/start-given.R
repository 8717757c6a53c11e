# The argument `start` of neargp(): values, or an earlier fit, from which the search begins.

# `start`: a fit, the result of neargp_last(), or natural values named as coef(fit, "covariance").
# They take precedence over those of the covariance settings.
apply_start <- function(layout, start) {
  if (is.null(start)) return(layout)
  if (inherits(start, "neargp_outputs")) return(apply_outputs_start(layout, start))
  if (inherits(start, c("neargp", "neargp_last"))) {
    start <- if (inherits(start, "neargp")) stats::coef(start, what = "covariance") else
      start$parameters
    start <- start[names(start) %in% layout$name]
    # a search cannot leave a standard deviation of 0, where its slope is 0
    start <- start[start > 0 | !names(start) %in% layout$name[layout$kind == "effect_sd"]]
  }
  if (is.numeric(start) && any(layout$kind == "loading")) {
    start <- with_start_loadings(start, layout)
  }
  start <- check_start_values(start, layout)
  natural <- natural_values(layout, ifelse(layout$fixed, layout$value, layout$start))
  open <- match(names(start), layout$name)
  open <- open[!layout$fixed[open]]
  natural[open] <- start[layout$name[open]]
  check_start_axes(layout, natural)
  layout$start <- ifelse(layout$fixed, NA, core_values(layout, natural))
  layout
}

# Takes the starting values from an earlier fit of the same outputs.
apply_outputs_start <- function(layout, start) {
  natural <- match(layout$name, start$layout$name)
  values <- to_core(start$parameters$working, start$layout$transform)[natural]
  layout$start <- ifelse(layout$fixed | is.na(natural), layout$start, values)
  layout
}

# Variances and covariances of the outputs, named as coef() does, as starting values of the
# loadings: all of a structure or none.
with_start_loadings <- function(start, layout) {
  outputs <- sub("^nugget_", "", layout$name[layout$kind == "nugget"])
  structures <- unique(layout$component[layout$kind == "loading"])
  for (j in structures) {
    entries <- coregionalisation_names(outputs, j, length(structures))
    given <- entries %in% names(start)
    if (!any(given)) next
    if (!all(given)) {
      abort_neargp("argument",
        c(sprintf("`start` gives %s without %s.", format_some(entries[given]),
          format_some(entries[!given])),
          i = "Give all variances and covariances of a structure, or none."))
    }
    pairs <- output_pairs(length(outputs))
    B <- matrix(0, length(outputs), length(outputs))
    B[pairs] <- B[pairs[, 2:1, drop = FALSE]] <- start[entries]
    check_covariance_matrix(B, "start")
    loading <- layout$name[layout$kind == "loading" & layout$component %in% j]
    loadings <- as.vector(t(loadings_of(B, length(loading) / length(outputs))))
    start <- c(start[!names(start) %in% entries], stats::setNames(loadings, loading))
  }
  start
}

# Ratios and angles together are a direction, in which the range is meant.
check_start_axes <- function(layout, natural) {
  for (rows in anisotropy_rows(layout)) {
    missing <- is.na(natural[rows$axes])
    if (any(missing) && !all(missing)) {
      names <- layout$name[rows$axes]
      abort_neargp("argument", sprintf("`start` lacks %s for its %s: give all.",
        format_some(names[missing]), format_some(names[!missing])))
    }
  }
}

# The fit `start` where it is continued. It must be a fit of the same model to the same rows, with
# an estimate of all parameters that are estimated.
warm_start_of <- function(start, differences, data) {
  if (!inherits(start, "neargp")) return(deep_state_of(start, data))
  if (!length(differences)) start
}

# Differences between the fit `start` and the new one, for which it cannot be continued.
start_differences <- function(start, data, layout, settings) {
  if (!inherits(start, c("neargp", "neargp_last"))) return(NULL)
  if (inherits(start, "neargp_last")) {
    return(if (!is.null(start$deep) && is.null(deep_state_of(start, data))) "rows")
  }
  kind <- function(x) {
    list(method = plain_class(x$method), estimator = x$method$estimator,
      posterior = x$method$posterior, family = list(family_call(x$family), x$family$link))
  }
  before <- kind(start)
  now <- kind(settings)
  parts <- c("method", "estimator", "posterior", "family")
  c(parts[!vapply(parts, function(part) identical(before[[part]], now[[part]]), NA)],
    if (anyNA(layout$start[!layout$fixed])) "parameters", differing_rows(start, data))
}

# The part of `start` for problem$warm_start, if the number of rows is the same.
deep_state_of <- function(start, data) {
  if (inherits(start, "neargp_last") && identical(start$deep$rows, count_places(data))) {
    start$deep[c("method", "deep")]
  }
}

differing_rows <- function(start, data) {
  parts <- c(response = "y", classes = "levels", trials = "trials", limits = "limits", trend = "X",
    coordinates = "coords", offset = "offset", weights = "weights", outputs = "output",
    groups = "effects")
  if (same_rows(start, data, unname(parts))) return(NULL)
  if (!is.null(data$stream) || length(start$data$y) != length(data$y)) return("rows")
  names(parts)[!vapply(parts, function(part) same_rows(start, data, part), NA)]
}

# Whether the data are the rows of the fit `start`.
same_rows <- function(start, data, rows) {
  if (is.null(data$stream)) {
    return(identical(unname(with_given_weights(start$data)[rows]), unname(data[rows])))
  }
  identical(start$source[c("hashes", "model", "rows")], data$stream[c("hashes", "model", "rows")])
}

# A message lists the parts of a fit `start`, or of neargp_last(), that are not taken, and if
# nothing is taken, that is an error. A fit is continued by its own method alone: others take
# parameters.
inform_partial_start <- function(start, problem) {
  if (!inherits(start, c("neargp", "neargp_last"))) return(invisible())
  before <- if (inherits(start, "neargp_last")) start$deep$method else if (has_fitted_state(start))
    start$method
  continues <- !is.null(before) && identical(plain_class(before), plain_class(problem$method))
  if (!has_ability(problem$method, "start_parameters")) {
    if (continues) return(inform_begins_anew(problem))
    name <- method_name(problem$method)
    abort_neargp("argument", c(sprintf("`start` does not contain anything that %s() can start from.", name),
      i = "It can be an earlier fit by the same method, or the state of an interrupted one from neargp_last()."))
  }
  given <- if (inherits(start, "neargp")) start$layout$name else names(start$parameters)
  estimated <- problem$layout$name[!problem$layout$fixed]
  lacking <- setdiff(estimated, given)
  if (length(lacking) && length(lacking) == length(estimated)) {
    abort_neargp("argument", c("`start` names no parameter that the model estimates.",
      x = sprintf("It names %s, and the model estimates %s.", format_some(given),
        format_some(estimated))))
  }
  inform_about <- function(names, text) {
    if (length(names)) inform_neargp("start", sprintf(text, format_some(names)))
  }
  inform_about(lacking, "`start` lacks %s: its search begins from the data.")
  inform_about(setdiff(given, problem$layout$name),
    "The model does not include %s, which `start` names: these values are ignored.")
  if (!continues) return(invisible())
  inform_begins_anew(problem)
  if (!is.null(problem$warm_start)) inform_other_inducing(start, problem$method)
}

# svgp() goes on with the points of the fit; others take those that are asked for.
inform_other_inducing <- function(start, method) {
  if (identical(start$method$inducing, method$inducing)) return(invisible())
  inform_neargp("start", if (has_ability(method, "kept_inducing")) {
    sprintf("The %s inducing points of `start` are kept, and `inducing` is ignored.",
      format_count(nrow(start$svgp$positions)))
  } else "The fit uses `inducing`, not the inducing points of `start`.")
}

has_fitted_state <- function(fit) {
  states <- c("posterior", "svgp", "classifier", "pseudo_observations", "low_rank", "deep")
  !all(vapply(states, function(state) is.null(fit[[state]]), NA))
}

inform_begins_anew <- function(problem) {
  different <- setdiff(problem$start_differences, "parameters")
  if (!length(different)) return(invisible())
  inform_neargp("start",
    sprintf("`start` is not continued, since it differs in its %s from this call: %s.",
      format_some(different), if (has_ability(problem$method, "start_parameters"))
      "its parameters alone are taken" else "the fit begins from the data"))
}

check_start_values <- function(start, layout) {
  if (!is.numeric(start) || is.null(names(start)) || !all(is.finite(start))) {
    abort_argument("start",
      "a fit of neargp() or named numbers, such as c(range = 10, nugget = 0.1)", start)
  }
  unknown <- setdiff(names(start), layout$name)
  if (length(unknown)) {
    abort_neargp("argument",
      c(paste0("`start` names parameters that the model does not have: ", format_some(unknown),
        "."), i = paste0("It has ", format_some(layout$name[!(layout$fixed & layout$value %in% 0)],
          20L), ".")))
  }
  kind <- layout$kind[match(names(start), layout$name)]
  wrong <- ifelse(kind == "nugget", start < 0, start <= 0) &
    !may_be_negative(layout)[match(names(start), layout$name)]
  if (any(wrong)) {
    abort_neargp("argument",
      sprintf("Starting values in `start` must be greater than 0, but %s is not.",
        format_some(names(start)[wrong])))
  }
  if (any(abs(start[kind == "effect_cor"]) >= 1)) {
    abort_argument("start", "between -1 and 1 in correlations", start[kind == "effect_cor"])
  }
  share <- layout$transform[match(names(start), layout$name)] == "share"
  if (any(start[share] >= 1)) {
    abort_argument("start", "below 1 in `zi`, and in `alpha`, `beta` and shares of cov_spacetime()",
      start[share])
  }
  ratio <- is_ratio(layout)[match(names(start), layout$name)]
  if (any(start[ratio] > 1)) {
    abort_argument("start",
      "of at most 1 in anisotropy_ratio, the range across by the one along the major axis",
      start[ratio])
  }
  start
}
