# Objectives whose rows are in shards, of one Gaussian response by vecchia(), loo_k() and mll_k().
# Other responses by loo_k() are in R/shards-scores.R, those of vnngp() in R/latent-shards.R.
# add_branches() of R/shards.R adds the sums.

# A function of component and k, as fit_with_neighbors() wants it. `kind`: "before", of Vecchia's
# likelihood; "others", of leave-one-out scores; or "joint".
shard_objectives <- function(problem, kind, largest_k, host = host_of_problem(problem)) {
  before <- kind == "before"
  ordered_in <- NULL
  held <- FALSE  # whether shards have kept the table of the largest k, as search_once() does
  function(component, k, renew_at = reorder_at) {
    if (held) {
      narrow_problems(host, k, kind == "joint", keep = k < largest_k)
    } else {
      shape <- core_metric_shape(component)
      reorder <- before && (is.null(ordered_in) || is_another_shape(shape, ordered_in, renew_at))
      if (reorder) ordered_in <<- shape
      largest <- if (is_isotropic(component)) largest_k else k
      make_problems(host, component, k, before, kind == "joint", reorder, largest)
      held <<- largest > k
    }
    if (k == largest_k) held <<- FALSE
    shard_objective(problem, host, restricted = before && is_restricted(problem$method))
  }
}

shard_objective <- function(problem, host, restricted = FALSE) {
  sums_of <- function(what, covariance, asked) {
    reduce_rows(host, "shard_sums", list(what = what, values = covariance$values, asked = asked))
  }
  # shards set their own noise: what is handed on here is never evaluated
  new_objective(problem, restricted = restricted, set_noise = function(noise) invisible(),
    parts = function(covariance, nugget, information, context) {
      sums_of("evaluate", covariance, information)
    },
    adjoint = function(covariance, nugget, beta, context) sums_of("gradient", covariance, beta),
    within = host$within)
}

# The trend at the end of a score, by Vecchia's likelihood.
shard_trend <- function(problem, host, component, values, k) {
  make_problems(host, component, k, before = TRUE)
  parts <- reduce_rows(host, "shard_sums", list(what = "evaluate", values = values,
    asked = FALSE))
  data <- problem$data
  parts <- add_within(parts, host$within %||% within_terms(data$within),
    nugget_unit(data, problem$layout, values))
  solved_trend(parts, count_observations(data), effects_at(problem, values))
}

# ---- which fits ----------------------------------------------------------------------------------

# Reasons that rule out shards for a method that takes them, or would, with the way out.
# `data`: NULL for rows that are read.
refused_in_shards <- list(
  # no sum over rows: iterations have products of a vector with the covariance matrix of all rows
  neargp_odvgp = function(data) {
    c("by odvgp(), whose mean is solved for with the covariances of each row with all others",
      "Use svgp(), the same fit without that mean; or vecchia() in few coordinates, loo_k() in many.")
  },
  neargp_vnngp = function(data) if (has_effects(data)) {
    c("by vnngp() with random effects and smooths", "Leave these out, or fit without shards.")
  })

# The rows that shards would hold: locations, where these stand for theirs.
count_sharded <- function(settings, data) {
  if (!wants_shards(settings) || keeps_rows_in_shards(settings$method, data) ||
      !takes_location_means(settings$method, settings$family, data)) return(row_count(data))
  max(location_index(data$coords))
}

# The settings with the number of shards, where the rows are to be in any. `n`: rows.
with_shards <- function(settings, data, n) {
  if (!wants_shards(settings)) return(settings)
  check_takes_shards(settings, data)
  settings$control$shards <- settings$control$shards %||% default_shards(n)
  if (2 * settings$control$shards > n) {
    abort_neargp("cluster", c(sprintf("%d shards need two rows each, and there are %s rows%s.",
      settings$control$shards, format_count(n), if (n < row_count(data))
      " of different locations" else ""), i = "Use fewer: neargp_control(shards = )."))
  }
  settings$device <- "cpu"
  settings
}

check_takes_shards <- function(settings, data) {
  method <- settings$method
  what <- if (is.null(settings$cluster)) "Shards" else "A cluster"
  refuse <- function(why, instead) abort_neargp("cluster",
    c(sprintf("%s cannot be used %s.", what, why), i = instead))
  if (!is.null(data$output)) refuse("for several responses", "Fit the responses one by one.")
  for (rule in refused_in_shards[intersect(class(method), names(refused_in_shards))]) {
    refused <- rule(data)
    if (!is.null(refused)) refuse(refused[1L], refused[2L])
  }
  if (!has_ability(method, "shards", settings$family)) {
    refuse(sprintf("by %s of %s response with these settings", method_call(method),
      with_article(settings$family)),
      sprintf("Shards are for one response by %s.", able_methods("shards")))
  }
  if (settings$device == "cuda") {
    refuse("on a GPU", "Use device = \"cpu\": workers compute on their processors.")
  }
}

# The fact of a header that reports the shards of a fit.
describe_shards <- function(fit) {
  shards <- fit$control$shards
  if (!is.null(shards)) paste0(format_count(shards), describe_workers(fit$cluster))
}

describe_workers <- function(cluster) {
  if (is.null(cluster)) return("")
  paste0(", on ", counted(cluster$workers, "worker"), if (cluster$lost) sprintf(
    " (%s lost, %s moved)", counted(cluster$lost, "worker"), counted(cluster$moved, "shard")))
}
