# Fits of compositions against dense algebra in plain R, nnet and relations that always hold.

# Let L be the root of the covariance matrix of the logarithms of ratios z at all samples, and z =
# trend + Lu. The posterior of u is proportional to the multinomial likelihood times N(0, I).
# Importance sampling from a normal distribution at its mode computes the evidence and moments of z.
dense_composition <- function(counts, trend, covariance, draws = 20000L) {
  n <- nrow(counts)
  L <- t(chol(covariance))
  eta_at <- function(u) cbind(0, matrix(trend + L %*% u, n))
  value <- function(u) sum(log_multinomial(counts, eta_at(u))) - sum(u^2) / 2
  slope <- function(u) {
    eta <- eta_at(u)
    p <- exp(eta) / rowSums(exp(eta))
    drop(crossprod(L, as.vector((counts - rowSums(counts) * p)[, -1L]))) - u
  }
  u <- double(nrow(L))
  found <- optim(u, value, slope, method = "BFGS", control = list(fnscale = -1, maxit = 1000,
    reltol = 1e-14))
  p <- exp(eta_at(found$par))
  p <- (p / rowSums(p))[, -1L]
  W <- matrix(0, nrow(L), nrow(L))
  for (i in seq_len(n)) {
    at <- i + n * (seq_len(ncol(p)) - 1L)
    W[at, at] <- sum(counts[i, ]) * (diag(p[i, ]) - tcrossprod(p[i, ]))
  }
  U <- chol(solve(diag(nrow(L)) + crossprod(L, W %*% L)))
  set.seed(1)
  E <- matrix(rnorm(draws * nrow(L)), nrow(L))
  drawn <- found$par + t(U) %*% E
  log_weight <- apply(drawn, 2L, value) + colSums(E^2) / 2 + sum(log(diag(U)))
  weight <- exp(log_weight - max(log_weight))
  z <- trend + L %*% drawn
  mean <- drop(z %*% weight) / sum(weight)
  list(log_evidence = max(log_weight) + log(mean(weight)), mean = mean,
    sd = sqrt(drop((z - mean)^2 %*% weight) / sum(weight)),
    size = sum(weight)^2 / sum(weight^2))
}

# The fit's own parameters, with the trend as known.
dense_of <- function(fit, d) {
  A <- shared_loadings(fit)
  h <- as.matrix(dist(d[c("x", "y")])) / coef(fit, "covariance")[["range"]]
  rho <- (1 + h) * exp(-h)
  X <- cbind(1, d$elevation)
  dense_composition(d$taxa, as.vector(X %*% matrix(coef(fit), 2L)),
    tcrossprod(A) %x% rho + diag(1e-6, 2L * nrow(d)))
}

test_extended("the posterior of the processes is that of a dense multinomial model", {
  skip_on_cran()
  d <- taxa_data(size = 5)
  fit <- neargp(taxa ~ elevation, d, coords = ~ x + y, family = multinomial(),
    method = vnngp(k = 39, factor = "exact"))
  dense <- dense_of(fit, d)
  expect_gt(dense$size, 2000)
  # without the uncertainty of trend and parameters
  known <- fit
  known$core_trend$beta_vcov[] <- 0
  known$spread <- list(covariance = matrix(0, 0, 0), shifted = list(), rows = integer(0))
  ratios <- ratios_of_samples(known)
  sd <- sqrt(c(ratios$covariance[, 1, 1], ratios$covariance[, 2, 2]))
  expect_lt(max(abs(as.vector(ratios$mean) - dense$mean) / dense$sd), 0.05)
  expect_equal(mean(sd / dense$sd), 1, tolerance = 0.02)
  # an ELBO lies below the evidence
  expect_lt(fit$log_likelihood, dense$log_evidence)
  expect_gt(fit$log_likelihood, dense$log_evidence - 0.03 * nrow(d))
})

test_that("the constant makes Poisson densities multinomial ones", {
  counts <- rbind(c(1, 0, 0), c(3, 2, 5), c(0, 4, 1), c(2, 2, 2))
  z <- c(0, 0.3, -0.5)
  weights <- c(1, 2, 1, 3)
  offset <- c(0, 0.4, 1, -0.3)
  place <- c(1L, 2L, 2L, 3L)  # two samples share a constant
  poisson_of <- function(j, a) {
    rows <- which(place == j)
    sum(weights[rows] * rowSums(matrix(dpois(counts[rows, ], exp(outer(a + offset[rows], z, "+")),
      log = TRUE), length(rows))))
  }
  integrals <- vapply(1:3, function(j) {
    log(integrate(Vectorize(function(a) exp(poisson_of(j, a) + 20)), -30, 10, rel.tol = 1e-10,
      subdivisions = 1000L)$value) - 20
  }, 0)
  multinomial <- sum(weights * log_multinomial(counts, matrix(z, 4L, 3L, byrow = TRUE)))
  without_prior <- multinomial_constant(list(counts = counts, weights = weights, place = place),
    offset) - 3 * log(constant_sd * sqrt(2 * pi))
  expect_equal(sum(integrals) + without_prior, multinomial, tolerance = 1e-7)
})

test_extended("the order of categories changes nothing but coefficients", {
  d <- taxa_data()
  fit <- fit_taxa(d)
  order <- c("other", "oak", "beech")
  turned <- d
  turned$taxa <- d$taxa[, order]
  turned <- fit_taxa(turned)
  expect_equal(turned$log_likelihood, fit$log_likelihood, tolerance = 1e-5)
  here <- d[c(1, 5, 9), ]
  columns <- paste0("mean_", order)
  expect_equal(predict(turned, here)[columns], predict(fit, here)[columns], tolerance = 2e-3)
  expect_equal(coef(turned)[["beech:elevation"]] - coef(turned)[["oak:elevation"]],
    coef(fit)[["beech:elevation"]], tolerance = 0.01)
  expect_named(coef(fit), c("beech:(Intercept)", "beech:elevation", "other:(Intercept)",
    "other:elevation"))
})

# Large counts determine the ratios at their locations, and leave a ridge of loadings, range and
# intercepts. With expected counts n the standard deviation of the logarithm of a ratio is at most
# sqrt(1/n_1 + 1/n_2).
test_that("large counts determine probabilities at their locations", {
  d <- taxa_data(size = 1e5)
  fit <- neargp(taxa ~ elevation, d, coords = ~ x + y, family = multinomial(),
    method = vnngp(k = 39, factor = "exact", jitter = 1e-9))
  found <- predict(fit, d, type = "link")
  expected <- 1e5 * fitted(fit)
  for (taxon in c("beech", "other")) {
    of_counts <- sqrt(1 / expected[, "oak"] + 1 / expected[, taxon])
    expect_lt(max(found[[paste0("sd_", taxon)]] / of_counts), 1.005)
  }
})

test_that("the order of categories does not change predictions of large counts", {
  d <- taxa_data(size = 1e5)
  new <- rbind(d[1:3, c("x", "y", "elevation")], data.frame(x = c(2, -3), y = c(2, 0),
    elevation = 0))
  columns <- as.vector(outer(c("mean_", "sd_", "lower_", "upper_"), colnames(d$taxa), paste0))
  predicted <- function(order) {
    turned <- d
    turned$taxa <- d$taxa[, order]
    predict(fit_taxa(turned), new, interval = "confidence")[columns]
  }
  first <- predicted(c("oak", "beech", "other"))
  for (order in list(c("beech", "other", "oak"), c("other", "beech", "oak"))) {
    expect_equal(predicted(order), first, tolerance = 1e-3)
  }
})

test_that("without a process of any size, coefficients are those of nnet", {
  skip_if_not_installed("nnet")
  set.seed(2)
  d <- data.frame(x = runif(60), y = runif(60), elevation = rnorm(60))
  d$taxa <- t(vapply(d$elevation, function(z) rmultinom(1L, 30L, exp(c(0, 0.5 * z, 0.3)))[, 1L],
    double(3L)))
  colnames(d$taxa) <- c("oak", "beech", "other")
  # A process that is constant over the data would be an intercept.
  fit <- fit_taxa(d, covariance = cov_matern(nu = 1.5, range = 0.05))
  reference <- nnet::multinom(taxa ~ elevation, d, trace = FALSE)
  expect_lt(max(diag(tcrossprod(shared_loadings(fit)))), 0.05)
  expect_lt(max(abs(coef(fit) - as.vector(t(coef(reference)))) / sqrt(diag(vcov(reference)))), 0.3)
  expect_equal(unname(sqrt(diag(vcov(fit)))), unname(sqrt(diag(vcov(reference)))), tolerance = 0.25)
})

test_extended("a factor is a composition of one count for each row", {
  d <- taxa_data(size = 1, n = 80)
  d$kind <- factor(colnames(d$taxa)[max.col(d$taxa)], levels = colnames(d$taxa))
  fit <- fit_taxa(d)
  by_factor <- fit_taxa(d, formula = kind ~ elevation)
  expect_equal(by_factor$log_likelihood, fit$log_likelihood, tolerance = 1e-8)
  expect_equal(nobs(by_factor), 80)
  expect_equal(scores(by_factor), scores(fit), tolerance = 1e-6)
})

test_extended("frequency weights are repeated samples, and samples without counts are left out", {
  d <- taxa_data(n = 30)
  w <- rep(1:2, 15)
  fit <- fit_taxa(d, weights = w)
  repeated <- fit_taxa(d[rep(1:30, w), ])
  expect_equal(fit$log_likelihood, repeated$log_likelihood, tolerance = 1e-4)
  expect_equal(coef(fit), coef(repeated), tolerance = 1e-3)
  empty <- d
  empty$taxa[3:4, ] <- 0L
  empty$elevation[7] <- NA
  expect_message(left <- fit_taxa(empty), class = "neargp_message_samples")
  expect_equal(left$log_likelihood, fit_taxa(d[-c(3, 4, 7), ])$log_likelihood, tolerance = 1e-8)
  expect_equal(dim(fitted(left)), c(30L, 3L))
  expect_equal(which(is.na(fitted(left)[, 1L])), c(3L, 4L, 7L))
  chosen <- fit_taxa(d, subset = seq_len(30) > 10)
  expect_equal(fitted(chosen), fitted(fit_taxa(d[11:30, ])), tolerance = 1e-4)
  expect_equal(nrow(augment(chosen)), 60L)
})

test_that("the model frame and the design are those of the one formula", {
  d <- taxa_data(n = 20)
  d <- rbind(d, d)
  d$elevation[21:40] <- seq(-1, 1, length.out = 20)
  d$elevation[3] <- NA
  d$taxa[5, ] <- 0L
  fit <- suppressMessages(neargp(taxa ~ elevation, d, coords = ~ x + y, family = multinomial(),
    method = vnngp(k = 8)))
  frame <- model.frame(fit)
  known <- setdiff(1:40, c(3, 5))
  expect_equal(model.response(frame), d$taxa[known, ], ignore_attr = TRUE)
  expect_equal(frame$elevation, d$elevation[known])
  expect_equal(model.matrix(fit), model.matrix(~ elevation, d[known, ]), ignore_attr = TRUE)
  expect_equal(colnames(model.matrix(fit)), c("(Intercept)", "elevation"))
  d$taxa[1, 1] <- d$taxa[1, 1] + 1L
  expect_error(model.frame(fit), "response differs", class = "neargp_error_newdata")
  expect_equal(model.matrix(fit)[, 2L], d$elevation[known], ignore_attr = TRUE)
})

test_extended("samples of one location with unlike trends have constants of their own", {
  d <- taxa_data(n = 20)
  twice <- rbind(d, d)
  twice$elevation[21:40] <- rnorm(20)
  fit <- fit_taxa(twice)
  expect_equal(nrow(fit$posterior$coords), 40)
  expect_equal(max(fit$composition$location), 20)
  apart <- twice
  apart$x[21:40] <- apart$x[21:40] + 1e-6
  expect_equal(fit$log_likelihood, fit_taxa(apart)$log_likelihood, tolerance = 1e-4)
  cv <- cross_validate(fit, folds = 4)
  fold <- cv$folds[fit$composition$place]
  expect_equal(fold[1:20], fold[21:40])
})

test_extended("random effects, own processes and replicates work", {
  set.seed(3)
  d <- taxa_data(n = 60)
  d$site <- gl(6, 10)
  fit <- fit_taxa(d, formula = taxa ~ elevation + (1 | site))
  found <- predict(fit, d[1:3, ])
  expect_equal(rowSums(found[paste0("mean_", fit$outputs)]), rep(1, 3L), ignore_attr = TRUE)
  own <- fit_taxa(d, covariance = cov_coregionalisation(cov_matern(nu = 1.5), rank = 1,
    own = list(oak = cov_exponential())))
  expect_equal(ncol(shared_loadings(own)), 2L)
  copies <- fit_taxa(d, covariance = cov_matern(by = ~ site))
  expect_equal(nrow(copies$posterior$coords), 60L)
  expect_true(all(is.finite(predict(copies, d[1:3, ])$mean_oak)))
})

test_that("bad input is one classed error", {
  d <- taxa_data(n = 30)
  call <- function(d, formula = taxa ~ 1, ...) fit_taxa(d, formula = formula, ...)
  changed <- function(values) {
    d$taxa <- values
    d
  }
  expect_error(call(changed(d$taxa / 2)), class = "neargp_error_response")
  expect_error(call(changed(-d$taxa)), class = "neargp_error_response")
  expect_error(call(changed(d$taxa[, 1L, drop = FALSE])), class = "neargp_error_response")
  expect_error(call(changed(cbind(d$taxa, pine = 0))), "pine", class = "neargp_error_response")
  expect_error(call(changed(unname(d$taxa))), "name", class = "neargp_error_response")
  expect_error(call(d, elevation ~ 1), class = "neargp_error_response")
  expect_error(call(d, offset = rep(1, 30)), class = "neargp_error_offset")
  expect_error(call(d, taxa ~ offset(elevation)), class = "neargp_error_offset")
  expect_error(call(d, taxa ~ common(elevation)), class = "neargp_error_formula")
  expect_error(call(d, taxa ~ .), class = "neargp_error_formula")
  expect_error(call(d, covariance = cov_none()), "nnet::multinom", class = "neargp_error_argument")
  expect_error(call(d, nugget = 1), "`nugget` must be NULL for a multinomial",
    class = "neargp_error_argument")
  two <- function(...) neargp(list(taxa[, 1] ~ 1, taxa[, 2] ~ 1), d, coords = ~ x + y,
    method = vnngp(k = 8), ...)
  expect_error(two(family = poisson(), nugget = 1), "`nugget` must be NULL for a poisson",
    class = "neargp_error_argument")
  expect_error(two(family = list(gaussian(), poisson()), nugget = list(0.1, 0.2)), "poisson",
    class = "neargp_error_argument")
  expect_error(call(d, weights = list(1, 2, 3)), class = "neargp_error_argument")
  expect_error(call(d, covariance = cov_coregionalisation(cov_matern(), rank = 3)), "at most 2",
    class = "neargp_error_argument")
  expect_error(neargp(list(elevation ~ 1, taxa ~ 1), d, coords = ~ x + y,
    family = list(gaussian(), multinomial())), class = "neargp_error_family")
  expect_error(neargp(taxa ~ 1, d, coords = ~ x + y, family = multinomial(), method = vecchia()),
    "compositions", class = "neargp_error_method")
})

test_extended("printing, tables and refusals", {
  d <- taxa_data()
  fit <- neargp(taxa ~ elevation, d, coords = ~ x + y, family = multinomial(),
    method = vnngp(k = 8))
  printed <- capture.output(print(fit))
  expect_match(printed[1L], "composition of 3 categories with 2 fields")
  expect_false(any(grepl("factor3|Exponential", printed)))
  expect_match(capture.output(print(summary(fit))), "Std. Error", all = FALSE)
  expect_equal(formula(fit), taxa ~ elevation, ignore_formula_env = TRUE)
  expect_equal(family(fit)$family, "multinomial")
  expect_equal(dim(coef(fit, "correlation")), c(2L, 2L))
  expect_equal(glance(fit)$fields, 2)
  # without the reference and the constants
  expect_identical(loadings(fit), shared_loadings(fit))
  expect_equal(tcrossprod(unclass(varimax(loadings(fit))$loadings)), tcrossprod(loadings(fit)),
    ignore_attr = TRUE)
  names <- c("loading_beech_f1", "loading_beech_f2", "loading_other_f1", "loading_other_f2",
    "range", "smoothness")
  expect_named(coef(fit, "covariance"), names)
  expect_equal(rownames(vcov(fit, "covariance")), names)
  expect_equal(unname(coef(fit, "covariance")[1:4]), as.vector(t(loadings(fit))))
  expect_equal(tidy(fit, conf.int = TRUE)$y.level, rep(c("beech", "other"), each = 2L))
  augmented <- augment(fit)
  expect_equal(nrow(augmented), 120L)
  expect_equal(augmented$.observed * augmented$.trials, as.vector(d$taxa))
  expect_equal(augmented$.trials, rep(rowSums(d$taxa), 3L))
  expect_equal(augmented$.resid, augmented$.observed - augmented$.fitted)
  expect_error(neargp_hurdle(fit_taxa(formula = taxa[, 1:2] ~ 1)), class = "neargp_error_argument")
  updated <- update(fit, . ~ 1, start = fit)
  expect_length(coef(updated), 2L)
  expect_error(predict_index(fit, d), class = "neargp_error_argument")
  ranks <- compare_ranks(fit)
  expect_equal(rownames(ranks$table), c("1", "2"))
  expect_error(autoplot.neargp_joint_cv(cross_validate(fit, 3)), class = "neargp_error_plot")
})
