# Scores of predictions of a response, one for each observation, all of them by the mixture over the linear predictor.

# What scores() averages. Counts have an interval of the PIT, from P(Y < y) to P(Y <= y).
mixture_scores <- function(observed, mixture, level) {
  limits <- prediction_limits(mixture, level)
  pit <- mixture_pit(observed, mixture)
  data.frame(mean = mixture_mean(mixture), sd = sqrt(mixture_variance(mixture)), crps = mixture_crps(observed, mixture),
    log_score = -mixture_density(observed, mixture, log = TRUE), lower = limits$lower, upper = limits$upper, pit_lower = pit$lower,
    pit_upper = pit$upper, binary = is_binary(mixture))
}

is_binary <- function(mixture) mixture_rule(mixture)$scale == "logit" && mixture_family(mixture)$discrete && all(mixture$trials == 1)

mixture_pit <- function(observed, mixture) {
  upper <- mixture_distribution(observed, mixture)
  list(lower = if (mixture_family(mixture)$discrete) mixture_distribution(observed - 1, mixture) else upper, upper = upper)
}

# ---- continuous ranked probability score ------------------------------------------------------------------------------------------

# The integral of (P(Y <= x) - [observed <= x])^2 over x, for counts the sum over whole numbers.
mixture_crps <- function(observed, mixture) {
  compute <- if (mixture$name == "gaussian") gaussian_crps else if (mixture_family(mixture)$discrete) count_crps else continuous_crps
  over_rows(mixture, observed, compute, rows_at_once = 1000L)
}

gaussian_crps <- function(mixture, observed) {
  crps_gaussian(observed, mixture$mean, sqrt(mixture_rule(mixture)$variance(mixture)))
}

# The responses beyond which the integrand is nothing: the tails of the noise at an eta that is itself in its tail. Where the response is
# exp(t), dx = exp(t) dt moves the peak of the integrand by sd^2 / 2 to the right.
response_bulk <- function(mixture, tail = 1e-7) {
  at <- function(z, p) {
    mixture$mean <- mixture$mean + z * mixture$sd
    mixture$sd <- rep(0, mixture$n)
    search_quantile(mixture, rep(p, mixture$n))
  }
  list(lower = at(-5, tail), upper = at(4.7 + mixture$sd / 2, 1 - tail))
}

# Nodes and weights of integrals over the scale from `lower` to `upper`, as a table of points: row, v, weight. The scale itself bends over a
# unit, the distribution over `spread`.
integration_points <- function(lower, upper, spread) {
  half <- pmax(upper - lower, 0) / 2
  by_rule <- lapply(split(seq_along(lower), rule_for(2 * half / pmin(spread, 1))), function(rows) {
    rule <- legendre_rules[[rule_for(2 * half[rows[1L]] / min(spread[rows[1L]], 1))]]
    data.frame(row = rep(rows, length(rule$nodes)), v = c(outer(half[rows], rule$nodes) + (lower + upper)[rows] / 2),
      weight = c(outer(half[rows], rule$weights)))
  })
  do.call(rbind, by_rule)
}

# Left of the observation the integrand is F^2, right of it (1 - F)^2; between the bulk and an observation outside it, 1.
continuous_crps <- function(mixture, observed) {
  scale <- response_scale(mixture)
  bulk <- response_bulk(mixture)
  inside <- pmin(pmax(observed, bulk$lower), bulk$upper)
  ends <- integration_ends(mixture, bulk$lower, inside, bulk$upper)
  integral <- function(lower, upper, integrand) {
    points <- integration_points(lower, upper, scaled_spread(mixture))
    at <- take_mixture(mixture, points$row)
    probability <- mixture_distribution(scale$response(points$v, at), at)
    sum_by_row(points$row, points$weight * integrand(probability) * scale$slope(points$v, at), mixture$n)
  }
  abs(observed - inside) + integral(ends$lower, ends$middle, function(p) p^2) +
    integral(ends$middle, ends$upper, function(p) (1 - p)^2)
}

# On the scale of integration, cut 35 units from the centre where the slope of the scale has left nothing by then.
integration_ends <- function(mixture, lower, middle, upper) {
  name <- mixture_rule(mixture)$scale
  centre <- scaled_centre(mixture)
  least <- if (name == "identity") -Inf else centre - 35
  most <- if (name == "logit") centre + 35 else Inf
  lapply(list(lower = lower, middle = middle, upper = upper), function(x) {
    pmin(pmax(response_scale(mixture)$inverse(x, mixture), least), most)
  })
}

sum_by_row <- function(row, x, n) {
  total <- double(n)
  sums <- rowsum(x, row)
  total[as.integer(rownames(sums))] <- sums
  total
}

# ---- counts -----------------------------------------------------------------------------------------------------------------------

# The sum of F(x)^2 over x below the observation and of (1 - F(x))^2 from it on.
count_crps <- function(mixture, observed) {
  bulk <- response_bulk(mixture)
  total <- function(first, last, term) {
    points <- summation_points(mixture, first, last)
    probability <- mixture_distribution(points$x, take_mixture(mixture, points$row))
    sum_by_row(points$row, points$weight * term(probability), mixture$n)
  }
  below <- total(bulk$lower, pmin(observed - 1, bulk$upper), function(p) p^2) + pmax(observed - 1 - bulk$upper, 0)
  below + total(pmax(observed, bulk$lower), bulk$upper, function(p) (1 - p)^2) + pmax(bulk$lower - observed, 0)
}

# Points x with weights for the sums over whole numbers first, ..., last of each row. One by one near the ends of the support, where P has
# corners, and where there are few; else the sum is that of an integral over the broken line through the whole numbers,
#   g(first) + ... + g(last) = (g(first) + g(last)) / 2 + integral of the line from first to last.
summation_points <- function(mixture, first, last, corner = 100) {
  end <- if (mixture_rule(mixture)$scale == "logit") mixture$trials else Inf
  from <- pmax(first, pmin(last + 1, corner))
  to <- pmax(pmin(last, end - corner), from - 1)
  few <- to - from < 200
  from[few] <- (last + 1)[few]
  to[few] <- last[few]
  singles <- list(whole_numbers(first, from - 1), whole_numbers(to + 1, last), line_points(mixture, from, to, which(!few)))
  do.call(rbind, singles)
}

# Each of first, ..., last with weight 1; none where last is less than first.
whole_numbers <- function(first, last) {
  count <- pmax(last - first + 1, 0)
  row <- rep(seq_along(first), count)
  data.frame(row = row, x = first[row] + sequence(count) - 1, weight = rep(1, length(row)))
}

line_points <- function(mixture, first, last, rows) {
  if (!length(rows)) return(NULL)
  part <- take_mixture(mixture, rows)
  scale <- response_scale(mixture)
  first <- first[rows]
  last <- last[rows]
  points <- integration_points(scale$inverse(first, part), scale$inverse(last, part), scaled_spread(part))
  at <- take_mixture(part, points$row)
  x <- pmin(pmax(scale$response(points$v, at), first[points$row]), last[points$row])
  weight <- points$weight * scale$slope(points$v, at)
  share <- x - floor(x)
  data.frame(row = rows[c(points$row, points$row, seq_along(rows), seq_along(rows))],
    x = c(floor(x), floor(x) + 1, first, last), weight = c(weight * (1 - share), weight * share, rep(0.5, 2L * length(rows))))
}
