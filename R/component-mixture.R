# Responses whose linear predictor is a mixture of normals, with weights w_s and components eta_s ~
# N(mean_s, sd_s^2). The response's distribution is the mixture of the distributions of
# response-mixture.R for each component. The object is a mixture of response-mixture.R with `eta`, a
# mixture of normal-mixture.R with the same rows. Its `mean` and `sd` are those of the whole linear
# predictor.

new_component_mixture <- function(eta, name, parameters, trials = 1, weights = NULL) {
  mixture <- named_mixture(name, predictive_mean(eta), sqrt(predictive_variance(eta)),
    parameters, trials, weights)
  mixture$eta <- eta
  class(mixture) <- c("neargp_component_mixture", class(mixture))
  mixture
}

# The mixture of distributions of one component each and of the same family. `own`, by name, are the
# parameters of each component, matrices of rows x components. Their means stand for them where one
# number is needed, as for the response's mean given the field.
#' @export
mixture_of.neargp_response_mixture <- function(distributions, log_weights) {
  first <- distributions[[1L]]
  columns <- function(values) do.call(cbind, lapply(values, rep_len, first$n))
  of_all <- function(field) columns(lapply(distributions, `[[`, field))
  eta <- new_normal_mixture(of_all("mean"), of_all("sd"), log_weights)
  own <- lapply(stats::setNames(nm = names(first$parameters)), function(name) {
    columns(lapply(distributions, function(one) one$parameters[[name]]))
  })
  first[c("mean", "sd")] <- list(predictive_mean(eta), predictive_sd(eta))
  first[c("eta", "own")] <- list(eta, own)
  first$parameters <- lapply(own, mixture_sums, log_weights)
  class(first) <- c("neargp_component_mixture", class(first))
  first
}

#' @export
`[.neargp_component_mixture` <- function(x, i) {
  eta <- x$eta[i]
  own <- lapply(x$own, function(values) values[i, , drop = FALSE])
  x <- NextMethod()
  x$eta <- eta
  x["own"] <- list(if (length(own)) own)
  x
}

has_components <- function(mixture) inherits(mixture, "neargp_component_mixture")

# A mixture as of one component, whose mean and sd are then set.
without_components <- function(mixture) {
  mixture[c("eta", "own")] <- list(NULL)
  class(mixture) <- setdiff(class(mixture), "neargp_component_mixture")
  mixture
}

# All rows in the first component, then in the second ...: a mixture as of one component, which
# further `rows` may be taken of.
stacked_components <- function(mixture) {
  eta <- mixture$eta
  count <- ncol(eta$mean)
  stacked <- without_components(mixture)[rep(seq_len(mixture$n), count)]
  stacked[c("mean", "sd")] <- list(as.vector(eta$mean), as.vector(eta$sd))
  if (length(mixture$own)) stacked$parameters <- lapply(mixture$own, as.vector)
  stacked
}

# Values of the stacked components as a matrix of rows x components.
by_component <- function(mixture, values) matrix(values, mixture$n)

#' @export
mixture_rule.neargp_component_mixture <- function(mixture) {
  rule <- component_rule(mixture_family(mixture)$mixture)
  # closed forms are of parameters that all components share
  if (length(mixture$own)) rule["crps"] <- list(NULL)
  rule
}

component_rule <- function(rule) {
  weighted <- function(mixture, values) {
    mixture_sums(by_component(mixture, values), mixture$eta$log_weights)
  }
  all_rows <- function(mixture, x) rep(x, ncol(mixture$eta$mean))
  list(scale = rule$scale, crps = rule$components_crps,
    mean = function(mixture) weighted(mixture, rule$mean(stacked_components(mixture))),
    variance = function(mixture) {
      parts <- stacked_components(mixture)
      means <- by_component(mixture, rule$mean(parts))
      between <- means - mixture_sums(means, mixture$eta$log_weights)
      weighted(mixture, rule$variance(parts) + as.vector(between)^2)
    },
    distribution = function(mixture, q) weighted(mixture,
      rule$distribution(stacked_components(mixture), all_rows(mixture, q))),
    log_density = function(mixture, y) {
      terms <- by_component(mixture, rule$log_density(stacked_components(mixture),
        all_rows(mixture, y)))
      log_mixture_sums(terms, mixture$eta$log_weights)
    })
}

# The narrowest spread of a component, the scale of details.
narrowest_spread <- function(mixture) {
  smallest_of_rows(by_component(mixture, response_spread(stacked_components(mixture))))
}

# The outermost of the components' central ranges.
outer_range <- function(mixture) {
  range <- central_range(stacked_components(mixture))
  list(lower = smallest_of_rows(by_component(mixture, range$lower)),
    upper = largest_of_rows(by_component(mixture, range$upper)))
}

# Spreads that a panel of an integral is long.
panel_spreads <- 24

# Equal parts of lower, ..., upper that are no longer than `longest`, and their rows.
panels_of <- function(lower, upper, longest) {
  count <- pmax(1, ceiling((upper - lower) / longest))
  row <- rep(seq_along(count), count)
  panel <- sequence(count) - 1
  width <- ((upper - lower) / count)[row]
  list(row = row, lower = lower[row] + panel * width, upper = lower[row] + (panel + 1) * width)
}

# Points of `points_of`, a function of panels, with the row of each in the place of its panel.
in_panels <- function(lower, upper, longest, points_of) {
  panels <- panels_of(lower, upper, longest)
  points <- points_of(panels)
  points$row <- panels$row[points$row]
  points
}

# Quadrature from `lower` to `upper` in panels of the narrowest spreads, each as for one component.
panel_points <- function(mixture, lower, upper) {
  longest <- panel_spreads * pmin(narrowest_spread(mixture),
    if (mixture_rule(mixture)$scale == "log") Inf else 1)
  in_panels(lower, upper, longest, function(panels) {
    single <- mixture[panels$row]
    single$sd <- narrowest_spread(single)
    integration_points(without_components(single), panels$lower, panels$upper)
  })
}

# The squares of count_crps(), one by one: P is found at each number by itself.
component_squares <- function(mixture, observed, first, last) {
  count <- pmax(last - first + 1, 0)
  row <- rep(seq_along(count), count)
  if (!length(row)) return(double(mixture$n))
  y <- first[row] + sequence(count) - 1
  beyond <- y >= observed[row]
  sums_by_group((predictive_cdf(y, mixture[row]) - beyond)^2, row, mixture$n)
}

# Student's t is a mixture of normals itself, so that the components together are one.
student_components_crps <- function(mixture, observed) {
  nodes <- student_nodes(mixture$parameters$df[1L])
  count <- ncol(mixture$eta$mean)
  each <- length(nodes$precision)
  component <- rep(seq_len(count), each = each)
  noise <- outer(rep_len(mixture$parameters$scale^2, mixture$n), 1 / nodes$precision)
  normals <- new_normal_mixture(mixture$eta$mean[, component, drop = FALSE],
    sqrt(mixture$eta$sd[, component, drop = FALSE]^2 +
      noise[, rep(seq_len(each), count), drop = FALSE]),
    log_products(mixture$eta$log_weights, log(nodes$weights)))
  predictive_crps(observed, normals)
}

# Log weights of the pairs of a component and a node, the nodes of a component together.
log_products <- function(log_weights, log_nodes) {
  each <- length(log_nodes)
  if (!is.matrix(log_weights)) return(rep(log_weights, each = each) + log_nodes)
  component <- rep(seq_len(ncol(log_weights)), each = each)
  sweep(log_weights[, component, drop = FALSE], 2L, rep_len(log_nodes, length(component)), "+")
}

# ---- draws ---------------------------------------------------------------------------------------

#' @export
predictive_draws.neargp_component_mixture <- function(nsim, distribution) {
  eta <- distribution$eta
  component <- matrix(drawn_components(distribution$n, nsim, eta$log_weights), distribution$n)
  draw_once <- function(s) {
    at <- cbind(seq_len(distribution$n), component[, s])
    parameters <- if (length(distribution$own)) lapply(distribution$own, `[`, at) else
      distribution$parameters
    draws_given_predictor(matrix(stats::rnorm(distribution$n, eta$mean[at], eta$sd[at])),
      mixture_family(distribution), parameters, distribution$trials)
  }
  matrix(vapply(seq_len(nsim), draw_once, double(distribution$n)), distribution$n)
}
