# Observations that share a location, in models of a Gaussian response. For row i of location l let
#
#   c_i = (y_i, x_i),   y_i = x_i'beta + w_l + e_i,   e_i ~ N(0, t / om_i).
#
# Here w is a field, t a nugget and om_i a weight. The contrasts between the rows of a location are
# free of w and independent of the location's mean. Let Om_l = sum om_i and
# cbar_l = sum om_i c_i / Om_l. Let M = K + t diag(1 / Om) be the covariance matrix of the L means.
# The covariance matrix S of the n rows satisfies exactly
#
#   log|S| = log|M| + (n - L) log t + sum_l log Om_l - sum_i log om_i.
#
# With W = sum_i om_i (c_i - cbar_l)(c_i - cbar_l)' it also satisfies
#
#   C'S^-1 C = cbar'M^-1 cbar + W / t.
#
# Given the rows, w depends on the means alone. A method that conditions on neighbours therefore
# uses locations as neighbours, not copies of one location. The product of the densities of all rows
# of a location given those of its neighbours is that of the means with the same two terms.

# Returns `data` with a mean in place of the rows of each location. Its weight is that of all these
# rows, and `within` describes what lies within locations. Columns of random effects count as
# columns of the trend. Each of several responses is averaged by itself, and `place` is the number
# of the location. Data in which no location repeats are returned as they are.
at_locations <- function(data) {
  if (!has_location_means(data)) return(data)
  if (length(data$by) && !has_noise_model(data) && !is_compressed(data)) return(at_points(data))
  index <- location_index(data$coords)
  if (max(index, 0L) == count_places(data)) return(data)
  if (is_compressed(data) && !has_effects_of_locations(data, index)) return(data)
  location <- index
  index <- pair_index(data, location)
  first <- which(!duplicated(index))
  share <- shares_of_location(data$weights, index)
  average <- function(x) location_average(x, share, index)
  reduced <- take_data_rows(data, first)
  reduced[c("y", "offset")] <- list(drop(average(data$y)), drop(average(data$offset)))
  reduced$X[] <- average(data$X)
  if (has_effects(data) && !is_compressed(data)) reduced$effects$Z[] <- average(data$effects$Z)
  reduced$weights <- unname(drop(rowsum(data$weights, index)))
  if (!is.null(data$output)) {
    reduced[c("place", "places")] <- list(as.integer(location[first]), as.integer(max(location)))
  }
  reduced$within <- if (has_noise_model(data)) moving_within(data, index) else
    c(within_locations(response_columns(data), data$weights, response_columns(reduced),
      reduced$weights, index), list(output = reduced$output, outputs = length(data$outputs)))
  reduced
}

location_average <- function(x, share, index) unname(rowsum(share * x, index))

has_location_means <- function(data) {
  is.null(data$within) && is.null(data$stream) && is.null(data$binomial)
}

# The row of at_locations() that each row belongs to.
mean_index <- function(data, reduced) {
  if (is.null(reduced$within)) return(seq_along(data$y))
  pair_index(data, location_index(data$coords))
}

# Numbers of the pairs of location and response, in order of appearance.
pair_index <- function(data, location) {
  if (is.null(data$output)) return(location)
  pair <- (as.double(location) - 1) * length(data$outputs) + data$output
  match(pair, unique(pair))
}

# The share of each row in the mean of its location. The weight of a row without noise is infinite,
# so its share is the whole.
shares_of_location <- function(weights, index) {
  certain <- is.infinite(weights)
  weights[certain] <- 1
  weights[!certain & index %in% index[certain]] <- 0
  weights / drop(rowsum(weights, index))[index]
}

# Describes what lies within locations. `columns`: the deviations from the location's mean times the
# root of the weight, for the rows that share a location, sorted by location. The other elements
# contain one number for each location. `first` and `count`: the first of its rows in `columns`, and
# how many there are. `contrasts`: their number. `log_weights`: sum log om - log Om. For several
# responses, `within` also contains the `output` of each location.
within_locations <- function(columns, weights, mean_columns, mean_weights, index) {
  count <- tabulate(index)
  shared <- which(count[index] > 1L)
  shared <- shared[order(index[shared])]
  deviations <- columns[shared, , drop = FALSE] - mean_columns[index[shared], , drop = FALSE]
  kept <- ifelse(count > 1L, count, 0L)
  # The deviation of a row without noise is 0, and its two logarithms, which are infinite, cancel.
  finite <- function(x) replace(x, is.infinite(x), 0)
  list(columns = sqrt(finite(weights[shared])) * deviations,
    first = cumsum(kept) - kept + 1L, count = kept, contrasts = count - 1L,
    log_weights = drop(rowsum(finite(log(weights)), index)) - finite(log(mean_weights)))
}

# The number of observations, at the locations `at` where these are given.
count_observations <- function(data, at = NULL) {
  within <- data$within
  if (!is.null(at)) return(length(at) + sum(within$contrasts[at]))
  row_count(data) + sum(within$contrasts)
}

# Turns sums of the core over locations into sums over the observations. The functions of `core` are
# parts(covariance, nugget, information, context), adjoint(covariance, nugget, beta, context) and
# set(noise). The first two sum over the locations of `data`, or over `targets`. The last takes the
# noise of rows that follow a model of it. `terms`: those of locations in shards, which are not in
# `data`.
core_sums <- function(core, data, layout, targets = NULL, terms = NULL) {
  if (is_moving(data$within)) return(moving_sums(core, data, layout, targets))
  terms <- terms %||% within_terms(data$within, targets)
  if (is.null(terms)) return(core)
  nugget_row <- which(layout$kind == "nugget")
  nuggets <- function(covariance, nugget) {
    if (is.null(data$output)) nugget else covariance$values[nugget_row]
  }
  list(set = core$set,
    parts = function(covariance, nugget, information, context) {
      add_within(core$parts(covariance, nugget, information, context), terms,
        nuggets(covariance, nugget), nugget_row)
    },
    adjoint = function(covariance, nugget, beta, context) {
      add_within_gradient(core$adjoint(covariance, nugget, beta, context), terms,
        nuggets(covariance, nugget), nugget_row, beta)
    })
}

# The terms of a likelihood from within the locations `at`, by default from within all, for each
# nugget.
within_terms <- function(within, at = NULL) {
  if (is.null(within)) return(NULL)
  if (!is.null(at)) within <- take_within(within, at)
  if (is.null(within$output)) return(list(within_sums(within)))
  lapply(seq_len(within$outputs),
    function(p) within_sums(take_within(within, which(within$output == p))))
}

within_sums <- function(within) {
  list(gram = crossprod(within$columns), contrasts = sum(within$contrasts),
    log_weights = sum(within$log_weights))
}

# Turns `parts`, sums of the core over locations, into sums over observations. `nugget` and
# `nugget_row`, its position among the parameters, are as long as the terms.
add_within <- function(parts, terms, nugget, nugget_row = NULL) {
  if (is.null(terms) || parts$failed > 0L) return(parts)
  for (p in seq_along(terms)) {
    contrasts <- terms[[p]]$contrasts
    gram <- if (contrasts > 0) terms[[p]]$gram / nugget[p] else 0
    parts$log_det <- parts$log_det + (if (contrasts > 0) contrasts * log(nugget[p]) else 0) -
      terms[[p]]$log_weights
    parts$gram <- parts$gram + gram
    if (is.null(parts$d_log_det)) next
    row <- nugget_row[p]
    parts$d_log_det[row] <- parts$d_log_det[row] + contrasts
    parts$d_gram[, , row] <- parts$d_gram[, , row] - gram
    parts$information[row, row] <- parts$information[row, row] + contrasts / 2
  }
  parts
}

# The Gram matrix within locations for one nugget, where the core adds it to that of the locations.
# add_within_value() adds the rest to the log density.
within_gram <- function(terms, nugget) if (!is.null(terms)) terms[[1L]]$gram / nugget

add_within_value <- function(found, terms, nugget) {
  if (is.null(terms)) return(found)
  found$value <- found$value - 0.5 * (terms[[1L]]$contrasts * log(2 * pi * nugget) -
    terms[[1L]]$log_weights)
  found
}

# Does the same to the gradient of a log density at given coefficients.
add_within_gradient <- function(result, terms, nugget, nugget_row, beta) {
  if (is.null(terms) || result$failed > 0L) return(result)
  contrast <- c(1, -beta)
  for (p in which(vapply(terms, `[[`, 0, "contrasts") > 0)) {
    squares <- drop(crossprod(contrast, terms[[p]]$gram %*% contrast)) / nugget[p]
    row <- nugget_row[p]
    result$gradient[row] <- result$gradient[row] - 0.5 * (terms[[p]]$contrasts - squares)
  }
  result
}

# ---- problems and fits ---------------------------------------------------------------------------

# Leaving out a single row needs the other rows of its location separately, if there are several
# responses or a model of the noise.
takes_location_means <- function(method, family, data) {
  has_ability(method, "location_means", family) && has_location_means(data) &&
    !(identical(method$leave_out, "row") && (!is.null(data$output) || has_noise_model(data)))
}

# A score leaves out single rows of the data, which must not be several points of one location.
without_points <- function(method, data) {
  if (inherits(method, "neargp_loo_k")) data["by"] <- NULL
  data
}

# The problem of location means; `all_rows` are its rows. With more neighbours than locations
# all others are neighbours.
problem_at_locations <- function(problem) {
  if (is_sharded(problem) && keeps_rows_in_shards(problem$method, problem$data)) {
    return(counting_rows(problem))
  }
  if (!takes_location_means(problem$method, problem$family, problem$data) ||
    keeps_rows_for_effects(problem)) {
    return(problem)
  }
  reduced <- at_locations(without_points(problem$method, problem$data))
  if (is.null(reduced$within)) return(problem)
  problem$all_rows <- problem$data
  problem$data <- reduced
  problem$method <- with_all_locations(problem$method, reduced)
  problem
}

# The method with no more neighbours than there are locations, or points of them, which the default
# had not counted. Where these are all of the own response, so are those of the others.
with_all_locations <- function(method, data) {
  most <- most_of_an_output(data)
  if (isTRUE(data$within$points)) method$k <- method$default_k %||% method$k
  if (is.null(method$k) || method$k < most - 1L) return(method)
  method$k <- max(1L, most - 1L)
  if (!is.null(data$output)) method$k_other <- method$k_other %||% most
  method
}

most_of_an_output <- function(data) max(lengths(rows_by_output(data)))

# The problem with starting values. Those of random effects are found row by row, and those of
# several responses for each by itself.
started_problem <- function(problem, reduced = problem_at_locations(problem)) {
  by_row <- has_effects(problem$data) || has_outputs(problem)
  if (!by_row) return(with_start(reduced$method, reduced))
  problem_at_locations(with_start(problem$method, problem))
}

problem_at_rows <- function(problem) {
  if (!is.null(problem$all_rows)) problem$data <- problem$all_rows
  problem["all_rows"] <- list(NULL)
  problem
}

observations_of <- function(problem) problem$all_rows %||% problem$data

# Predictions of a fit are conditioned on this: its observations, or the means of their locations.
conditioned_data <- function(object) {
  if (!has_ability(object$method, "location_means", object$family)) return(object$data)
  # an earlier version ordered the rows of fits with inducing points
  if (identical(length(object$low_rank$order), length(object$data$y))) return(object$data)
  cached(object, "locations", NULL, at_locations(object$data))
}

count_conditioned <- function(object) length(conditioned_data(object)$y)
