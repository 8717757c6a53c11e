# Quantiles of the response: the smallest y with P(Y <= y) >= p. On the scale of mixture-scales.R
# the normal score of P(Y <= y) is nearly a straight line. The search is therefore regula falsi in
# the Illinois version, with a step of bisection now and then. For counts it steps through whole
# numbers.

#' @export
predictive_quantile.neargp_response_mixture <- function(p, distribution) {
  value <- over_rows(distribution, p, function(part, p) {
    closed_form <- mixture_rule(part)$quantile
    if (is.null(closed_form)) search_quantile(part, p) else closed_form(part, p)
  })
  saturate(value, distribution, "quantile")
}

search_quantile <- function(mixture, p, steps = 500L) {
  discrete <- mixture_family(mixture)$discrete
  state <- start_search(mixture, p, discrete)
  active <- seq_len(mixture$n)
  value <- rep(NA_real_, mixture$n)
  if (has_atom(mixture_family(mixture))) {
    zero <- normal_score(predictive_cdf(0, mixture), p) >= 0
    value[zero] <- 0
    active <- active[!zero]
    state <- take_search(state, !zero)
    if (!length(active)) return(value)
  }
  for (step in seq_len(steps)) {
    part <- mixture[active]
    at <- next_point(state, part, discrete, step)
    score <- normal_score(predictive_cdf(at$y, part), p[active])
    state <- narrow_bracket(state, at, score)
    limits <- response_scale(mixture)$limits
    beyond <- state$low$v >= limits[2L]
    found <- beyond | if (discrete) counts_found(state) else point_found(state, score, limits)
    value[active[found]] <- if (discrete) state$high$y[found] else at$y[found]
    if (mixture_rule(mixture)$scale == "log") value[active[beyond]] <- Inf
    active <- active[!found]
    if (!length(active)) return(value)
    state <- take_search(state, !found)
  }
  abort_neargp("quantile", sprintf("No quantile was found in %s.", format_rows(active)))
}

take_search <- function(state, rows) {
  lapply(state, function(field) if (is.list(field)) lapply(field, `[`, rows) else field[rows])
}

# Very large counts are found to 13 digits, what their logarithm resolves.
counts_found <- function(state) state$high$y - state$low$y <= pmax(1, 1e-13 * state$low$y)

# Where the spread is next to nothing, to the digits that a number has.
point_found <- function(state, score, limits) {
  least <- pmax(1e-8 * state$spread, 4 * .Machine$double.eps *
    pmin(abs(state$low$v), abs(state$high$v)))
  abs(score) < 1e-8 | state$high$v - state$low$v <= least | state$high$v <= limits[1L] |
    state$low$v >= limits[2L]
}

# Differences of normal quantiles, not negative where P >= p: up to the error of P, so that ties do
# not depend on it.
normal_score <- function(probability, p) {
  score <- stats::qnorm(pmin(pmax(probability, 1e-300), 1 - 1e-16)) - stats::qnorm(p)
  ifelse(probability >= p - 1e-9 * pmin(p, 1 - p), pmax(score, 0), pmin(score, -1e-300))
}

# Each end of the bracket consists of v, y and score. The v of an end that is not known yet is
# infinite. Below whole numbers lies -1, and P is 1 at the number of trials.
start_search <- function(mixture, p, discrete) {
  n <- mixture$n
  spread <- scaled_spread(mixture)
  bounded <- discrete && mixture_rule(mixture)$scale == "logit"
  z <- stats::qnorm(p)
  if (mixture_rule(mixture)$scale == "identity") z <- asinh(z)
  list(spread = spread, start = scaled_center(mixture) + spread * z, last = integer(n),
    low = list(v = rep(-Inf, n), y = rep(if (discrete) -1 else -Inf, n), score = rep(-1, n)),
    high = list(v = rep(Inf, n), y = if (bounded) mixture$trials else rep(Inf, n),
      score = rep(1, n)))
}

# The next point of the search. Between two known ends it follows from their scores, and every
# fourth time it is the middle. With one known end it lies beyond this end, ever farther.
next_point <- function(state, mixture, discrete, step) {
  low <- state$low
  high <- state$high
  share <- if (step %% 4L == 0L) 0.5 else low$score / (low$score - high$score)
  stride <- state$spread * 1.2^step
  v <- low$v + share * (high$v - low$v)
  v <- ifelse(is.infinite(high$v), low$v - pmin(low$score, -0.1) * stride, v)
  v <- ifelse(is.infinite(low$v), high$v - pmax(high$score, 0.1) * stride, v)
  v <- ifelse(is.infinite(low$v) & is.infinite(high$v), state$start, v)
  scale <- response_scale(mixture)
  v <- pmin(pmax(v, scale$limits[1L]), scale$limits[2L])
  if (!discrete) return(list(v = v, y = scale$response(v, mixture)))
  # P(Y <= y) belongs to the point between y and y + 1.
  mixture$trials <- mixture$trials + 1
  y <- pmin(pmax(ceiling(scale$response(v, mixture) - 0.5), low$y + 1), high$y - 1)
  list(v = scale$inverse(y + 0.5, mixture), y = y)
}

# The score of an end that stays for the second time is halved, which draws the next point to its
# side (Illinois).
narrow_bracket <- function(state, at, score) {
  above <- score >= 0
  side <- ifelse(above, 1L, -1L)
  again <- side == state$last
  state$low$score <- ifelse(above & again, state$low$score / 2,
    ifelse(above, state$low$score, score))
  state$high$score <- ifelse(!above & again, state$high$score / 2,
    ifelse(above, score, state$high$score))
  for (field in c("v", "y")) {
    state$low[[field]] <- ifelse(above, state$low[[field]], at[[field]])
    state$high[[field]] <- ifelse(above, at[[field]], state$high[[field]])
  }
  state$last <- side
  state
}
