# Steps of an optimiser in single precision, on a GPU, for neargp_control(precision = "single"). The
# optimiser runs twice: first with matrices in single precision, then in double precision from the
# end of the first run, until nothing is left to gain. A fit reports only results of the second run.
# At the small k of the first round, whose end is no more than a start, the first run is enough.

check_precision <- function(settings) {
  if (!identical(settings$control$precision, "single")) return(invisible())
  in_double <- "Use neargp_control(precision = \"double\"), the default."
  refuse <- function(why, remedy = in_double) abort_neargp("precision", c(why, i = remedy))
  method <- settings$method
  if (has_ability(method, "dense_matrices")) {
    refuse(sprintf("%s() is computed on the CPU, in double precision only.", method_name(method)))
  }
  if (!has_ability(method, "single_precision", settings$family)) {
    refuse(sprintf(
      "%s of %s response is in double precision only: its weights lose too much in single precision.", method$label,
      with_article(settings$family)))
  }
  if (identical(method$optimizer, "adam")) {
    refuse("Adam's steps are in double precision only: nothing after them would correct their errors.",
      sprintf("Use the default optimiser of %s(), or neargp_control(precision = \"double\").",
        method_name(method)))
  }
  if (settings$device == "cpu") {
    refuse("The CPU computes in double precision only; single precision is for GPUs.",
      "Use neargp_control(precision = \"double\"), the default, or device = \"cuda\" or \"auto\".")
  }
}

steps_in_single <- function(problem) {
  identical(problem$control$precision, "single") && nzchar(problem$context$device_module)
}

# `optimize`: a function as for fit_with_neighbors().
with_single_precision <- function(problem, optimize) {
  if (!steps_in_single(problem)) return(optimize)
  failed <- FALSE
  context <- problem$context
  context$single_precision <- TRUE
  function(objective, working, coarse) {
    first <- optimize_in_single(objective, working, coarse, optimize, context)
    failed <<- failed || first$failed
    result <- if (coarse && !first$failed) first else
      add_runs(first, optimize(objective, first$working, coarse))
    result$single_failed <- failed
    result
  }
}

add_runs <- function(first, last) {
  for (total in c("gain", "iterations", "evaluations")) last[[total]] <- first[[total]] +
    last[[total]]
  last
}

# A matrix that cannot be factorised ends the run where it was best.
optimize_in_single <- function(objective, working, coarse, optimize, context) {
  best <- list(working = working, value = -Inf, gain = 0, iterations = 0L, evaluations = 0L,
    failed = TRUE)
  first <- NULL
  evaluate <- function(working, ...) {
    state <- objective$evaluate(working, ..., context = context)
    best$evaluations <<- best$evaluations + 1L
    if (!is.finite(state$value)) {
      rlang::abort("Single precision does not do.", class = "neargp_single_failed")
    }
    first <<- first %||% state$value
    if (state$value > best$value) {
      best[c("working", "value", "gain")] <<- list(working, state$value, state$value - first)
    }
    state
  }
  single <- list(evaluate = evaluate,
    gradient = function(...) objective$gradient(..., context = context), n = objective$n,
    resolution = single_resolution(objective$n), accept = objective$accept,
    session = objective$session)
  tryCatch(c(optimize(single, working, coarse), list(failed = FALSE)),
    neargp_single_failed = function(condition) best)
}

# Differences of an objective of n rows that rounding hides. Errors of the rows' densities in single
# precision are 1e-7 to 1e-5, by the share of the nugget (bench/single-precision.R). Their common
# part is the same at neighbouring parameters, and the rest adds up like noise.
single_resolution <- function(n) 1e-5 * sqrt(n)

# The resolution of an objective, in its own units; in double precision optimisers' tolerances are
# far above it.
resolution_of <- function(objective) objective$resolution %||% 0

# The precision that a fit was computed in, for print(), where it is not the one expected.
describe_precision <- function(fit) {
  failed <- fit$convergence$single_failed
  if (!is.null(failed)) {
    return(paste0("steps in single precision",
      if (failed) " where its matrices could be factorised"))
  }
  if (identical(fit$control$precision, "single")) "double precision"
}
