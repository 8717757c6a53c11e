# The bound on inducing points of responses that are not gaussian, over rows in shards. The search
# for the posterior is here (src/core/variational/family_bound.h), with a pseudo-observation of each
# row; what it asks of the rows, sums and some numbers of each, it has from their shards.

with_families_in_shards <- function(problem) {
  data <- problem$data
  host <- new_shard_host(problem$control$shards, problem$context$cluster)
  partition <- new_partition(problem)
  rows <- rows_of_shards(host, shard_places(data$coords, problem, partition$scales), partition$cuts)
  on_shards(host, "shard_family_load", list(layout = problem$layout, groups = problem$groups,
    family = family_core_name(problem$family), context = shard_context(problem$context)),
    lapply(rows, function(rows) list(coords = unname(data$coords[rows, , drop = FALSE]),
      response = latent_response(take_data_rows(data, rows)))), makes = TRUE)
  problem$data$shards <- list(host = host, rows = rows)
  problem
}

# What core_family_bound() gives, of shards.
family_bound_in_shards <- function(problem, method, values, positions, start, tolerance,
                                   derivatives, specification) {
  data <- problem$data
  at <- list(values = values, positions = positions, jitter = method$jitter,
    parameters = family_values(problem$family, problem$layout, values))
  core_family_bound_of_parts(parts_in_shards(data$shards, at), data$offset, ncol(full_design(data)),
    positions, specified_covariance(specification, values), start,
    max(location_index(data$coords)), method$bound, method$jitter, tolerance, derivatives,
    problem$context)
}

# What the search asks of the rows under one covariance. Numbers of each row are in the order of the
# data.
parts_in_shards <- function(shards, at) {
  host <- shards$host
  spread <- function(...) lapply(shards$rows, function(rows) lapply(list(...), `[`, rows))
  gather <- function(found) {
    values <- matrix(0, sum(lengths(shards$rows)), NCOL(found[[1L]]))
    for (id in names(found)) values[shards$rows[[id]], ] <- found[[id]]
    values
  }
  list(unexplained = function() {
    forget_calls(host, "shard_family_at")
    drop(gather(on_shards(host, "shard_family_at", list(at = at), makes = TRUE)))
  }, moments = function(precision, natural) {
    sum_of_shards(host, "shard_family_moments", list(), spread(precision = precision,
      natural = natural))$sums
  }, expect = function(field, share) {
    found <- on_shards(host, "shard_family_expect", list(field = field, share = share))
    list(sums = sum_here(host, lapply(found, `[[`, "sums"))$sums,
      rows = gather(lapply(found, `[[`, "rows")))
  }, gradient = function(field, share, slope, curvature) {
    sum_of_shards(host, "shard_family_gradient", list(field = field, share = share),
      spread(slope = slope, curvature = curvature))$sums
  })
}

# ---- of one shard --------------------------------------------------------------------------------

shard_family_load <- function(shard, layout, groups, family, context, coords, response) {
  shard$specification <- covariance_specification(layout, groups)
  shard$family <- family
  shard$context <- context
  shard$coords <- coords
  shard$response <- response
  NULL
}

# `at`: what the bound depends on, but for the pseudo-observations. The variances that inducing
# points leave unexplained.
shard_family_at <- function(shard, at) {
  shard$part <- NULL
  shard$part <- core_family_part(shard$coords, shard$response, at$positions,
    specified_covariance(shard$specification, at$values), shard$family, at$parameters, at$jitter,
    shard$context)
  core_family_part_unexplained(shard$part)
}

shard_family_moments <- function(shard, precision, natural) {
  as_sums(core_family_part_moments(shard$part, precision, natural, shard$context))
}

shard_family_expect <- function(shard, field, share) {
  found <- core_family_part_expect(shard$part, field, share, shard$context)
  list(sums = as_sums(found$sums), rows = found$rows)
}

shard_family_gradient <- function(shard, field, share, slope, curvature) {
  as_sums(core_family_part_gradient(shard$part, field, share, slope, curvature, shard$context))
}

# ---- the second stage of ppgpr() -----------------------------------------------------------------

# `stage`: predictive_rows() of all rows, which are in this session.
family_stage_in_shards <- function(stage, data, covariance, method) {
  on_shards(data$shards$host, "shard_family_stage", list(values = covariance$values,
    at = c(stage[c("positions", "factor")], list(jitter = method$jitter))),
    lapply(data$shards$rows, function(rows) list(mean = stage$mean[rows])), makes = TRUE)
  stage_of_shards(data, stage)
}

shard_family_stage <- function(shard, values, at, mean) {
  response <- shard$response
  response[c("offset", "design")] <- list(double(length(mean)), matrix(0, length(mean), 0L))
  shard$score_at <- score_of_rows(c(list(coords = shard$coords, response = response, mean = mean),
    at), shard$family, specified_covariance(shard$specification, values), at$jitter, 0,
    shard$context)
  NULL
}
