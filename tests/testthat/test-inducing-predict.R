test_that("leave-one-out predictions are those of the dense model without the row, trend included",
  {
    data <- transform(simulated_data(60), w = rep(1:3, 20))
    fit <- inducing_fit(data, svgp(inducing = 12), weights = w)
    given <- dense_inducing(fit)
    S <- given$known + diag(given$noise)
    X <- fit$data$X
    for (i in c(1, 17, 60)) {
      W <- solve(S[-i, -i])
      vcov <- solve(t(X[-i, ]) %*% W %*% X[-i, ])
      beta <- vcov %*% t(X[-i, ]) %*% W %*% data$z[-i]
      b <- W %*% S[-i, i]
      unseen <- X[i, ] - t(X[-i, ]) %*% b
      mean <- X[i, ] %*% beta + t(b) %*% (data$z[-i] - X[-i, ] %*% beta)
      variance <- S[i, i] - t(b) %*% S[-i, i] + t(unseen) %*% vcov %*% unseen + given$rest[i]
      expect_equal(unlist(loo_predict(fit)[i, ]), c(mean = drop(mean), sd = sqrt(drop(variance))),
        tolerance = 1e-7)
    }
  })

test_extended("a prediction depends on its own row alone, to the last digit", {
  fit <- inducing_fit()
  new <- simulated_data(600, seed = 9)
  all <- predict(fit, new)
  for (row in c(1, 255, 256, 257, 600)) expect_identical(unlist(predict(fit, new[row, ])),
    unlist(all[row, ]))
  expect_identical(predict(fit, new, chunk_size = 7, threads = 1L), all)
  expect_identical(predict(fit, new[600:1, ])$mean, rev(all$mean))
})

test_extended("joint predictions have those of single rows on their diagonal, and draws have both", {
  fit <- inducing_fit()
  new <- simulated_data(6, seed = 9)
  single <- predict(fit, new, type = "link")
  joint <- predict(fit, new, type = "link", joint = TRUE)
  expect_equal(joint$mean, single$mean, tolerance = 1e-10)
  expect_equal(sqrt(diag(attr(joint, "covariance"))), single$sd, tolerance = 1e-8)
  draws <- as.matrix(simulate(fit, nsim = 8000, seed = 1, newdata = new, type = "link"))
  expect_lt(max(abs(rowMeans(draws) - single$mean) / single$sd), 4 / sqrt(8000))
  expected <- attr(joint, "covariance")
  expect_lt(max(abs(stats::cov(t(draws)) - expected) / sqrt(outer(diag(expected), diag(expected)))),
    0.06)
  free <- as.matrix(simulate(fit, nsim = 4000, seed = 1, newdata = new, type = "link",
    conditional = FALSE))
  expected <- dense_covariance(as.matrix(new[c("x", "y")]), as.matrix(new[c("x", "y")]),
    fit$core_covariance)
  expect_lt(max(abs(stats::cov(t(free)) - expected)), 0.15)
})

test_that("draws at one place are one, and training rows have the noise of their weights", {
  fit <- inducing_fit(transform(simulated_data(60), w = rep(c(1, 1e6), 30)),
    svgp(inducing = 20, move = FALSE), weights = w)
  twice <- simulate(fit, 2, seed = 1, newdata = simulated_data(3, seed = 9)[c(1, 2, 1, 3), ],
    type = "link")
  expect_equal(unlist(twice[1L, ]) - unlist(twice[3L, ]), c(sim_1 = 0, sim_2 = 0))
  observed <- as.matrix(simulate(fit, 400, seed = 1))
  latent <- as.matrix(simulate(fit, 400, seed = 1, type = "link"))
  expect_gt(mean(apply(observed, 1L, var)[c(TRUE, FALSE)]),
    mean(apply(latent, 1L, var)[c(TRUE, FALSE)]) + 0.05)
})

test_that("rows with missing values are NA, and no row gives none", {
  fit <- inducing_fit()
  new <- simulated_data(4, seed = 9)
  new$height[2L] <- NA
  expect_identical(is.na(predict(fit, new)$mean), c(FALSE, TRUE, FALSE, FALSE))
  expect_identical(is.na(attr(predict(fit, new, joint = TRUE), "covariance"))[, 2L], rep(TRUE, 4L))
  expect_identical(nrow(predict(fit, new[0L, ])), 0L)
})

test_that("a fold's rows are predicted from the others, by the dense model with the same inducing points", {
  fit <- inducing_fit(simulated_data(80))
  kept <- restrict_rows(fit$method, fit, 1:60, plain_context())
  given <- dense_inducing(kept)
  S <- given$known + diag(given$noise)
  beta <- solve(t(kept$data$X) %*% solve(S, kept$data$X), t(kept$data$X) %*% solve(S, kept$data$y))
  expect_equal(unname(kept$beta), drop(unname(beta)), tolerance = 1e-7)
  expect_equal(predict(kept, simulated_data(80)[61:80, ])$mean,
    cross_validate(fit, folds = rep(1:2, c(60, 20)))$predictions$mean[61:80], tolerance = 1e-10)
})

test_that("settings of neighbours, and more places than a joint draw can have, are refused", {
  fit <- inducing_fit()
  new <- simulated_data(4, seed = 9)
  expect_error(predict(fit, new, k = 10), "neighbours", class = "neargp_error_argument")
  expect_error(predict(fit, new, sectors = 8), class = "neargp_error_argument")
  expect_error(predict(fit, new, local_mean = TRUE), class = "neargp_error_argument")
  expect_error(simulate(fit, newdata = new, k = 10), class = "neargp_error_argument")
  expect_error(check_places(6000L), "vecchia\\(\\)", class = "neargp_error_size")
})
