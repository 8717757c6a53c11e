# Deep Gaussian processes by dense matrices, straight from the formulas, one component and one unit
# at a time.

# A state whose numbers are all in general position.
deep_state <- function(layers = 2L, dim = 3L, width = 2L, inducing = 5L, sites = 3L, rule = "free",
                       skip = "none", covariance = "diagonal", outputs = 1L,
                       family = list(name = "gaussian", parameters = double(0)), samples = 3L,
                       key = 7) {
  set.seed(key)
  x <- matrix(rnorm(40 * dim), 40L)
  y <- matrix(rnorm(40 * outputs), 40L)
  settings <- utils::modifyList(neargp:::deep_defaults(),
    list(layers = layers, width = width, inducing = inducing, sites = sites,
      rule = rule, skip = skip, covariance = covariance, family = family, samples = samples))
  state <- neargp:::deep_start(x, y, settings, key)
  state$layers <- lapply(state$layers, function(layer) {
    layer$units <- lapply(layer$units, function(unit) {
      m <- length(unit$mean)
      unit$positions[] <- rnorm(length(unit$positions))
      unit$mean <- rnorm(m)
      if (is.null(unit$factor)) unit$sd <- exp(rnorm(m, -0.5, 0.5))
      else unit$factor <- diag(exp(rnorm(m, -0.5, 0.5))) + lower.tri(diag(m)) * rnorm(m^2, sd = 0.3)
      unit$variance <- exp(rnorm(1, 0, 0.3))
      unit$range <- exp(rnorm(length(unit$range), 0, 0.3))
      unit$weights <- rnorm(length(unit$weights))
      unit$constant <- rnorm(1)
      unit
    })
    layer
  })
  if (rule == "free" || rule == "grid") {
    state$sites <- lapply(state$sites, function(s) s + rnorm(length(s), sd = 0.2))
  }
  if (rule %in% c("free", "grid", "symmetric")) {
    weights <- rnorm(length(state$log_weights))
    state$log_weights <- weights - log(sum(exp(weights)))
  }
  if (outputs > 1L) {
    state$mixing <- state$mixing + rnorm(outputs^2, sd = 0.3)
    state$noise <- exp(rnorm(outputs))
  }
  state
}

dense_kernel <- function(a, b, unit, kernel) {
  dense_covariance(a, b,
    list(components = list(list(family = kernel$family, variance = unit$variance,
      range = unit$range, group = seq_along(unit$range), shape = kernel$shape))))
}

# Mean and variance of one unit, with u = L v un-whitened.
dense_unit <- function(unit, kernel_inputs, mean_inputs, state) {
  prior <- dense_kernel(unit$positions, unit$positions, unit, state$kernel)
  diag(prior) <- unit$variance * (1 + state$jitter)
  lower <- t(chol(prior))
  S <- if (is.null(unit$factor)) diag(unit$sd^2) else tcrossprod(unit$factor)
  cross <- dense_kernel(unit$positions, kernel_inputs, unit, state$kernel)
  b <- solve(prior, cross)
  list(mean = drop(crossprod(b, lower %*% unit$mean)) + unit$constant +
    if (length(unit$weights)) drop(mean_inputs %*% unit$weights) else 0,
    variance = unit$variance - colSums(cross * b) + colSums(b * (lower %*% S %*% t(lower) %*% b)),
    divergence = {
      covariance <- lower %*% S %*% t(lower)
      mean <- lower %*% unit$mean
      0.5 * (sum(diag(solve(prior, covariance))) + sum(mean * solve(prior, mean)) - nrow(prior) +
        as.numeric(determinant(prior)$modulus) - as.numeric(determinant(covariance)$modulus))
    })
}

# The sites of each component in each hidden layer: components x units.
dense_sites <- function(state) {
  if (state$rule == "free") return(state$sites)
  widths <- vapply(state$sites, ncol, 0L)
  digits <- as.matrix(rev(expand.grid(rep(list(seq_len(nrow(state$sites[[1L]]))), sum(widths)))))
  ends <- cumsum(widths)
  lapply(seq_along(widths), function(l) {
    of_layer <- digits[, ends[l] - widths[l] + seq_len(widths[l]), drop = FALSE]
    vapply(seq_len(widths[l]), function(w) state$sites[[l]][of_layer[, w], w], double(nrow(digits)))
  })
}

# Moments of the last layer's units in each component: lists of components with n x units matrices.
dense_components <- function(state, x) {
  sites <- if (length(state$layers) > 1L) dense_sites(state)
  lapply(seq_along(state$log_weights), function(s) {
    hidden <- NULL
    for (l in seq_along(state$layers)) {
      layer <- state$layers[[l]]
      inputs <- function(which) cbind(if ("h" %in% which) hidden, if ("x" %in% which) x)
      found <- lapply(layer$units, dense_unit, inputs(layer$kernel_inputs),
        inputs(layer$mean_inputs), state)
      mean <- vapply(found, `[[`, double(nrow(x)), "mean")
      variance <- vapply(found, `[[`, double(nrow(x)), "variance")
      if (l < length(state$layers)) hidden <- mean + sweep(sqrt(variance), 2L, sites[[l]][s, ], "*")
    }
    list(mean = mean, variance = variance)
  })
}

dense_divergence <- function(state, x) {
  sum(vapply(state$layers, function(layer) sum(vapply(layer$units, function(unit) {
    dense_unit(unit, unit$positions, matrix(0, nrow(unit$positions), length(unit$weights)),
      state)$divergence
  }, 0)), 0))
}

# log p of each row in each component; `known`: a number that is added to each row's means, of
# several responses a matrix.
dense_log_densities <- function(state, x, y, known = 0, weights = rep(1, nrow(x))) {
  y <- as.matrix(y) - known
  vapply(dense_components(state, x), function(at) {
    if (is.null(state$mixing)) {
      return(dnorm(y[, 1L], at$mean, sqrt(at$variance + state$noise / weights), log = TRUE))
    }
    vapply(seq_len(nrow(y)), function(i) {
      seen <- !is.na(y[i, ])
      A <- state$mixing[, seen, drop = FALSE]
      C <- crossprod(A, at$variance[i, ] * A) + diag(state$noise[seen] / weights[i], sum(seen))
      e <- y[i, seen] - drop(at$mean[i, ] %*% A)
      -0.5 * (length(e) * log(2 * pi) + as.numeric(determinant(C)$modulus) + sum(e * solve(C, e)))
    }, 0)
  }, double(nrow(y)))
}

dense_mixture <- function(state, x, y, beta, rows = nrow(x), ...) {
  densities <- sweep(dense_log_densities(state, x, y, ...), 2L, state$log_weights, "+")
  mean(log(rowSums(exp(densities)))) - beta / rows * dense_divergence(state, x)
}

# ---- derivatives by differences ------------------------------------------------------------------

# Where in a state its learned numbers are, as paths of `[[`, with the scale on which a gradient has
# them.
deep_parameters <- function(state) {
  of_unit <- function(l, u) {
    unit <- state$layers[[l]]$units[[u]]
    at <- list("layers", l, "units", u)
    names <- c("positions", "mean", if (is.null(unit$factor)) "sd" else "factor", "variance",
      "range", if (length(unit$weights)) "weights", "constant")
    lapply(names, function(name) c(at, name))
  }
  paths <- unlist(lapply(seq_along(state$layers), function(l) {
    unlist(lapply(seq_along(state$layers[[l]]$units), function(u) of_unit(l, u)), recursive = FALSE)
  }), recursive = FALSE)
  if (state$rule %in% c("free", "grid", "symmetric")) {
    paths <- c(paths, lapply(seq_along(state$sites), function(l) list("sites", l)),
      list(list("log_weights")))
  }
  c(paths, if (length(state$noise)) list(list("noise")),
    if (length(state$family$parameters)) list(list("family", "parameters")),
    if (!is.null(state$mixing)) list(list("mixing")),
    if (!is.null(state$trend)) list(list("trend")),
    if (!is.null(state$network)) list(list("network", "weights")))
}

deep_get <- function(state, path) Reduce(`[[`, path, state)

deep_set <- function(state, path, value) {
  if (length(path) == 1L) {
    state[[path[[1L]]]] <- value
  } else {
    state[[path[[1L]]]] <- deep_set(state[[path[[1L]]]], path[-1L], value)
  }
  state
}

# One entry moved, on the gradient's scale.
deep_moved <- function(state, path, entry, by) {
  value <- deep_get(state, path)
  name <- path[[length(path)]]
  diagonal <- identical(name, "factor") && entry %in% which(diag(nrow(value)) == 1)
  logarithmic <- diagonal || name %in% c("sd", "variance", "range", "noise", "parameters")
  if (logarithmic) value[entry] <- value[entry] * exp(by) else value[entry] <- value[entry] + by
  if (identical(name, "log_weights")) value <- value - log(sum(exp(value)))
  if (identical(path[[1L]], "sites") && state$rule == "symmetric") {
    mirrored <- cbind(nrow(value) + 1L - row(value)[entry], col(value)[entry])
    value[mirrored] <- value[mirrored] - by
  }
  deep_set(state, path, value)
}

# Checks all entries of the gradient against central differences of fourth order.
expect_deep_gradient <- function(state, x, y, settings, tolerance = 1e-6) {
  value <- function(at) neargp:::core_deep_objective(at, x, y, settings, plain_context())$value
  gradient <- neargp:::core_deep_objective(state, x, y, settings, plain_context())$gradient
  h <- 1e-3
  for (path in deep_parameters(state)) {
    found <- deep_get(gradient, path)
    entries <- if (identical(path[[length(path)]], "factor"))
      which(lower.tri(found, diag = TRUE)) else seq_along(found)
    differences <- vapply(entries, function(entry) {
      at <- function(by) value(deep_moved(state, path, entry, by))
      (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    }, 0)
    testthat::expect_lt(max(abs(found[entries] - differences)),
      tolerance * max(1e-2, abs(differences)),
      label = paste(c("error of", unlist(path)), collapse = " "))
  }
}

score_settings <- function(beta = 0.3, ...) list(score = "mixture", beta = beta, rows = 0, ...)

deep_data <- function(n = 30L, dim = 3L, outputs = 1L) {
  set.seed(11)
  list(x = matrix(rnorm(n * dim), n), y = matrix(rnorm(n * outputs), n))
}

objective_value <- function(state, data, settings = score_settings(), threads = 1L) {
  core_deep_objective(state, data$x, data$y, settings, plain_context(threads))$value
}
