test_extended("levels that few rows have, or that come late, are levels", {
  data <- source_rows(2000L)
  data$soil[c(3, 1990)] <- c("rock", "bog")
  method <- svgp(inducing = 10, move = FALSE, optimizer = "collapsed", std_error = FALSE)
  streamed <- source_fit(chunked(in_parts(data, rep(400, 5)), start_rows = 100L), method = method)
  expect_identical(names(streamed$beta), names(source_fit(data, method = method)$beta))
  month <- neargp(z ~ factor(years), chunked(in_parts(data[order(data$years), ], rep(400, 5)),
    start_rows = 100L), coords = ~ x + y, method = method, covariance = inducing_covariance(),
    nugget = 0.3)
  expect_identical(names(month$beta), c("(Intercept)", paste0("factor(years)", 2:9)))
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

test_extended("a source that cannot be read, or not again, is an error that says which chunk", {
  data <- source_rows(200L)
  parts <- in_parts(data, c(100, 100))
  fails <- function(source, pattern, class = "neargp_error_source", ...) {
    expect_error(source_fit(source, ...), pattern, class = class)
  }
  fails(row_source(c(source_file(data), "absent.csv")), "absent.csv does not exist")
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

test_that("durations in other units in one chunk than in the first are refused", {
  lag <- function(rows, units) transform(rows, lag = as.difftime(rep(2, nrow(rows)), units = units))
  data <- source_rows(20L)
  expect_error(source_fit(chunked(list(lag(data, "hours"), lag(data, "mins")))),
    "`lag` has another unit in chunk 2", class = "neargp_error_source")
  same <- source_fit(chunked(list(lag(data, "hours"), lag(transform(data, x = x + 1), "hours"))))
  expect_identical(nobs(same), 40L)
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
  expect_error(late(rep(1, 200)), "No chunk contains two rows", class = "neargp_error_source")
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

test_that("formulas of numbers of rows and of sums over the rows before are refused", {
  data <- source_rows(40L)
  first_pass <- function(formula) {
    neargp(formula, chunked(in_parts(data, c(20, 20))), coords = ~ x + y, method = svgp(5))
  }
  for (formula in list(z ~ cumsum(height), z ~ I(seq_along(height)), z ~ rev(height),
      I(z / max(z)) ~ 1, z ~ I(height - height[20]))) {
    expect_error(first_pass(formula), "depends on the other rows", class = "neargp_error_source")
  }
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
    first_pass_of_source(chunked(in_parts(data, lengths), start_rows = start_rows), arguments,
      z ~ soil, locations, stats::gaussian())$sample
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

test_that("Parquet files of a folder are read by the package that is there", {
  skip_if_not_installed("nanoparquet")
  data <- source_rows(400L)
  folder <- withr::local_tempdir()
  parts <- in_parts(data, c(250, 150))
  for (i in 1:2) nanoparquet::write_parquet(parts[[i]], file.path(folder, paste0(i, ".parquet")))
  expect_identical(estimates(source_fit(source_folder(folder, "parquet"))),
    estimates(source_fit(chunked(parts))))
})
