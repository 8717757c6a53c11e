# Fits that keep what their predictions need, each method's with the covariance of the data.
cached_cases <- list(vecchia = vecchia(8), loo_k = loo_k(8), mll_k = mll_k(8),
  exact_gp = exact_gp(), vnngp = vnngp(8),
  mean_field = vnngp(8, posterior = "mean-field", optimizer = "adam", epochs = 2L),
  svgp = svgp(20), odvgp = odvgp(20), vecchia_inducing = vecchia(8, inducing = 15))

cached_fit <- function(method = vecchia(8), n = 150, formula = z ~ height, ...) {
  neargp(formula, simulated_data(n), coords = ~ x + y, method = method,
    covariance = cov_matern(1.5), ..., verbose = FALSE)
}

new_rows <- function(n = 30) simulated_data(n, seed = 77)

# The same fit with nowhere to keep anything.
without_cache <- function(fit) {
  fit$cache <- NULL
  fit
}

for (name in names(cached_cases)) {
  test <- if (name %in% c("vecchia", "vnngp", "svgp")) test_that else test_extended
  test(paste("a kept prediction is a fresh one, and a row is that row of all rows:", name), {
    fit <- cached_fit(cached_cases[[name]])
    rows <- new_rows(12)
    fresh <- predict(without_cache(fit), rows)
    expect_null(core_get_cache(fit$cache))
    expect_identical(predict(fit, rows), fresh)
    expect_false(is.null(core_get_cache(fit$cache)))
    expect_identical(predict(fit, rows), fresh)
    one_by_one <- do.call(rbind, lapply(seq_len(nrow(rows)), function(i) predict(fit, rows[i, ])))
    # dense products of exact_gp() round in the order of their blocks
    same <- if (name == "exact_gp") function(x, y) expect_equal(x, y, tolerance = 1e-12) else
      expect_identical
    same(predict(fit, rows, chunk_size = 7L), fresh)
    same(one_by_one, fresh)
    expect_identical(simulate(fit, 2, seed = 1, newdata = rows),
      simulate(without_cache(fit), 2, seed = 1, newdata = rows))
  })
}

# Predictions of fits whose methods keep other things, with and without a cache, a second time, and
# row by row.
expect_kept <- function(fit, rows, info, ...) {
  fresh <- predict(without_cache(fit), rows, ...)
  expect_identical(predict(fit, rows, ...), fresh, info = info)
  expect_identical(predict(fit, rows, ...), fresh, info = info)
  expect_identical(predict(fit, rows, chunk_size = 7L, ...), fresh, info = info)
  expect_identical(do.call(rbind,
    lapply(seq_len(nrow(rows)), function(i) predict(fit, rows[i, ], ...))), fresh, info = info)
  expect_gt(length(ls(core_get_cache(fit$cache))), 0L)
}

test_extended("counts, classes and several outputs keep what their predictions need", {
  data <- simulated_data(120)
  data$count <- rpois(120, exp(data$z / 3))
  data$wet <- factor(ifelse(data$z > mean(data$z), "yes", "no"))
  data$kind <- cut(data$z, 3, labels = c("a", "b", "c"))
  data$other <- data$z + data$height
  rows <- new_rows(12)
  fit <- function(formula, method, ...) {
    suppressWarnings(neargp(formula, data, coords = ~ x + y, method = method,
      covariance = cov_exponential(), ...))
  }
  expect_kept(fit(count ~ height, loo_k(8), family = poisson()), rows, "counts")
  expect_kept(fit(count ~ height, vnngp(8), family = poisson()), rows, "latent counts")
  expect_kept(fit(count ~ height, svgp(15), family = poisson()), rows, "counts on inducing points",
    type = "link")
  expect_kept(fit(wet ~ height, loo_k(8), family = binomial()), rows, "classes")
  expect_kept(fit(wet ~ height, loo_k(8, estimator = "polya-gamma"), family = binomial()), rows,
    "Polya-Gamma")
  expect_kept(fit(kind ~ height, svgp(15), family = categorical()), rows,
    "classes on inducing points")
  expect_kept(fit(cbind(z, other) ~ height, loo_k(8)), rows, "outputs")
})

test_extended("what other data or parameters gave is not used", {
  fit <- cached_fit()
  rows <- new_rows()
  before <- predict(fit, rows)
  changed <- fit
  changed$core_covariance$components[[1L]]$range <- 2 *
    changed$core_covariance$components[[1L]]$range
  expect_identical(predict(changed, rows), predict(without_cache(changed), rows))
  expect_identical(predict(fit, rows), before)
  changed$data$y[3L] <- 100
  changed$nugget <- 0.7
  expect_identical(predict(changed, rows), predict(without_cache(changed), rows))
  expect_false(identical(predict(changed, rows), before))
  expect_identical(predict(fit, rows), before)
  data <- simulated_data(100)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(8),
    covariance = cov_matern(1.5))
  predict(fit, rows)
  again <- update(fit, covariance = cov_exponential())
  expect_identical(predict(again, rows), predict(without_cache(again), rows))
})

test_that("a fit that is written has nothing kept in it, and predicts the same when it is read", {
  fit <- cached_fit()
  rows <- new_rows()
  written <- serialize(fit, NULL)
  size <- object.size(fit)
  before <- predict(fit, rows)
  expect_identical(serialize(fit, NULL), written)
  expect_identical(object.size(fit), size)
  read <- unserialize(written)
  expect_null(core_get_cache(read$cache))
  expect_identical(read$cache, fit$cache)
  expect_true(all.equal(read, fit))
  expect_identical(predict(read, rows), before)
  expect_false(is.null(core_get_cache(read$cache)))
})

test_extended("other instructions of the processor, which round otherwise, are not given what was kept",
  {
    fit <- neargp(z ~ 1, simulated_data(100), coords = ~ x + y, method = vecchia(8),
      covariance = cov_matern(1.7))
    rows <- new_rows()
    predict(fit, rows)
    with_each_simd(function(name) expect_identical(predict(fit, rows),
      predict(without_cache(fit), rows), info = name))
  })

test_that("a forked process predicts from what its parent has kept", {
  testthat::skip_on_os("windows")
  local_device("cpu")  # a GPU is not for forks
  fit <- cached_fit()
  rows <- new_rows()
  before <- predict(fit, rows)
  in_children <- parallel::mclapply(1:2, function(i) predict(fit, rows, threads = 2L),
    mc.cores = 2L)
  expect_identical(in_children, list(before, before))
  expect_identical(predict(fit, rows), before)
})

test_extended("what was kept is freed with the fit, and an error or interrupt leaves nothing", {
  freed <- FALSE
  cache <- core_new_cache()
  value <- new.env()
  reg.finalizer(value, function(value) freed <<- TRUE)
  core_set_cache(cache, list(cache, value))  # a value may refer to its cache
  rm(value)
  gc()
  expect_false(freed)
  rm(cache)
  gc()
  expect_true(freed)
  object <- list(cache = core_new_cache())
  expect_error(cached(object, "part", plain_context(), stop("interrupted")), "interrupted")
  expect_null(get0(paste("part", "", FALSE), cache_state(object)))
  expect_identical(cached(object, "part", plain_context(), 1), 1)
  expect_identical(cached(object, "part", plain_context(), stop("made twice")), 1)
  emptied <- methods::new("externalptr")  # as some other writers of objects leave it
  expect_null(core_get_cache(emptied))
  core_set_cache(emptied, 1)
  expect_identical(core_get_cache(emptied), 1)
  expect_error(core_get_cache(NULL), "cache", class = "neargp_error_core")
})

test_extended("a fit holds no pointer but its cache, so that one from a file predicts as it did", {
  pointers <- function(object, path = "fit") {
    within <- c(if (is.list(object)) unclass(object), attributes(object))
    c(if (typeof(object) == "externalptr") path, unlist(Map(pointers, unname(within),
      paste0(path, "$", names(within) %||% seq_along(within)))))
  }
  data <- simulated_data(60)
  data$count <- stats::rpois(60, 2)
  fit <- function(formula, method, family = stats::gaussian()) {
    neargp(formula, data, coords = ~ x + y, method = method, family = family, threads = 1L,
      covariance = cov_exponential(variance = 1, range = 0.3))
  }
  fits <- list(fit(z ~ 1, vecchia(k = 5)), fit(z ~ 1, vecchia(k = 5, inducing = 8)),
    fit(count ~ 1, vnngp(k = 5), stats::poisson()), fit(count ~ 1, vnngp(k = 5,
      posterior = "mean-field", optimizer = "adam", epochs = 1L), stats::poisson()))
  for (done in fits) {
    expect_identical(pointers(done), "fit$cache")
    expect_identical(predict(unserialize(serialize(done, NULL)), data[1:3, ]), predict(done,
      data[1:3, ]))
  }
})
