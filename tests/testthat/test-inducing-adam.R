adam_method <- function(epochs = 100, ...) {
  svgp(inducing = 15, optimizer = "adam", epochs = epochs, batch_size = 128, learning_rate = 0.03,
    ...)
}

test_extended("Adam comes near the bound of all rows, keeps its own posterior, and gives its bound", {
  data <- batch_data()
  collapsed <- batch_fit(data, svgp(inducing = 15), z ~ x)
  adam <- batch_fit(data, adam_method(epochs = 400), z ~ x)
  expect_lt(c(adam$log_likelihood), c(collapsed$log_likelihood) + 1e-6)
  expect_gt(c(adam$log_likelihood), c(collapsed$log_likelihood) - 8)
  at_end <- bound_at(adam$data, as_specified(adam$core_covariance), adam$nugget,
    adam$svgp$positions, adam$method, plain_context())
  expect_lt(c(adam$log_likelihood), at_end$value)
  expect_gt(c(adam$log_likelihood), at_end$value - 5)
  new <- data.frame(x = c(0.1, 0.5, 0.9), y = c(0.2, 0.5, 0.9))
  expect_equal(predict(adam, new)$mean, predict(collapsed, new)$mean, tolerance = 0.01)
  expect_equal(predict(adam, new)$sd, predict(collapsed, new)$sd, tolerance = 0.05)
  expect_match(adam$convergence$message, "400 epochs of Adam")
})

# Trend and field as they are kept, from the joint distribution that Adam moved.
test_that("what is kept is the distribution that Adam moved", {
  data <- batch_data(300)
  fit <- batch_fit(data, adam_method(3), z ~ x)
  moments <- fit$svgp$moments
  S <- tcrossprod(moments$root)
  m <- ncol(S) - 2L
  new <- data.frame(x = c(0.3, 2), y = c(0.6, -1))
  prior <- dense_covariance(fit$svgp$positions, fit$svgp$positions, fit$core_covariance)
  lower <- t(chol(prior + diag(fit$method$jitter * prior[1L, 1L], m)))
  places <- as.matrix(new)
  features <- forwardsolve(lower, dense_covariance(fit$svgp$positions, places, fit$core_covariance))
  # the trend's columns in the coordinates in which they moved, and the unit of the response there
  X <- model.matrix(~ x, new)
  columns <- design_columns(fit$data, X) %*% orthogonal_trend(design_columns(fit$data))$matrix
  unit <- 2^round(log2(sqrt(mean((data$z - base_mean(fit$data))^2))))
  all <- rbind(unit * t(columns), features)
  expected_mean <- base_mean(fit$data, X, 0) + drop(crossprod(all, moments$mean))
  expect_equal(predict(fit, new)$mean, expected_mean, tolerance = 1e-8)
  expected <- colSums(all * (S %*% all)) + prior[1L, 1L] - colSums(features^2)
  expect_equal(predict(fit, new, type = "link")$sd, sqrt(expected), tolerance = 1e-6)
})

test_that("rows are left out of the best posterior given the parameters, in any unit", {
  data <- batch_data(300)
  fit <- batch_fit(data, svgp(inducing = 40, optimizer = "adam", epochs = 2, batch_size = 50))
  known <- with_inducing_posterior(fit, plain_context())
  known$svgp$moments <- NULL
  expect_equal(loo_predict(fit)$sd, loo_predict(known)$sd, tolerance = 1e-6)
  scaled <- batch_fit(transform(data, z = 1000 * z), fit$method)
  expect_equal(unexplained_share(scaled), unexplained_share(fit), tolerance = 1e-3)
})

test_extended("families, saved copies, threads and seeds", {
  data <- batch_data()
  collapsed <- batch_fit(data, svgp(inducing = 15, bound = "standard"), count ~ x,
    family = poisson())
  adam <- batch_fit(data, adam_method(), count ~ x, family = poisson())
  expect_lt(c(adam$log_likelihood), c(collapsed$log_likelihood) + 0.01)
  expect_gt(c(adam$log_likelihood), c(collapsed$log_likelihood) - 5)
  new <- data.frame(x = c(0.1, 0.5, 0.9), y = c(0.2, 0.5, 0.9))
  expect_equal(predict(adam, new)$mean, predict(collapsed, new)$mean, tolerance = 0.03)
  expect_equal(scores(adam)$log_score, scores(collapsed)$log_score, tolerance = 0.01)
  few <- adam_method(2, std_error = FALSE)
  first <- batch_fit(data, few, count ~ x, family = poisson(), threads = 1L)
  kept <- c("log_likelihood", "parameters", "inducing", "svgp", "posterior", "beta", "beta_vcov")
  for (threads in c(2L, 4L)) expect_identical(batch_fit(data, few, count ~ x, family = poisson(),
    threads = threads)[kept], first[kept])
  expect_false(identical(batch_fit(data, few, count ~ x, family = poisson(),
    seed = 4)$log_likelihood, first$log_likelihood))
  file <- withr::local_tempfile()
  saveRDS(adam, file)
  expect_identical(predict(readRDS(file), new), predict(adam, new))
})

test_extended("Adam's steps are in the unit of a response with an identity link, too", {
  data <- batch_data(150)
  data$limit <- pmax(data$z, stats::quantile(data$z, 0.2))
  fit_in <- function(unit, family, method) {
    data$z <- data$z * unit
    data$limit <- data$limit * unit
    formula <- if (family$family == "student_t") z ~ 1 else
      cens(ifelse(limit > min(limit), limit, NA), upper = limit) ~ 1
    set.seed(2)
    neargp(formula, data, coords = ~ x + y, method = method, family = family, threads = 1L)
  }
  new <- data.frame(x = c(0.1, 0.5), y = 0.4)
  for (family in list(student_t(4), censored_gaussian())) {
    for (method in list(adam_method(5), ppgpr(inducing = 15, joint = TRUE, epochs = 5))) {
      fit <- predict(fit_in(1, family, method), new, type = "link")
      for (unit in 2^c(-12, 12)) {
        other <- predict(fit_in(unit, family, method), new, type = "link")
        expect_equal(other$mean / unit, fit$mean, tolerance = 1e-6)
        expect_equal(other$sd / unit, fit$sd, tolerance = 1e-6)
      }
    }
  }
})

test_extended("a fit goes on with its posterior, at the last rate", {
  data <- batch_data()
  for (formula in list(z ~ x, count ~ x)) {
    family <- if (identical(formula[[2L]], quote(z))) stats::gaussian() else stats::poisson()
    fit <- batch_fit(data, adam_method(40), formula, family = family)
    on <- withr::with_seed(1, update(fit, start = fit, method = adam_method(2)))
    expect_gt(c(on$log_likelihood), c(fit$log_likelihood) - 0.2)
    expect_equal(on$svgp$moments$mean, fit$svgp$moments$mean, tolerance = 0.01)
    expect_false(identical(on$svgp$moments$mean, fit$svgp$moments$mean))
  }
})

test_extended("generics have Adam's posterior", {
  data <- batch_data(400)
  fit <- batch_fit(data, adam_method(60), z ~ x)
  new <- data[1:5, ]
  joint <- predict(fit, new, type = "link", joint = TRUE)
  expect_equal(sqrt(diag(attr(joint, "covariance"))), predict(fit, new, type = "link")$sd,
    tolerance = 1e-8)
  draws <- withr::with_seed(1, simulate(fit, nsim = 400, newdata = new, type = "link"))
  expect_equal(unname(rowMeans(as.matrix(draws))), predict(fit, new)$mean, tolerance = 0.02)
  expect_true(all(is.finite(residuals(fit, "standardized"))))
  expect_equal(stats::sd(residuals(fit, "standardized")), 1, tolerance = 0.15)
  validated <- cross_validate(fit, folds = rep(1:4, 100))
  expect_lt(scores(validated)$rmse, 2)
  expect_output(print(summary(fit)), "100 epochs|60 epochs")
  expect_s3_class(tidy(fit), "data.frame")
})

test_extended("several outputs and classes are refused", {
  data <- batch_data(200)
  expect_error(batch_fit(data, adam_method(2), cbind(z, field) ~ 1), class = "neargp_error_method")
  data$class <- cut(data$z, 3)
  expect_error(batch_fit(data, adam_method(2), class ~ 1, family = categorical()),
    class = "neargp_error_method")
  expect_error(batch_fit(data, svgp(10, kl_weight = 0.5), cbind(z, field) ~ 1),
    class = "neargp_error_method")
  expect_error(batch_fit(data, svgp(10, kl_weight = 0.5), class ~ 1, family = categorical()),
    class = "neargp_error_method")
  expect_error(svgp(kl_weight = 0), class = "neargp_error_argument")
})

# ---- the weight of the divergence ----------------------------------------------------------------

test_extended("all optimisers have the same weighted objective, and give the evidence bound of what they find", {
  data <- batch_data()
  for (kl_weight in c(0.3, 3)) {
    collapsed <- batch_fit(data, svgp(inducing = 15, kl_weight = kl_weight,
      optimizer = "collapsed"))
    natural <- batch_fit(data, svgp(inducing = 15, kl_weight = kl_weight, optimizer = "natural",
      epochs = 60, batch_size = 128, learning_rate = 0.03))
    adam <- batch_fit(data, adam_method(epochs = 300, kl_weight = kl_weight))
    plain <- batch_fit(data, svgp(inducing = 15, optimizer = "collapsed"))
    for (fit in list(collapsed, natural, adam)) expect_lt(c(fit$log_likelihood),
      c(plain$log_likelihood))
    expect_equal(coef(adam, "covariance")[["nugget"]], coef(collapsed, "covariance")[["nugget"]],
      tolerance = 0.05)
    new <- data.frame(x = c(0.1, 0.5, 0.9), y = c(0.2, 0.5, 0.9))
    expect_equal(predict(adam, new)$sd, predict(collapsed, new)$sd, tolerance = 0.1)
    expect_equal(predict(natural, new)$sd, predict(collapsed, new)$sd, tolerance = 0.1)
  }
})

# At given parameters and positions, against the objective of a given posterior
# (src/core/variational/inducing_objective.h).
test_extended("the value of the collapsed objective is that of its posterior, and logLik() its evidence bound", {
  data <- batch_data(250)
  for (bound in c("tight", "standard")) for (kl_weight in c(0.4, 1, 2.5))
    for (family in list(stats::gaussian(), stats::poisson())) {
      gaussian <- family$family == "gaussian"
      if (!gaussian && bound == "tight") next
      fit <- neargp(if (gaussian) z ~ 0 else count ~ 0, data, coords = ~ x + y, family = family,
        nugget = if (gaussian) 2, covariance = cov_matern(nu = 2.5, variance = 20, range = 0.3),
        method = svgp(as.matrix(data[1:12, c("x", "y")]), move = FALSE, bound = bound,
          kl_weight = kl_weight))
      root <- t(chol(chol2inv(t(fit$svgp$factor))))
      value <- function(weight) {
        core_inducing_objective(fit$data$coords, list(y = as.double(fit$data$y), trials = NULL,
          weights = fit$data$weights, offset = double(250),
          design = matrix(0, 250L, 0L)), fit$svgp$positions, as_specified(fit$core_covariance),
          family_core_name(family), if (gaussian) 2 else double(0),
          list(mean = fit$svgp$weights[, 1L], root = root), list(score = "expected", bound = bound,
            kl_weight = weight, jitter = 1e-6), TRUE, plain_context())
      }
      expect_lt(max(abs(value(kl_weight)$d_mean)), 1e-3)
      expect_lt(max(abs(value(kl_weight)$d_root)), 1e-3)
      if (bound == "standard") expect_equal(c(fit$log_likelihood), value(1)$value, tolerance = 1e-6)
      if (!gaussian) next
      layout <- fit$layout
      layout$fixed <- layout$kind == "shape"
      working <- fit$parameters$working
      problem <- list(layout = layout, data = fit$data, method = fit$method, family = family,
        context = plain_context(), groups = component_groups(fit$covariance, fit$locations))
      objective <- bound_objective(problem, fit$method)
      at <- objective(working, fit$svgp$positions)
      expect_equal(at$value, value(kl_weight)$value, tolerance = 1e-9)
      for (j in which(layout$kind %in% c("variance", "range", "nugget"))) {
        moved <- function(by) {
          objective(replace(working, j, working[j] + by), fit$svgp$positions)$value
        }
        expect_equal(at$gradient[j], (moved(1e-4) - moved(-1e-4)) / 2e-4, tolerance = 1e-5)
      }
    }
})

test_extended("leave-one-out predictions of a weighted fit are those of its tempered posterior", {
  data <- simulated_data(80)
  fit <- inducing_fit(data, method = svgp(inducing = 15, kl_weight = 0.5), formula = z ~ 0)
  dense <- dense_inducing(fit)
  tempered <- dense$known + diag(0.5 * dense$noise)
  one <- 7L
  weights <- solve(tempered[-one, -one], tempered[-one, one])
  expect_equal(loo_predict(fit)$mean[one], sum(weights * fit$data$y[-one]), tolerance = 1e-6)
  expect_equal(loo_predict(fit)$sd[one]^2,
    dense$known[one, one] - sum(weights * tempered[-one, one]) + dense$rest[one] + dense$noise[one],
    tolerance = 1e-6)
})
