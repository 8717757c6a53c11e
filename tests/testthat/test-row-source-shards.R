# 800 rows in eight stripes of y, and the fits to them in memory and from the source.
striped <- function(n = 800) {
  set.seed(21)
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n),
    kind = sample(c("clay", "loam"), n, TRUE))
  data$z <- sin(7 * data$x) * cos(5 * data$y) + data$h + (data$kind == "clay") + rnorm(n, sd = 0.2)
  data <- data[order(data$y), ]
  rownames(data) <- NULL
  data
}

source_of <- function(data, chunks = 8L, ...) {
  parts <- unname(split(data, rep(seq_len(chunks), each = nrow(data) / chunks)))
  row_source(function(i) if (i <= length(parts)) parts[[i]], ...)
}

striped_fit <- function(data, cluster = NULL, method = vecchia(8), formula = z ~ h + kind, ...) {
  neargp(formula, data, coords = ~ x + y, method = method, covariance = cov_exponential(),
    control = neargp_control(shards = 4L), cluster = cluster, threads = 1L, ...)
}

test_extended("rows that are read in shards are those in memory", {
  data <- striped()
  whole <- striped_fit(data)
  fit <- striped_fit(source_of(data))
  # the trend's columns are turned by the sample, which is all rows here
  expect_equal(fit$log_likelihood, whole$log_likelihood, tolerance = 1e-10)
  expect_equal(coef(fit, what = "covariance"), coef(whole, what = "covariance"), tolerance = 1e-6)
  expect_equal(coef(fit), coef(whole), tolerance = 1e-6)
  expect_identical(nobs(fit), 800L)
  expect_length(fit$data$y, 0L)
  expect_output(print(fit), "from a function, in 8 chunks\nShards: +4\n")
  # a sample of a tenth turns them otherwise, starts elsewhere, and cuts other shards, whose order
  # is another: some thousandths of log-likelihood a row
  sampled <- striped_fit(source_of(data, start_rows = 80L))
  expect_lt(abs(sampled$log_likelihood - whole$log_likelihood), 3)
  expect_equal(coef(sampled), coef(whole), tolerance = 0.1)
  expect_error(residuals(fit), class = "neargp_error_source")
})

test_extended("rows of a source are predicted from its shards", {
  data <- striped()
  fixed <- function(data) neargp(z ~ h + kind, data, coords = ~ x + y, method = vecchia(8),
    covariance = cov_exponential(variance = 1, range = 0.4), nugget = 0.04, threads = 1L,
    control = neargp_control(shards = 4L))
  fit <- fixed(source_of(data))
  newdata <- data.frame(x = c(runif(30), NA), y = runif(31), h = 0, kind = "loam")
  found <- predict(fit, newdata, k = 12, interval = "prediction")
  expect_equal(found, predict(fixed(data), newdata, k = 12, interval = "prediction",
    local_mean = FALSE, sectors = 0), tolerance = 1e-8)
  expect_true(all(is.na(found[31, ])))
  expect_error(predict(fit, newdata, sectors = 8), class = "neargp_error_argument")
  expect_error(predict(fit, newdata, joint = TRUE), class = "neargp_error_cluster")
  # files keep the recipe, not the rows
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fit, file)
  expect_equal(predict(readRDS(file), newdata, k = 12, interval = "prediction"), found)
})

test_extended("workers read their shards, and another one those of a lost worker", {
  skip_on_os("windows")
  data <- striped()
  folder <- withr::local_tempdir()
  parts <- split(data, rep(1:8, each = 100))
  for (i in 1:8) utils::write.csv(parts[[i]], file.path(folder, sprintf("part%d.csv", i)),
    row.names = FALSE)
  alone <- striped_fit(source_folder(folder))
  cluster <- local_workers(3)
  pids <- unlist(parallel::clusterCall(cluster, Sys.getpid))
  fit <- striped_fit(source_folder(folder), cluster)
  same <- c("parameters", "log_likelihood", "beta", "beta_vcov")
  expect_identical(unclass(fit)[same], unclass(alone)[same])
  newdata <- data.frame(x = runif(20), y = runif(20), h = 0, kind = "clay")
  expect_identical(predict(fit, newdata, cluster = cluster), predict(alone, newdata))
  tools::pskill(pids[2L], tools::SIGKILL)
  fit <- striped_fit(source_folder(folder), cluster)
  expect_identical(unclass(fit)[same], unclass(alone)[same])
  expect_identical(fit$cluster$lost, 1L)
})

test_that("rows that are kept are the columns that a call names, of all chunks", {
  data <- striped(40)
  parts <- split(data, rep(1:3, c(1, 25, 14)))
  source <- row_source(function(i) if (i <= 3L) parts[[i]])
  gathered <- function(...) rows_of_source(source, list(), list(...))$rows
  expect_identical(gathered(z ~ log(h), list(list(~ x)), rlang::quo(kind == !!"clay"), "y"), data)
  expect_identical(gathered(z ~ h, "y"), data[c("y", "h", "z")])
  expect_identical(gathered(z ~ .), data)
  parts[[3]]$h <- NULL
  expect_error(gathered(z ~ 1), "Chunk 3 .* lacks h", class = "neargp_error_source")
})

test_that("missing values of rows that are kept name row and chunk, unless they are to be left out", {
  data <- striped(60)
  fitted <- function(formula, ...) {
    parts <- split(data, rep(1:3, each = 20))
    neargp(formula, row_source(function(i) if (i <= 3L) parts[[i]]), coords = ~ x + y,
      method = vnngp(4), covariance = cov_exponential(variance = 1, range = 0.3), nugget = 0.1,
      control = neargp_control(shards = 2L), ...)
  }
  data$z[33] <- NA
  data$h[50] <- NA
  error <- expect_error(fitted(z ~ 1), "missing values in row 33",
    class = "neargp_error_missing_values")
  expect_match(conditionMessage(error), "in chunk 2 of the source")
  expect_error(fitted(z ~ h, subset = !is.na(z)), "row 50", class = "neargp_error_missing_values")
  expect_identical(nobs(fitted(z ~ h, na.action = na.omit)), 58L)
  expect_identical(nobs(fitted(z ~ 1, subset = !is.na(z))), 59L)
})

test_extended("vnngp() of rows that are read is that of rows in memory, to the last bit", {
  data <- transform(striped(240), present = factor(ifelse(z > 0, "yes", "no")))
  fitted <- function(data, formula, family, cluster = NULL) {
    fit <- neargp(formula, data, coords = ~ x + y, method = vnngp(8), family = family,
      covariance = cov_exponential(variance = 1), control = neargp_control(shards = 4L),
      cluster = cluster, threads = 1L, verbose = FALSE, subset = h < 2, weights = 1 + (h > 0))
    list(fit[c("parameters", "log_likelihood", "beta", "beta_vcov", "posterior", "data",
      "n_given")], predict(fit, striped(20), interval = "prediction"))
  }
  source <- source_of(data)
  cluster <- local_workers(2)
  for (model in list(list(z ~ h + kind, student_t()), list(present ~ h, binomial()))) {
    whole <- fitted(data, model[[1L]], model[[2L]])
    expect_identical(fitted(source, model[[1L]], model[[2L]]), whole)
    expect_identical(fitted(source, model[[1L]], model[[2L]], cluster), whole)
  }
})

test_that("sources that cannot be read in shards say why", {
  data <- striped()
  expect_error(striped_fit(source_of(data), formula = z ~ scale(h)), "depends on the other rows",
    class = "neargp_error_source")
  odd <- row_source(function(i) if (i <= 2) cbind(data[seq_len(400) + 400 * (i - 1), ],
    extra = if (i == 1L) 1 else "a"))
  expect_error(striped_fit(odd), class = "neargp_error_source")
  calls <- 0
  restless <- row_source(function(i) {
    calls <<- calls + 1
    if (i <= 2) transform(data[seq_len(400) + 400 * (i - 1), ], z = z + calls)
  })
  expect_error(striped_fit(restless), "other rows in chunk", class = "neargp_error_source")
  expect_error(striped_fit(row_source(function(i) NULL)), class = "neargp_error_source")
  data$z[700] <- Inf
  expect_error(striped_fit(source_of(data)), "chunk 7", class = "neargp_error_missing_values")
  expect_error(striped_fit(source_of(data), method = svgp(10, kl_weight = 2)),
    class = "neargp_error_cluster")
  expect_error(source_folder(tempdir(), "parquet"), class = "neargp_error_source")
  expect_error(source_folder(1), class = "neargp_error_argument")
  expect_error(check_travels(list(x = runif(100)), list(), most = 100),
    class = "neargp_error_source")
})

test_extended("windows of a raster are its cells", {
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 23, ncols = 31, xmin = 0, xmax = 31, ymin = 0, ymax = 23,
    names = "z")
  set.seed(2)
  cells <- rnorm(23 * 31)
  cells[c(1, 50)] <- NA
  terra::values(raster) <- cells
  file <- withr::local_tempfile(fileext = ".tif")
  terra::writeRaster(raster, file, datatype = "FLT8S")
  source <- source_raster(file, window = 10)
  expect_lt(length(serialize(source, NULL)), 1e5)
  found <- do.call(rbind, lapply(1:12, source$x))
  expect_null(source$x(13))
  expected <- terra::as.data.frame(terra::rast(file), xy = TRUE)
  expect_equal(found[order(-found$y, found$x), ], expected, ignore_attr = TRUE)
  expect_error(source_raster("none.tif"), class = "neargp_error_source")
})

test_that("rows that subset leaves out are not missing ones, and chunks of one row are refused", {
  data <- striped()
  data$z[c(5, 9)] <- NA
  fit <- neargp(z ~ h, source_of(data), coords = ~ x + y, method = vecchia(5), threads = 1L,
    covariance = cov_exponential(variance = 1, range = 0.3), nugget = 0.1, verbose = FALSE,
    subset = x < 0.7, na.action = na.omit, control = neargp_control(shards = 2L))
  expect_identical(fit$n_dropped, sum(is.na(data$z) & data$x < 0.7))
  single <- row_source(function(number) if (number <= 20L) data[number, ])
  expect_error(neargp(z ~ h, single, coords = ~ x + y, method = vecchia(5), threads = 1L,
    control = neargp_control(shards = 2L), na.action = na.omit), "No chunk contains two rows",
    class = "neargp_error_source")
})
