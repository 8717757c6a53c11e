# Fields of any size and dimension, as sums of random waves (Rahimi and Recht 2007) with the spectral density of a Matérn covariance. The
# frequencies are t-distributed with 2 nu degrees of freedom. With 2,000 waves the field is as good as normal. `range` divides distances as
# in cov_matern().
spectral_field <- function(coords, range, nu = 1.5, waves = 2000L) {
  coords <- as.matrix(coords)
  frequencies <- matrix(stats::rnorm(waves * ncol(coords)), ncol(coords)) /
    rep(sqrt(stats::rchisq(waves, 2 * nu)) * range, each = ncol(coords))
  phases <- stats::runif(waves, 0, 2 * pi)
  field <- double(nrow(coords))
  for (rows in split(seq_len(nrow(coords)), (seq_len(nrow(coords)) - 1L) %/% 1000L)) {
    field[rows] <- colSums(cos(crossprod(frequencies, t(coords[rows, , drop = FALSE])) + phases))
  }
  field * sqrt(2 / waves)
}

# Uniform locations, a field of variance 1 and a response. The response is 0 or 1 with the field as its logit, a count with mean exp(field),
# or the field with normal noise of variance `noise`.
latent_frame <- function(n, family, dimension = 2L, range = 0.05, nu = 1.5, noise = 0.09, waves = 2000L) {
  coords <- matrix(stats::runif(dimension * n), n, dimnames = list(NULL, paste0("x", seq_len(dimension))))
  field <- spectral_field(coords, range, nu, waves)
  y <- switch(family, bernoulli = stats::rbinom(n, 1L, stats::plogis(field)), poisson = stats::rpois(n, exp(field)),
    gaussian = field + stats::rnorm(n, sd = sqrt(noise)))
  data.frame(coords, y = y, field = field)
}

family_called <- function(name) switch(name, bernoulli = stats::binomial(), poisson = stats::poisson(), gaussian = stats::gaussian())

# Scores of predictions of the linear predictor (mean and sd) for new responses, and coverage of the field.
latent_scores <- function(mean, sd, places, family) {
  log_score <- -mean(neargp:::predictive_log_density(places$y, neargp:::new_mixture(mean, sd, family_called(family))))
  c(log_score = log_score, rmse_field = sqrt(mean((places$field - mean)^2)),
    coverage_field = mean(abs(places$field - mean) < stats::qnorm(0.975) * sd))
}
