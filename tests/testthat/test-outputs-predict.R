# Universal cokriging from all data: mean and covariance of both outputs at one location.
dense_cokriging <- function(fit, place, output = 1:2) {
  data <- fit$data
  S <- dense_outputs_noisy(fit)
  coords <- as.matrix(place[rep(1L, length(output)), c("x", "y")])
  cross <- dense_outputs(fitted_truth(fit), data$coords, data$output, coords, output)
  W <- solve(S, cross)
  X0 <- outputs_design(cbind(1, place$height), output, rep(1L, length(output)), fit$outputs)
  unseen <- X0 - crossprod(W, data$X)
  own <- dense_outputs(fitted_truth(fit), coords, output)
  list(mean = drop(X0 %*% fit$beta + crossprod(W, data$y - data$X %*% fit$beta)),
    covariance = own - crossprod(cross, W) + unseen %*% fit$beta_vcov %*% t(unseen))
}

test_extended("predictions are dense cokriging: exact_gp(), and neighbours that are all data", {
  for (method in list(exact_gp(), loo_k(k = 10))) {
    fit <- outputs_fit(method)
    most <- max(tabulate(fit$data$output))
    all <- if (inherits(method, "neargp_exact_gp")) list(device = "cpu") else
      list(k = most, k_other = most)
    predicted <- do.call(predict,
      c(list(fit, new_places(), interval = "prediction", covariance = TRUE), all))
    expect_named(predicted,
      c(outer(c("mean_", "sd_", "lower_", "upper_"), c("zinc", "lead"), paste0)))
    covariance <- attr(predicted, "covariance")
    for (i in 1:3) {
      expected <- dense_cokriging(fit, new_places()[i, ])
      expect_equal(c(predicted$mean_zinc[i], predicted$mean_lead[i]), expected$mean,
        tolerance = 1e-8)
      with_noise <- expected$covariance + diag(fit$nugget)
      expect_equal(c(predicted$sd_zinc[i], predicted$sd_lead[i]), sqrt(diag(with_noise)),
        tolerance = 1e-8)
      expect_equal(covariance[i, , ], with_noise, tolerance = 1e-7, ignore_attr = TRUE)
      expect_equal(predicted$upper_lead[i], expected$mean[2L] +
        qnorm(0.975) * sqrt(with_noise[2L, 2L]), tolerance = 1e-8)
    }
    link <- do.call(predict, c(list(fit, new_places(), type = "link", covariance = TRUE), all))
    expect_equal(attr(link, "covariance")[1L, 1L, 2L], covariance[1L, 1L, 2L])
    expect_equal(link$sd_zinc^2 + 0.2, predicted$sd_zinc^2)
  }
})

test_extended("quantiles and exceedance of each output are those of its normal distribution", {
  fit <- outputs_fit(loo_k(k = 10))
  places <- new_places()
  plain <- predict(fit, places)
  quantiles <- predict(fit, places, type = "quantile", probs = c(0.1, 0.5))
  expect_named(quantiles, c("q0.1_zinc", "q0.5_zinc", "q0.1_lead", "q0.5_lead"))
  expect_equal(quantiles$q0.1_lead, qnorm(0.1, plain$mean_lead, plain$sd_lead))
  exceeded <- predict(fit, places, threshold = c(lead = 3, zinc = 1), interval = "confidence",
    type = "link")
  expect_equal(exceeded$p_exceed_zinc, 1 - pnorm(1, plain$mean_zinc, plain$sd_zinc))
  expect_equal(exceeded$p_exceed_lead, 1 - pnorm(3, plain$mean_lead, plain$sd_lead))
  one <- predict(fit, places, threshold = 2)
  expect_named(one, c("mean_zinc", "sd_zinc", "p_exceed_zinc", "mean_lead", "sd_lead",
    "p_exceed_lead"))
  expect_equal(one$p_exceed_lead, 1 - pnorm(2, plain$mean_lead, plain$sd_lead))
  expect_error(predict(fit, places, threshold = c(zinc = 1, copper = 2)), "zinc and lead",
    class = "neargp_error_argument")
  expect_error(predict(fit, places, threshold = 1:3), class = "neargp_error_argument")
  expect_error(predict(fit, places, probs = 0.5), "quantile", class = "neargp_error_argument")
})

test_extended("outputs observed at a new place help the others there, and not themselves", {
  local_device("cpu")
  fit <- outputs_fit(exact_gp())
  places <- new_places()
  places$lead <- c(-10, NA, -30)
  places$zinc <- c(NA, 5, 100)
  predicted <- predict(fit, places, use_observed = TRUE)
  plain <- predict(fit, places)
  expect_equal(predicted$mean_lead[1L], plain$mean_lead[1L]) # its own value is not used
  expect_equal(predicted$mean_zinc[2L], plain$mean_zinc[2L])
  expect_lt(predicted$sd_zinc[1L], plain$sd_zinc[1L])
  # kriging of zinc at the first location from the data and the lead observed there
  data <- fit$data
  coords <- rbind(data$coords, as.matrix(places[1L, c("x", "y")]))
  output <- c(data$output, 2L)
  S <- dense_outputs(fitted_truth(fit), coords, output) + diag(fit$nugget[output])
  cross <- dense_outputs(fitted_truth(fit), coords, output, as.matrix(places[1L, c("x", "y")]), 1L)
  w <- drop(solve(S, cross))
  X <- rbind(data$X, c(0, 0, 1, places$height[1L]))
  x0 <- c(1, places$height[1L], 0, 0)
  unseen <- x0 - drop(crossprod(X, w))
  expect_equal(predicted$mean_zinc[1L], sum(unseen * fit$beta) +
    sum(w * c(data$y, places$lead[1L])), tolerance = 1e-8)
  variance <- Reduce(`+`, known_matrices())[1L, 1L] - sum(w * cross) +
    drop(unseen %*% fit$beta_vcov %*% unseen) + 0.2
  expect_equal(predicted$sd_zinc[1L]^2, variance, tolerance = 1e-8)
  expect_error(predict(fit, places, use_observed = TRUE, covariance = TRUE),
    class = "neargp_error_argument")
})

test_that("without a trend, observed outputs are exactly conditioning on them", {
  local_device("cpu")
  fit <- outputs_fit(exact_gp(), formula = cbind(zinc, lead) ~ 0)
  places <- new_places()
  places$lead <- c(-10, NA, 5)
  predicted <- predict(fit, places, use_observed = TRUE)
  data <- fit$data
  for (i in c(1L, 3L)) {
    coords <- as.matrix(places[c(i, i), c("x", "y")])
    cross <- dense_outputs(fitted_truth(fit), data$coords, data$output, coords, 1:2)
    W <- solve(dense_outputs_noisy(fit), cross)
    mean <- drop(crossprod(W, data$y))
    S <- dense_outputs(fitted_truth(fit), coords, 1:2) - crossprod(cross, W) + diag(fit$nugget)
    expect_equal(predicted$mean_zinc[i],
      mean[1L] + S[1L, 2L] / S[2L, 2L] * (places$lead[i] - mean[2L]), tolerance = 1e-8)
    expect_equal(predicted$sd_zinc[i]^2, S[1L, 1L] - S[1L, 2L]^2 / S[2L, 2L], tolerance = 1e-8)
  }
})

test_extended("rasters have draws, and are told what to do instead of the rest", {
  skip_if_not_installed("terra")
  layers <- terra::rast(nrows = 2, ncols = 2, xmin = 0, xmax = 1, ymin = 0, ymax = 1, vals = 0,
    names = "height", crs = "")
  fit <- outputs_fit()
  expect_error(predict(fit, layers, covariance = TRUE), "as a data frame",
    class = "neargp_error_newdata")
  draws <- simulate(fit, 2, seed = 1, newdata = layers)
  rows <- simulate(fit, 2, seed = 1, newdata = terra::as.data.frame(layers, xy = TRUE))
  expect_equal(terra::as.data.frame(draws), rows, ignore_attr = TRUE)
  expect_identical(names(draws), names(rows))
})

test_extended("rows, classes and missing values of newdata are kept, and saved fits predict", {
  fit <- outputs_fit()
  places <- new_places()
  places$height[2L] <- NA
  predicted <- predict(fit, places)
  expect_true(all(is.na(predicted[2L, ])))
  expect_equal(predicted[3L, ], predict(fit, places[3L, ]), ignore_attr = TRUE)
  expect_equal(nrow(predict(fit, places[0L, ])), 0L)
  expect_equal(predict(fit, places, chunk_size = 1L), predicted)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_equal(predict(readRDS(file), places), predicted)
  skip_if_not_installed("sf")
  d <- sf::st_as_sf(simulated_outputs(60), coords = c("x", "y"), crs = 32633)
  points <- neargp(cbind(zinc, lead) ~ 1, d, method = loo_k(k = 8))
  result <- predict(points, d[1:3, ])
  expect_s3_class(result, "sf")
  expect_true(all(c("mean_zinc", "sd_lead") %in% names(result)))
})

test_extended("arguments that cokriging does not have are errors", {
  fit <- outputs_fit()
  expect_error(predict(fit, new_places(), local_mean = TRUE), class = "neargp_error_argument")
  expect_error(predict(fit), class = "neargp_error_newdata")
  expect_error(predict(fit, new_places(), k = 100), class = "neargp_error_k")
  expect_error(predict(fit, data.frame(x = 1)), class = "neargp_error_newdata")
})

test_extended("noise drawn for the training rows is divided by their weights", {
  data <- transform(simulated_outputs(60), w = rep(c(1, 100), 30))
  fit <- neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y, method = loo_k(k = 8),
    covariance = known_outputs(), nugget = c(0.2, 8), weights = w)
  drawn <- function(type) simulate(fit, nsim = 300, seed = 5, type = type)
  noise <- as.matrix(drawn("response") - drawn("link"))
  of_lead <- endsWith(colnames(noise), "_lead")
  expect_equal(var(as.vector(noise[data$w == 1, of_lead])), 8, tolerance = 0.06)
  expect_equal(var(as.vector(noise[data$w == 100, of_lead])), 0.08, tolerance = 0.06)
  expect_equal(var(as.vector(noise[data$w == 100, !of_lead])), 0.002, tolerance = 0.06)
})

test_extended("simulations have the joint distribution of predictions", {
  fit <- outputs_fit(formula = cbind(zinc, lead) ~ 1)
  places <- new_places()[1:2, ]
  most <- max(tabulate(fit$data$output))
  draws <- simulate(fit, nsim = 4000, seed = 1, newdata = places, k = most, type = "response")
  zinc <- t(draws[paste0("sim_", 1:4000, "_zinc")])
  lead <- t(draws[paste0("sim_", 1:4000, "_lead")])
  predicted <- predict(fit, places, k = most, k_other = most, covariance = TRUE)
  expect_equal(unname(colMeans(zinc)), predicted$mean_zinc, tolerance = 0.05)
  expect_equal(unname(apply(lead, 2L, sd)), predicted$sd_lead, tolerance = 0.05)
  expect_equal(cor(zinc[, 1L], lead[, 1L]), cov2cor(attr(predicted, "covariance")[1L, , ])[1L, 2L],
    tolerance = 0.12)
  expect_equal(simulate(fit, nsim = 1, seed = 1, newdata = places),
    simulate(fit, nsim = 1, seed = 1, newdata = places))
  at_data <- simulate(fit, nsim = 2, seed = 2)
  expect_equal(dim(at_data), c(60L, 4L))
  free <- simulate(fit, nsim = 500, seed = 3, newdata = places, conditional = FALSE, type = "link")
  total <- Reduce(`+`, known_matrices())
  expect_equal(var(unlist(free[1L, paste0("sim_", 1:500, "_lead")])), total[2L, 2L],
    tolerance = 0.2)
})

test_extended("exact_gp() draws several outputs from their dense joint distribution", {
  fit <- neargp(cbind(zinc, lead) ~ 1, simulated_outputs(40), coords = ~ x + y, method = exact_gp(),
    nugget = c(0.2, 8), covariance = cov_coregionalisation(cov_matern(1.5, range = 0.3),
      matrices = matrix(c(2, 4, 4, 100), 2L)))
  places <- data.frame(x = c(0.4, 0.42, 0.9), y = 0.5)
  draws <- simulate(fit, nsim = 4000, seed = 1, newdata = places, type = "link")
  predicted <- predict(fit, places, type = "link", covariance = TRUE)
  zinc <- as.matrix(draws[paste0("sim_", 1:4000, "_zinc")])
  lead <- as.matrix(draws[paste0("sim_", 1:4000, "_lead")])
  expect_lt(max(abs(rowMeans(zinc) - predicted$mean_zinc) / predicted$sd_zinc), 0.08)
  for (i in seq_len(3L)) {
    expect_equal(unname(cov(cbind(zinc[i, ], lead[i, ]))),
      unname(attr(predicted, "covariance")[i, , ]), tolerance = 0.08)
  }
})

test_extended("a few places of several outputs are drawn densely by the other methods, too, unless k is given", {
  draws_by <- function(method, ...) {
    fit <- neargp(cbind(zinc, lead) ~ 0, simulated_outputs(40), coords = ~ x + y, method = method,
      nugget = c(0.2, 8), covariance = cov_coregionalisation(cov_matern(2.5, range = 0.3),
        matrices = matrix(c(2, 4, 4, 100), 2L)))
    simulate(fit, nsim = 2, seed = 1, newdata = data.frame(x = c(0.4, 0.42, 0.9), y = 0.5),
      type = "link", ...)
  }
  expect_equal(draws_by(loo_k(k = 5)), draws_by(exact_gp()), tolerance = 1e-10)
  expect_gt(max(abs(draws_by(loo_k(k = 5), k = 5) - draws_by(exact_gp()))), 1e-3)
})

test_extended("with fewer factors than outputs, or an output without noise, simulations have the joint distribution of predictions", {
  data <- simulated_outputs(50)
  places <- rbind(data[c(which(!is.na(data$zinc))[1L], which(is.na(data$zinc))[1L]), c("x", "y")],
    data.frame(x = c(0.4, 0.42), y = 0.5))
  one_factor <- cov_coregionalisation(cov_matern(1.5, range = 0.3),
    matrices = tcrossprod(c(1.5, -4)))
  two_factors <- cov_coregionalisation(cov_matern(1.5, range = 0.3),
    matrices = matrix(c(2, 12, 12, 100), 2L))
  for (case in list(list(one_factor, c(0.2, 8)), list(two_factors, c(0, 8)),
      list(one_factor, c(0, 8)))) {
    fit <- neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y,
      method = loo_k(k = 10, k_other = 10), covariance = case[[1L]], nugget = case[[2L]])
    most <- max(tabulate(fit$data$output))
    draws <- simulate(fit, nsim = 4000, seed = 1, newdata = places, type = "link", k = most)
    predicted <- predict(fit, places, type = "link", k = most, covariance = TRUE)
    zinc <- as.matrix(draws[paste0("sim_", 1:4000, "_zinc")])
    lead <- as.matrix(draws[paste0("sim_", 1:4000, "_lead")])
    expect_lt(max(abs(rowMeans(zinc) - predicted$mean_zinc) / (predicted$sd_zinc + 1e-6)), 0.1)
    expect_lt(max(abs(rowMeans(lead) - predicted$mean_lead) / (predicted$sd_lead + 1e-6)), 0.1)
    expect_equal(unname(apply(lead, 1L, sd)), predicted$sd_lead, tolerance = 0.05)
    for (i in seq_len(4L)) {
      expect_equal(unname(cov(cbind(zinc[i, ], lead[i, ]))),
        unname(attr(predicted, "covariance")[i, , ]), tolerance = 0.08)
    }
    if (case[[2L]][1L] == 0) {
      expect_equal(unname(zinc[1L, 1:5]), rep(data$zinc[!is.na(data$zinc)][1L], 5L))
    }
  }
  # a factor says the same of both outputs, whatever else is drawn
  free <- as.matrix(simulate(fit, nsim = 3, seed = 1, newdata = places, type = "link",
    conditional = FALSE))
  centered <- sweep(matrix(free, ncol = 2L), 2L, coef(fit))
  expect_equal(centered[, 2L] / centered[, 1L], rep(-4 / 1.5, nrow(centered)))
})

test_extended("neighbours are searched for as the fit did", {
  data <- simulated_outputs(60)
  fit <- neargp(cbind(zinc, lead) ~ 1, data, coords = ~ x + y, method = loo_k(k = 8),
    covariance = known_outputs(), nugget = c(0.2, 8))
  expect_no_error(predict(fit, data[1:3, ]))
  fit$control$neighbor_search <- "faiss"
  withr::local_envvar(NEARGP_FAISS_MODULE = tempfile(fileext = ".so"))
  expect_error(predict(fit, data[1:3, ]), "cannot be loaded")
  expect_error(loo_predict(fit), "cannot be loaded")
})

test_that("the covariance of outputs has the variances of the columns and is positive", {
  fit <- outputs_fit()
  predicted <- predict(fit, new_places(), covariance = TRUE)
  covariance <- attr(predicted, "covariance")
  expect_equal(sqrt(covariance[, "lead", "lead"]), predicted$sd_lead)
  for (i in 1:3) expect_true(all(eigen(covariance[i, , ])$values > 0))
})

test_extended("an output without noise is known at its data, uncorrelated with the others there", {
  data <- simulated_outputs(60)
  data$zinc[1L] <- NA
  for (formula in list(cbind(zinc, lead) ~ height, cbind(zinc, lead) ~ 0)) {
    fit <- neargp(formula, data, coords = ~ x + y, method = loo_k(k = 10),
      covariance = known_outputs(), nugget = c(0.2, 0))
    expect_no_warning(predicted <- predict(fit, data[1:20, ], type = "link", covariance = TRUE))
    covariance <- attr(predicted, "covariance")
    known <- which(!is.na(data$lead[1:20]))
    expect_gt(length(known), 10L)
    expect_equal(covariance[known, 1L, 2L], rep(0, length(known)))
    expect_equal(covariance, aperm(covariance, c(1L, 3L, 2L)), ignore_attr = TRUE)
    expect_equal(covariance[known, 1L, 1L], predicted$sd_zinc[known]^2, ignore_attr = TRUE)
    expect_no_error(scores(fit, data[known, ], na.rm = TRUE))
  }
  expect_identical(joint_log_score(c(0.5, 1), diag(c(0, 1))), Inf)
  expect_equal(joint_log_score(c(0.5, 1), matrix(c(2, 0.3, 0.3, 1), 2)),
    log(2 * pi) + 0.5 * log(1.91) + 0.5 * drop(c(0.5, 1) %*% solve(matrix(c(2, 0.3, 0.3, 1), 2)) %*%
      c(0.5, 1)))
})
