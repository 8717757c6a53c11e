# Locations of several kinds: scattered, a lattice with ties everywhere, repeated ones, a line, a
# cube.
shard_clouds <- function() {
  set.seed(5)
  list(uniform = matrix(runif(160), ncol = 2), lattice = as.matrix(expand.grid(1:9, 1:8)) + 0,
    repeated = matrix(sample(0:6, 140, TRUE), ncol = 2) + 0, line = matrix(runif(60)),
    cube = matrix(runif(210), ncol = 3))
}

problem_in_shards <- function(coords, shards, anisotropic = FALSE) {
  data <- as.data.frame(unname(coords))
  data$z <- seq_len(nrow(data)) %% 7
  formula <- stats::reformulate(names(data)[seq_len(ncol(coords))])
  settings <- check_settings(z ~ 1, data, vecchia(5), cov_exponential(anisotropy = anisotropic),
    NULL, NULL, neargp_control(shards = shards), "cpu", 1L, FALSE)
  locations <- new_locations(data, formula, NULL, "euclidean", NULL, "z")
  frame <- new_model_frame(list(), z ~ 1, data, locations)
  model <- new_model_data(frame, z ~ 1, settings)
  problem <- new_problem(model$data, locations, settings, NULL)
  problem$context <- plain_context(1L)
  problem
}

# The questions of shards to the problem of a fit.
problem_of <- function(fit) {
  list(locations = fit$locations, groups = component_groups(fit$covariance, fit$locations))
}

held_shards <- function(host) mget(as.character(host$ids), envir = host$parts)

test_extended("cuts make shards of like size, and equal places share one", {
  for (places in shard_clouds()) for (count in c(1L, 2L, 5L, 8L)) {
    shard <- shard_of(places, shard_cuts(places, count))
    expect_setequal(shard, seq_len(count))
    key <- apply(places, 1L, paste, collapse = " ")
    expect_true(all(tapply(shard, key, function(x) length(unique(x))) == 1L))
    if (!anyDuplicated(places[, 1L])) expect_lte(diff(range(tabulate(shard))), 2L)
  }
  expect_error(shard_cuts(cbind(c(1, 1, 2), 0), 3L), class = "neargp_error_cluster")
})

test_extended("the tree of sums has one rounding however the shards are spread", {
  set.seed(6)
  for (count in c(1L, 2L, 7L, 16L)) {
    parts <- lapply(seq_len(count), function(i) list(failed = 0,
      sums = rnorm(3) * 10^runif(3, -8, 8)))
    names(parts) <- vapply(seq_len(count), branch_name, "")
    whole <- add_branches(parts, seq_len(count))
    expect_length(whole, 1L)
    expect_equal(whole[[1L]]$sums, Reduce(`+`, lapply(parts, `[[`, "sums")), tolerance = 1e-12)
    for (workers in c(1L, 2L, 3L, 5L)) for (owner in list(blocks_of(count, seq_len(workers)),
      sample.int(workers, count, TRUE))) {
      spread <- lapply(split(seq_len(count), owner), function(ids) {
        add_branches(parts[vapply(ids, branch_name, "")], seq_len(count))
      })
      again <- add_branches(unlist(unname(spread), recursive = FALSE), seq_len(count))
      expect_identical(again, whole)
    }
  }
  # the row that fails first is that of the first shard
  parts[["3-3"]]$failed <- 30
  parts[["9-9"]]$failed <- 90
  expect_identical(add_branches(parts, 1:16)[[1L]]$failed, 30)
})

test_that("sums are lists of numbers and arrays, and those of a part that failed are none", {
  one <- list(failed = 0, value = 1.5, gram = matrix(1:4 + 0, 2), slopes = array(1:12, c(2, 2, 3)))
  other <- list(failed = 0, value = 2, gram = diag(2), slopes = array(0.5, c(2, 2, 3)))
  expect_identical(add_sums(one, other), list(failed = 0, value = 3.5,
    gram = matrix(c(2, 2, 3, 5), 2), slopes = array(1:12 + 0.5, c(2, 2, 3))))
  expect_identical(add_sums(one, list(failed = 13)), list(failed = 13))
  expect_identical(add_sums(list(failed = 11), list(failed = 13)), list(failed = 11))
  expect_identical(with_failed_row(list(value = NaN, failed = 3L), c(11, 12, 13))$failed, 13)
})

# Σ y and Σ x y in plain R, of rows in one part, in shards and on workers.
test_extended("a sum over rows is written once, wherever they are", {
  set.seed(9)
  x <- rnorm(40)
  y <- rnorm(40)
  # functions of a part go by their names in the package
  original <- shard_sums
  withr::defer(utils::assignInNamespace("shard_sums", original, "neargp"))
  utils::assignInNamespace("shard_sums", function(shard, power) {
    as_sums(list(sum = sum(shard$y), moment = sum(shard$x^power * shard$y)))
  }, "neargp")
  rows <- split(1:40, rep(1:5, 8))
  of_shards <- function(workers) {
    host <- new_shard_host(5L, workers)
    map_rows(host, "shard_hold", own = lapply(rows, function(own) list(x = x[own], y = y[own])),
      makes = TRUE)
    reduce_rows(host, "shard_sums", list(power = 2))
  }
  whole <- reduce_rows(rows_in_one_part(x = x, y = y), "shard_sums", list(power = 2))
  expect_identical(whole, list(failed = 0, sum = sum(y), moment = sum(x^2 * y)))
  expect_equal(of_shards(NULL), whole, tolerance = 1e-14)
  workers <- open_workers(local_workers(2), 1L)
  withr::defer(close_workers(workers))
  expect_identical(of_shards(workers), of_shards(NULL))
})

test_that("numbers of rows come back in the order of the data", {
  rows <- list(a = c(2L, 5L), b = c(4L, 1L, 3L))
  found <- list(b = cbind(c(4, 1, 3), c(40, 10, 30)), a = cbind(c(2, 5), c(20, 50)))
  expect_identical(gather(found, rows, 5L), cbind(1:5 + 0, 10 * 1:5))
})

# Neighbours by comparing each row with all others, ties by rank.
brute_neighbors <- function(places, rank, k, before) {
  distance2 <- as.matrix(stats::dist(places))^2
  lapply(seq_len(nrow(places)), function(i) {
    eligible <- if (before) which(rank < rank[i]) else seq_len(nrow(places))[-i]
    utils::head(eligible[order(distance2[i, eligible], rank[eligible])], k)
  })
}

test_extended("shards find the neighbours that a search of all rows finds", {
  k <- 4L
  for (name in names(shard_clouds())) for (before in c(TRUE, FALSE)) {
    places <- shard_clouds()[[name]]
    problem <- problem_in_shards(places, 5L)
    host <- host_of_problem(problem)
    component <- component_at(problem, rep(log(0.5), nrow(problem$layout)))
    # the table of a larger k is kept
    make_problems(host, component, 2L, before, largest = k)
    held <- held_shards(host)
    own <- lapply(held, function(shard) shard$rows[, 1L])
    expect_setequal(unlist(own), seq_len(nrow(places)))
    ranked <- lapply(host$ids, function(id) {
      shard <- held[[id]]
      if (!before) return(data.frame(row = own[[id]], distance2 = 0, id = id, place = own[[id]]))
      data.frame(row = own[[id]][shard$order], distance2 = shard$distance2, id = id,
        place = seq_along(shard$order))
    })
    ranked <- do.call(rbind, ranked)
    rank <- integer(nrow(places))
    rank[ranked$row[order(-ranked$distance2, ranked$id, ranked$place)]] <- seq_along(rank)
    expected <- brute_neighbors(places, rank, k, before)
    distance <- as.matrix(stats::dist(places))
    found <- vector("list", nrow(places))
    for (shard in held) {
      numbers <- held_rows(shard, shard$held)[, 1L]
      table <- matrix(numbers[as.matrix(shard$held$table)], k)
      found[numbers[shard$held$targets]] <- lapply(seq_len(ncol(table)), function(j)
        table[!is.na(table[, j]), j])
    }
    # among others equal distances may be distinguished by another order
    distances <- function(sets) lapply(seq_along(sets), function(i) unname(distance[i, sets[[i]]]))
    if (before) expect_identical(found, lapply(expected, as.double)) else
      expect_equal(distances(found), distances(expected), tolerance = 1e-12)
  }
})

test_that("orders in shards are those of maxmin, with the distances to earlier rows", {
  places <- shard_clouds()$uniform
  found <- core_maxmin(places, plain_context())
  expect_identical(found$order, core_order(places, "maxmin", 0, plain_context()))
  distance <- as.matrix(stats::dist(places[found$order, ]))
  earlier <- vapply(2:80, function(i) min(distance[i, seq_len(i - 1L)]), 0)
  expect_equal(found$distance2, c(Inf, earlier^2), tolerance = 1e-12)
  expect_false(is.unsorted(-found$distance2))
})

sharded_fit <- function(method, shards, data, formula = z ~ h, ..., cluster = NULL) {
  neargp(formula, data, coords = ~ x + y, method = method, covariance = cov_exponential(),
    control = neargp_control(shards = shards, tolerance = 1e-10), cluster = cluster,
    verbose = FALSE, ...)
}

sharded_data <- function(n = 60) {
  set.seed(8)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n), site = gl(6, n / 6),
    w = runif(n, 1, 3))
  data$z <- sin(6 * data$x) + data$h + rnorm(6)[data$site] + rnorm(n, sd = 0.3)
  data
}

# The dense likelihood knows no order.
test_extended("with all rows as neighbours shards have the exact likelihood and its maximum", {
  data <- sharded_data()
  exact <- function(...) neargp(z ~ h, data, coords = ~ x + y, method = exact_gp(...),
    covariance = cov_exponential(), weights = w, control = neargp_control(tolerance = 1e-10))
  for (shards in if (is_extended()) c(1L, 3L) else 3L) {
    fit <- sharded_fit(vecchia(59), shards, data, weights = w)
    expect_equal(c(logLik(fit)), c(logLik(exact())), tolerance = 1e-8)
    expect_equal(coef(fit, what = "covariance"), coef(exact(), what = "covariance"),
      tolerance = 1e-4)
    expect_equal(vcov(fit), vcov(exact()), tolerance = 1e-4)
  }
  expect_output(print(fit), "Shards: +3\n")
  expect_error(anova(fit, sharded_fit(vecchia(59), NULL, data, weights = w)), "number of shards",
    class = "neargp_error_comparison")
})

test_extended("so have REML, noise of a model of its own and random effects", {
  data <- sharded_data()
  exact <- function(...) neargp(z ~ h, data, coords = ~ x + y, method = exact_gp(...),
    covariance = cov_exponential(), weights = w, control = neargp_control(tolerance = 1e-10))
  restricted <- sharded_fit(vecchia(59, estimation = "REML"), 4L, data, weights = w)
  expect_equal(c(logLik(restricted)), c(logLik(exact(estimation = "REML"))), tolerance = 1e-8)
  # noise by covariates and known errors, and random effects
  noisy <- function(method, shards = NULL) neargp(z ~ 1, data, coords = ~ x + y, method = method,
    covariance = cov_exponential(), nugget = ~ h, measurement_variance = w / 50,
    control = neargp_control(tolerance = 1e-10, shards = shards))
  expect_equal(c(logLik(noisy(vecchia(59), 4L))), c(logLik(noisy(exact_gp()))), tolerance = 1e-8)
  grouped <- sharded_fit(vecchia(59), 3L, data, z ~ h + (1 | site))
  expect_equal(c(logLik(grouped)), c(logLik(neargp(z ~ h + (1 | site), data, coords = ~ x + y,
    method = exact_gp(), covariance = cov_exponential(),
    control = neargp_control(tolerance = 1e-10)))), tolerance = 1e-8)
})

# Scores of neighbours among all others do not depend on an order either.
test_extended("scores of loo_k() and mll_k() do not depend on shards", {
  data <- sharded_data()
  for (method in list(loo_k(9), mll_k(9))) {
    whole <- neargp(z ~ h, data, coords = ~ x + y, method = method, covariance = cov_exponential())
    for (shards in c(2L, 5L)) {
      fit <- sharded_fit(method, shards, data)
      expect_equal(fit$log_likelihood, whole$log_likelihood, tolerance = 1e-8)
      expect_equal(fit$parameters$working, whole$parameters$working, tolerance = 1e-5)
    }
  }
})

# Conditional densities in plain R: shards by their cuts, each in its own order of maxmin, rows by
# the distance to those before.
test_that("Vecchia's likelihood in shards is that of the merged order, in any metric", {
  data <- sharded_data(80)
  covariance <- cov_matern(nu = 1.5, variance = 1, range = c(0.1, 0.5), ard = TRUE)
  fit <- neargp(z ~ h, data, coords = ~ x + y, method = vecchia(6), covariance = covariance,
    nugget = 0.1, control = neargp_control(shards = 4L, coarse_k = 0L))
  coords <- as.matrix(data[c("x", "y")])
  shard <- shard_of(shard_places(coords, problem_of(fit)), shard_cuts(shard_places(coords,
    problem_of(fit)), 4L))
  scaled <- unname(sweep(coords, 2L, c(0.1, 0.5), "/"))
  ranked <- do.call(rbind, lapply(1:4, function(id) {
    rows <- which(shard == id)
    found <- core_maxmin(scaled[rows, ], plain_context())
    data.frame(row = rows[found$order], distance2 = found$distance2, id = id)
  }))
  rank <- order(order(-ranked$distance2, ranked$id))[order(ranked$row)]
  expect_equal(c(logLik(fit)), dense_conditional_score(fit$data, fit$core_covariance, 0.1, fit$beta,
    brute_neighbors(scaled, rank, 6L, TRUE)), tolerance = 1e-10)
})

test_extended("what cannot be in shards is refused", {
  data <- sharded_data()
  data$count <- rpois(60, 3)
  control <- neargp_control(shards = 4L)
  refused <- function(method, formula = z ~ 1, ..., use = control) {
    expect_error(suppressMessages(neargp(formula, data, coords = ~ x + y, method = method,
      control = use, ...)), class = "neargp_error_cluster")
  }
  refused(exact_gp())
  refused(vecchia(5, ordering = "random"))
  refused(vecchia(5, inducing = 5))
  refused(loo_k(5, optimizer = "adam"))
  data$class <- rep(c("a", "b", "c"), 20)
  refused(svgp(5), class ~ 1, family = categorical())
  refused(vecchia(5), cbind(z, h) ~ 1)
  refused(vecchia(5), use = neargp_control(shards = 31L))
  expect_s3_class(neargp(z ~ 1, data, coords = ~ x + y, control = control,
    covariance = cov_exponential())$method, "neargp_vecchia")
  expect_error(neargp_control(shards = 0), class = "neargp_error_argument")
  expect_error(neargp_control(shards = 5000), class = "neargp_error_argument")
  expect_error(neargp_control(worker_timeout = 0), class = "neargp_error_argument")
  data$x <- data$y <- rep(1:2, 30)
  expect_error(sharded_fit(vecchia(5), 4L, data), class = "neargp_error_cluster")
})

test_that("the number of shards by default depends on the rows alone", {
  expect_identical(vapply(c(100, 999, 1000, 4000, 8000, 1e6, 16e6, 17e6, 1e9), default_shards, 0L),
    c(1L, 1L, 2L, 8L, 16L, 16L, 16L, 32L, 1024L))
})
