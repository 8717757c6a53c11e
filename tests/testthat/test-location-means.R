# The reference is the dense model of all rows in plain R, see helper-location-means.R.

new_places <- function(data) {
  new <- rbind(data.frame(x = 0.5, y = 0.5), data[1L, c("x", "y")])
  data.frame(new, year = factor(c(2002, 2004), levels(data$year)), o = c(0, 1))
}

test_that("with all other locations for neighbours a fit is the dense model of all rows", {
  data <- repeated_rows()
  new <- new_places(data)
  right <- dense_model(data, new)
  for (method in list(exact_gp(), vecchia(k = 15), vecchia(k = 60), loo_k(15), mll_k(15),
    vecchia(k = 15, inducing = 5))) {
    fit <- fit_held(data, method)
    if (method$label != "LOO-k") expect_equal(fit$log_likelihood, right$value, tolerance = 1e-10)
    expect_equal(unname(coef(fit)), unname(right$beta), tolerance = 1e-9)
    expect_equal(unname(vcov(fit)), unname(right$vcov), tolerance = 1e-9)
    link <- predict(fit, new, type = "link")
    expect_equal(link$mean, right$mean, tolerance = 1e-9)
    expect_equal(link$sd, sqrt(diag(right$covariance)), tolerance = 1e-9)
    joint <- attr(predict(fit, new, type = "link", joint = TRUE), "covariance")
    expect_equal(joint, right$covariance, tolerance = 1e-8, ignore_attr = TRUE)
    expect_identical(nobs(fit), nrow(data))
  }
  restricted <- fit_held(data, vecchia(k = 15, estimation = "REML"))
  expect_equal(restricted$log_likelihood, right$restricted, tolerance = 1e-10)
})

test_that("a row is predicted from all others, those of its location among them", {
  data <- repeated_rows()
  for (method in list(exact_gp(), vecchia(k = 15), vecchia(k = 15, inducing = 5))) {
    left <- loo_predict(fit_held(data, method))
    for (i in c(1L, 7L, which(!duplicated(data[c("x", "y")]) & !duplicated(data[c("x", "y")],
      fromLast = TRUE))[1L])) {
      expect_equal(c(left$mean[i], left$sd[i]), dense_without(data, i), tolerance = 1e-8)
    }
  }
})

test_that("a row without noise is its location, and a large weight hides no other", {
  data <- repeated_rows()
  data$s2 <- ifelse(seq_len(nrow(data)) == which(duplicated(data[c("x", "y")]))[1L], 0, 0.5)
  fit <- suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, measurement_variance = s2,
    nugget = 0, covariance = held_covariance, method = exact_gp(), threads = 1L, verbose = FALSE))
  new <- data.frame(x = c(0.5, data$x[1L]), y = c(0.5, data$y[1L]))
  Q <- solve(dense_exponential(data, data) + diag(data$s2))
  one <- rep(1, nrow(data))
  beta <- sum(Q %*% data$z) / sum(Q)
  right <- drop(beta + dense_exponential(new, data) %*% Q %*% (data$z - beta))
  expect_equal(predict(fit, new, type = "link")$mean, right, tolerance = 1e-8)
  left <- loo_predict(fit)
  i <- which(data$s2 == 0)
  Q <- solve(dense_exponential(data[-i, ], data[-i, ]) + diag(data$s2[-i]))
  beta <- sum(Q %*% data$z[-i]) / sum(Q)
  expect_equal(left$mean[i], drop(beta + dense_exponential(data[i, ], data[-i, ]) %*% Q %*%
    (data$z[-i] - beta)), tolerance = 1e-8)
  expect_false(anyNA(left$mean))
  heavy <- others_at_location(cbind(c(1, 2, 4)), c(1e17, 1, 1), c(1L, 1L, 1L))
  expect_equal(heavy$mean[1L, ], 3)
  expect_equal(heavy$weight, c(2, 1e17, 1e17))
})

test_that("joint predictions, profile intervals and integrated ones are those of all rows", {
  data <- repeated_rows()
  fit <- function(method) {
    suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, method = method,
      covariance = cov_exponential(range = 0.3), threads = 1L, verbose = FALSE))
  }
  near <- fit(vecchia(k = 15))
  exact <- fit(exact_gp())
  limits <- function(fit) suppressWarnings(confint(fit, "nugget", what = "covariance",
    method = "profile"))
  expect_equal(limits(near), limits(exact), tolerance = 1e-4)
  values <- function(fit) predict(fit, data[1:2, c("x", "y")], parameters = "integrated")$sd
  expect_equal(values(near), values(exact), tolerance = 1e-3)
})

test_that("all locations are neighbours where there are no more of them than `k`", {
  set.seed(5)
  stations <- data.frame(x = runif(96), y = runif(96))
  data <- stations[rep(1:96, 3L), ]
  data$z <- sin(6 * data$x) + rnorm(288)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, covariance = held_covariance, nugget = 1,
    method = vecchia(20), verbose = FALSE)
  new <- data.frame(x = c(0.1, 0.5, 1.2), y = c(0.9, 0.5, 0.3))
  expect_identical(predict(fit, new), predict(fit, new, sectors = 0))
})

test_that("memory is that of locations, and neighbours are rows where effects keep these apart", {
  set.seed(6)
  stations <- data.frame(x = runif(12), y = runif(12))
  data <- stations[rep(1:12, 1000L), ]
  data$z <- rnorm(12000)
  withr::with_options(list(neargp.memory = 1e8), {
    fit <- suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, covariance = held_covariance,
      nugget = 1, verbose = FALSE))
  })
  expect_s3_class(fit$method, "neargp_exact_gp")
  few <- data[1:400, ]
  few$group <- factor(sample(80L, 400L, TRUE))
  fit <- suppressMessages(neargp(z ~ (1 | group), few, coords = ~ x + y, method = vecchia(),
    covariance = held_covariance, nugget = 1, verbose = FALSE))
  expect_identical(fit$k, 30L)
})

test_that("joint predictions of areas are those of single ones", {
  skip_if_not_installed("sf")
  cells <- sf::st_make_grid(sf::st_as_sfc(sf::st_bbox(c(xmin = 0, ymin = 0, xmax = 4, ymax = 4))),
    n = 4)
  areas <- sf::st_sf(geometry = cells)[rep(1:16, rep(c(1, 3), 8)), ]
  set.seed(7)
  areas$z <- rnorm(nrow(areas))
  fit <- suppressMessages(neargp(z ~ 1, areas, method = exact_gp(), covariance = held_covariance,
    nugget = 0.5, distance = "euclidean", verbose = FALSE))
  joint <- suppressMessages(predict(fit, areas[1:3, ], type = "link", joint = TRUE))
  single <- suppressMessages(predict(fit, areas[1:3, ], type = "link"))
  expect_equal(joint$mean, single$mean, tolerance = 1e-8)
  expect_equal(joint$sd, single$sd, tolerance = 1e-8)
})

test_that("rows that differ by rounding are duplicates for a fit without a nugget", {
  data <- data.frame(x = c(0.3, 0.1 + 0.2, 0.5, 0.8), y = c(1, 1, 0.2, 0.7), z = 1:4)
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, nugget = 0, method = vecchia(2)),
    class = "neargp_error_duplicates")
})

test_that("locations differ where their coordinates do", {
  times <- cbind(1.6e9 + outer(seq(0, by = 86400, length.out = 4L), 0:9 / 100, "+")[TRUE])
  expect_identical(count_locations(times), 40L)
  # a clock of a kilohertz: pieces of a chain are no longer than what rounding leaves
  chain <- cbind(c(seq(1.6e9, by = 1e-3, length.out = 1000L), 1.7e9))
  expect_gt(count_locations(chain), 400L)
  expect_identical(count_locations(cbind(c(0, 0.3, 0.1 + 0.2, 1))), 3L)
})

test_extended("the leave-one-out score is that of whole locations", {
  data <- repeated_rows()
  trend <- dense_model(data, new_places(data))$beta
  y <- data$z - data$o
  place <- paste(data$x, data$y)
  # trend as the score has it: least squares of the whitened columns
  fit <- fit_held(data, loo_k(15))
  log_density <- function(y, mean, covariance) {
    r <- y - mean
    -0.5 * (length(y) * log(2 * pi) + as.double(determinant(covariance)$modulus) +
      drop(r %*% solve(covariance, r)))
  }
  S <- dense_exponential(data, data) + diag(2 / data$w)
  X <- model.matrix(~ year, data)
  score <- function(beta) {
    r <- y - drop(X %*% beta)
    sum(vapply(unique(place), function(p) {
      own <- which(place == p)
      weights <- S[own, -own] %*% solve(S[-own, -own])
      log_density(r[own], drop(weights %*% r[-own]),
        S[own, own] - weights %*% S[-own, own, drop = FALSE])
    }, 0))
  }
  best <- optim(trend, function(beta) -score(beta), method = "BFGS",
    control = list(reltol = 1e-14))
  expect_equal(fit$log_likelihood, -best$value, tolerance = 1e-8)
})

test_that("estimates and standard errors are those of the dense likelihood", {
  data <- repeated_rows()
  value <- function(log_parameters) {
    p <- exp(log_parameters)
    S <- p[1L] * dense_exponential(data, data) + diag(p[2L] / data$w)
    Q <- solve(S)
    X <- model.matrix(~ year, data)
    y <- data$z - data$o
    r <- y - drop(X %*% solve(t(X) %*% Q %*% X, t(X) %*% Q %*% y))
    -0.5 * (nrow(data) * log(2 * pi) + as.double(determinant(S)$modulus) + drop(r %*% Q %*% r))
  }
  best <- optim(c(0, 0), function(p) -value(p), method = "BFGS", control = list(reltol = 1e-14))
  fit <- suppressMessages(neargp(z ~ year + offset(o), data, coords = ~ x + y, weights = w,
    covariance = cov_exponential(range = 0.3), method = vecchia(k = 15), threads = 1L,
    verbose = FALSE))
  expect_equal(fit$log_likelihood, -best$value, tolerance = 1e-6)
  expect_equal(unname(coef(fit, what = "covariance")[c("variance", "nugget")]), exp(best$par),
    tolerance = 1e-2)
})

test_that("inducing points stand beside means of locations", {
  data <- repeated_rows(rep(c(1, 4), 20), 40L)
  fit <- fit_held(data, vecchia(k = 8, inducing = 6))
  problem <- local_problem_of(fit)
  problem$method <- fit$method
  means <- problem_at_locations(problem)
  expect_identical(length(means$data$y), 40L)
  moved <- means$layout$kind %in% c("variance", "range", "nugget")
  means$layout$fixed <- !moved
  means$free <- moved
  means$bounds <- list(lower = rep(-Inf, length(moved)), upper = rep(Inf, length(moved)))
  at <- problem$start + 0.1 * moved
  given <- nearest_given(fit$method, means, at, key = 0)
  objective <- given$objective
  expect_equal(objective$n, nrow(data))
  expect_equal(objective$evaluate(at)$gradient[moved],
    difference(function(w) objective$evaluate(w)$value, at)[moved], tolerance = 1e-6)
  # without some rows, a fit is that of the others with the same points
  rows <- which(seq_len(nrow(data)) %% 3 > 0)
  k <- length(unique(data$x[rows]))
  again <- fit_held(data[rows, ], vecchia(k = k - 1L, inducing = 6))
  fit$method$k <- 39L
  kept <- with_own_cache(restrict_rows(fit$method, fit, rows, plain_context()))
  new <- new_places(data)
  expect_lt(k, 40L)
  expect_equal(predict(kept, new, type = "link", k = k)$mean,
    predict(again, new, type = "link", k = k)$mean, tolerance = 1e-6)
})

test_that("25 stations of 80 rows have the dense model's values", {
  set.seed(1)
  stations <- data.frame(x = runif(25), y = runif(25))
  data <- stations[rep(1:25, 80), ]
  data$z <- rnorm(25)[rep(1:25, 80)] + rnorm(2000, sd = 2)
  new <- rbind(data.frame(x = c(0.5, 0.1), y = c(0.5, 0.9)), stations[1L, ])
  by_default <- suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, verbose = FALSE))
  expect_s3_class(by_default$method, "neargp_exact_gp")
  expect_false(any(grepl("angle|anisotropy", by_default$parameters$name)))
  expect_output(print(by_default), "2,000 at 25 locations")
  # level: what is not centred first loses its digits
  for (level in c(0, 1e7)) {
    fit <- suppressMessages(neargp(z + level ~ 1, data, coords = ~ x + y, verbose = FALSE,
      method = vecchia(), covariance = held_covariance, nugget = 4))
    expect_equal(fit$k, 24L)
    expect_equal(fit$log_likelihood, -4343.8183, tolerance = 1e-8)
    link <- predict(fit, new, type = "link")
    expect_equal(link$mean - level, c(-0.06860176, -0.61433936, -0.19189107), tolerance = 2e-6)
    expect_equal(link$sd, c(0.63171882, 0.64161456, 0.20994551), tolerance = 1e-7)
  }
  left <- loo_predict(fit)
  expect_equal(left$mean[c(1, 26, 2)] - level, c(-0.20227518, -0.19989836, -0.061357725),
    tolerance = 1e-5)
  expect_equal(left$sd[c(1, 26, 2)], c(2.0111112, 2.0111112, 2.0116608), tolerance = 1e-7)
})

test_that("order, copies and rounding of rows play no part", {
  data <- repeated_rows()
  new <- new_places(data)
  link <- function(data, ...) {
    as.data.frame(predict(fit_held(data, vecchia(k = 15), ...), new, type = "link"))
  }
  right <- link(data)
  expect_equal(link(data[rev(seq_len(nrow(data))), ]), right, tolerance = 1e-9)
  rounded <- data
  rounded$x <- rounded$x + c(0, 1e-13)
  expect_equal(link(rounded), right, tolerance = 1e-9)
  halves <- data[c(seq_len(nrow(data)), 5L), ]
  halves$w[c(5L, nrow(halves))] <- data$w[5L] / 2
  expect_equal(link(halves), right, tolerance = 1e-9)
  light <- rbind(data, transform(data[3L, ], w = 1e-12, z = 50))
  expect_equal(link(light), right, tolerance = 1e-8)
})

test_that("random effects and repeated locations have the dense restricted likelihood", {
  data <- repeated_rows()
  set.seed(4)
  data$group <- factor(sample(8L, nrow(data), TRUE))
  data$z <- data$z + rnorm(8L, sd = 0.8)[data$group]
  Z <- model.matrix(~ group - 1, data)
  X <- matrix(1, nrow(data), 1L)
  for (method in list(exact_gp(), vecchia(k = 15))) {
    fit <- suppressMessages(neargp(z ~ (1 | group), data, coords = ~ x + y, weights = w,
      method = method, covariance = cov_exponential(range = 0.3), threads = 1L, verbose = FALSE))
    estimates <- coef(fit, what = "covariance")
    sd <- estimates[grepl("group", names(estimates))]
    S <- estimates[["variance"]] * dense_exponential(data, data) + sd^2 * tcrossprod(Z) +
      diag(estimates[["nugget"]] / data$w)
    Q <- solve(S)
    V <- solve(t(X) %*% Q %*% X)
    beta <- drop(V %*% t(X) %*% Q %*% data$z)
    r <- data$z - beta
    value <- -0.5 * ((nrow(data) - 1) * log(2 * pi) + as.double(determinant(S)$modulus) -
      as.double(determinant(V)$modulus) + drop(r %*% Q %*% r))
    expect_equal(fit$log_likelihood, value, tolerance = 1e-8)
    expect_equal(coef(fit)[[1L]], beta, tolerance = 1e-7)
  }
})

test_that("rows of one location each are fitted as before", {
  data <- simulated_data(60L)
  expect_identical(at_locations(list(coords = as.matrix(data[c("x", "y")]), y = data$z)),
    list(coords = as.matrix(data[c("x", "y")]), y = data$z))
})

test_that("limits count locations", {
  choose <- function(locations, each) {
    set.seed(3)
    stations <- data.frame(x = runif(locations), y = runif(locations))
    data <- stations[rep(seq_len(locations), each), ]
    data$z <- rnorm(nrow(data))
    suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, covariance = held_covariance,
      nugget = 1, verbose = FALSE))
  }
  expect_s3_class(choose(60L, 9L)$method, "neargp_exact_gp")
  expect_s3_class(choose(501L, 2L)$method, "neargp_vecchia")
})

test_extended("draws have one value of the field at a location, with the moments of the dense model", {
  data <- repeated_rows()
  new <- new_places(data)
  right <- dense_model(data, new)
  fit <- fit_held(data, vecchia(k = 15))
  draws <- as.matrix(simulate(fit, nsim = 4000, seed = 1, newdata = new, type = "link"))
  sd <- sqrt(diag(right$covariance))
  expect_true(all(abs(rowMeans(draws) - right$mean) < 4 * sd / sqrt(4000)))
  expect_true(all(abs(apply(draws, 1L, var) / sd^2 - 1) < 0.1))
})

test_that("a location on the sphere is one by whatever longitude it is named", {
  named <- rbind(c(180, 10), c(-180, 10), c(0, 90), c(120, 90), c(179.999, 10))
  expect_identical(location_index(core_embed_longlat(named)), c(1L, 1L, 2L, 2L, 3L))
})
