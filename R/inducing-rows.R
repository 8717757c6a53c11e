# The ELBO of svgp(), and the score of ppgpr(), over rows in parts (R/shard-host.R): shards, or the
# stream of a source, which is one part. Sums over rows, and those of their gradients, are added
# over the parts. An ELBO without rows of its own (src/core/variational/streamed_bound.h) is
# computed here. It combines these sums with the part of the inducing points alone.

# The problem with its rows in shards, for the ELBO. Subsets by take_data_rows() are in memory.
with_bound_in_shards <- function(problem) {
  check_bound_in_shards(problem$data)
  problem$data$shards <- list(host = host_of_problem(problem),
    unit = problem$data$basis$unit %||% 1)
  problem
}

check_bound_in_shards <- function(data) {
  refused <- c(if (!is.null(data$noise)) "rows with noise of their own",
    if (has_effects(data)) "rows with random effects or smooths")
  if (is.null(refused)) return(invisible())
  abort_neargp("cluster", c(sprintf("Methods with inducing points do not support shards of %s.", refused[1L]),
    i = "Leave out `cluster` and neargp_control(shards = ), or use vecchia()."))
}

# The factor for the response of the parts: shards store it in the unit of the fit.
bound_unit <- function(data) (data$shards$unit %||% 1) / (data$basis$unit %||% 1)

# A function as bound_over_rows() returns it. The pieces of a stream add the sums of the rows in the
# same order as rows in memory, so that the ELBO is the same to the last digit. One reading computes
# the value, another one the gradient.
bound_in_parts <- function(data, method, context) {
  columns <- 1L + ncol(data$X)
  function(covariance, nugget, positions, derivatives, ...) {
    pointer <- core_streamed_bound(row_count(data), columns, positions, covariance, nugget,
      method$bound, method$jitter, derivatives, context)
    at <- list(values = covariance$values, nugget = nugget, positions = positions,
      unit = bound_unit(data), bound = method$bound, jitter = method$jitter, columns = columns,
      derivatives = derivatives)
    host <- data$shards$host %||% rows_in_one_part(specification = covariance$specification,
      context = context, count = row_count(data), pieces = pieces_of_stream(data))
    if (core_streamed_regular(pointer)) {
      core_streamed_set_sums(pointer, reduce_rows(host, "part_bound_sums", list(at = at))$numbers)
    }
    result <- core_streamed_value(pointer, context)
    if (nzchar(result$failure) || !derivatives) return(result)
    core_streamed_set_adjoints(pointer, reduce_rows(host, "part_bound_adjoints", list(at = at,
      moments = core_streamed_moments(pointer)))$numbers)
    c(result, core_streamed_gradient(pointer, context))
  }
}

# ---- of one part ---------------------------------------------------------------------------------

# `at`: all numbers on which the ELBO depends.
part_bound_sums <- function(part, at) {
  part$bound <- NULL
  pointer <- part_bound(part, at)
  add_to_part_bound(core_streamed_add_value, part, pointer, at)
  if (at$derivatives) part$bound <- list(at = at, pointer = pointer)
  as_sums(list(numbers = core_streamed_sums(pointer)))
}

# A shard that another worker has rebuilt does not contain an ELBO at these parameters. It makes
# one, whose sums are not needed.
part_bound_adjoints <- function(part, at, moments) {
  pointer <- if (identical(part$bound$at, at)) part$bound$pointer else part_bound(part, at)
  part$bound <- NULL
  core_streamed_begin_gradient(pointer, moments, part$context)
  add_to_part_bound(core_streamed_add_gradient, part, pointer, at)
  as_sums(list(numbers = core_streamed_adjoints(pointer)))
}

part_bound <- function(part, at) {
  core_streamed_bound(part$count %||% nrow(part$rows), at$columns, at$positions,
    specified_covariance(part$specification, at$values), at$nugget, at$bound, at$jitter,
    at$derivatives, part$context)
}

# A shard is one piece, and a stream has many.
add_to_part_bound <- function(add, part, pointer, at) {
  visit <- function(coords, columns, noise_scale) {
    add(pointer, coords, columns, noise_scale, part$context)
  }
  if (!is.null(part$pieces)) return(part$pieces(visit))
  visit(shard_columns(part$rows, part$form, "coords"), shard_response(part, at$unit),
    1 / part$rows[, part$form$weights])
}

shard_response <- function(shard, unit) {
  columns <- shard_columns(shard$rows, shard$form, "columns")
  columns[, 1L] <- columns[, 1L] * unit
  columns
}

# ---- the second stage of ppgpr() -----------------------------------------------------------------

# The predictive score less the divergence (src/core/variational/predictive_score.h) is also a sum.
# Shards compute the score of their rows without a divergence, and this process computes the
# divergence without rows.

# The rows of shards as gaussian_rows() returns them, or predictive_rows() for the stage of a
# family. The function `what` makes them in a shard. `at`: the result of the first stage, with its
# parameters.
stage_in_shards <- function(data, covariance, at, what, common = list(), own = NULL) {
  map_rows(data$shards$host, what, c(list(values = covariance$values, at = at), common), own,
    makes = TRUE)
  none <- predictive_rows(take_data_rows(data, integer(0)), double(0), double(0), double(0),
    double(0), at$factor, at$positions)
  c(replace(none, "n", row_count(data)), data["shards"])
}

score_over_shards <- function(stage, method, family, covariance, context) {
  divergence_at <- score_of_rows(stage, family_core_name(family), covariance, method$jitter,
    method$kl_weight, context)
  lower <- lower.tri(stage$factor, diag = TRUE)
  function(relative, parameters) {
    found <- divergence_at(relative, parameters)
    sums <- reduce_rows(stage$shards$host, "shard_predictive_score", list(relative = relative,
      parameters = parameters))
    if (sums$failed > 0L || !is.finite(found$value + sums$value)) return(list(value = -Inf))
    found$value <- found$value + sums$value
    found$d_factor[lower] <- found$d_factor[lower] + sums$d_factor
    found$d_likelihood <- found$d_likelihood + sums$d_likelihood
    found
  }
}

shard_stage <- function(shard, values, at, unit) {
  covariance <- specified_covariance(shard$specification, values)
  stage <- gaussian_rows(shard_columns(shard$rows, shard$form, "coords"), shard_response(shard,
    unit), shard$rows[, shard$form$weights], covariance, at, shard$context)
  shard$score_at <- score_of_rows(stage, "gaussian", covariance, at$jitter, 0, shard$context)
  NULL
}

# A score that overflows comes without slopes.
shard_predictive_score <- function(shard, relative, parameters) {
  found <- shard$score_at(relative, parameters)
  if (!is.finite(found$value)) return(list(failed = 1))
  found$d_factor <- found$d_factor[lower.tri(relative, TRUE)]
  as_sums(found)
}
