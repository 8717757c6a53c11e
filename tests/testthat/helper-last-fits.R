# Small fits of every method and optimiser.
last_data <- function() {
  withr::with_seed(4, {
    data <- data.frame(x = stats::runif(260), y = stats::runif(260))
    field <- sin(5 * data$x) + cos(4 * data$y)
    data$z <- 1000 + 100 * field + stats::rnorm(260, sd = 20)
    data$w <- 3 * field + stats::rnorm(260)
    data$count <- stats::rpois(260, exp(0.5 + field / 2))
    data$class <- factor(ifelse(field + stats::rnorm(260, sd = 0.5) > 1, "a",
      ifelse(data$x > 0.5, "b", "c")))
    data
  })
}

# Fits, by name, as functions of further arguments, and of the seed of the random numbers.
last_fits <- function() {
  data <- last_data()
  of <- function(formula, method, family = NULL, covariance = cov_matern(nu = 1.5)) {
    function(..., seed = 3) {
      set.seed(seed)
      neargp(formula, data, coords = ~ x + y, method = method, family = family,
        covariance = covariance, verbose = FALSE, ...)
    }
  }
  list(vecchia = of(z ~ 1, vecchia(10)),
    anisotropic = of(z ~ 1, vecchia(10), covariance = cov_exponential(anisotropy = TRUE)),
    low_rank = of(z ~ 1, vecchia(10, inducing = 20)), exact = of(z ~ 1, exact_gp()),
    loo = of(z ~ 1, loo_k(10)), loo_adam = of(z ~ 1, loo_k(10, optimizer = "adam", steps = 100)),
    mll = of(z ~ 1, mll_k(10)),
    mll_adam = of(z ~ 1, mll_k(10, optimizer = "adam", steps = 100)),
    vecchia_adam = of(z ~ 1, vecchia(10, "random", optimizer = "adam", steps = 100),
      covariance = cov_exponential(anisotropy = TRUE)), outputs = of(cbind(z, w) ~ 1, vecchia(10)),
    outputs_inducing = of(cbind(z, w) ~ 1, svgp(20)), classes = of(class ~ 1, loo_k(10)),
    classes_adam = of(class ~ x, loo_k(10, optimizer = "adam", steps = 100)),
    polya_gamma = of(class ~ 1, loo_k(10, estimator = "polya-gamma", steps = 100)),
    counts = of(count ~ 1, loo_k(10), poisson()),
    counts_adam = of(count ~ 1, loo_k(10, optimizer = "adam", steps = 100), negative_binomial()),
    dispersed = of(count ~ 1, loo_k(10), negative_binomial()),
    heavy_tails = of(w ~ 1, loo_k(10), student_t()),
    vnngp = of(count ~ 1, vnngp(10), poisson()), vnngp_gaussian = of(z ~ 1, vnngp(10)),
    mean_field = of(count ~ 1, vnngp(10, posterior = "mean-field", optimizer = "adam", epochs = 20),
      poisson()),
    swsgp = of(z ~ 1, swsgp(6, inducing = 20, epochs = 20)),
    svgp = of(z ~ 1, svgp(20, optimizer = "collapsed")),
    svgp_counts = of(count ~ 1, svgp(20), poisson()), svgp_classes = of(class ~ 1, svgp(20),
      categorical()),
    natural = of(z ~ 1, svgp(20, optimizer = "natural", epochs = 20)),
    adam = of(z ~ 1, svgp(20, optimizer = "adam", epochs = 20)))
}
