# The interface of methods. A method is a settings object of class c("neargp_<name>",
# "neargp_method") and a fit_method() for it, both in the file of that name. A constructor makes the
# settings object. fit_method() takes the problem (data, layout, bounds, start, control ...) and
# returns what finish_fit() of fit.R takes. A new method is one such file.

fit_method <- function(method, problem) {
  UseMethod("fit_method")
}

new_method <- function(name, label, ...) {
  structure(list(label = label, ...), class = c(paste0("neargp_", name), "neargp_method"))
}

# Methods differ in their settings. R's own `$` would take `kl_weight` for a `k` that is not there.
#' @export
`$.neargp_method` <- function(x, name) .subset2(x, name)

# Adds to a fit what its method has returned in addition to by fit_method().
complete_fit <- function(method, fit, result, context) {
  UseMethod("complete_fit")
}

#' @export
complete_fit.default <- function(method, fit, result, context) fit

# The families a method can fit; further methods add theirs.
method_families <- function(method) {
  UseMethod("method_families")
}

#' @export
method_families.default <- function(method) "gaussian"

# The table of parameters, given that of covariance and nugget: a method with parameters of its own
# adds rows.
method_layout <- function(method, layout, settings) {
  UseMethod("method_layout")
}

#' @export
method_layout.default <- function(method, layout, settings) layout

# The covariance if none is given, for a method with its own one.
method_default_covariance <- function(method, locations) {
  UseMethod("method_default_covariance")
}

#' @export
method_default_covariance.default <- function(method, locations) NULL

check_family <- function(family, method) {
  family <- as_family(family)
  if (grepl("^negative binomial", family$family, ignore.case = TRUE)) {
    abort_neargp("family",
      c(sprintf("Families of other packages cannot be fitted (%s).", family$family),
        i = "Use negative_binomial(), or negative_binomial(size = ) with theta as its size."))
  }
  able <- method_families(method)
  # the largest of several fields is a class as well
  links <- if (!is_categorical(family)) unname(family_links(family$family)) else
    c("softmax", if (has_ability(method, "class_fields")) "robust-max")
  # a family that is not in the table is known by its method alone
  if (family$family %in% able && (!length(links) || family$link %in% links)) return(family)
  abort_neargp("family", c(
    sprintf("%s cannot fit %s response with %s link.", method$label, with_article(family),
      family$link),
    i = if (family$family %in% able) paste0("Links of ", family_call(family), ": ",
      format_some(links), link_example(family, links[1L]), ".") else if (is_categorical(family))
      sprintf("Categories are fitted by %s.", able_methods("classes")) else
      paste0("It can fit ", format_some(family_call(able), 12L),
        "; without `method` neargp() uses the default of the family, see ?neargp.")))
}

# Those of stats have another link than ours by default.
link_example <- function(family, link) {
  if (!family$family %in% c("binomial", "poisson", "Gamma")) return(NULL)
  sprintf(", as in %s(link = \"%s\")", family$family, link)
}

check_k <- function(method, n) {
  if (is.null(method$k) || method$k < n) return(invisible())
  abort_neargp("k",
    c(sprintf("k = %d neighbours need more than %d rows, and there are %d.", method$k, method$k, n),
      i = sprintf("Use a k of at most %d, or, for so few rows of a Gaussian response, exact_gp().",
        n - 1L)))
}

#' @export
print.neargp_method <- function(x, ...) {
  settings <- x[setdiff(names(x), c("label", "default_k"))]
  if (is.null(x$k) && !is.null(x$default_k)) {
    settings <- c(k = sprintf("%d, or one less than there are locations", x$default_k), settings)
  }
  described <- vapply(settings, function(value) paste(format(value), collapse = ", "), "")
  cat(x$label, "\n", sep = "")
  if (length(described)) cat(sprintf("  %-14s %s\n", names(described), described), sep = "")
  invisible(x)
}

# A method made without k contains `default_k` instead, until the data are known.
neighbor_settings <- function(k, default) {
  k <- check_count(k, "k", null_ok = TRUE)
  if (is.null(k)) list(default_k = default) else list(k = k)
}

# ---- fitting with neighbours ---------------------------------------------------------------------

# Goes from coarse to fine in k. A continued fit skips the coarse levels, since few neighbours would
# lead away from its optimum. Neighbours depend on the ratios of the ranges and on the anisotropy.
# In each round they are searched in the current metric, and fixed while the optimiser runs. Rounds
# at each k end when the metric has not moved, or when the optimiser gains a negligible amount from
# new neighbours. `objective_for(component, k)` searches neighbours in the metric of that component.
# `optimize(objective, working, coarse)` maximises. Where `is_left(state)` before the last level,
# that state is returned, with `left` TRUE. `refined(state)` is the state from which the last level
# begins where it is not the only one.
fit_with_neighbors <- function(problem, k, objective_for, optimize,
                               negligible = problem$control$refresh_gain,
                               is_left = function(state) FALSE, own_objective = objective_for,
                               refined = function(state) state) {
  state <- list(working = problem$start, iterations = 0L, evaluations = 0L)
  levels <- if (is.null(problem$warm_start)) unique(c(first_k(problem$control, k), k)) else k
  for (level in levels) {
    if (level == k && is_left(state)) return(c(state, left = TRUE))
    if (level == k && length(levels) > 1L) state <- refined(state)
    state$rounds <- NULL
    state <- fit_level(problem, level, level < k, state, objective_for, optimize, negligible)
  }
  best_round(problem, k, state, own_objective)
}

# `k` of the first round.
first_k <- function(control, k) {
  if (control$coarse_k > 0L && control$coarse_k < k) control$coarse_k else k
}

# If searched only in the metric of the last optimum, neighbours can swing between two sets, each of
# which pulls the metric towards the other. When the metric turns back, the next search is made half
# way. For the same reason the metric stays that of one component. The next search is also made half
# way when the optimiser cannot start with new neighbours.
fit_level <- function(problem, k, coarse, state, objective_for, optimize, negligible) {
  control <- problem$control
  index <- metric_index(covariance_at(problem, state$working))
  component <- search_component(covariance_at(problem, state$working), index)
  last_move <- 0
  state$begun <- NULL
  begin_stage(problem$session, sprintf("k = %d", k))
  optimize_from <- function(working) {
    objective <- objective_for(component, k)
    release_unused(k * length(problem$data$y))
    optimize(objective, working, coarse)
  }
  for (round in seq_len(if (coarse) 2L else control$max_refreshes)) {
    result <- if (round == 1L) optimize_from_shorter(problem, state$working, optimize_from) else
      if_computable(optimize_from(state$working))
    if (is.null(result)) {
      component <- halfway_component(held, component)
      next
    }
    held <- component
    by_neighbors <- result$evaluated$value - result$gain - (state$evaluated$value %||% NA_real_)
    result$begun <- best_beginning(state$begun, state$working, result)
    result <- add_counts(result, state)
    result$rounds <- c(state$rounds, list(result$working))
    state <- result
    problem$report(k, round, state)
    updated <- search_component(covariance_at(problem, state$working), index)
    move <- shape_for_search(problem, updated) - shape_for_search(problem, component)
    # The search for the field of a large table begins at the optimum of its responses, so that its
    # first round may be the last one.
    ends_early <- round > 1L || (is_large_table(problem) && is_on_field(problem$method))
    if (max(abs(move)) <= control$refresh_tolerance || (ends_early && state$gain < negligible) ||
      (round > 3L && is_below_neighbor_changes(state$gain, by_neighbors))) {
      return(state)
    }
    component <- if (sum(move * last_move) < 0) halfway_component(component, updated) else updated
    last_move <- move
  }
  if (coarse) state else unsettled(state, control)
}

# The state with the iterations and evaluations of an earlier search as well.
add_counts <- function(state, earlier) {
  for (count in c("iterations", "evaluations")) state[[count]] <- state[[count]] + earlier[[count]]
  state
}

# Whether the gain of the optimiser is little compared with what new neighbours alone have changed,
# at the same parameters. With many predictors each search finds other neighbours, most of all where
# rows repeat. For 6,000 rows in 26 inputs the log-likelihood wanders by 1 to 20 units, and gains
# are mostly tenths, however long the search goes on (bench/repeated-rows.R). One set of neighbours
# is then as good as the next.
is_below_neighbor_changes <- function(gain, by_neighbors, share = 0.1) {
  isTRUE(gain < share * abs(by_neighbors))
}

# A start may come from few rows or few neighbours. With all of them its matrices may be singular,
# since rows can no longer be distinguished next to its ranges. Estimated ranges are therefore
# halved until the optimiser can start.
optimize_from_shorter <- function(problem, start, optimize_from, halvings = 12L) {
  ranges <- which(problem$free & problem$layout$kind == "range")
  for (halving in if (length(ranges)) seq_len(halvings + 1L) - 1L) {
    shorter <- replace(start, ranges, start[ranges] - halving * log(2))
    result <- if_computable(optimize_from(clamp(shorter, problem$bounds, problem$free)))
    if (!is.null(result)) return(result)
  }
  optimize_from(start)  # and its error
}

halfway_component <- function(from, to) {
  if (!is.null(to$field)) {
    return(search_component(mean_covariance(from$field$covariance, to$field$covariance),
      to$field$index))
  }
  to$range <- sqrt(from$range * to$range)
  to$anisotropy <- (from$anisotropy + to$anisotropy) / 2
  to$warps <- Map(function(from, to) {
    to$coefficients <- (from$coefficients + to$coefficients) / 2
    to
  }, from$warps, to$warps)
  to
}

# With the nugget, which the order in space and time depends on.
covariance_at <- function(problem, working) {
  values <- to_core(working, problem$layout$transform)
  covariance <- as_core_covariance(problem$layout, problem$groups, values)
  if (has_space_time(covariance)) covariance$nugget <- nugget_of(problem$layout, values)
  covariance
}

component_at <- function(problem, working) metric_component(covariance_at(problem, working))

# Whether each parameter ended at one of its bounds. The lower bounds of nugget and variances are
# 1e-8 and 1e-6 of the variance of the response. A value near them counts as zero. The sampling
# distribution of its logarithm is not worth an interval, nor are those of the other parameters of a
# component without variance. The same is true of a value below a tenth of its own standard error.
# The information of its logarithm is then (value / error)^2 < 0.01 by the delta method, and an
# interval from it would span forty powers of e. With negative information, the whole matrix could
# not be inverted. `bounds$vanishing`: the kinds of parameters that this concerns, if not nugget and
# variance.
at_bound <- function(working, problem, information = NULL) {
  layout <- problem$layout
  vanishing <- layout$kind %in% c(problem$bounds$vanishing %||% c("nugget", "variance"),
    "effect_sd")
  low <- working <= problem$bounds$lower + ifelse(vanishing, log(30), 1e-6) |
    vanished_effects(working, problem)
  if (!is.null(information)) low <- low | (vanishing & diag(information) < 0.01)
  low <- low & problem$free  # what is fixed has no information
  vanished <- layout$component %in% layout$component[layout$kind == "variance" & vanishing & low] |
    vanished_correlations(layout, low) |
    (layout$kind == "noise" & any(low[layout$kind == "nugget"]))
  problem$free & (low | vanished | working >= problem$bounds$upper - 1e-6)
}

method_result <- function(state, score, information = state$evaluated$information, k = NULL) {
  list(working = state$working, beta = state$evaluated$beta, beta_vcov = state$evaluated$beta_vcov,
    information = information, value = state$evaluated$value, score = score, k = k,
    convergence = c(list(converged = state$converged, message = state$message,
      iterations = state$iterations, evaluations = state$evaluations),
      state[intersect(c("single_failed", "value_error"), names(state))]))
}
