# The response of a deep Gaussian process in the form of its training. The part that a generalised
# linear model can explain is taken out, so that all that is learned begins at 0.
#
#   Gaussian:       y = offset + center + scale * (eta + noise). Response minus offset determines
#                   center and scale.
#   `student_t()`:  y = known + scale * (eta + noise). `known` is the offset and a rough trend, and
#                   scale is the scatter about it.
#   Other families: y given the linear predictor known + eta.
#
# In all of these eta is the last layer's process plus design * trend. The design contains the
# trend's columns except the constant, which the process includes.

# Training takes coords, the matrix y (a column for each output), `family` as of deep_fit(), and
# optionally trials, weights, offset and design. The other elements lead back to the response. These
# are `known` and `basis`, see deep_location(), `center`, `scale`, `unit` and `weight`.
deep_response <- function(method, problem) {
  UseMethod("deep_response")
}

#' @export
deep_response.neargp_deep_outputs <- function(method, problem) outputs_deep_response(problem$data)

#' @export
deep_response.neargp_deep <- function(method, problem) {
  data <- problem$data
  y <- response_columns(data)[, 1L]
  center <- mean(y)
  scale <- stats::sd(y)
  weight <- mean(data$weights)
  list(coords = data$coords, y = as.matrix((y - center) / scale), weights = data$weights / weight,
    design = trend_design(data$basis, data$X),
    family = list(name = "gaussian", parameters = double(0)), known = double(ncol(data$X)),
    basis = data$basis, constant_column = constant_in_basis(data), center = center, scale = scale,
    unit = data$basis$unit %||% 1, weight = weight)
}

# Columns of the trend but the constant, of mean 0 and size 1 at the rows of the fit.
trend_design <- function(basis, X) {
  if (ncol(X) < 2L) return(NULL)
  basis_columns(basis, X)[, -basis$constant, drop = FALSE]
}

# `known`: coefficients of a rough trend. A scale is that of the response where the link is the
# identity.
#' @export
deep_response.neargp_deep_families <- function(method, problem) {
  data <- problem$data
  entry <- response_family(problem$family)
  core <- core_data(data)
  rough <- rough_glm(core, problem$family)$eta
  known <- unname(qr.coef(qr(core$X), rough - data$offset))
  scaled <- entry$link == "identity"
  scale <- if (scaled) robust_scale(data$y - rough, data$weights / mean(data$weights)) else 1
  parameters <- family_numbers(problem, scale)
  observed <- core_observations(data)
  if (scaled) observed <- lapply(Filter(length, observed), function(y) (y - rough) / scale)
  list(coords = data$coords, y = as.matrix(observed$y),
    weights = if (any(data$weights != 1)) data$weights,
    trials = observed$trials, measured = if (!is.null(data$limits)) sum(data$limits[, 1L] ==
      data$limits[, 2L]), offset = if (!scaled) rough, design = trend_design(data$basis, data$X),
    family = c(list(name = family_core_name(problem$family)), parameters), known = known,
    basis = data$basis, constant_column = constant_in_basis(data), center = 0, scale = scale,
    unit = 1, weight = 1)
}

constant_in_basis <- function(data) {
  basis_columns(data$basis, data$X[1L, , drop = FALSE])[, data$basis$constant]
}

# Starting values of the family's parameters and their bounds, which agree where one is fixed; the
# response divided by `scale`.
family_numbers <- function(problem, scale) {
  rows <- problem$layout$kind == "family"
  unit <- unname(ifelse(problem$layout$name[rows] %in% c("scale", "sd"), scale, 1))
  fixed <- problem$layout$fixed[rows]
  start <- unname(exp(problem$start[rows])) / unit
  bound <- function(side) ifelse(fixed, start, exp(problem$bounds[[side]][rows]) / unit)
  list(parameters = start, least = bound("lower"), most = bound("upper"))
}

# Coefficients in the columns of the problem's basis, given those in the columns of the response's.
trend_of_columns <- function(response, columns, problem) {
  if (!has_outputs(problem)) return(drop(columns))
  solve(problem$data$basis$back, as.vector(response$basis$back %*% columns))
}

outputs_deep_response <- function(data) {
  first <- first_of_places(data)
  y <- output_matrix(data, response_columns(data)[, 1L])[data$place[first], , drop = FALSE]
  center <- unname(colMeans(y, na.rm = TRUE))
  scale <- unname(apply(y, 2L, stats::sd, na.rm = TRUE))
  X <- design_of_places(data)
  basis <- trend_basis(X)
  weight <- mean(data$weights[first])
  list(coords = data$coords[first, , drop = FALSE],
    y = unname(sweep(sweep(y, 2L, center), 2L, scale, "/")), weights = data$weights[first] / weight,
    design = trend_design(basis, X), family = list(name = "gaussian", parameters = double(0)),
    known = matrix(0, ncol(X), length(scale)),
    basis = basis, constant_column = constant_in_basis(list(basis = basis, X = X)), center = center,
    scale = scale, unit = 1, weight = weight)
}

# ---- back ----------------------------------------------------------------------------------------

# The term that is added to the process, without its constant. `coefficients`: of the trend in the
# columns of the basis (design_columns()), a column for each output, in the unit of the linear
# predictor.
deep_location <- function(response, state) {
  trend <- matrix(0, NROW(response$known), ncol(response$y))
  others <- setdiff(seq_len(nrow(trend)), response$basis$constant)
  if (length(others)) trend[others, ] <- sweep(state$trend, 2L, response$scale, "*")
  list(coefficients = response$unit * (response$known + trend),
    basis = response$basis[c("constant", "center", "rotation")],
    center = response$unit * response$center, scale = response$unit * response$scale)
}

# Known means of rows: base_mean() and the location. A matrix with a column for each output.
location_of_rows <- function(location, base, X) {
  known <- base + rep(location$center, each = nrow(X))
  if (all(location$coefficients == 0)) return(matrix(known, nrow(X)))
  matrix(known, nrow(X)) + row_products(basis_columns(location$basis, X), location$coefficients)
}

# The trend's coefficients in the columns of the basis, those of the constant with the process's
# own.
deep_trend <- function(response, state) {
  location <- deep_location(response, state)
  columns <- location$coefficients / response$unit
  constant <- response$basis$constant
  columns[constant, ] <- columns[constant, ] +
    (response$center + response$scale * constants_of_outputs(state)) / response$constant_column
  columns
}

# Constants of the last layer's units, mixed to outputs.
constants_of_outputs <- function(state) {
  constants <- vapply(state$layers[[length(state$layers)]]$units, function(unit) unit$constant, 0)
  if (is.null(state$mixing)) constants else drop(crossprod(state$mixing, constants))
}
