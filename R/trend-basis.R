# The coordinates in which the core uses response and trend. In those of the user, rounding would
# matter where numbers are large compared with their scatter: a response in kelvin, a year or an
# easting in metres. The constant column is x_0, and c contains the means of the covariates in its
# units. The element of x_0 itself is 0, and c is 0 without a constant. With X - x_0 c' = QR and
# T = sqrt(n) R^-1, the core's columns are
#
#   `Z = (X - x_0 c') T`,    `e = y - offset - Z a`,    `a = Z'(y - offset) / n`.
#
# Z are orthogonal columns of size 1, and e are the residuals of ordinary least squares. If gamma
# are generalised least squares coefficients of e in Z, the trend is Z (a + gamma). Its coefficients
# in the user's columns are B (a + gamma), where B is T less c'T in the row of the constant.
# Responses that are not Gaussian, and their offsets, stay as they are: a = 0.

# The maps of columns to the core's and of coefficients back: `constant` is the number of x_0,
# `center` is c, `rotation` is T, `back` is B and `onward` its inverse. `decomposition` is QR.
trend_basis <- function(X) {
  none <- matrix(0, 0L, 0L)
  if (!ncol(X)) {
    return(list(constant = NA_integer_, center = double(0), rotation = none, back = none,
      onward = none))
  }
  constant <- constant_column(X)
  center <- column_centers(X, constant)
  parts <- qr(centered_columns(X, constant, center), tol = 0)
  triangle <- qr.R(parts) / sqrt(nrow(X))
  rotation <- backsolve(triangle, diag(ncol(X)))
  rotation[parts$pivot, ] <- rotation
  triangle[, parts$pivot] <- triangle
  back <- rotation
  onward <- triangle
  if (!is.na(constant)) {
    back[constant, ] <- back[constant, ] - drop(center %*% rotation)
    onward <- onward + outer(triangle[, constant], center)
  }
  list(constant = constant, center = center, rotation = rotation, back = back, onward = onward,
    decomposition = parts)
}

# Data with their `basis`: these maps, `at`, which is a, and whether the trend by least squares is
# subtracted from the core's response.
with_trend_basis <- function(data, moves_response = TRUE) {
  basis <- trend_basis(data$X)
  at <- double(ncol(data$X))
  if (moves_response && length(at)) {
    at <- qr.qty(basis$decomposition, data$y - data$offset)[seq_along(at)] / sqrt(nrow(data$X))
  }
  kept <- c("constant", "center", "rotation", "back")
  data$basis <- c(basis[kept], list(at = at, moves_response = moves_response))
  data
}

basis_columns <- function(basis, X) {
  row_products(centered_columns(X, basis$constant, basis$center), basis$rotation)
}

# X %*% b, each row summed in the order of its columns. R's own product leaves the order to its
# BLAS. With some of them it depends on where the row stands. A row's prediction would then depend
# on the others in its last digit.
row_products <- function(X, b) {
  b <- unname(as.matrix(b))
  X <- unname(X)
  product <- matrix(0, nrow(X), ncol(b))
  for (column in seq_len(ncol(X))) product <- product + tcrossprod(X[, column], b[column, ])
  product
}

# x'Vx for each row x of X, V symmetric. With many columns the core sums packs of rows, where a pass
# over all rows for each column would read and write as much again.
widest_by_columns <- 32L

row_forms <- function(X, V) {
  if (ncol(X) > widest_by_columns) return(core_row_forms(unname(X), unname(V)))
  rowSums(row_products(X, V) * X)
}

# The first column that is a constant, or NA.
constant_column <- function(X) {
  which(X[1L, ] != 0 & colSums(X != rep(X[1L, ], each = nrow(X))) == 0)[1L]
}

column_centers <- function(X, constant = constant_column(X)) {
  if (is.na(constant)) rep(0, ncol(X)) else replace(colMeans(X) / X[1L, constant], constant, 0)
}

# A linear map, also of rows whose constant is 0, such as those of the process without its trend.
centered_columns <- function(X, constant = constant_column(X),
                             center = column_centers(X, constant)) {
  if (is.na(constant)) X else X - tcrossprod(X[, constant], center)
}

# The user's design in the core's coordinates. Data without a basis are in the user's. Columns of
# effects, after those of the trend, are as they are.
design_columns <- function(data, X = full_design(data)) {
  if (is.null(data$basis) || !ncol(X)) return(X)
  if (!has_effects(data)) return(basis_columns(data$basis, X))
  trend <- seq_len(ncol(data$X))
  cbind(if (length(trend)) basis_columns(data$basis, X[, trend, drop = FALSE]),
    X[, -c(trend, ncol(X) + 1L), drop = FALSE])
}

# Columns of the trend, and then those of random effects and smooths, which are also multiplied by
# coefficients.
full_design <- function(data) {
  if (has_effects(data)) cbind(data$X, data$effects$Z) else data$X
}

# The part that is subtracted from the response of the core: the offset and the trend by ordinary
# least squares. `columns`: the design in the core's coordinates.
base_mean <- function(data, X = full_design(data), offset = data$offset,
                      columns = design_columns(data, X)) {
  if (is.null(data$basis) || !ncol(data$X)) return(offset)
  if (has_effects(data)) columns <- columns[, seq_len(ncol(data$X)), drop = FALSE]
  offset + drop(row_products(columns, data$basis$at))
}

# Response and design in the form of the core, the response in the unit of a fit (response-unit.R).
response_columns <- function(data) {
  columns <- design_columns(data)
  if (is_compressed(data)) columns <- trend_part(data, columns)
  unname(cbind((data$y - base_mean(data)) / (data$basis$unit %||% 1), columns))
}

# The same as data, for code that separates them; `natural` leads back to the user's columns.
core_data <- function(data) {
  basis <- data$basis
  if (is.null(basis)) return(data)
  if (basis$moves_response) {
    data[c("y", "offset")] <- list(data$y - base_mean(data), rep(0, length(data$y)))
  }
  data$X <- structure(trend_part(data, design_columns(data)), dimnames = dimnames(data$X))
  data$natural <- basis[c("back", "constant")]
  data["basis"] <- list(NULL)
  data
}

# The first columns of a full design, which are those of the trend.
trend_part <- function(data, columns) {
  if (has_effects(data)) columns[, seq_len(ncol(data$X)), drop = FALSE] else columns
}

# Covariance matrix of the trend's coefficients in the core's coordinates.
trend_vcov <- function(object) {
  trend <- seq_along(object$beta)
  core_trend(object)$beta_vcov[trend, trend, drop = FALSE]
}

# Linear predictors of the data, from the core's.
with_base <- function(data, linear_predictor) {
  if (isTRUE(data$basis$moves_response)) base_mean(data) + linear_predictor else linear_predictor
}

# Coefficients in the core's coordinates, and their covariance matrix. A fit without them uses those
# of the user's columns.
core_trend <- function(object) object$core_trend %||% object[c("beta", "beta_vcov")]

check_coefficient_size <- function(result, data) {
  variance <- diag(result$beta_vcov)
  check_small_variances(variance, data)
  beyond <- !is.finite(result$beta) | is.infinite(variance) | is.nan(variance)
  if (!any(beyond)) return(invisible())
  abort_neargp("scale",
    c(sprintf("The coefficient of %s, or its variance, is beyond the range of numbers.",
      format_some(colnames(data$X)[beyond])),
      i = "Multiply the covariate, which is far smaller than the response, by a constant."))
}

# The square of a standard error of 1e-200 is 0.
check_small_variances <- function(variance, data) {
  below <- which(variance[seq_len(ncol(data$X))] == 0)
  below <- below[vapply(below, function(j) max(abs(data$X[, j])) > 1e100, NA)]
  if (!length(below)) return(invisible())
  abort_neargp("scale",
    c(sprintf("The variance of the coefficient of %s is below the range of numbers.",
      format_some(colnames(data$X)[below])),
      i = "Divide the covariate, which is far larger than the response, by a constant."))
}

# Whether a covariance matrix is missing, as in with_unknown_trend(). One that overflows is not.
lacks_vcov <- function(vcov) all(is.na(vcov) & !is.nan(vcov))

# The result of an optimiser, with the trend in the user's columns as well.
# `held_vcov`: the covariance matrix for predictions, where it is another (R/separation.R).
with_natural_trend <- function(result, data) {
  if (is.null(data$basis) || !length(result$beta)) return(result)
  back <- data$basis$back
  result$core_trend <- list(beta = result$beta, beta_vcov = result$held_vcov %||% result$beta_vcov)
  if (!is.null(result$trend_spread)) {
    result$core_trend$spread <- result$trend_spread
    result$beta_vcov <- with_spread(result$beta_vcov, result$trend_spread)
  }
  result[c("held_vcov", "trend_spread")] <- NULL
  if (has_effects(data)) {
    trend <- seq_len(ncol(data$X))
    result$beta <- result$beta[trend]
    result$beta_vcov <- result$beta_vcov[trend, trend, drop = FALSE]
  }
  result$beta <- stats::setNames(drop(back %*% (data$basis$at + result$beta)), colnames(data$X))
  if (!lacks_vcov(result$beta_vcov)) result$beta_vcov <- back %*% result$beta_vcov %*% t(back)
  check_coefficient_size(result, data)
  result
}

# `spread`: J C J', NULL for 0.
with_spread <- function(vcov, spread) {
  trend <- seq_len(NROW(spread))
  vcov[trend, trend] <- vcov[trend, trend] + spread
  vcov
}
