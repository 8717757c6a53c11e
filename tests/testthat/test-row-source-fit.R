test_extended("a fit from a file in chunks is that in memory, to the last digit", {
  data <- source_rows()
  file <- source_file(data)
  data <- utils::read.csv(file)
  for (bound in c("tight", "standard")) {
    method <- svgp(inducing = 15, bound = bound, std_error = FALSE)
    held <- source_fit(data, method = method)
    expect_identical(estimates(source_fit(row_source(file, chunk_rows = 301L), method = method)),
      estimates(held))
  }
  expect_identical(estimates(source_fit(chunked(in_parts(data, c(1, 500, 255, 0, 244))),
    method = method)), estimates(held))
})

test_extended("so is one with mini-batches, and one by two files", {
  data <- utils::read.csv(source_file(source_rows()))
  method <- svgp(inducing = 10, epochs = 2L, std_error = FALSE)
  held <- source_fit(data, method = method)
  expect_match(held$convergence$message, "mini-batches|rises no more")
  files <- c(source_file(data[1:400, ]), source_file(data[401:1000, ]))
  expect_identical(estimates(source_fit(row_source(files, chunk_rows = 350L), method = method)),
    estimates(held))
  expect_identical(estimates(source_fit(row_source(files, read = utils::read.csv),
    method = method)), estimates(held))
})

test_extended("with fewer rows in the sample it is the fit with the same start", {
  data <- source_rows(3000L)
  positions <- as.matrix(data[1:20, c("x", "y")])
  start <- c(variance = 1, range = 0.3, nugget = 0.5)
  method <- svgp(inducing = positions, optimizer = "collapsed", std_error = TRUE)
  held <- source_fit(data, method = method, start = start)
  streamed <- source_fit(chunked(in_parts(data, c(1700, 1300)), start_rows = 500L), method = method,
    start = start)
  expect_equal(streamed$log_likelihood, held$log_likelihood, tolerance = 1e-8)
  expect_equal(streamed$beta, held$beta, tolerance = 1e-5)
  expect_equal(coef(streamed, "covariance"), coef(held, "covariance"), tolerance = 1e-3)
  expect_equal(streamed$parameters$std_error, held$parameters$std_error, tolerance = 1e-2)
  expect_identical(nobs(streamed), 3000L)
})

test_extended("the bound and its gradient over a source are those in memory, whatever the chunks, threads and the sample", {
  data <- source_rows(2500L)
  held <- source_fit(data, method = svgp(inducing = 12, move = FALSE),
    covariance = inducing_covariance(), nugget = 0.3)
  for (lengths in list(2500, c(256, 2244), c(7, 1000, 1493))) for (threads in c(1L, 2L, 4L)) {
    arguments <- list(weights = rlang::quo(years), offset = rlang::quo(NULL),
      subset = rlang::quo(NULL), na.action = NULL)
    stream <- first_pass_of_source(chunked(in_parts(data, lengths), start_rows = 300L), arguments,
      held$formula, held$locations, stats::gaussian())
    expect_gte(nrow(stream$sample), 300L)
    frame <- new_model_frame(arguments, held$formula, stream$sample, held$locations)
    model <- list(xlevels = held$xlevels, contrasts = held$contrasts)
    rows <- held$data
    rows$stream <- with_coding(stream, frame, model)
    at <- function(rows, threads) {
      bound_at(rows, as_specified(held$core_covariance), 0.3, held$svgp$positions, held$method,
        plain_context(threads), derivatives = TRUE)
    }
    expect_identical(at(rows, threads), at(held$data, 1L))
  }
})

test_extended("subset, na.action and times are as in memory", {
  data <- source_rows(600L)
  data$z[c(5, 500)] <- NA
  data$day <- as.Date("2020-01-01") + data$years
  call <- function(data, ...) {
    neargp(z ~ height, data, coords = ~ x + y, time = ~ day, subset = height < 1,
      na.action = na.omit, method = svgp(10, move = FALSE, optimizer = "collapsed"),
      covariance = cov_matern(nu = 1.5), ...)
  }
  streamed <- call(chunked(in_parts(data, c(250, 350))))
  expect_identical(estimates(streamed), estimates(call(data)))
  expect_output(print(streamed), "dropped for missing values by na.omit")
})

test_extended("a fit is continued where the rows are the same", {
  data <- source_rows()
  parts <- in_parts(data, c(400, 600))
  method <- svgp(inducing = 10, optimizer = "collapsed", std_error = FALSE)
  first <- source_fit(chunked(parts), method = method)
  again <- source_fit(chunked(parts), method = method, start = first)
  expect_gte(again$log_likelihood, first$log_likelihood - 1e-6)
  expect_lt(again$convergence$evaluations, first$convergence$evaluations)
})

test_extended("a fit is not continued in other coordinates", {
  data <- transform(source_rows(200L), u = 5 - 3 * x, v = 2 * y)
  rows <- chunked(in_parts(data, c(100, 100)))
  fit <- function(coords, ...) {
    neargp(z ~ 1, rows, coords = coords, method = svgp(10, move = FALSE),
      covariance = cov_matern(nu = 1.5), ...)
  }
  first <- fit(~ x + y)
  expect_identical(fit(~ u + v, start = first)$svgp$positions, fit(~ u + v)$svgp$positions)
})
