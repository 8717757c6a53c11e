# Class prevalence: the probabilities that the trend of class labels gives by itself, and so far
# from data. There, its intercept starts from the intercept of the class prevalence. With this
# intercept, the averages of the trend's probabilities over the rows are the shares of the classes.
# Given the other coefficients it is the maximum likelihood estimate of a logistic or multinomial
# regression. The leave-one-out score of rows with near neighbours contains almost no information
# about it. Only isolated rows, as in many dimensions, let the score move the intercept away from
# it, against a ridge.

# Collects of the rows, or as many as say enough, trend columns and offset, with the share of each
# class among all rows. A class without a row in a training set counts as half a row.
class_prevalence <- function(problem, at_most = 5000L) {
  if (!length(problem$loo$design$intercept)) return(NULL)
  n <- length(problem$data$class)
  rows <- if (n > at_most) round(seq(1, n, length.out = at_most)) else seq_len(n)
  count <- pmax(colSums(problem$classes$labels$content), 0.5)
  prevalence <- list(X = problem$loo$design$X[rows, , drop = FALSE],
    offset = problem$data$offset[rows], weight = problem$data$weights[rows],
    share = count / sum(count))
  prevalence$intercept <- prevalence_intercept(prevalence,
    matrix(0, ncol(prevalence$X), trend_outputs(length(count))))
  prevalence
}

# Intercepts alpha of probabilities exp(alpha_r) e_r / sum: what the logarithm of each class's
# average lacks to that of its share is added to its alpha, again and again. This is iterative
# proportional fitting, which converges from anywhere. Those of several classes sum to 0.
prevalence_intercept <- function(prevalence, slopes, tolerance = 1e-10, at_most = 10000L) {
  rest <- prevalence$X %*% slopes + prevalence$offset
  two <- ncol(slopes) == 1L
  if (two) rest <- cbind(0, rest)
  alpha <- log(prevalence$share)
  for (iteration in seq_len(at_most)) {
    eta <- sweep(rest, 2L, alpha, "+")
    odds <- exp(eta - do.call(pmax, as.data.frame(eta)))
    lacking <- log(prevalence$share * sum(prevalence$weight) /
      colSums(prevalence$weight * odds / rowSums(odds)))
    alpha <- alpha + lacking
    if (max(abs(lacking)) < tolerance) break
  }
  if (two) alpha[2L] - alpha[1L] else alpha - mean(alpha)
}

# The intercept in accord with the slopes in theta.
with_prevalence_intercept <- function(problem, theta) {
  prevalence <- problem$classes$prevalence
  if (is.null(prevalence) || ncol(prevalence$X) == 1L) return(problem)
  problem$classes$prevalence$intercept <- prevalence_intercept(prevalence,
    replace_intercept(problem, theta_trend(problem, theta), 0))
  problem
}
