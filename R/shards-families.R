# The ELBO on inducing points for responses that are not Gaussian, over rows in shards. The search
# for the posterior is in this process (src/core/variational/family_bound.h), with a
# pseudo-observation of each row. The shards compute the sums over rows, and the numbers of each
# row, that the search needs.

with_families_in_shards <- function(problem) {
  data <- problem$data
  host <- new_rows_host(problem)
  rows <- send_rows(host, problem, "shard_hold", function(rows) {
    list(coords = unname(data$coords[rows, , drop = FALSE]),
      response = latent_response(take_data_rows(data, rows)))
  }, list(family = family_core_name(problem$family)))
  send_model(host, problem)
  problem$data$shards <- list(host = host, rows = rows)
  problem
}

# The result of core_family_bound() for shards.
family_bound_in_shards <- function(problem, method, values, positions, start, tolerance,
                                   derivatives, covariance) {
  data <- problem$data
  at <- list(values = values, positions = positions, jitter = method$jitter,
    parameters = family_values(problem$family, problem$layout, values))
  core_family_bound_of_parts(parts_in_shards(data$shards, at), data$offset, ncol(full_design(data)),
    positions, covariance, start, max(location_index(data$coords)), method$bound, method$jitter,
    tolerance, derivatives, problem$context)
}

# The functions by which the search asks the rows under one covariance. Numbers of each row are in
# the order of the data.
parts_in_shards <- function(shards, at) {
  host <- shards$host
  spread <- function(...) lapply(shards$rows, function(rows) lapply(list(...), `[`, rows))
  in_order <- function(found) gather(found, shards$rows, sum(lengths(shards$rows)))
  list(unexplained = function() {
    forget_calls(host, "shard_family_at")
    drop(in_order(map_rows(host, "shard_family_at", list(at = at), makes = TRUE)))
  }, moments = function(precision, natural) {
    reduce_rows(host, "shard_family_moments", list(), spread(precision = precision,
      natural = natural))$numbers
  }, expect = function(field, share) {
    found <- map_rows(host, "shard_family_expect", list(field = field, share = share))
    sums <- sum_here(host, lapply(found, function(one) as_sums(one["sums"])))
    list(sums = sums$sums, rows = in_order(lapply(found, `[[`, "rows")))
  }, gradient = function(field, share, slope, curvature) {
    reduce_rows(host, "shard_family_gradient", list(field = field, share = share),
      spread(slope = slope, curvature = curvature))$numbers
  })
}

# ---- of one shard --------------------------------------------------------------------------------

# `at`: all arguments of the ELBO except the pseudo-observations. Returns the variances that
# inducing points leave unexplained.
shard_family_at <- function(shard, at) {
  shard$part <- NULL
  shard$part <- core_family_part(shard$coords, shard$response, at$positions,
    specified_covariance(shard$specification, at$values), shard$family, at$parameters, at$jitter,
    shard$context)
  core_family_part_unexplained(shard$part)
}

shard_family_moments <- function(shard, precision, natural) {
  as_sums(list(numbers = core_family_part_moments(shard$part, precision, natural, shard$context)))
}

shard_family_expect <- function(shard, field, share) {
  core_family_part_expect(shard$part, field, share, shard$context)
}

shard_family_gradient <- function(shard, field, share, slope, curvature) {
  as_sums(list(numbers = core_family_part_gradient(shard$part, field, share, slope, curvature,
    shard$context)))
}

# ---- the second stage of ppgpr() -----------------------------------------------------------------

# `stage`: predictive_rows() of all rows, which are in this session.
family_stage_in_shards <- function(stage, data, covariance, method) {
  stage_in_shards(data, covariance, c(stage[c("positions", "factor")],
    list(jitter = method$jitter)), "shard_family_stage",
    own = lapply(data$shards$rows, function(rows) list(mean = stage$mean[rows])))
}

shard_family_stage <- function(shard, values, at, mean) {
  response <- shard$response
  response[c("offset", "design")] <- list(double(length(mean)), matrix(0, length(mean), 0L))
  shard$score_at <- score_of_rows(c(list(coords = shard$coords, response = response, mean = mean),
    at), shard$family, specified_covariance(shard$specification, values), at$jitter, 0,
    shard$context)
  NULL
}
