# The rows that earlier ones predict, by brute force in the metric of a fit.
sets_of <- function(fit) {
  coords <- dense_scaled(fit$data$coords, fit$core_covariance$components[[1L]])
  order <- core_order(core_scale(fit$data$coords, fit$core_covariance$components[[1L]]), "maxmin",
    0, plain_context())
  distance <- dense_distance(coords, coords)
  lapply(seq_along(order), function(position) {
    row <- order[position]
    earlier <- order[seq_len(position - 1L)]
    c(row, utils::head(earlier[order(distance[row, earlier])], fit$k))
  })
}

# Minus twice the log-likelihood on these sets, less a constant, at the best trend.
vecchia_deviance <- function(fit, sets, covariance = fit$core_covariance, nugget = fit$nugget) {
  S <- dense_covariance(fit$data$coords, fit$data$coords, covariance)
  diag(S) <- diag(S) + nugget
  columns <- cbind(fit$data$y, fit$data$X)
  white <- t(vapply(sets, function(set) {
    row <- set[1L]
    given <- set[-1L]
    if (!length(given)) return(c(columns[row, ] / sqrt(S[row, row]), log(S[row, row])))
    weights <- solve(S[given, given], S[given, row])
    variance <- S[row, row] - sum(weights * S[given, row])
    c((columns[row, ] - drop(weights %*% columns[given, , drop = FALSE])) / sqrt(variance),
      log(variance))
  }, double(ncol(columns) + 1L)))
  last <- ncol(white)
  sum(lm.fit(white[, -c(1L, last), drop = FALSE], white[, 1L])$residuals^2) + sum(white[, last]) +
    length(sets) * log(2 * pi)
}

neighbor_fit <- function(covariance, formula = z ~ 1, method = vecchia(8L), nugget = 0.05,
                         data = anisotropic_rows(), ...) {
  suppressMessages(neargp(formula, data, coords = ~ x + y, method = method, nugget = nugget,
    covariance = covariance, threads = 1L, verbose = FALSE, ...))
}

anisotropic_rows <- function() {
  withr::local_seed(7)
  data <- data.frame(x = runif(150), y = runif(150), h = rnorm(150))
  K <- exp(-sqrt(outer(data$x, data$x, "-")^2 / 0.04 + outer(data$y, data$y, "-")^2 / 0.4))
  data$z <- drop(t(chol(K + diag(1e-8, 150))) %*% rnorm(150)) + rnorm(150, sd = 0.2)
  data
}

test_that("likelihoods of fits with other metrics are on the neighbours of the larger model", {
  held <- function(ratio, formula) neighbor_fit(cov_exponential(variance = 1, range = 0.5,
    anisotropy = c(angle = 90, ratio = ratio)), formula)
  smaller <- held(1, z ~ 1)
  larger <- held(0.3, z ~ h)
  expect_equal(-2 * c(logLik(larger)), vecchia_deviance(larger, sets_of(larger)), tolerance = 1e-8)
  for (table in list(suppressWarnings(anova(smaller, larger)),
    suppressWarnings(anova(larger, smaller)))) {
    expect_equal(table$logLik, -0.5 * c(vecchia_deviance(smaller, sets_of(larger)),
      vecchia_deviance(larger, sets_of(larger))), tolerance = 1e-8)
    expect_equal(table$AIC, 2 * table$npar - 2 * table$logLik)
    expect_match(paste(attr(table, "heading"), collapse = "\n"),
      "Maximised on the neighbours of larger")
  }
  expect_gt(abs(table$logLik[1L] - c(logLik(smaller))), 0.01)
})

test_that("they are maximised again there", {
  smaller <- neighbor_fit(cov_exponential())
  larger <- neighbor_fit(cov_exponential(anisotropy = TRUE))
  table <- anova(smaller, larger)
  best <- function(fit, from, change) optim(from, function(p) {
    vecchia_deviance(fit, sets_of(larger), change(fit$core_covariance, p))
  }, method = "BFGS", control = list(reltol = 1e-12))$value
  expect_equal(table$logLik[1L], -0.5 * best(smaller, c(0, 0), function(covariance, p) {
    covariance$components[[1L]]$variance <- exp(p[1L])
    covariance$components[[1L]]$range <- exp(p[2L])
    covariance
  }), tolerance = 1e-6)
  expect_gte(table$Chisq[2L], 0)
  expect_gt(table$logLik[2L], c(logLik(larger)) - 1)
})

test_that("restricted, transformed and penalised likelihoods keep their units", {
  data <- transform(anisotropic_rows(), e = exp(3 + z))
  along <- c(angle = 90, ratio = 0.3)
  same <- function(..., covariance = cov_exponential(variance = 1, range = 0.5,
                                                     anisotropy = along)) {
    fit <- neighbor_fit(covariance, data = data, ...)
    expect_equal(on_common_neighbors(list(fit, fit), 1L), rep(c(logLik(fit)), 2L),
      tolerance = 1e-8)
  }
  same(z ~ h, vecchia(8L, estimation = "REML"))
  same(e ~ h, transform = "log")
  same(I(1000 * z) ~ h, nugget = NULL)
  same(z ~ h, nugget = NULL, prior = pc_priors(sd = c(2, 0.05)),
    covariance = cov_exponential(range = 0.5, anisotropy = along))
})

test_that("other units of neighbours are not compared", {
  data <- repeated_rows(c(2, 3), 60L)
  fit <- function(nugget = NULL, covariance = held_covariance, formula = z ~ 1) {
    suppressWarnings(suppressMessages(neargp(formula, data, coords = ~ x + y,
      method = vecchia(5L, estimation = "ML"), covariance = covariance, nugget = nugget,
      threads = 1L, verbose = FALSE)))
  }
  plain <- fit()
  # both have locations for neighbours
  by_weight <- fit(~ w)
  table <- suppressWarnings(anova(plain, by_weight))
  expect_no_match(paste(attr(table, "heading"), collapse = "\n"), "neighbours of")
  expect_identical(table$logLik, c(c(logLik(plain)), c(logLik(by_weight))))
  # rows of effects that differ within locations
  data$group <- factor(rep_len(seq_len(90L), nrow(data)))
  expect_message(AIC(plain, fit(formula = z ~ (1 | group))), class = "neargp_message_neighbors")
  # points of locations
  varying <- fit(covariance = held_covariance + cov_exponential(by = ~ w, range = 0.3,
    variance = 0.1))
  table <- suppressWarnings(anova(plain, varying))
  expect_match(paste(attr(table, "heading"), collapse = "\n"), "neighbours of varying")
  problem <- problem_at_rows(problem_of_fit(plain))
  neighbors <- neighbors_before(problem, component_at(problem, problem$start), 5L, "maxmin", 0)
  best <- optimize(function(nugget) local_objective(problem, neighbors)$evaluate(
    replace(problem$start, problem$layout$kind == "nugget", nugget))$value, c(-5, 5),
    maximum = TRUE, tol = 1e-8)
  expect_equal(table$logLik[1L], best$objective - nrow(data) * log(problem$data$basis$unit),
    tolerance = 1e-7)
})

test_that("where neighbours cannot be the same a message says so", {
  smaller <- neighbor_fit(cov_exponential())
  larger <- neighbor_fit(cov_exponential(anisotropy = TRUE))
  expect_message(AIC(smaller, larger), "AIC", class = "neargp_message_neighbors")
  expect_message(BIC(smaller, larger), class = "neargp_message_neighbors")
  expect_no_message(AIC(smaller, neighbor_fit(cov_matern(1.5))))
  expect_no_message(AIC(smaller))
  nearest <- function(covariance) neighbor_fit(covariance, method = vnngp(8L), nugget = NULL)
  expect_message(suppressWarnings(anova(nearest(cov_exponential()),
    nearest(cov_exponential(anisotropy = TRUE)))), class = "neargp_message_neighbors")
  # no metric of its own
  expect_no_message(anova(neighbor_fit(cov_exponential(), method = exact_gp()),
    neighbor_fit(cov_exponential(anisotropy = TRUE), method = exact_gp())))
})
