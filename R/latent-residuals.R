# The data of a latent model given all of them, and given the others. Latent models are those of
# vnngp(), and those of loo_k() by pseudo-observations.

is_latent <- function(object) !is.null(object$posterior) || !is.null(object$pseudo_observations)

posterior_response <- function(object, k = NULL, threads = NULL) {
  moments <- posterior_moments(object, k, threads)
  mixture_moments(data_mixture(object, moments$mean, moments$variance))
}

# Posterior moments of each row's linear predictor.
posterior_moments <- function(object, k, threads) {
  UseMethod("posterior_moments", object$method)
}

#' @export
posterior_moments.default <- function(object, k, threads) {
  list(mean = with_base(object$data, object$posterior$linear_predictor),
    variance = object$posterior$variance_at_data)
}

# A pseudo-observation is a normal pseudo-observation of what the inducing points say about its
# datum's linear predictor, N(mu, t) in the posterior, with precision W and the slope g = E d log p.
# Without it there is the cavity N(mu - t' g, t'), t' = t / (1 - W t), and the linear predictor has
# the variance given the inducing points besides. For a gaussian response this is leave-one-out
# prediction: the trend's coefficients are part of the posterior, and are found without the datum as
# the field is.
cavity_moments <- function(object, k = NULL, threads = NULL) {
  UseMethod("cavity_moments", object$method)
}

# The share of a row's variance that is left without it may have no correct digit, where the field
# varies by far more than the noise; and in Laplace's approximation with Student's t, where an
# outlier's pseudo-observation has a negative precision, all but one row may be no distribution.
without_improper <- function(object, moments, rows) {
  if (!length(rows)) return(moments)
  warn_neargp("leverage", c(
    sprintf("The posterior variance without %s of the data cannot be computed, so that there is no leave-one-out prediction there.",
      format_rows(if (is.null(object$row_names)) rows else object$row_names[rows])),
    x = "Mean NA, standard deviation Inf.", i = if (identical(object$method$posterior, "laplace"))
    "posterior = \"sparse\" seldom has such rows."))
  moments$mean[rows] <- NA
  moments$variance[rows] <- Inf
  moments
}

cavity_response <- function(object, k = NULL, threads = NULL) {
  response_given_others(object, cavity_mixture(object, k, threads))
}

response_given_others <- function(object, cavity) {
  moments <- mixture_moments(cavity$mixture)
  n <- length(object$data$y)
  list(mean = replace(rep(NA_real_, n), cavity$rows, moments$mean),
    sd = replace(rep(Inf, n), cavity$rows, moments$sd))
}

# The leave-one-out mixtures of the rows that can be predicted from the others.
cavity_mixture <- function(object, k = NULL, threads = NULL) {
  cavity <- cavity_moments(object, k, threads)
  rows <- which(!is.na(cavity$mean))
  list(rows = rows, mixture = data_mixture(object, cavity$mean[rows], cavity$variance[rows], rows))
}

data_mixture <- function(object, mean, variance, rows = seq_along(object$data$y)) {
  data <- object$data
  trials <- if (is.null(data$trials)) 1 else data$trials[rows]
  mixture <- new_mixture(mean, sqrt(variance), object$family, object$family_parameters, trials,
    data$weights[rows])
  with_limits(mixture, data$limits[rows, , drop = FALSE])
}

mixture_moments <- function(mixture) {
  list(mean = mixture_mean(mixture), sd = sqrt(mixture_variance(mixture)))
}

# Divided by the standard deviation of the response given the posterior mean of the linear
# predictor.
pearson_of_latent <- function(object, k, threads) {
  data <- object$data
  moments <- posterior_moments(object, k, threads)
  sd <- sqrt(mixture_variance(data_mixture(object, moments$mean, rep(0, length(data$y)))))
  residual <- (data$y - mixture_mean(data_mixture(object, moments$mean, moments$variance))) / sd
  # The mean has been told to be beyond the range of numbers.
  beyond <- which(is.infinite(residual) & sd > 0)
  replace(residual, beyond, sign(residual[beyond]) * .Machine$double.xmax)
}
