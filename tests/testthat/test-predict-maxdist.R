# Simple and ordinary kriging by dense algebra from the observations within a distance.

scattered <- function(n = 60, seed = 3) {
  set.seed(seed)
  d <- data.frame(x = runif(n), y = runif(n))
  d$z <- 2 + sin(5 * d$x) + rnorm(n, sd = 0.2)
  d
}

known_fit <- function(data, method = vecchia(k = 59, condition = "responses")) {
  neargp(z ~ 1, data, coords = ~ x + y, method = method,
    covariance = cov_exponential(variance = 1, range = 0.3), nugget = 0.04)
}

test_that("predictions are those from the observations within the distance", {
  data <- scattered()
  fit <- known_fit(data)
  new <- data.frame(x = c(0.5, 0.2, 5), y = c(0.5, 0.9, 5))
  r <- function(a, b) sqrt(outer(a$x, b$x, `-`)^2 + outer(a$y, b$y, `-`)^2)
  beta <- coef(fit)
  S <- exp(-r(data, data) / 0.3) + diag(0.04, 60)
  V <- 1 / sum(solve(S, rep(1, 60)))
  beta <- V * sum(solve(S, data$z))
  expected <- lapply(1:3, function(i) {
    near <- which(r(data, new[i, ]) <= 0.25)
    if (!length(near)) return(c(beta, sqrt(1 + V)))
    c0 <- exp(-r(data[near, ], new[i, ]) / 0.3)
    b <- solve(S[near, near], c0)
    c(beta + sum(b * (data$z[near] - beta)), sqrt(1 - sum(b * c0) + (1 - sum(b))^2 * V))
  })
  expect_message(found <- predict(fit, new, k = 60, local_mean = FALSE, type = "link",
    maxdist = 0.25, parameters = "plug-in"), "1 of 3 locations", class = "neargp_message_maxdist")
  expect_equal(unname(as.matrix(found)), do.call(rbind, expected), tolerance = 1e-8)
  # ordinary kriging within the distance, and the trend where there is nothing
  found <- suppressMessages(predict(fit, new, k = 60, local_mean = TRUE, type = "link",
    maxdist = 0.25, parameters = "plug-in"))
  near <- which(r(data, new[1, ]) <= 0.25)
  inverse <- solve(S[near, near])
  local <- sum(inverse %*% data$z[near]) / sum(inverse)
  c0 <- exp(-r(data[near, ], new[1, ]) / 0.3)
  expect_equal(found$mean[1], local + sum(inverse %*% c0 * (data$z[near] - local)),
    tolerance = 1e-8)
  expect_equal(c(found$mean[3], found$sd[3]), expected[[3]], tolerance = 1e-8)
  expect_equal(predict(fit, new[1:2, ], maxdist = 100), predict(fit, new[1:2, ]))
  expect_equal(predict(fit, new[1:2, ], maxdist = 100, chunk_size = 1), predict(fit, new[1:2, ]))
})

test_that("distances are those of space, in km on the sphere", {
  stations <- colorado_precipitation()[1:80, ]
  fit <- neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326,
    method = vecchia(k = 20), covariance = cov_exponential(range = 100))
  # one degree of latitude is 111.2 km
  far <- data.frame(lon = stations$lon[1], lat = max(stations$lat) + 1)
  expect_message(predict(fit, far, maxdist = 100), class = "neargp_message_maxdist")
  expect_no_message(predict(fit, stations[1, ], maxdist = 1), class = "neargp_message_maxdist")
  days <- space_time_data(9, 5)
  fit <- suppressWarnings(suppressMessages(neargp(z ~ 1, days, coords = ~ x + y, time = ~ day,
    method = vecchia(k = 20), control = neargp_control(max_iterations = 1L))))
  at <- data.frame(x = 3, y = 3, day = 2.5)
  expect_message(predict(fit, at, k = 20, maxdist = 1), class = "neargp_message_maxdist")
  expect_no_message(predict(fit, at, k = 20, maxdist = 5), class = "neargp_message_maxdist")
})

test_that("what `maxdist` does not combine with is refused", {
  data <- scattered()
  fit <- known_fit(data)
  expect_error(predict(fit, data, maxdist = -1), class = "neargp_error_argument")
  expect_error(predict(fit, data, maxdist = 1, joint = TRUE), class = "neargp_error_argument")
  expect_error(predict(fit, data, maxdist = 1, smooth = TRUE, k = 20),
    class = "neargp_error_argument")
  exact <- known_fit(data, exact_gp())
  expect_error(predict(exact, data, maxdist = 1), "`k`", class = "neargp_error_argument")
  expect_equal(predict(exact, data, k = 20, maxdist = 100), predict(exact, data, k = 20))
})

test_that("cross_validate() compares distances, and the trend alone needs no neighbours", {
  data <- scattered()
  fit <- known_fit(data)
  checked <- suppressMessages(cross_validate(fit, folds = rep(1:3, 20),
    settings = list(all = list(), near = list(maxdist = 0.2), far = list(maxdist = 100))))
  found <- split(checked$predictions$mean, checked$predictions$setting)
  expect_equal(found$far, found$all)
  expect_gt(max(abs(found$near - found$all)), 0.01)
  expect_error(cross_validate(fit, settings = list(a = list(maxdist = -1))), "maxdist",
    class = "neargp_error_argument")
  new <- data.frame(x = c(0.5, 5), y = 5)
  expect_message(predict(fit, new, maxdist = 1), "2 of 2 locations are",
    class = "neargp_message_maxdist")
  expect_message(predict(fit, new[1, ], maxdist = 1), "1 of 1 location is",
    class = "neargp_message_maxdist")
  expect_no_message(predict(fit, new, type = "trend", maxdist = 1))
})
