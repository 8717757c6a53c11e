# Fits and predictions of vnngp() in shards.

shard_fit_data <- function(n = 400, seed = 8) {
  set.seed(seed)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  covariance <- exp(-as.matrix(dist(data[c("x", "y")])) / 0.2)
  eta <- 0.4 + 0.3 * data$h + drop(crossprod(chol(covariance + diag(1e-8, n)), rnorm(n)))
  data$z <- eta + rnorm(n, 0, 0.4)
  data$count <- rpois(n, exp(eta))
  data$present <- factor(runif(n) < plogis(eta))
  data
}

fit_in_shards <- function(formula, family, data, shards, overlap = NULL, covariance =
                            cov_exponential(), start = NULL, ...) {
  neargp(formula, data, coords = ~ x + y, method = vnngp(k = 8, overlap = overlap, ...),
    covariance = covariance, family = family, threads = 1L, start = start,
    control = neargp_control(shards = shards), verbose = FALSE)
}

parts_of_cloud <- function(coords, shards, k, overlap) {
  search <- list(component = list(family = "exponential", variance = 1, range = 1, group =
    rep(1L, ncol(coords)), anisotropy = double(0), shape = double(0)))
  context <- plain_context(1L)
  node <- location_index(coords)
  places <- coords[!duplicated(node), , drop = FALSE]
  search$order <- core_order(places, "maxmin", 0, context)
  search$neighbors <- core_neighbors_before(places, search$order, k, context)
  shard <- factor(shard_of(places, shard_cuts(places, shards)), seq_len(shards))
  list(parts = latent_parts(list(method = list(overlap = overlap)), list(coords = places,
    node = node), search, shard), neighbors = as.matrix(search$neighbors), node = node,
  places = places, search = search, shard = shard)
}

test_that("extended shards have their own rows once, and all that these are conditioned on", {
  set.seed(5)
  clouds <- list(matrix(runif(160), ncol = 2), matrix(sample(0:6, 140, TRUE), ncol = 2) + 0,
    matrix(runif(60)))
  for (coords in clouds) for (overlap in c(0, 2)) {
    cloud <- parts_of_cloud(unname(coords), 3L, 4L, overlap)
    own <- lapply(cloud$parts, function(part) part$nodes[part$own])
    expect_identical(sort(unlist(own, use.names = FALSE)), seq_len(nrow(cloud$places)))
    rows <- lapply(cloud$parts, function(part) part$rows[part$own_rows])
    expect_identical(sort(unlist(rows, use.names = FALSE)), seq_len(nrow(coords)))
    for (id in names(cloud$parts)) {
      part <- cloud$parts[[id]]
      expect_true(all(which(cloud$shard == id) %in% part$nodes))
      needed <- cloud$neighbors[, part$nodes]
      expect_true(all(needed[!is.na(needed)] %in% part$nodes))
      expect_identical(part$rows, which(cloud$node %in% part$nodes))
      here <- nodes_of_part(part, cloud$places, cloud$node, cloud$search$order, cloud$neighbors)
      back <- here$neighbors
      back[] <- part$nodes[back]
      expect_identical(back, cloud$neighbors[, part$nodes, drop = FALSE])
      expect_identical(cloud$search$order[cloud$search$order %in% part$nodes],
        part$nodes[here$order])
    }
  }
})

test_that("with all rows in each shard the fit is the one without shards", {
  data <- shard_fit_data(120)
  held <- cov_exponential(variance = 1, range = 0.2)
  whole <- fit_in_shards(count ~ h, poisson(), data, NULL, covariance = held)
  parts <- fit_in_shards(count ~ h, poisson(), data, 3L, 1e6, held)
  # both have converged until 1e-8 units of the ELBO are left, 1e-4 standard errors
  expect_equal(parts$log_likelihood, whole$log_likelihood, tolerance = 1e-9)
  expect_lt(max(abs(coef(parts) - coef(whole)) / sqrt(diag(vcov(whole)))), 1e-4)
  expect_equal(vcov(parts), vcov(whole), tolerance = 1e-5)
  sd <- sqrt(whole$posterior$variance)
  expect_lt(max(abs(parts$posterior$mean - whole$posterior$mean) / sd), 1e-4)
  expect_equal(parts$posterior$variance, whole$posterior$variance, tolerance = 1e-5)
  expect_identical(parts$posterior$shards$difference, 0)
  new <- data.frame(x = runif(20), y = runif(20), h = 0)
  expect_equal(predict(parts, new, type = "link"), predict(whole, new, type = "link"),
    tolerance = 1e-5)
})

test_that("what shards cannot have is refused, with what to do instead", {
  data <- shard_fit_data(60)
  data$group <- factor(rep(1:6, 10))
  refused <- function(formula = count ~ 1, ..., says) {
    expect_error(fit_in_shards(formula, poisson(), data, 2L, ...), says,
      class = "neargp_error_cluster")
  }
  refused(posterior = "mean-field", says = "posterior = \"sparse\"")
  refused(posterior = "laplace", says = "posterior = \"sparse\"")
  refused(factor = "exact", says = "factor = \"incomplete\"")
  refused(inducing = 20L, says = "no inducing")
  refused(low_rank = 10L, says = "no inducing or low_rank")
  refused(count ~ (1 | group), says = "random effects")
  expect_error(vnngp(overlap = -1), class = "neargp_error_argument")
})

test_that("an overlap that is too narrow is told, with the wider one", {
  set.seed(2)
  data <- data.frame(x = runif(90), z = rnorm(90))
  data$z <- data$z + sin(6 * data$x)
  fitted <- function(...) neargp(z ~ 1, data, coords = ~ x, method = vnngp(k = 4, ...),
    covariance = cov_exponential(variance = 0.4, range = 0.3), nugget = 1,
    control = neargp_control(shards = 2L), verbose = FALSE)
  expect_message(narrow <- fitted(overlap = 3), "overlap = 6", class = "neargp_message_overlap")
  expect_output(print(narrow), "overlap = 6")
  # on a line a default overlap has as many rows as in a plane
  expect_no_message(wide <- fitted())
  expect_identical(wide$posterior$shards$overlap, 64)
  expect_lt(wide$posterior$shards$difference, reported_difference)
})

# Results that shards may change only by what lies beyond the overlap.
test_extended("fits in shards are near those without, in every family, and say how far", {
  data <- shard_fit_data(900)
  new <- data.frame(x = runif(40), y = runif(40), h = 0)
  models <- list(list(z ~ h, gaussian()), list(count ~ h, poisson()), list(count ~ h,
    negative_binomial()), list(present ~ h, binomial()), list(z ~ h, student_t()))
  for (model in models) {
    held <- cov_exponential(variance = 1, range = 0.2)
    whole <- fit_in_shards(model[[1L]], model[[2L]], data, NULL, covariance = held)
    sd <- sqrt(whole$posterior$variance)
    apart <- lapply(c(4, 8), function(overlap) {
      parts <- fit_in_shards(model[[1L]], model[[2L]], data, 4L, overlap, held)
      away <- abs(parts$posterior$mean - whole$posterior$mean) / sd
      expect_lt(max(abs(coef(parts) - coef(whole)) / sqrt(diag(vcov(whole)))), 0.16 / overlap)
      expect_lt(abs(parts$log_likelihood - whole$log_likelihood), 0.5 / overlap)
      # the number of print() bounds what it stands for
      reported <- parts$posterior$shards$difference
      expect_lt(max(away), reported)
      c(mean = max(away), variance = max(abs(parts$posterior$variance / sd^2 - 1)),
        reported = reported)
    })
    expect_lt(apart[[2L]][["mean"]], 0.03)
    expect_lt(apart[[2L]][["variance"]], 0.01)
    expect_true(all(apart[[2L]] < apart[[1L]]))
    parts <- fit_in_shards(model[[1L]], model[[2L]], data, 4L, 8, held)
    link <- lapply(list(parts, whole), predict, new, type = "link")
    expect_lt(max(abs(link[[1L]]$mean - link[[2L]]$mean) / link[[2L]]$sd), 0.02)
    expect_equal(link[[1L]]$sd, link[[2L]]$sd, tolerance = 0.002)
  }
  expect_output(print(parts), "Overlap: +8 spacings; means of shards differ there by up to 0\\.")
})

test_extended("gradients of the sum of shares are nearly those of its value", {
  data <- shard_fit_data(900)
  fit <- fit_in_shards(count ~ h, poisson(), data, 4L, 8)
  whole <- fit_in_shards(count ~ h, poisson(), data, NULL)
  error <- whole$parameters$std_error
  expect_lt(max(abs(fit$parameters$estimate - whole$parameters$estimate) / error), 0.05)
  expect_equal(fit$parameters$std_error, error, tolerance = 0.05)
})

test_extended("draws and joint predictions of a fit in shards are those of all rows as one", {
  data <- shard_fit_data(200)
  held <- cov_exponential(variance = 1, range = 0.2)
  whole <- fit_in_shards(z ~ h, gaussian(), data, NULL, covariance = held)
  parts <- fit_in_shards(z ~ h, gaussian(), data, 2L, 1e6, held)
  new <- data.frame(x = c(0.2, 0.8), y = 0.5, h = 0)
  expect_equal(attr(predict(parts, new, joint = TRUE, type = "link"), "covariance"),
    attr(predict(whole, new, joint = TRUE, type = "link"), "covariance"), tolerance = 1e-6)
  set.seed(1)
  a <- simulate(parts, 5, newdata = new)
  set.seed(1)
  expect_equal(a, simulate(whole, 5, newdata = new), tolerance = 1e-4)
  # continued from where it ended
  again <- fit_in_shards(z ~ h, gaussian(), data, 2L, 1e6, held, start = parts)
  expect_equal(again$log_likelihood, parts$log_likelihood, tolerance = 1e-8)
})
