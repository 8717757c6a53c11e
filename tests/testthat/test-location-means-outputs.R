# Several responses at repeated locations. The reference is the dense model of all observations.

repeated_outputs <- function(locations = 30L, each = 20L) {
  set.seed(8)
  B <- matrix(c(1, 0.7, 0.7, 1.2), 2)
  stations <- cbind(x = runif(locations), y = runif(locations))
  i <- rep(seq_len(locations), each)
  n <- length(i)
  root <- t(chol(exp(-as.matrix(dist(stations)) / 0.3) + diag(1e-9, locations)))
  field <- root %*% matrix(rnorm(2 * locations), locations) %*% chol(B)
  data <- data.frame(stations[i, ], a = field[i, 1] + rnorm(n, sd = 2),
    b = field[i, 2] + rnorm(n, sd = sqrt(2)))
  data$a[runif(n) < 0.3] <- NA
  data$b[runif(n) < 0.6] <- NA
  data[!(is.na(data$a) & is.na(data$b)), ]
}

output_covariance <- matrix(c(1, 0.7, 0.7, 1.2), 2)

fit_outputs <- function(data, method, formula = cbind(a, b) ~ 1, nugget = c(4, 2), ...) {
  suppressMessages(neargp(formula, data, coords = ~ x + y, method = method, nugget = nugget,
    covariance = cov_coregionalisation(cov_exponential(range = 0.3),
      matrices = list(output_covariance)), threads = 1L, verbose = FALSE, ...))
}

# Observations in rows: output, coordinates, design with a block for each output, nugget.
dense_repeated <- function(data, u = NULL) {
  known <- which(!is.na(as.matrix(data[c("a", "b")])), arr.ind = TRUE)
  design <- if (is.null(u)) cbind(rep(1, nrow(data))) else cbind(1, data[[u]])
  X <- cbind(design[known[, 1L], , drop = FALSE] * (known[, 2L] == 1),
    design[known[, 1L], , drop = FALSE] * (known[, 2L] == 2))
  list(row = known[, 1L], output = known[, 2L], y = as.matrix(data[c("a", "b")])[known], X = X,
    at = data[known[, 1L], c("x", "y")], noise = c(4, 2)[known[, 2L]])
}

dense_cross <- function(a, output_a, b, output_b) {
  output_covariance[output_a, output_b, drop = FALSE] *
    exp(-sqrt(outer(a$x, b$x, "-")^2 + outer(a$y, b$y, "-")^2) / 0.3)
}

# The field with the trend of each target, given the observations `kept`.
dense_predicted <- function(d, at, output, X, kept = seq_along(d$y)) {
  S <- dense_cross(d$at[kept, ], d$output[kept], d$at[kept, ], d$output[kept]) +
    diag(d$noise[kept])
  Q <- solve(S)
  design <- d$X[kept, , drop = FALSE]
  V <- solve(t(design) %*% Q %*% design)
  beta <- drop(V %*% t(design) %*% Q %*% d$y[kept])
  r <- d$y[kept] - drop(design %*% beta)
  cross <- dense_cross(at, output, d$at[kept, ], d$output[kept])
  unseen <- X - cross %*% Q %*% design
  variance <- output_covariance[cbind(output, output)] - rowSums((cross %*% Q) * cross) +
    rowSums((unseen %*% V) * unseen)
  list(value = -0.5 * (length(kept) * log(2 * pi) + as.double(determinant(S)$modulus) +
    drop(r %*% Q %*% r)), beta = beta, vcov = V,
    mean = drop(X %*% beta + cross %*% Q %*% r), sd = sqrt(variance))
}

test_that("fits and predictions of repeated locations are those of all observations", {
  data <- repeated_outputs()
  new <- rbind(data.frame(x = 0.5, y = 0.5), data.frame(data[1L, c("x", "y")]))
  for (method in list(vecchia(), vecchia(k = 400), exact_gp())) {
    fit <- fit_outputs(data, method)
    expect_equal(fit$log_likelihood, -1331.5494, tolerance = 4e-8)
    expect_equal(unname(coef(fit)), c(-0.01259985, -0.43244791), tolerance = 1e-6)
    link <- predict(fit, new, type = "link")
    expect_equal(link$mean_a, c(0.47515681, 1.2500955), tolerance = 1e-7)
    expect_equal(link$mean_b, c(0.17597791, 1.069865), tolerance = 1e-7)
    expect_equal(link$sd_a, c(0.64072121, 0.40023386), tolerance = 1e-7)
    expect_equal(link$sd_b, c(0.67659837, 0.47414788), tolerance = 1e-7)
    expect_equal(nobs(fit), 649L)
  }
  expect_identical(fit_outputs(data, vecchia())$k, 29L)
})

test_that("trends that differ within a location, and leaving it out, are those of the dense model", {
  data <- repeated_outputs(12L, 6L)
  set.seed(9)
  data$u <- rnorm(nrow(data))
  d <- dense_repeated(data, "u")
  new <- data.frame(x = c(0.5, data$x[3L]), y = c(0.5, data$y[3L]), u = c(1, -1))
  X0 <- cbind(1, new$u)
  for (method in list(exact_gp(), vecchia(k = 11), loo_k(k = 11, k_other = 12),
    mll_k(k = 11))) {
    fit <- fit_outputs(data, method, cbind(a, b) ~ u)
    right <- dense_predicted(d, rbind(new, new)[c("x", "y")], rep(1:2, each = 2L),
      rbind(cbind(X0, 0 * X0), cbind(0 * X0, X0)))
    link <- predict(fit, new, type = "link", k = 12, k_other = 12)
    expect_equal(c(link$mean_a, link$mean_b), right$mean, tolerance = 1e-8)
    expect_equal(c(link$sd_a, link$sd_b), right$sd, tolerance = 1e-8)
    expect_equal(unname(coef(fit)), right$beta, tolerance = 1e-8)
    expect_equal(unname(vcov(fit)), right$vcov, tolerance = 1e-8)
    if (inherits(method, "neargp_vecchia")) {
      expect_equal(fit$log_likelihood, right$value, tolerance = 1e-10)
    }
    left <- loo_predict(fit)
    row <- loo_predict(fit, leave_out = "row")
    for (i in c(1L, 8L)) {
      out <- which(d$at$x == data$x[i] & d$at$y == data$y[i])
      own <- which(d$row == i & d$output == 1L)
      if (!length(own)) next
      right <- dense_predicted(d, d$at[own, ], 1L, d$X[own, , drop = FALSE],
        setdiff(seq_along(d$y), out))
      expect_equal(c(left$mean_a[i], left$sd_a[i]), c(right$mean, sqrt(right$sd^2 + 4)),
        tolerance = 1e-7, ignore_attr = TRUE)
      right <- dense_predicted(d, d$at[own, ], 1L, d$X[own, , drop = FALSE],
        setdiff(seq_along(d$y), own))
      expect_equal(c(row$mean_a[i], row$sd_a[i]), c(right$mean, sqrt(right$sd^2 + 4)),
        tolerance = 1e-7, ignore_attr = TRUE)
    }
  }
})

test_that("estimates and gradients of several responses count all observations", {
  data <- repeated_outputs(14L, 5L)
  fit <- suppressMessages(neargp(cbind(a, b) ~ 1, data, coords = ~ x + y, method = vecchia(k = 13),
    covariance = cov_coregionalisation(cov_exponential()), threads = 1L, verbose = FALSE,
    control = neargp_control(max_iterations = 3L)) |> suppressWarnings())
  rows <- local_problem_of(fit)
  rows$data <- fit$data
  rows$method <- fit$method
  means <- problem_at_locations(rows)
  expect_lt(length(means$data$y), length(rows$data$y))
  at <- fit$parameters$working + 0.1
  right <- exact_outputs_objective(rows)$evaluate(at)
  component <- metric_component(covariance_at(rows, at))
  others <- function(method) neighbors_of_outputs(means$data, component, 13L, 14L, "row",
    means$context)
  for (objective in list(exact_outputs_objective(means),
    local_objective(means, neighbors_before(means, component, 13L, "maxmin", 0)))) {
    found <- objective$evaluate(at)
    expect_equal(found$value, right$value, tolerance = 1e-10)
    expect_equal(found$beta, right$beta, tolerance = 1e-8)
    expect_equal(objective$gradient(at, found$beta), exact_outputs_objective(rows)$gradient(at,
      right$beta), tolerance = 1e-7)
  }
  joint <- joint_objective(means, others())
  expect_equal(joint$gradient(at, joint$evaluate(at)$beta)[rows$free], difference(function(w)
    joint$evaluate(w)$value, at)[rows$free], tolerance = 1e-6)
})

test_that("observed responses, covariances and single observations are those of the dense model", {
  data <- repeated_outputs(12L, 6L)
  d <- dense_repeated(data)
  new <- data.frame(x = c(0.5, data$x[3L]), y = c(0.5, data$y[3L]), b = c(1, -1))
  S <- dense_cross(d$at, d$output, d$at, d$output) + diag(d$noise)
  beta <- dense_predicted(d, d$at[1L, ], 1L, d$X[1L, , drop = FALSE])$beta
  for (method in list(exact_gp(), vecchia(k = 11))) {
    fit <- fit_outputs(data, method)
    observed <- predict(fit, new, type = "link", use_observed = TRUE)$mean_a
    for (i in 1:2) {
      at <- rbind(d$at, new[i, c("x", "y")])
      output <- c(d$output, 2L)
      joined <- dense_cross(at, output, at, output) + diag(c(d$noise, 2))
      residual <- c(d$y - d$X %*% beta, new$b[i] - beta[2L])
      expect_equal(observed[i], beta[1L] + drop(dense_cross(new[i, ], 1L, at, output) %*%
        solve(joined, residual)), tolerance = 1e-8)
    }
    covariance <- attr(predict(fit, new, type = "link", covariance = TRUE), "covariance")
    Q <- solve(S)
    unseen <- diag(2) - dense_cross(new[c(1L, 1L), ], 1:2, d$at, d$output) %*% Q %*% d$X
    right <- output_covariance - dense_cross(new[c(1L, 1L), ], 1:2, d$at, d$output) %*% Q %*%
      t(dense_cross(new[c(1L, 1L), ], 1:2, d$at, d$output)) +
      unseen %*% solve(t(d$X) %*% Q %*% d$X) %*% t(unseen)
    expect_equal(covariance[1L, , ], right, tolerance = 1e-7, ignore_attr = TRUE)
  }
  n <- sum(!is.na(data$a))
  fit <- fit_outputs(data, loo_k(k = n - 1L, k_other = n, leave_out = "row"))
  left <- loo_predict(fit)
  own <- which(d$output == 1L)[1L]
  right <- dense_predicted(d, d$at[own, ], 1L, d$X[own, , drop = FALSE],
    setdiff(seq_along(d$y), own))
  expect_equal(c(left$mean_a[d$row[own]], left$sd_a[d$row[own]]), c(right$mean,
    sqrt(right$sd^2 + 4)), tolerance = 1e-7, ignore_attr = TRUE)
  left <- loo_predict(fit, leave_out = "location")
  right <- dense_predicted(d, d$at[own, ], 1L, d$X[own, , drop = FALSE],
    which(d$at$x != d$at$x[own]))
  expect_equal(c(left$mean_a[d$row[own]], left$sd_a[d$row[own]]), c(right$mean,
    sqrt(right$sd^2 + 4)), tolerance = 1e-7, ignore_attr = TRUE)
})

test_that("responses of one location may stand in different rows", {
  data <- repeated_outputs(12L, 3L)
  apart <- rbind(transform(data, b = NA_real_), transform(data, a = NA_real_))
  apart <- apart[!(is.na(apart$a) & is.na(apart$b)), ]
  one <- repeated_outputs(40L, 1L)
  one_apart <- rbind(transform(one, b = NA_real_), transform(one, a = NA_real_))
  one_apart <- one_apart[!(is.na(one_apart$a) & is.na(one_apart$b)), ]
  new <- data.frame(x = 0.5, y = 0.5)
  for (pair in list(list(data, apart), list(one, one_apart))) {
    fits <- lapply(pair, fit_outputs, method = vecchia(k = 8))
    expect_equal(fits[[2L]]$log_likelihood, fits[[1L]]$log_likelihood, tolerance = 1e-10)
    expect_equal(predict(fits[[2L]], new), predict(fits[[1L]], new), tolerance = 1e-9)
    values <- lapply(fits, function(fit) sort(na.omit(loo_predict(fit)$mean_a)))
    expect_gt(length(values[[1L]]), 5L)
    expect_true(all(vapply(values[[1L]], function(x) min(abs(x - values[[2L]])), 0) < 1e-8))
  }
  expect_output(print(fits[[2L]]), " at [0-9]+ locations")
})

test_that("draws of several responses have one value of the field at a location", {
  data <- repeated_outputs(10L, 5L)
  fit <- fit_outputs(data, vecchia(k = 9))
  draws <- simulate(fit, nsim = 2L, seed = 1, type = "link")
  expect_equal(nrow(unique(round(as.data.frame(draws[[1L]]), 8))), 10L)
})
