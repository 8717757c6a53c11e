# 1,000 rows in files whose lengths have nothing to do with the core's chunks.
source_rows <- function(n = 1000L, seed = 5) {
  withr::with_seed(seed, {
    d <- data.frame(x = stats::runif(n), y = stats::runif(n), height = stats::rnorm(n),
      soil = sample(c("clay", "sand", "peat"), n, TRUE),
      years = sample(1:9, n, TRUE), known = stats::rnorm(n))
    d$z <- 20 + d$height + (d$soil == "peat") + d$known + sin(6 * d$x) + cos(5 * d$y) +
      stats::rnorm(n, sd = 0.3)
    d
  })
}

in_parts <- function(data, lengths) split(data, rep(seq_along(lengths), lengths))

chunked <- function(parts, ...) row_source(function(i) if (i <= length(parts)) parts[[i]], ...)

source_file <- function(data, env = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = env)
  utils::write.csv(data, file, row.names = FALSE)
  file
}

source_fit <- function(data, ..., method = svgp(inducing = 15, std_errors = FALSE),
                       covariance = cov_matern(nu = 1.5)) {
  suppressWarnings(neargp(z ~ height + soil + offset(known), data, coords = ~ x + y,
    weights = years, method = method, covariance = covariance,
    threads = 1L, ...), classes = "neargp_warning_convergence")
}

estimates <- function(fit) {
  fit[c("beta", "beta_vcov", "parameters", "log_likelihood", "inducing", "svgp", "core_trend",
    "n_given", "n_dropped")]
}

test_extended("a fit from a file in chunks is that in memory, to the last digit", {
  data <- source_rows()
  file <- source_file(data)
  data <- utils::read.csv(file)
  for (bound in c("tight", "standard")) {
    method <- svgp(inducing = 15, bound = bound, std_errors = FALSE)
    held <- source_fit(data, method = method)
    expect_identical(estimates(source_fit(row_source(file, chunk_rows = 301L), method = method)),
      estimates(held))
  }
  expect_identical(estimates(source_fit(chunked(in_parts(data, c(1, 500, 255, 0, 244))),
    method = method)), estimates(held))
})

test_extended("so is one with mini-batches, and one by two files", {
  data <- utils::read.csv(source_file(source_rows()))
  method <- svgp(inducing = 10, epochs = 2L, std_errors = FALSE)
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
  method <- svgp(inducing = positions, optimizer = "collapsed", std_errors = TRUE)
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
    stream <- survey_source(chunked(in_parts(data, lengths), start_rows = 300L), arguments,
      held$formula, held$locations, stats::gaussian())
    expect_gte(nrow(stream$sample), 300L)
    frame <- new_model_frame(arguments, held$formula, stream$sample, held$locations)
    model <- list(xlevels = held$xlevels, contrasts = held$contrasts)
    rows <- held$data
    rows$stream <- with_coding(stream, frame, model)
    at <- function(rows, threads) {
      bound_at(rows, as_specified(held$core_covariance), 0.3, held$svgp$positions, held$method,
        TRUE, plain_context(threads))
    }
    expect_identical(at(rows, threads), at(held$data, 1L))
  }
})

test_extended("levels that few rows have, or that come late, are levels", {
  data <- source_rows(2000L)
  data$soil[c(3, 1990)] <- c("rock", "bog")
  method <- svgp(inducing = 10, move = FALSE, optimizer = "collapsed", std_errors = FALSE)
  streamed <- source_fit(chunked(in_parts(data, rep(400, 5)), start_rows = 100L), method = method)
  expect_identical(names(streamed$beta), names(source_fit(data, method = method)$beta))
  month <- neargp(z ~ factor(years), chunked(in_parts(data[order(data$years), ], rep(400, 5)),
    start_rows = 100L), coords = ~ x + y, method = method, covariance = inducing_covariance(),
    nugget = 0.3)
  expect_identical(names(month$beta), c("(Intercept)", paste0("factor(years)", 2:9)))
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

test_extended("predictions are those of the fit in memory, and what needs the rows is refused", {
  data <- source_rows()
  held <- source_fit(data)
  streamed <- source_fit(chunked(in_parts(data, c(400, 600))))
  new <- source_rows(30L, seed = 9)
  expect_identical(predict(streamed, new, interval = "prediction"),
    predict(held, new, interval = "prediction"))
  expect_identical(predict(streamed, new, joint = TRUE), predict(held, new, joint = TRUE))
  expect_identical(simulate(streamed, 2, seed = 1, newdata = new),
    simulate(held, 2, seed = 1, newdata = new))
  expect_identical(scores(streamed, new), scores(held, new))
  expect_identical(vcov(streamed), vcov(held))
  expect_identical(attr(logLik(streamed), "nobs"), 1000L)
  expect_output(print(streamed), "1,000 from a function, in 2 chunks")
  expect_output(print(summary(streamed)), "in 2 chunks")
  expect_identical(generics::tidy(streamed), generics::tidy(held))
  expect_equal(generics::glance(streamed)[-14], generics::glance(held)[-14])
  needs_rows <- list(residuals = residuals, fitted = fitted, weights = weights,
    design = stats::model.matrix, frame = stats::model.frame,
    plot = plot, cross_validate = cross_validate, scores = scores, simulate = simulate,
    variogram = empirical_variogram, loo = loo_predict, augment = generics::augment)
  for (name in names(needs_rows)) expect_error(needs_rows[[name]](streamed),
    class = "neargp_error_source", label = name)
  expect_error(predict(streamed), class = "neargp_error_newdata")
  file <- withr::local_tempfile()
  saveRDS(streamed, file)
  expect_identical(predict(readRDS(file), new), predict(held, new))
  # these have environments
  kept <- unclass(streamed)[setdiff(names(streamed), c("terms", "locations", "formula", "call"))]
  expect_lt(utils::object.size(kept), 1e5)
})

test_extended("a fit is continued where the rows are the same", {
  data <- source_rows()
  parts <- in_parts(data, c(400, 600))
  method <- svgp(inducing = 10, optimizer = "collapsed", std_errors = FALSE)
  first <- source_fit(chunked(parts), method = method)
  again <- source_fit(chunked(parts), method = method, start = first)
  expect_gte(again$log_likelihood, first$log_likelihood - 1e-6)
  expect_lt(again$convergence$evaluations, first$convergence$evaluations)
})

test_extended("a source that cannot be read, or not again, is an error that says which chunk", {
  data <- source_rows(200L)
  parts <- in_parts(data, c(100, 100))
  fails <- function(source, pattern, class = "neargp_error_source", ...) {
    expect_error(source_fit(source, ...), pattern, class = class)
  }
  fails(row_source(c(source_file(data), "absent.csv")), "no file absent.csv")
  fails(row_source(function(i) NULL), "no rows")
  fails(row_source(source_file(data[0, ])), "no rows")
  fails(row_source(function(i) stop("no connection")), "Chunk 1 of the source cannot be read")
  fails(row_source(function(i) 1:3), "not a data frame")
  times <- 0
  fails(row_source(function(i) if (i == 1L) transform(data, z = z + (times <<- times + 1))),
    "other rows in chunk 1")
  calls <- 0
  fails(row_source(function(i) {
    calls <<- calls + 1
    if (i <= 2L - (calls > 4)) parts[[i]]
  }), "2 chunks, and then 1")
  fails(chunked(list(data, data[-1])), "other columns than the first: it lacks x")
  fails(chunked(list(data, transform(data, height = "tall"))),
    "`height` is of class character in chunk 2")
  fails(chunked(list(transform(data, soil = factor(soil)), transform(data, soil = factor("clay")))),
    "other levels in chunk 2")
  text <- utils::read.csv(source_file(data), colClasses = "character")
  text$height[150] <- "tall"
  fails(row_source(source_file(text), chunk_rows = 100L),
    "`height` is of class character in chunk 2 of the source")
})

test_extended("files may have their columns in different orders, and numbers in quotes", {
  data <- source_rows(200L)
  turned <- data[101:200, rev(names(data))]
  quoted <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(format(data[1:100, ], digits = 15), quoted, row.names = FALSE)
  fits <- lapply(list(c(quoted, source_file(turned)), source_file(data)),
    function(files) source_fit(row_source(files, chunk_rows = 40L)))
  expect_equal(fits[[1L]]$beta, fits[[2L]]$beta, tolerance = 1e-6)
  expect_equal(c(fits[[1L]]$log_likelihood), c(fits[[2L]]$log_likelihood), tolerance = 1e-8)
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

test_that("missing values, weights and coordinates that cannot be used name chunk and row", {
  data <- source_rows(200L)
  broken <- function(column, row, value) {
    chunked(in_parts(`[<-`(data, row, column, value), c(100, 100)))
  }
  fails <- function(source, class, row) {
    error <- expect_error(source_fit(source), class = class)
    expect_match(conditionMessage(error), sprintf("row %d", row))
    expect_match(conditionMessage(error), "in chunk 2 of the source")
  }
  fails(broken("z", 130, NA), "neargp_error_missing_values", 130)
  fails(broken("height", 131, NaN), "neargp_error_missing_values", 131)
  fails(broken("x", 132, Inf), "neargp_error_missing_values", 132)
  fails(broken("soil", 133, NA), "neargp_error_missing_values", 133)
  fails(broken("known", 134, NA), "neargp_error_missing_values", 134)
  fails(broken("years", 135, -1), "neargp_error_weights", 135)
})

test_extended("formulas that depend on other rows, other methods and families are refused", {
  data <- source_rows(200L)
  rows <- chunked(in_parts(data, c(100, 100)))
  fit <- function(formula, ..., method = svgp(10)) {
    neargp(formula, rows, coords = ~ x + y, method = method, ...)
  }
  for (formula in list(z ~ poly(height, 2), z ~ scale(height), z ~ I(height - mean(height)),
      I(z / max(z)) ~ 1)) {
    expect_error(fit(formula), "depends on the other rows", class = "neargp_error_source")
  }
  expect_error(fit(z ~ 1, subset = 1:50), class = "neargp_error_source")
  late <- function(...) {
    neargp(z ~ I(height - mean(height)), chunked(in_parts(data, c(...))), coords = ~ x + y,
      method = svgp(10))
  }
  expect_error(late(1, 199), "depends on the other rows", class = "neargp_error_source")
  expect_error(late(rep(1, 200)), "No chunk has two rows", class = "neargp_error_source")
  for (method in list(NULL, vecchia(), odvgp(), ppgpr(), swsgp(), svgp(optimizer = "natural"),
      svgp(optimizer = "adam"), svgp(kl_weight = 0.5))) {
    expect_error(fit(z ~ 1, method = method), class = "neargp_error_source")
  }
  expect_error(fit(years ~ 1, family = poisson()), class = "neargp_error_source")
  expect_error(fit(soil ~ 1), class = "neargp_error_response")
  knots <- fit(z ~ splines::ns(height, knots = 0, Boundary.knots = c(-2, 2)),
    covariance = inducing_covariance(), nugget = 0.3)
  expect_length(knots$beta, 3L)
})

test_that("settings of a source are checked", {
  expect_error(row_source(), class = "neargp_error_argument")
  expect_error(row_source(1), class = "neargp_error_argument")
  expect_error(row_source("a.csv", read = "csv"), class = "neargp_error_argument")
  expect_error(row_source(function(i) NULL, read = utils::read.csv),
    class = "neargp_error_argument")
  expect_error(row_source("a.csv", skip = 2), "`skip` of read.csv", class = "neargp_error_argument")
  expect_error(row_source("a.csv", chunk_rows = 0), class = "neargp_error_argument")
  expect_output(print(row_source(c("a.csv", "b.csv"))),
    "2 files, a.csv and others, 65,536 at a time")
})

test_that("a rank that only the sample lacks says so", {
  data <- source_rows(2000L)
  data$height <- as.double(seq_len(2000L) == 1500L)
  expect_error(source_fit(chunked(in_parts(data, c(1000, 1000)), start_rows = 50L)), "start_rows",
    class = "neargp_error_rank")
})

test_that("the sample is all rows in their order, or as many as asked for and the first of each level", {
  data <- transform(source_rows(300L), soil = ifelse(seq_len(300L) == 299L, "rock", soil))
  locations <- new_locations(data, ~ x + y, NULL, "auto", NULL, "z")
  arguments <- list(weights = rlang::quo(NULL), offset = rlang::quo(NULL),
    subset = rlang::quo(NULL), na.action = NULL)
  taken <- function(lengths, start_rows) {
    survey_source(chunked(in_parts(data, lengths), start_rows = start_rows), arguments, z ~ soil,
      locations, stats::gaussian())$sample
  }
  expect_identical(unname(as.list(taken(c(120, 180), 300L))), unname(as.list(data)))
  some <- taken(c(120, 180), 40L)
  expect_true(all(diff(as.integer(row.names(some))) > 0))
  expect_true("rock" %in% some$soil)
  expect_lte(nrow(some), 45L)
  expect_identical(some, taken(c(50, 90, 160), 40L))
})

test_extended("files of write.table() have a column of row names that is no column of the data, and columns are left out by \"NULL\"", {
  data <- source_rows(50L)
  rows_of <- function(...) {
    chunks <- list()
    for_each_chunk(row_source(..., chunk_rows = 7L),
      function(chunk, number, first) chunks[[number]] <<- chunk)
    rows <- do.call(rbind,
      lapply(chunks, function(chunk) structure(chunk, row.names = .set_row_names(nrow(chunk)))))
    rows[order(names(rows))]
  }
  expected <- function(data) {
    data[vapply(data, is.integer, NA)] <- lapply(data[vapply(data, is.integer, NA)], as.double)
    data[order(names(data))]
  }
  named <- withr::local_tempfile(fileext = ".csv")
  utils::write.table(data, named, sep = ",")
  plain <- source_file(data[rev(names(data))])
  twice <- expected(rbind(data, data))
  expect_equal(rows_of(named), expected(data))
  expect_equal(rows_of(c(named, plain)), twice)
  expect_equal(rows_of(c(plain, named)), twice)
  left_out <- setdiff(names(data), c("soil", "height"))
  expect_equal(rows_of(c(plain, named), colClasses = c(soil = "NULL", height = "NULL")),
    expected(rbind(data, data)[left_out]))
  by_place <- ifelse(names(data) %in% left_out, NA, "NULL")
  expect_equal(rows_of(plain, colClasses = rev(by_place)), expected(data[left_out]))
  expect_equal(rows_of(named, colClasses = c("character", by_place)), expected(data[left_out]))
  expect_true(all(vapply(rows_of(c(named, plain), colClasses = "character"), is.character, NA)))
  expect_equal(rows_of(c(named, plain), colClasses = c(x = "character", soil = NA))$x,
    as.character(c(data$x, data$x)))
  expect_error(rows_of(named, colClasses = c(sol = "character")), class = "neargp_error_source")
  expect_equal(coef(source_fit(row_source(named, chunk_rows = 20L))),
    coef(source_fit(row_source(plain, chunk_rows = 20L))))
})
