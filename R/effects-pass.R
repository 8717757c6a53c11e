# The likelihood of vecchia() with many random effects, by their whitened columns without zeros. The
# core integrates out the effects u ~ N(0, I) with the columns Z L. It returns the same quantities
# as for response and trend without effects, log|V| and the Gram matrix E'V^-1 E. The profile is
# therefore that of profile_trend(). In a parameter of the field the derivative is that of
# log|V| + sum_s c_s' gram c_s for the contrasts c_s (effects/effects_likelihood.h). A change of L
# is a change Z L N of the columns with N = L^-1 dL. With P = (I + W'W)^-1 and u_s = P W'E c_s, over
# the levels g of a block,
#
#   d l = -sum_g tr(N'(I - P_gg - sum_s u_sg u_sg')).
#
# The expected information leaves out what levels share. It is 1/2 sum_g tr(R_gg M_a R_gg M_b),
# where M_a = N_a + N_a' and R_gg = I - P_gg less the trend's part. It is for steps, as is that of
# the field. Standard errors come from differences.

# More columns than these are many. Fewer are columns of the Gram matrix (R/effects-likelihood.R).
fewest_sparse_columns <- 60L

# Multiplications of a dense factor of the effects' precision: that of 10,000 columns, which with
# its inverse takes 1.6 GB.
most_effect_work <- 1e12 / 3

# Multiplications of which more are left to conjugate gradients: those of 2,500 columns.
most_exact_work <- 2500^3 / 3

has_effects_pass <- function(problem) {
  has_many_effects(problem$method, problem$data) && !is_sharded(problem) &&
    !nzchar(problem$context$device_module)
}

has_many_effects <- function(method, data) {
  has_effects(data) && inherits(method, "neargp_vecchia") && are_many_effects(data)
}

are_many_effects <- function(data) {
  is_compressed(data) || count_coefficients(data) > fewest_sparse_columns
}

# The core's side of it: a problem of response and trend, and the effects next to it.
new_effects_pass <- function(data, neighbors, context, targets = NULL, most_exact = Inf,
                             roughly = FALSE) {
  slots <- effect_slots(data)
  blocks <- data$effects$blocks
  problem <- local_problem(without_effect_columns(data), neighbors, context, targets)
  column <- slots$column
  storage.mode(column) <- "integer"
  effects <- core_effects(problem, column, count_coefficients(data), most_effect_work, most_exact,
    roughly, context)
  if (is.null(effects)) abort_many_levels(data)
  list(problem = problem, effects = effects, slots = slots, blocks = blocks,
    levels = level_pairs(blocks), within = within_trend(data, targets))
}

# A problem of some rows, evenly spread, as many as determine the information that directs the
# steps, and how many rows each stands for. A model of the noise is set in one problem only.
most_sampled <- 10000L

sampled_problem <- function(pass, data, neighbors, context, targets) {
  n <- length(data$y)
  if (!is.null(targets) || !is.null(data$noise) || n < 2 * most_sampled) {
    return(list(problem = pass$problem, share = 1))
  }
  sampled <- evenly_spaced(n, most_sampled)
  list(problem = local_problem(without_effect_columns(data),
    as.matrix(neighbors)[, sampled, drop = FALSE], context, sampled),
    share = n / length(sampled))
}

abort_many_levels <- function(data) {
  abort_neargp("size", c(
    sprintf("The random effects and smooths need %s columns, more than neargp can fit for groups whose members are scattered in space.",
      format_count(count_coefficients(data))),
    x = paste(largest_block(data),
      "Levels whose rows are near each other, such as regions, may be as many."),
    i = "Merge levels, or fit with fewer neighbours: vecchia(k = 10)."))
}

# All pairs of coefficients of a level, level by level of the blocks.
level_pairs <- function(blocks) {
  of <- function(block) {
    at <- matrix(block$columns, block$d)
    list(row = at[rep(seq_len(block$d), block$d), ], column = at[rep(seq_len(block$d),
      each = block$d), ])
  }
  pairs <- lapply(blocks, of)
  list(row = as.integer(unlist(lapply(pairs, `[[`, "row"))),
    column = as.integer(unlist(lapply(pairs, `[[`, "column"))),
    block = rep(seq_along(blocks), vapply(pairs, function(pair) length(pair$row), 0L)))
}

# An array of d x d x levels for each block: P of each level.
level_inverses <- function(pass) {
  entries <- core_effects_inverse(pass$effects, pass$levels$row, pass$levels$column)
  lapply(seq_along(pass$blocks), function(k) {
    d <- pass$blocks[[k]]$d
    array(entries[pass$levels$block == k], c(d, d, length(pass$blocks[[k]]$columns) %/% d))
  })
}

# The contrasts whose outer products are those of the residuals and of the trend's covariance.
likelihood_contrasts <- function(profile, restricted) {
  q <- ncol(profile$beta_vcov)
  cbind(profile$contrast, if (restricted && q) rbind(0, t(chol(profile$beta_vcov))))
}

effects_pass_objective <- function(problem, neighbors, targets = NULL) {
  data <- problem$data
  layout <- problem$layout
  n <- count_observations(data, targets)
  # a round of fewer neighbours than the fit's only has to come near
  roughly <- nrow(neighbors) < problem$method$k
  pass <- new_effects_pass(data, neighbors, problem$context, targets, most_exact_work, roughly)
  pass$sampled <- sampled_problem(pass, data, neighbors, problem$context, targets)
  rm(neighbors)
  pass$nugget_row <- which(layout$kind == "nugget")
  core <- pass_of_core(pass, problem, n)
  of_effects <- match(unlist(lapply(pass$blocks, `[[`, "parameters")), layout$name)
  found_before <- NULL
  evaluate <- function(working, information = FALSE, context = problem$context,
                       gradient = information) {
    if (gradient && !information && identical(working, found_before$working)) {
      return(found_before$state)
    }
    values <- to_core(working, layout$transform)
    factors <- effect_factors(pass$blocks, layout, values)
    found <- journaled(problem$session, c(values, information, gradient), function() {
      core$parts(values, factors, information, gradient, context)
    })
    if (!is.finite(found$value) || !gradient) return(penalised_state(found, layout, working))
    found <- with_pass_derivatives(found, pass, data, layout, values, factors, of_effects,
      information)
    found_before <<- list(working = working, state = penalised_state(found, layout, working))
    found_before$state
  }
  gradient <- function(working, beta, ...) {
    evaluate(working, gradient = TRUE, ...)$gradient %||% rep(NA_real_, length(working))
  }
  is_iterative <- core_effects_iterates(pass$effects)
  near <- function(working, action) {
    core$hold(working)
    on.exit(core_effects_hold(pass$effects, FALSE, problem$context))
    action(gradient)
  }
  list(evaluate = evaluate, gradient = gradient, near = near, n = n, accept = problem$keep,
    session = problem$session, full_vcov = core$full_vcov, refined = core$refined,
    is_iterative = is_iterative, value_noise = if (is_iterative) 1e-3)
}

# The calls to the core: `parts` of an evaluation, and then the functions of the working parameters
# `hold`, `full_vcov` and `refined`, which read what it left there.
pass_of_core <- function(pass, problem, n) {
  restricted <- is_restricted(problem$method)
  at <- core_point(problem, pointer_noise(pass$problem))
  last <- NULL
  parts <- function(values, factors, information, gradient, context) {
    last <<- NULL
    point <- at(values)
    found <- pass_parts(pass, point$covariance, point$nugget, factors, n, restricted, information,
      gradient, context)
    last <<- list(values = values, found = found)
    found
  }
  # Acts by what the core has, which no answer of a checkpoint has: nothing is asked of it.
  evaluated_anew <- function(action) function(working) {
    values <- to_core(working, problem$layout$transform)
    factors <- effect_factors(pass$blocks, problem$layout, values)
    found <- if (identical(values, last$values)) last$found else
      parts(values, factors, FALSE, FALSE, problem$context)
    action(factors, found)
  }
  list(parts = parts,
    hold = evaluated_anew(function(factors, found) core_effects_hold(pass$effects, TRUE,
      problem$context)),
    full_vcov = evaluated_anew(function(factors, found) pass_vcov(pass, factors, found$beta_vcov)),
    refined = evaluated_anew(function(factors, found) core_effects_refine(pass$effects,
      problem$context)))
}

# The profile at the parameters, and what the core finds next to it.
pass_parts <- function(pass, covariance, nugget, factors, n, restricted, information, gradient,
                       context) {
  sums <- core_effects_evaluate(pass$effects, covariance, nugget, spherical_values(pass$slots,
    pass$blocks, factors), context)
  if (sums$failed > 0L) return(list(value = -Inf, failed = sums$failed))
  profile <- profile_trend(add_within(sums, pass$within, nugget), n)
  if (!is.finite(profile$value)) return(list(value = -Inf))
  profile$failed <- 0L
  if (restricted) profile$value <- profile$value + restricted_term(profile$beta_vcov)
  u <- core_effects_solve(pass$effects, NULL) %*% profile$contrast
  profile$beta <- c(profile$beta, from_spherical(drop(u), pass$blocks, factors))
  if (!gradient) return(profile)
  contrasts <- likelihood_contrasts(profile, restricted)
  found <- core_effects_derivatives(pass$effects, contrasts, context)
  if (found$failed > 0L) return(list(value = -Inf, failed = found$failed))
  profile$of_field <- -0.5 * found$gradient
  profile$effects <- found$effects
  profile$inverses <- level_inverses(pass)
  if (information) {
    profile$information <- pass$sampled$share * core_evaluate(pass$sampled$problem, covariance,
      nugget, TRUE, context)$information
  }
  add_within_derivatives(profile, pass, contrasts, nugget)
}

with_pass_derivatives <- function(found, pass, data, layout, values, factors, of_effects,
                                  information) {
  slope <- core_to_working_slope(layout, values)
  own <- in_layout_order(list(gradient = found$of_field, information = found$information), data,
    layout)
  core <- seq_along(own$gradient)
  by_block <- Map(function(block, factor, inverse) level_derivatives(block, factor_rates(factor,
    values[match(block$parameters, layout$name)], block$d), inverse, found$effects),
    pass$blocks, factors, found$inverses)
  found$gradient <- double(nrow(layout))
  found$gradient[core] <- slope[core] * own$gradient
  found$gradient[of_effects] <- unlist(lapply(by_block, `[[`, "gradient"))
  if (information) {
    found$information <- matrix(0, nrow(layout), nrow(layout))
    found$information[core, core] <- own$information * outer(slope[core], slope[core])
    at <- 0L
    for (part in by_block) {
      rows <- of_effects[at + seq_along(part$gradient)]
      found$information[rows, rows] <- part$information
      at <- at + length(part$gradient)
    }
  }
  found[setdiff(names(found), c("of_field", "effects", "inverses"))]
}

# N = L^-1 dL of each working parameter. A variance of 0 cannot move by factors.
factor_rates <- function(factor, values, d) {
  lapply(factor_slopes(factor, values, d), function(slope) {
    if (all(diag(factor) > 0)) backsolve(factor, slope, upper.tri = FALSE) else matrix(0, d, d)
  })
}

# `effects`: of each contrast, the residuals' first.
level_derivatives <- function(block, rates, inverse, effects) {
  d <- block$d
  levels <- dim(inverse)[3L]
  outer_sums <- function(contrasts) {
    total <- matrix(0, d * d, levels)
    for (s in contrasts) {
      u <- matrix(effects[block$columns, s], d)
      total <- total + u[rep(seq_len(d), d), , drop = FALSE] * u[rep(seq_len(d), each = d), ,
        drop = FALSE]
    }
    total
  }
  unknown <- matrix(inverse, d * d)
  explained <- as.double(diag(d)) - unknown
  explained <- explained - outer_sums(seq_len(ncol(effects))[-1L])
  residual <- matrix(rowSums(explained - outer_sums(1L)), d)
  both <- lapply(rates, function(rate) rate + t(rate))
  information <- outer(seq_along(rates), seq_along(rates), Vectorize(function(a, b) {
    # tr(R A R B) = vec(R)' (A x B) vec(R)
    0.5 * sum(explained * (kronecker(both[[a]], both[[b]]) %*% explained))
  }))
  list(gradient = vapply(rates, function(rate) -sum(rate * residual), 0),
    information = matrix(information, length(rates)))
}

# The covariance matrix of the errors of trend and effects at the values last evaluated. `trend`:
# that of the trend alone.
pass_vcov <- function(pass, factors, trend) {
  shifted <- blocks_after(ncol(trend), pass$blocks)
  answer <- core_effects_solve(pass$effects, NULL)[, -1L, drop = FALSE]
  inner <- core_effects_solve(pass$effects, diag(sum(block_sizes(pass$blocks))))
  through <- answer %*% trend
  H <- rbind(cbind(trend, -t(through)), cbind(-through, inner + through %*% t(answer)))
  unname(from_both_sides((H + t(H)) / 2, shifted, factors))
}

# A state of an objective with the errors of all coefficients, where they are not compressed.
with_full_vcov <- function(state, objective, problem) {
  if (is.null(objective$full_vcov) || is_compressed(problem$data)) return(state)
  replace(state, "beta_vcov", list(objective$full_vcov(state$working)))
}

# Adds the covariance matrix of the errors of all coefficients where the search has ended. For
# compressed effects it is that of the trend. Adds minus the second derivatives, by differences of
# the gradient there.
completed_pass <- function(state, objective, problem) {
  state$evaluated <- with_full_vcov(c(state$evaluated, state["working"]), objective, problem)
  if (objective$is_iterative) state <- with_refined_value(state, objective)
  at <- objective$gradient(state$working)
  state$evaluated$information <- objective$near(state$working, function(gradient) {
    information_by_differences(gradient, state$working, problem$free,
      rep(1, length(state$working)), step = if (objective$is_iterative) 1e-3 else 1e-4, at = at)
  })
  state
}

# log|V| of the mean over more random signs, and its standard error as that of the log-likelihood.
with_refined_value <- function(state, objective) {
  found <- objective$refined(state$working)
  state$evaluated$value <- state$evaluated$value - 0.5 * (found[["after"]] - found[["before"]])
  state$value_error <- 0.5 * found[["error"]]
  state
}
