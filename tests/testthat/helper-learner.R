# Data on a plane, a fit of them with fixed parameters so that little is searched, and a learner
# that interpolates its own rows.

learner_data <- function(n = 50L, seed = 1L) {
  set.seed(seed)
  d <- data.frame(x = stats::runif(n), y = stats::runif(n), h = stats::rnorm(n),
    block = rep(1:5, length.out = n))
  d$z <- sin(6 * d$x) + d$h^2 / 2 + stats::rnorm(n, sd = 0.3)
  d
}

learned_fit <- function(d, formula = z ~ h + learner(lm, predictors = ~ h + I(h^2)), ...) {
  call <- bquote(neargp(.(formula), d, coords = ~ x + y,
    covariance = cov_exponential(range = 0.3), verbose = FALSE, ...))
  suppressMessages(eval(call))
}

# One nearest neighbour: its errors at its own rows are 0.
nearest_row <- function(formula, data) {
  response <- all.vars(formula)[1L]
  structure(list(y = data[[response]], x = as.matrix(data[setdiff(names(data), response)])),
    class = "nearest_row")
}

predict_nearest_row <- function(model, newdata) {
  x <- as.matrix(newdata)
  apply(x, 1L, function(row) model$y[which.min(colSums((t(model$x) - row)^2))])
}
