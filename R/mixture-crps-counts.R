# The continuous ranked probability score of counts: the sum of (P(Y <= x) - [observed <= x])^2 over
# whole numbers x. Short stretches are summed one by one. P goes from one number to the next by the
# ratio of their probabilities at fixed nodes of eta, which costs a product or two at each node.
# Long stretches of large numbers are integrated.

count_crps <- function(mixture, observed) {
  central <- central_range(mixture)
  # At the number of trials P is 1.
  if (mixture_rule(mixture)$scale == "logit") {
    central$upper <- pmin(central$upper, mixture$trials - 1)
  }
  one_by_one <- has_components(mixture) || is.null(mixture_family(mixture)$ratio_in_predictor)
  line <- smooth_stretch(mixture, central$lower, central$upper,
    least = if (!is_smooth_between(mixture)) Inf else if (one_by_one) 300 else 3000)
  squares <- if (one_by_one) component_squares else summed_squares
  last <- list(below = ifelse(line$rows, line$from - 1, central$upper), above = central$upper)
  first <- list(below = central$lower, above = ifelse(line$rows, line$to + 1, central$upper + 1))
  pmax(observed - 1 - central$upper, 0) + pmax(central$lower - observed, 0) +
    squares(mixture, observed, first$below, last$below) +
    squares(mixture, observed, first$above, last$above) + integrated_squares(mixture, observed,
      line)
}

# The stretch of first, ..., last that is far enough from the ends of the support, where P has
# corners, and long enough to be integrated.
smooth_stretch <- function(mixture, first, last, least, corner = 100) {
  end <- if (mixture_rule(mixture)$scale == "logit") mixture$trials else Inf
  from <- pmax(first, corner)
  to <- pmin(last, end - corner)
  list(rows = to - from >= least, from = from, to = to)
}

# Distribution functions that are sums of probabilities are undefined between whole numbers.
is_smooth_between <- function(mixture) !isFALSE(mixture_family(mixture)$smooth)

# The part of the variance of a count near y that comes from the counts themselves.
count_variance <- function(mixture, y) {
  family <- mixture_family(mixture)
  (family$count_variance %||% family$variance)(mixture_rule(mixture)$likeliest(mixture, y),
    mixture$parameters, mixture$trials)
}

# ---- one by one ----------------------------------------------------------------------------------

# The sum of the squares over first, ..., last, 0 where there are none.
summed_squares <- function(mixture, observed, first, last) {
  total <- double(mixture$n)
  active <- which(first <= last)
  if (!length(active)) return(total)
  probability <- total
  probability[active] <- predictive_cdf(first[active], mixture[active])
  total[active] <- (probability[active] - (first >= observed)[active])^2
  at <- first
  while (length(active <- active[at[active] < last[active]])) {
    end <- pmin(last[active], at[active] + steps_of_run(mixture[active], at[active]))
    for (group in runs_of_like_length(end - at[active])) {
      rows <- active[group]
      run <- run_of_counts(mixture[rows], observed[rows], at[rows], end[group],
        probability[rows])
      probability[rows] <- run$probability
      total[rows] <- total[rows] + run$total
    }
    at[active] <- end
  }
  total
}

# No run is twice as long as another of its group, and a group's matrix of nodes stays small.
runs_of_like_length <- function(steps, most = 500) {
  groups <- split(seq_along(steps), floor(log2(steps)))
  unlist(lapply(groups, split_rows, most), recursive = FALSE)
}

# One set of nodes serves ten standard deviations of a count near y, but at most half the distance
# to the number of trials. The probabilities of all these counts, as functions of eta, are about
# equally wide.
steps_of_run <- function(mixture, y) {
  variance <- count_variance(mixture, y)
  left <- if (mixture_rule(mixture)$scale == "logit") (mixture$trials - y) / 2 else Inf
  pmax(8, floor(pmin(10 * sqrt(variance), left)))
}

# The standard deviation of a count near y, as a difference in eta.
width_of_count <- function(mixture, y) {
  likeliest <- mixture_rule(mixture)$likeliest
  half <- sqrt(count_variance(mixture, y)) / 2
  most <- if (mixture_rule(mixture)$scale == "logit") mixture$trials - 0.5 else Inf
  likeliest(mixture, pmin(y + half, most)) - likeliest(mixture, pmax(y - half, 0.5))
}

# Goes from P(Y <= at) to P(Y <= end), and sums the squares on the way.
run_of_counts <- function(mixture, observed, at, end, probability) {
  family <- mixture_family(mixture)
  nodes <- run_nodes(mixture, at, end)
  term <- nodes$weight * family$density(at + 1, nodes$eta, mixture$parameters, mixture$trials)
  # The ratio at + 1 is taken out of all the others, so that their products stay near 1. Beyond
  # 1e200 the probability itself is 0.
  unit <- family$ratio_in_count(at + 1, mixture$parameters, mixture$trials)
  ratio <- pmin(family$ratio_in_predictor(nodes$eta, mixture$parameters) * unit, 1e200)
  factor <- rep(1, mixture$n)
  ones <- rep(1, ncol(term))
  total <- double(mixture$n)
  for (step in seq_len(max(end - at))) {
    y <- at + step
    if (step > 1L) {
      term <- term * ratio
      factor <- factor * family$ratio_in_count(y, mixture$parameters, mixture$trials) / unit
    }
    within <- y <= end
    probability <- probability + within * factor * drop(term %*% ones)
    total <- total + within * (probability - (y >= observed))^2
  }
  list(probability = probability, total = total)
}

# The eta, a row of nodes for each mixture, at which the probabilities of at + 1, ..., end are not
# all negligible, with weights. In the middle of the rule, the distance between nodes is pi / 2
# times the average. This distance is at most the width of the narrowest product of a probability
# and the normal density. In units of sd that is 1 / sqrt(1 + (sd / width)^2), with the `width` of
# the probability.
run_nodes <- function(mixture, at, end) {
  range <- mixture_rule(mixture)$predictor_range
  interval <- within_reach(range(mixture, at, 1e-11)$lower, range(mixture, end, 1e-11)$upper,
    mixture$mean, mixture$sd)
  half <- (interval$b - interval$a) / 2
  width <- pmin(width_of_count(mixture, at + 1), width_of_count(mixture, end))
  rule <- rule_of_size(pi / 2 * max(2 * half * sqrt(1 + (mixture$sd / width)^2)))
  z <- outer(half, rule$nodes) + (interval$a + interval$b) / 2
  list(eta = pmin(pmax(mixture$mean + mixture$sd * z, -500), 500),
    weight = outer(half, rule$weights) * stats::dnorm(z))
}

# ---- as an integral ------------------------------------------------------------------------------

# The formula of Euler and Maclaurin for midpoints gives the sum of a smooth g over from, ..., to.
# It is the integral of g from from - 1/2 to to + 1/2, less 1/24 of the rise of its slope in
# between. Slopes are differences of neighbours. The squares are smooth below the observation, and
# from it on.
integrated_squares <- function(mixture, observed, line) {
  total <- double(mixture$n)
  if (!any(line$rows)) return(total)
  rows <- which(line$rows)
  part <- mixture[rows]
  middle <- pmin(pmax(observed[rows], line$from[rows]), line$to[rows] + 1)
  total[rows] <- smooth_sum(part, line$from[rows], middle - 1, function(p) p^2) +
    smooth_sum(part, middle, line$to[rows], function(p) (1 - p)^2)
  total
}

smooth_sum <- function(mixture, from, to, square) {
  rows <- which(from <= to)
  if (!length(rows)) return(double(mixture$n))
  part <- mixture[rows]
  from <- from[rows]
  to <- to[rows]
  scale <- response_scale(mixture)
  points <- integration_points(part, scale$inverse(from - 0.5, part), scale$inverse(to + 0.5, part))
  at <- part[points$row]
  slopes <- data.frame(row = rep(seq_along(rows), 4L), y = c(from - 1, from, to, to + 1),
    weight = rep(c(-1, 1, 1, -1) / 24, each = length(rows)))
  points <- rbind(data.frame(row = points$row, y = scale$response(points$v, at),
    weight = points$weight * scale$slope(points$v, at)), slopes)
  value <- square(smooth_distribution(points$y, part[points$row]))
  sums_by_group(points$weight * value, rows[points$row], mixture$n)
}
