# Where the training of a deep Gaussian process begins. Hidden units are random projections of the
# rows with standard deviation 1. Ranges begin at sqrt(inputs) times that unit, about the distance
# of two rows. If sites spread much more or much less than the next layer's ranges, the first epochs
# are lost. Inducing points are centres of clusters of the rows, or of their hidden values. The
# distributions at them begin at the prior. All of it is a function of the key alone, and leaves R's
# random numbers alone.

# `settings`: as of deep_fit().
deep_start <- function(x, y, settings, key) {
  inputs <- deep_inputs(settings)
  hidden <- NULL
  layers <- vector("list", settings$layers)
  for (l in seq_len(settings$layers)) {
    last <- l == settings$layers
    width <- if (!last) settings$width else ncol(as.matrix(y))
    of <- function(which) cbind(if ("h" %in% which) hidden, if ("x" %in% which) x)
    units <- start_units(of(inputs$kernel[[l]]), of(inputs$mean[[l]]), width, settings,
      key + 100 * l)
    layers[[l]] <- list(units = units, mean_inputs = inputs$mean[[l]],
      kernel_inputs = inputs$kernel[[l]])
    if (!last) hidden <- hidden_means(units, of(inputs$mean[[l]]))
  }
  c(list(layers = layers), start_sites(settings, key), start_response(y, settings),
    list(kernel = settings$kernel, jitter = 1e-6))
}

# The inputs of the mean and of the kernel of each layer. The layers between the first and the last
# are the paper's four topologies.
deep_inputs <- function(settings) {
  both <- c("h", "x")
  between <- switch(settings$skip, none = list("h", "h"), inputs = list("x", "h"),
    mean = list(both, "h"), both = list(both, both))
  layers <- settings$layers
  middle <- max(layers - 2L, 0L)
  if (layers == 1L) return(list(mean = list(character(0)), kernel = list("x")))
  list(mean = c("x", rep(between[1L], middle), list(character(0))),
    kernel = c("x", rep(between[2L], middle), "h"))
}

start_units <- function(kernel_inputs, mean_inputs, width, settings, key) {
  columns <- ncol(kernel_inputs)
  range <- rep(sqrt(columns) * unit_range(settings$kernel), columns)
  positions <- start_clusters(kernel_inputs, settings$inducing)
  m <- nrow(positions)
  weights <- projections(mean_inputs, width, key)
  lapply(seq_len(width), function(w) {
    spread <- if (settings$covariance == "full") list(factor = diag(m)) else list(sd = rep(1, m))
    c(list(positions = positions, mean = double(m)), spread,
      list(variance = 1, range = range, weights = weights[, w], constant = 0))
  })
}

# The range at which a kernel falls as a squared exponential exp(-distance^2 / 2) does near 0 (of
# the exponential one, its own unit).
unit_range <- function(kernel) {
  switch(kernel$family, gaussian = sqrt(2), exponential = 1, matern = 1 / sqrt(2 * kernel$shape))
}

start_clusters <- function(rows, inducing) {
  component <- list(family = "gaussian", variance = 1, range = 1, group = rep(1L, ncol(rows)),
    anisotropy = double(0), shape = double(0))
  places <- distinct_locations(rows)
  if (nrow(places) <= inducing) return(unname(places))
  unname(chosen_positions("kmeans", rows, places, inducing, component, plain_context()))
}

# Weights of `width` projections of the rows, each with a standard deviation of 1.
projections <- function(rows, width, key) {
  if (is.null(rows)) return(matrix(0, 0L, width))
  weights <- matrix(spread_normals(ncol(rows) * width, key), ncol(rows))
  spread <- apply(rows %*% weights, 2L, stats::sd)
  sweep(weights, 2L, ifelse(spread > 0, spread, 1), "/")
}

hidden_means <- function(units, rows) {
  vapply(units, function(unit) drop(rows %*% unit$weights) + unit$constant, double(nrow(rows)))
}

# Quantiles of the normal distribution in a random order, an even number of them so that none is 0.
spread_normals <- function(count, key) {
  spread_quantiles(2L * ceiling(count / 2), key)[seq_len(count)]
}

spread_quantiles <- function(count, key) {
  stats::qnorm((core_order(matrix(0, count, 1L), "random", key, plain_context()) - 0.5) / count)
}

start_sites <- function(settings, key) {
  hidden <- settings$layers - 1L
  if (hidden == 0L) return(list(rule = "free", sites = list(), log_weights = 0))
  if (settings$rule == "random") {
    return(list(rule = "random", sites = list(), samples = settings$samples, seed = key,
      log_weights = equal_weights(settings$samples)))
  }
  if (settings$rule != "free") return(start_grid(settings, hidden))
  of_layer <- function(l) {
    unlist(lapply(seq_len(settings$width), function(w) spread_quantiles(settings$sites,
      key + 1000 * l + w)))
  }
  sites <- lapply(seq_len(hidden), function(l) matrix(of_layer(l), settings$sites))
  list(rule = "free", sites = sites, log_weights = equal_weights(settings$sites))
}

equal_weights <- function(components) rep(-log(components), components)

# Sites and weights of the rule of Gauss and Hermite for the normal distribution, in all
# combinations of the units.
start_grid <- function(settings, hidden) {
  rule <- normal_quadrature(settings$sites)
  sites <- matrix(rule$nodes, settings$sites, settings$width)
  weights <- Reduce(function(inner, unused) as.vector(outer(log(rule$weights), inner, "+")),
    seq_len(hidden * settings$width), 0)
  list(rule = settings$rule, sites = rep(list(sites), hidden), log_weights = weights)
}

# For the standard normal density, symmetric to the last bit.
normal_quadrature <- function(count) {
  rule <- gauss_rule(sqrt(seq_len(count - 1L)))
  list(nodes = (rule$nodes - rev(rule$nodes)) / 2, weights = (rule$weights + rev(rule$weights)) / 2)
}

# ---- the response --------------------------------------------------------------------------------

# A tenth of the variance as noise: it falls faster than it rises. All training rows may contain the
# same response.
start_response <- function(y, settings) {
  outputs <- ncol(as.matrix(y))
  family <- settings$family
  gaussian <- family$name == "gaussian"
  list(family = list(name = family$name,
    parameters = if (gaussian) double(0) else family$parameters),
    noise = if (gaussian) start_noise(as.matrix(y), settings$noise_floor) else double(0),
    mixing = if (outputs > 1L) diag(outputs), trend = if (!is.null(settings$design)) matrix(0,
      ncol(settings$design), outputs))
}

start_noise <- function(y, least) {
  found <- unname(0.1 * apply(y, 2L, stats::var, na.rm = TRUE))
  ifelse(is.na(found), 0.1, pmax(found, least))
}
