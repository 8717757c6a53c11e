# Data with an intercept and a slope that vary, of columns with means and units of their own.
varying_data <- function(n = 60, seed = 5) {
  withr::local_seed(seed)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), height = stats::rnorm(n),
    dose = 20 + 8 * stats::rnorm(n), wet = stats::runif(n) > 0.6)
  data$z <- 2 + sin(4 * data$x) + (0.05 + 0.1 * cos(3 * data$y)) * data$dose +
    stats::rnorm(n, sd = 0.2)
  data
}

varying_fit <- function(covariance, method, data = varying_data(), formula = z ~ dose, ...) {
  local_fit(covariance, method, data, formula, ...)
}

# The covariance matrices of two components, by their parameters as coef() returns them. The first
# is Matérn 3/2. The second is exponential, before it is multiplied by the column.
dense_parts <- function(fit, a, b) {
  estimate <- stats::coef(fit, what = "covariance")
  r <- dense_distance(as.matrix(a[c("x", "y")]), as.matrix(b[c("x", "y")]))
  list(estimate[["variance_1"]] * dense_correlation("matern", r / estimate[["range_1"]], 1.5),
    estimate[["variance_2"]] * exp(-r / estimate[["range_2"]]))
}

# Universal kriging of the coefficient of `dose` and of the intercept, including beta where `X`
# contains the column. Let w be the wanted field, c its covariance with the data and K that of the
# data. With b = K^-1 c and d = e - X'b, the mean is e'beta + b'(y - X beta) and the variance is
# v - c'b + d'V d.
dense_coefficients <- function(fit, data, new, X, trend = colnames(X), noise = NULL) {
  parts <- dense_parts(fit, data, data)
  K <- parts[[1L]] + outer(data$dose, data$dose) * parts[[2L]] +
    diag(noise %||% stats::coef(fit, what = "covariance")[["nugget"]], nrow(data))
  cross <- dense_parts(fit, data, new)
  V <- solve(crossprod(X, solve(K, X)))
  beta <- V %*% crossprod(X, solve(K, data$z))
  one <- function(c, v, e) {
    b <- solve(K, c)
    d <- matrix(e, nrow(new), ncol(X), byrow = TRUE) - crossprod(b, X)
    list(mean = drop(sum(e * beta) + crossprod(b, data$z - X %*% beta)),
      sd = sqrt(v - colSums(c * b) + rowSums((d %*% V) * d)))
  }
  estimate <- stats::coef(fit, what = "covariance")
  list(intercept = one(cross[[1L]], estimate[["variance_1"]], as.numeric(trend == "(Intercept)")),
    dose = one(data$dose * cross[[2L]], estimate[["variance_2"]], as.numeric(trend == "dose")))
}
