# Where the search begins. Random effects and smooths start with their variances in a model without
# a field. The field starts from what these effects leave of the response.

effects_start <- function(problem) {
  data <- problem$data
  found <- independent_effects(problem)
  plain <- without_effects(problem, found$effects)
  plain <- with_start(plain$method, plain)
  own <- problem$layout$kind %in% effect_kinds
  guesses <- c(variance_guesses(data), variance_guesses(plain$data))
  problem$bounds <- with_effect_bounds(working_bounds(problem, guesses), problem, guesses[1L])
  start <- replace(double(length(own)), !own, plain$start)
  start[own] <- start_of_effects(problem$layout[own, ], found$working)
  problem$start <- clamp(start, problem$bounds, problem$free)
  problem$further_starts <- lapply(shared_starts(problem, plain), clamp,
    problem$bounds, problem$free)
  problem
}

# Levels that are regions explain the field if it is not searched together with them. The search
# then ends at an optimum without a field. A further search therefore begins with a field of a fifth
# of their variance, which reaches over some of the extent, or over all of it. The rest is noise.
share_of_field <- 0.2

shared_starts <- function(problem, plain) {
  if (!has_regions(problem$data)) return(list())
  layout <- plain$layout
  is_open <- function(layout) !layout$fixed & is.na(layout$start)
  field <- which(layout$kind %in% c("variance", "range", "nugget") & is_open(layout))
  sds <- which(problem$layout$kind == "effect_sd")
  scale <- vapply(problem$layout$name[sds], effect_scale, 0, data = problem$data)
  left <- sum(exp(plain$start[layout$kind %in% c("variance", "nugget")]))
  split <- c(share_of_field * sum((scale * exp(problem$start[sds]))^2), left)
  group <- start_group(problem)
  scales <- start_scales(problem)
  lapply(if (any(layout$kind[field] == "range")) c(0.5, 2), function(reach) {
    values <- candidate_values(plain, scales, reach * sqrt(length(group)), NA, split)
    start <- problem$start
    start[which(!problem$layout$kind %in% effect_kinds)[field]] <- to_working(values,
      layout$transform)[field]
    open <- sds[is_open(problem$layout[sds, ])]
    start[open] <- start[open] + 0.5 * log(1 - share_of_field)
    start
  })
}

# Whether the levels of a group explain more than half of the coordinates' variance.
has_regions <- function(data) {
  slots <- effect_slots(data)
  coords <- scale(data$coords, scale = FALSE)
  of_level <- function(k) {
    level <- slots$column[, which(slots$block == k)[1L]]
    counts <- drop(rowsum(rep(1, length(level)), level))
    sum(rowsum(coords, level)^2 / counts) > 0.5 * sum(coords^2)
  }
  groups <- which(vapply(data$effects$blocks, `[[`, "", "kind") == "group")
  any(vapply(groups, of_level, NA))
}

# The problem that begins there, and what it took.
with_best_start <- function(problem, k, objective_for, optimize) {
  none <- list(problem = problem, iterations = 0L, evaluations = 0L)
  if (!length(problem$further_starts)) return(none)
  objective <- objective_for(component_at(problem, problem$start), first_k(problem$control, k))
  starts <- list(problem$start, best_of_starts(objective, problem$further_starts))
  compared_starts(problem, starts, k, objective_for, optimize, objective)
}

best_of_starts <- function(objective, starts) {
  starts[[which.max(vapply(starts, function(start) objective$evaluate(start)$value, 0))]]
}

# With few neighbours, a field that reaches far may be less likely than none, although it is far
# more likely with all of them. Optima with few neighbours are therefore compared with all.
# `objective`: with few, in the metric of the start.
compared_starts <- function(problem, starts, k, objective_for, optimize,
                            objective = objective_for(component_at(problem, problem$start),
                              first_k(problem$control, k))) {
  reached <- lapply(starts, function(start) if_computable(optimize(objective, start, TRUE)))
  reached <- Filter(Negate(is.null), reached)
  total <- function(count) sum(vapply(reached, `[[`, 0L, count))
  if (length(reached)) {
    all_neighbors <- objective_for(component_at(problem, problem$start), k)
    problem$start <- best_of_starts(all_neighbors, lapply(reached, `[[`, "working"))
    problem$control$coarse_k <- 0L
  }
  list(problem = problem, iterations = total("iterations"), evaluations = total("evaluations"))
}

# Values that are fixed or given, and those that were found.
start_of_effects <- function(layout, found) {
  given <- to_working(layout$start, layout$transform)
  ifelse(layout$fixed, to_working(layout$value, layout$transform), ifelse(is.na(given), found,
    given))
}

# Root mean square of the part that a parameter's term has in the rows, for standard deviation 1.
effect_scale <- function(data, parameter) {
  blocks <- data$effects$blocks
  for (k in seq_along(blocks)) {
    block <- blocks[[k]]
    j <- match(parameter, block$parameters[seq_len(block$d)])
    if (is.na(j)) next
    if (is_compressed(data)) {
      slots <- effect_slots(data)
      return(slots_scale(slots, term_slots(slots, blocks, k)[[j]]))
    }
    columns <- matrix(block$columns, block$d)[j, ]
    return(sqrt(sum(data$effects$Z[, columns]^2) / nrow(data$effects$Z)))
  }
}

# The slots of each standard deviation of block k: one of a group's term, all of a smooth.
term_slots <- function(slots, blocks, k) {
  own <- which(slots$block == k)
  if (blocks[[k]]$kind == "smooth") list(own) else as.list(own)
}

slots_scale <- function(slots, own) {
  present <- slots$value[, own] * (slots$column[, own] > 0)
  sqrt(sum(present^2) / nrow(slots$value))
}

# A standard deviation of e^-12 of the response's is none: its variance is below rounding.
with_effect_bounds <- function(bounds, problem, variance) {
  layout <- problem$layout
  for (row in which(layout$kind == "effect_sd")) {
    middle <- 0.5 * log(variance) - log(effect_scale(problem$data, layout$name[row]))
    bounds$lower[row] <- middle - 12
    bounds$upper[row] <- middle + log(1e3)
  }
  correlations <- layout$kind == "effect_cor"
  bounds$lower[correlations] <- -7
  bounds$upper[correlations] <- 7
  bounds
}

# Working parameters of the effects, and their predictions, by REML with independent rows. Standard
# deviations below a twentieth of the response's would be without a slope. None begins there.
independent_effects <- function(problem) {
  roughly <- has_ability(problem$method, "exact") && are_many_effects(problem$data)
  if (roughly || has_effects_pass(problem)) return(swept_effects(problem))
  data <- problem$data
  n <- length(data$y)
  weights <- data$weights / mean(data$weights)
  columns <- response_columns(data) * sqrt(weights)
  gram <- crossprod(columns)
  variance <- residual_variance(data)
  layout <- rbind(layout_rows("nugget", "nugget", "log"),
    problem$layout[problem$layout$kind %in% effect_kinds, names(layout_rows("", "", ""))])
  parts <- function(values, information) {
    scaled <- gram / values[1L]
    list(gram = scaled, log_det = n * log(values[1L]), d_log_det = n,
      d_gram = array(-scaled, c(dim(scaled), 1L)), information = matrix(n / 2), failed = 0L)
  }
  objective <- effects_objective(layout, data, n, parts, restricted = TRUE)
  objective$session <- problem$session
  free <- rep(TRUE, nrow(layout))
  bounds <- with_effect_bounds(list(lower = rep(log(variance) - 20, nrow(layout)),
    upper = rep(log(variance) + 5, nrow(layout))), list(layout = layout, data = data), variance)
  sds <- layout$kind == "effect_sd"
  start <- replace(double(nrow(layout)), 1L, log(variance / 2))
  start[sds] <- (bounds$lower[sds] + 12) - log(2)
  state <- fisher_scoring(objective, start, free, bounds, problem$control, tolerance = 0.01)
  least <- replace(bounds$lower, sds, bounds$lower[sds] + 12 - log(20))
  trend <- seq_len(ncol(data$X))
  list(working = pmax(state$working, least)[-1L],
    effects = state$evaluated$beta[-c(trend, length(state$evaluated$beta) + 1L)])
}

# The same where there are many, roughly: expectation and maximisation with each coefficient
# independent of the others, one slot after the other, and the trend of least squares.
swept_effects <- function(problem, sweeps = 5L) {
  data <- problem$data
  slots <- effect_slots(data)
  weights <- data$weights / mean(data$weights)
  plain <- without_effect_columns(data)
  columns <- response_columns(plain)
  trend <- qr(columns[, -1L, drop = FALSE] * sqrt(weights))
  without_trend <- function(y) qr.resid(trend, y * sqrt(weights)) / sqrt(weights)
  variance <- residual_variance(plain)
  parts <- slot_sums(slots, data, weights)
  middle <- 0.5 * log(variance) - log(vapply(parts, `[[`, 0, "scale"))
  own <- exp(2 * (middle - log(2)))
  noise <- variance / 2
  b <- double(count_coefficients(data))
  rest <- without_trend(columns[, 1L])
  for (sweep in seq_len(sweeps)) {
    for (slot in seq_along(parts)) {
      part <- parts[[slot]]
      own_b <- b[part$number]
      unknown <- 1 / (part$squares / noise + 1 / own[[slot]])
      residual <- rowsum((weights * part$value * rest)[part$rows], part$column, reorder = FALSE)
      b[part$number] <- unknown * (drop(residual) + part$squares * own_b) / noise
      rest[part$rows] <- rest[part$rows] - part$value[part$rows] *
        (b[part$number] - own_b)[part$place]
      own[slot] <- mean(b[part$number]^2 + unknown)
    }
    own <- stats::ave(own, vapply(parts, `[[`, "", "parameter"))
    rest <- without_trend(rest)
    noise <- max(mean(weights * rest^2), variance * 1e-4)
  }
  layout <- problem$layout[problem$layout$kind %in% effect_kinds, ]
  found <- pmax(0.5 * log(own), middle - log(20))
  found <- found[match(layout$name, vapply(parts, `[[`, "", "parameter"))]
  list(working = ifelse(layout$kind == "effect_sd", found, 0), effects = b)
}

# The standard deviation that is the parameter of each slot, the rows that have it, the numbers of
# their coefficients, and of each coefficient the sum of squares.
slot_sums <- function(slots, data, weights) {
  of_slot <- function(slot, parameter, scale) {
    rows <- which(slots$column[, slot] > 0)
    column <- slots$column[rows, slot]
    number <- unique(column)
    value <- slots$value[, slot]
    list(parameter = parameter, scale = scale, rows = rows, column = column, number = number,
      place = match(column, number), value = value,
      squares = drop(rowsum((weights * value^2)[rows], column, reorder = FALSE)))
  }
  blocks <- data$effects$blocks
  of_block <- function(k) {
    terms <- term_slots(slots, blocks, k)
    of_term <- function(own, parameter) lapply(own, of_slot, parameter, slots_scale(slots, own))
    unlist(Map(of_term, terms, blocks[[k]]$parameters[seq_along(terms)]), recursive = FALSE)
  }
  unlist(lapply(seq_along(blocks), of_block), recursive = FALSE)
}

# The problem of the field in what effects of these values, in the unit of the fit, leave.
without_effects <- function(problem, effects) {
  own <- problem$layout$kind %in% effect_kinds
  data <- problem$data
  part <- (data$basis$unit %||% 1) * effect_products(data, effects)
  if (is_gaussian(problem$family)) data$y <- data$y - part else data$offset <- data$offset + part
  data$effects <- NULL
  problem$data <- data
  problem$layout <- problem$layout[!own, ]
  problem$free <- problem$free[!own]
  problem
}

# Bounds as of the field: a standard deviation of 10 leaves nothing to chance but with an identity
# link.
with_link_bounds <- function(bounds, problem) {
  if (response_family(problem$family)$link %in% "identity") return(bounds)
  for (row in which(problem$layout$kind == "effect_sd")) {
    scale <- effect_scale(problem$data, problem$layout$name[row])
    bounds$upper[row] <- min(bounds$upper[row], log(10 / scale))
  }
  bounds
}
