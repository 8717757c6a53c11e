test_that("whatever the core raises is a classed condition", {
  expect_error(core_order(matrix(1, 2, 2), "spiral", 0, plain_context()),
    "no ordering called 'spiral'", class = "neargp_error_core")
  expect_error(core_neighbors_to(matrix(1, 2, 2), matrix(1, 2, 3), 1L, plain_context()),
    "coordinates", class = "neargp_error_core")
  error <- expect_error(core_scale("text", list()), "incompatible", class = "neargp_error_core")
  expect_s3_class(error, "neargp_error")
  wrapped <- Filter(is.function, mget(ls(asNamespace("neargp"), pattern = "^core_"),
    asNamespace("neargp")))
  calling <- Filter(function(f) ".Call" %in% all.names(body(f)), wrapped)
  expect_gt(length(calling), 50L)
  expect_true(all(vapply(calling, function(f) identical(body(f)[[1L]], quote(in_core)), NA)))
})

test_extended("memory that ran out is reported with what to do", {
  in_vain <- function(message, class) {
    stop(structure(list(message = message, call = NULL), class = c(class, "error", "condition")))
  }
  expect_error(in_core(in_vain("std::bad_alloc", c("std::bad_alloc", "C++Error"))),
    "does not fit into memory", class = "neargp_error_memory")
  error <- expect_error(in_core(in_vain("cannot allocate vector of size 8.0 Gb", "simpleError")),
    "8.0 Gb", class = "neargp_error_memory")
  expect_match(conditionMessage(error), "chunk_size")
  index <- core_index(matrix(runif(6e5), ncol = 2), core_unit_metric(2L))
  expect_error(core_index_by_sector(index, matrix(0, 1e6, 2), FALSE, 2^20, 2^10, plain_context()),
    "table of neighbours, 1000000 x 1073741824, would take 4e\\+06 GiB of memory; this machine has",
    class = "neargp_error_memory")
})

# An answer or an error: a crash ends the whole of the tests. `expr` may leave NA behind, but no
# error that is not one of R.
expect_no_crash <- function(expr) {
  outcome <- tryCatch(suppressWarnings(suppressMessages(expr)), error = identity)
  expect_true(inherits(outcome, c("data.frame", "error")))
}

test_extended("indices of an altered fit are checked before the core uses them", {
  data <- simulated_data(60)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(6), covariance = cov_exponential())
  for (altered in list(integer(0), c(1L, 9L), c(-5L, 1L), c(NA, 1L), rep(1L, 5L))) {
    broken <- fit
    broken$core_covariance$components[[1L]]$group <- altered
    expect_error(predict(broken, data[1:3, ], parameters = "plug-in"), class = "neargp_error")
    expect_error(residuals(broken, "loo"), class = "neargp_error")
  }
})

test_extended("the parts of an altered posterior on inducing points are checked before the core uses them", {
  data <- pseudo_observation_data(30)
  for (method in list(svgp(6), odvgp(6), ppgpr(6))) {
    fit <- neargp(number ~ 1, data, coords = ~ x + y, method = method)
    for (entry in intersect(c("positions", "weights", "factor", "solved"), names(fit$svgp))) {
      given <- fit$svgp[[entry]]
      for (value in list(given[-1L, , drop = FALSE], given[0L, , drop = FALSE],
          rbind(given, given))) {
        broken <- fit
        broken$svgp[[entry]] <- value
        expect_error(predict(broken, data[1:3, ]), class = "neargp_error_core")
      }
    }
    broken <- fit
    broken$svgp$factor <- fit$svgp$factor[, -1L]
    expect_error(predict(broken, data[1:3, ]), class = "neargp_error_core")
  }
})

test_extended("nodes, order and neighbours of an altered posterior are checked before the core uses them", {
  data <- pseudo_observation_data(60)
  for (method in list(vnngp(6), vnngp(6, inducing = 30), vnngp(6, posterior = "mean-field"))) {
    fit <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = method)
    for (entry in intersect(c("node", "order", "neighbors", "mean", "pseudo_precision", "coords"),
        names(fit$posterior))) {
      given <- fit$posterior[[entry]]
      if (is.null(given)) next
      altered <- list(replace(given, 1L, 2e9), replace(given, 1L, -5),
        replace(given, length(given), NA), given[0L])
      if (entry == "order") altered <- c(altered, list(replace(given, 1L, given[2L])))
      for (value in altered) {
        if (is.integer(given)) storage.mode(value) <- "integer"
        broken <- fit
        broken$posterior[[entry]] <- value
        expect_no_crash(predict(broken, data[1:3, ]))
        expect_no_crash(simulate(broken, nsim = 1, seed = 1, newdata = data[1:3, ]))
      }
    }
  }
})
