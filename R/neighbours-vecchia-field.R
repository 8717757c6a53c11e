# Vecchia's approximation of the field instead of the responses. The density of a noisy response
# given k others loses the joint information of all the others, however the k are chosen. The field
# is free of noise: given its values at k neighbours it is nearly independent of the rest, and the
# responses enter through its posterior. For a Gaussian response vnngp() computes that posterior in
# closed form, and this method uses it.

on_field <- function(method) {
  ordering <- if (method$ordering == "auto") "maxmin" else method$ordering
  field <- vnngp(k = method$k, ordering = ordering)
  field$condition <- "field"
  if (is.null(method$k)) field$default_k <- method$default_k
  field$label <- "Vecchia approximation of the process"
  class(field) <- c("neargp_vecchia_field", class(field))
  field
}

# The method with the choice between responses and field, if it was open, settled as responses.
on_responses <- function(method) {
  if (identical(method$condition, "auto")) method$condition <- "responses"
  method
}

# The data decide unless a call says so, or names `k`. The field's posterior has neither inducing
# points nor a restricted likelihood.
check_condition <- function(condition, k, inducing, estimation) {
  if (is.null(condition)) return(if (is.null(k)) "auto" else "responses")
  condition <- check_choice(condition, "condition", c("auto", "responses", "field"))
  if (condition != "field") return(condition)
  without <- c("without inducing points"[!identical(as.double(unlist(inducing)), 0)],
    "with estimation = \"ML\""[identical(check_estimation(estimation), "REML")])
  if (length(without)) {
    abort_argument("condition", paste("\"field\"", without[1L], "alone"), "field")
  }
  condition
}

#' @export
method_families.neargp_vecchia_field <- function(method) "gaussian"

# ---- the choice ----------------------------------------------------------------------------------

# Losses above which the fit conditions on the field. `likelihood` counts in units, and must also be
# above `share` of what the neighbours add. `prediction` counts in standard deviations. With less
# loss, estimates differ by a part of their standard errors (bench/notes/conditioning.md).
tolerated_loss <- c(likelihood = 0.3, share = 5e-4, prediction = 0.06)

tolerated_likelihood <- function(loss) {
  max(tolerated_loss[["likelihood"]], tolerated_loss[["share"]] * loss$gain)
}

loses_too_much <- function(loss) {
  isTRUE(loss$likelihood > tolerated_likelihood(loss)) ||
    isTRUE(loss$prediction > tolerated_loss[["prediction"]])
}

# The least nugget, as a share of the field's variance, at which conditioning on the field pays.
# With less noise most of the loss often comes from the field itself (bench/notes/conditioning.md),
# and the two likelihoods at the estimates are compared, down to the second share. With even less,
# the jitter counts. In large tables the first share is a tenth: predictions of the data set protein
# are equally good by responses, in less than half the time (bench/notes/speed.md).
least_noise <- c(sure = 0.01, compared = 1e-9, of_large_table = 0.1)

# Whether the loss is plain already at estimates by few neighbours, which spares a search with all
# of them. These estimates are too rough to show that nothing is lost.
is_clearly_lossy <- function(problem, working, order_in = NULL, margin = 3) {
  if (!decides_by_loss(problem) || !is.null(reason_for_responses(problem, working))) return(FALSE)
  loss <- loss_in(order_in, reorder_at, problem, working, rows = 64L, places = 0L)
  isTRUE(loss$likelihood > margin * tolerated_likelihood(loss))
}

# Returns what the likelihood of a problem is conditioned `on`, from the `loss` of neighbor_loss().
# Where responses lose too much and are still used, `reason` says why. NULL where the method
# decides. `state`: the optimum on responses. `order_in`: of kept_order(), for the order that the
# final likelihood needs as well.
conditioning_at <- function(problem, state, lossy = FALSE, order_in = NULL) {
  if (!decides_by_loss(problem)) return(NULL)
  method <- problem$method
  loss <- loss_in(order_in, 0, problem, state$working)
  lossy <- lossy || loses_too_much(loss)
  reason <- if (lossy) reason_for_responses(problem, state$working)
  if (identical(reason, almost_no_noise) && is_higher_on_field(problem, state)) reason <- NULL
  if (!is.null(reason)) tell_loss(loss, method$k, reason)
  list(on = if (lossy && is.null(reason)) "field" else "responses", loss = loss, reason = reason)
}

decides_by_loss <- function(problem) {
  identical(problem$method$condition, "auto") && !is_sharded(problem) && !has_outputs(problem) &&
    !has_no_process(problem$covariance)
}

# In the order that the search for neighbours begins with, or that the final likelihood needs.
loss_in <- function(order_in, renew_at, problem, working, ...) {
  method <- problem$method
  if (is.null(order_in) || method$ordering == "random") return(loss_at(problem, working, ...))
  loss_at(problem, working, ...,
    order = order_in(component_at(problem, working), method$k, renew_at))
}

loss_at <- function(problem, working, ...) {
  values <- to_core(working, problem$layout$transform)
  sampled_loss(with_noise_weights(problem$data, problem$layout, values), problem$locations,
    covariance_at(problem, working), nugget_unit(problem$data, problem$layout, values),
    problem$method$k, problem$method$ordering, problem$context, ...)
}

# Only print() reports a loss that changes no conclusion.
tell_loss <- function(loss, k, reason) {
  if (!any(unlist(loss[c("likelihood", "prediction")]) > c(1, 0.1), na.rm = TRUE)) {
    return(invisible())
  }
  inform_neargp("loss", c(
    sprintf("With k = %d neighbours the approximation loses about %s.", k, format_loss(loss)),
    i = sprintf("A larger `k` loses less. Conditioning on the process is not used, since %s (?vecchia).",
      reason)))
}

# "" where nothing is lost.
format_loss <- function(loss, units = c("units of log-likelihood", "sd in predictions"),
                        collapse = " and ") {
  lost <- pmax(0, c(loss$likelihood %||% NA, loss$prediction %||% NA))
  known <- !is.na(lost)
  paste(vapply(signif(lost[known], 2L), format, ""), units[known], collapse = collapse)
}

# The reason why the field is not conditioned on; NULL where it is.
reason_for_responses <- function(problem, working) {
  values <- to_core(working, problem$layout$transform)
  if (is_restricted(problem$method)) return("the likelihood is restricted")
  if (has_effects(problem$data)) return("there are random effects")
  if (!is.null(problem$data$noise)) return("the noise is modelled")
  if (!is.null(problem$locations$support)) return("rows are areas")
  if (any(is_tied(problem$layout))) return("the ratio of nugget and variance is fixed")
  if (identical(problem$control$precision, "single")) return("precision is single")
  # 60 stations at 20 times: the field lost 9 units where responses lost .5, 7 where they lost 24
  if (has_space_time(problem$covariance)) return("in space and time it may lose as much")
  noise <- noise_share(problem, values)
  if (noise < least_noise[["sure"]]) return(almost_no_noise)
  if (is_large_table(problem) && noise < least_noise[["of_large_table"]]) {
    return("the noise is below a tenth of the variance")
  }
}

almost_no_noise <- "the noise is almost zero"

# ---- both likelihoods at the same parameters -----------------------------------------------------

# Both approximate one density. The expectation of either is below that of the exact log-likelihood
# by its divergence from it, so that the higher one is expected to be nearer. Up to
# `many_locations`, all rows are compared. More are compared in windows: the nearest rows of
# positions spread over the data, where rows are as dense as in all data. Two windows of 1,500 rows
# take 0.05 s of one core.

compared_windows <- c(windows = 2, rows = 1500)

# Whether the likelihood on the field is higher at the optimum on responses.
is_higher_on_field <- function(problem, state) {
  values <- to_core(state$working, problem$layout$transform)
  if (has_inputs(problem$locations) || !is.null(problem$all_rows) ||
      noise_share(problem, values) < least_noise[["compared"]]) {
    return(FALSE)
  }
  gain <- if_computable(if (length(problem$data$y) > many_locations)
    gain_in_windows(problem, state) else
    value_on_field(problem, state) - state$evaluated$value +
      row_count(problem$data) * log(problem$data$basis$unit %||% 1))
  isTRUE(gain > tolerated_loss[["likelihood"]])
}

# The gain of the likelihood on the field over that on responses, summed over the windows. Both are
# those of the residuals of least squares, since a window need not determine the trend.
gain_in_windows <- function(problem, state) {
  problem$data <- with_residuals(core_data(problem$data))
  sum(vapply(rows_of_windows(problem, component_at(problem, state$working)), function(rows) {
    window <- replace(problem, "data", list(take_data_rows(problem$data, rows)))
    value_on_field(window, state) - value_on_responses(window, state)
  }, 0))
}

with_residuals <- function(data) {
  y <- data$y - data$offset
  if (ncol(data$X)) y <- stats::lm.wfit(data$X, y, data$weights)$residuals
  data$y <- y
  data$offset[] <- 0
  data$X <- data$X[, 0L, drop = FALSE]
  data
}

rows_of_windows <- function(problem, component) {
  coords <- problem$data$coords
  positions <- spread_positions(coords, problem$locations, compared_windows[["windows"]])
  scaled <- core_scale(coords, component)
  lapply(seq_len(nrow(positions)), function(i) {
    center <- drop(core_scale(positions[i, , drop = FALSE], component))
    distance2 <- rowSums(sweep(scaled, 2L, center)^2)
    order(distance2)[seq_len(compared_windows[["rows"]])]
  })
}

value_on_responses <- function(problem, state) {
  method <- problem$method
  component <- component_at(problem, state$working)
  vecchia_objectives(method, problem)(component, method$k, 0)$evaluate(state$working)$value
}

# The likelihood on the field, in the unit of the data, at the optimum on responses.
value_on_field <- function(problem, state) {
  field <- problem_on_field(problem, state, NULL)
  field$data <- core_data(field$data)
  nodes <- latent_nodes(field)
  k <- min(field$method$k, nrow(nodes$coords) - 1L)
  search <- latent_search(field, nodes, component_at(field, field$start), k)
  latent_objective(field, latent_problem(field, nodes, search))$fit_at(field$start)$value
}

# The problem on the field, which starts from the state that few neighbours have led to.
problem_on_field <- function(problem, state, conditioning) {
  problem <- problem_at_rows(problem)
  start <- state$working + unit_shift(problem)
  problem <- problem_in_data_units(problem)
  method <- problem$method
  method["k"] <- list(if (is.null(method$default_k)) method$k)
  problem$method <- method_for(on_field(method), problem$family, problem$data)
  problem$method$k <- method$k %||% method$default_k
  problem <- with_jitter_of_responses(problem, start)
  problem$start <- start
  problem$rough <- list(working = start, iterations = state$iterations,
    evaluations = state$evaluations)
  problem$conditioning <- conditioning
  # its value is that of an approximation of the responses
  problem["unwarped"] <- list(NULL)
  problem
}

# ---- the fit -------------------------------------------------------------------------------------

# A tenth of many rows, and then half the neighbours, lead to within a step or two of the optimum,
# in a fraction of the time. The second derivatives with half the neighbours serve for all of them.
#' @export
fit_method.neargp_vecchia_field <- function(method, problem) {
  problem$data <- core_data(problem$data)
  problem <- with_first_jitter(with_search_tolerance(problem, of_small_table = 0.1))
  nodes <- latent_nodes(problem)
  begun <- with_settled_jitter(problem, function(problem) rough_on_field(problem, nodes))
  rough <- begun$state
  found <- with_settled_jitter(begun$problem, function(problem) {
    state <- search_on_field(problem, nodes, rough)
    rough <<- state[c("working", "iterations", "evaluations")]
    state
  })
  problem <- found$problem
  result <- latent_result(problem, found$state)
  result[c("conditioning", "jitter")] <- list(problem$conditioning, problem$method$jitter)
  result
}

rough_on_field <- function(problem, nodes) {
  few <- with_few_neighbors(problem)
  if (is.null(problem$rough)) return(rough_optimum(few))
  few$start <- problem$rough$working
  if (nrow(nodes$coords) > many_locations) rough_optimum(few) else problem$rough
}

search_on_field <- function(problem, nodes, rough) {
  if (has_many_parameters(problem)) return(scoring_fit(problem, nodes))
  before <- fit_latent(with_few_neighbors(problem), nodes, rough)
  fit_latent(problem, nodes, before, before)
}

many_locations <- 4000L

with_few_neighbors <- function(problem) {
  problem$method$k <- min(15L, problem$method$k)
  problem
}

# Whether a simpler model reaches no better optimum on a tenth of many rows. Both searches begin at
# the result of all rows. A search that has ended at a local optimum would show there.
holds_on_few_rows <- function(problem, nested, working) {
  if (!is_on_field(problem$method) || length(problem$data$y) <= many_locations) return(FALSE)
  problem$start <- working
  few <- tenth_of_rows(replace(problem, "data", list(core_data(problem$data))), many_locations)
  simple <- near_result(problem, nested, working)
  simple$data <- few$data
  value_of <- function(problem) {
    if_computable(quasi_newton_optimum(with_few_neighbors(problem))$evaluated$value)
  }
  isTRUE(value_of(few) >= value_of(simple) - problem$control$refresh_gain)
}

# As many as for vecchia().
#' @export
prediction_k.neargp_vecchia_field <- function(method, object, k, least = 96L) {
  prediction_k.default(method, object, k, least = max(96L, least))
}

#' @export
fit_details.neargp_vecchia_field <- function(method, fit) {
  c(Conditioning = conditioning_detail(fit), factor_detail(method, fit$posterior))
}

# The line of print(). For fits that did not need the loss, print() samples it, for at most
# `most_rows` rows: ordering them takes longer than the sample.
conditioning_detail <- function(fit, most_rows = 1e5) {
  loss <- fit$conditioning$loss
  if (is.null(loss) && has_neighbor_loss(fit) && length(fit$data$y) <= most_rows) {
    loss <- cached(fit, "neighbor_loss", NULL, loss_of_fit(fit, fit$k,
      default_context(fit, length(fit$data$y), fit$k, fit$threads)))
  }
  lost <- format_loss(loss, c("log-likelihood", "sd"), collapse = ", ")
  if (is_on_field(fit$method)) {
    return(paste0("on the process", if (nzchar(lost)) paste("; responses would lose", lost)))
  }
  if (nzchar(lost)) sprintf("on responses, which lose %s (?neighbor_loss)", lost)
}

#' @export
fit_details.neargp_vecchia <- function(method, fit) {
  if (has_neighbor_loss(fit)) c(Conditioning = conditioning_detail(fit))
}
