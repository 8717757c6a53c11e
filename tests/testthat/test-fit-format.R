# Fits of all kinds as versions of the package have saved them (tools/save-fits.R), each with three
# new rows and what it predicted for them then.
saved_fits <- function() list.files(test_path("fits"), "[.]rds$", recursive = TRUE,
  full.names = TRUE)

# With so few rows all are neighbours by default, and sectors left some out then.
by_sectors <- paste0(c("anisotropic", "local", "loo_k", "mll_k", "sphere", "transformed",
  "vecchia"), ".rds")

test_extended("fits that earlier versions have saved predict what they did then", {
  files <- saved_fits()
  expect_gt(length(files), 20)
  for (file in files) {
    saved <- readRDS(file)
    expect_s3_class(saved$fit, "neargp")
    as_then <- if (basename(file) %in% by_sectors) list(sectors = 8L)
    # predictions of classes and of several responses know no other
    integrable <- !inherits(saved$fit, c("neargp_classifier", "neargp_outputs"))
    by <- if (integrable) list(parameters = "plug-in")
    now <- suppressMessages(do.call(predict, c(list(saved$fit, saved$new, threads = 1), as_then,
      by)))
    expect_equal(now, saved$predicted, tolerance = 1e-6, label = basename(file))
    expect_output(print(saved$fit), label = basename(file))
    expect_output(print(summary(saved$fit)), label = basename(file))
  }
})

test_that("saved fits are small, and hold no more than they have to", {
  for (file in saved_fits()) expect_lt(file.size(file), 15000)
})

test_extended("a fit is read as it was written, and says what has made it", {
  data <- data.frame(x = c(0.1, 0.5, 0.3, 0.9, 0.7), y = c(0.2, 0.9, 0.6, 0.1, 0.4), z = 1:5)
  fit <- suppressWarnings(neargp(z ~ 0, data, coords = ~ x + y, method = exact_gp()))
  expect_identical(fit$format, fit_format)
  expect_identical(fit$version, as.character(utils::packageVersion("neargp")))
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fit, file)
  again <- readRDS(file)
  expect_identical(predict(again, data), predict(fit, data))
  # of a version before formats had numbers
  old <- unclass(fit)
  old[c("format", "version")] <- NULL
  expect_identical(predict(structure(old, class = class(fit)), data), predict(fit, data))
})

test_that("a fit of a format that cannot be read is told by its version", {
  fit <- readRDS(saved_fits()[1L])$fit
  newer <- fit
  newer$format <- fit_format + 1L
  newer$version <- "12.3.0"
  expect_error(predict(newer, fit$data$coords), "by neargp 12.3.0.*at least as new",
    class = "neargp_error_version")
  expect_error(print(newer), class = "neargp_error_version")
  older <- fit
  older$format <- oldest_fit_format - 1L
  expect_error(summary(older), "Fit the model again", class = "neargp_error_version")
  altered <- fit
  altered$format <- "one"
  expect_error(predict(altered, fit$data$coords), "altered", class = "neargp_error_version")
})

test_extended("fits of earlier versions can be fitted again without some rows", {
  kinds <- c("vecchia", "exact", "anisotropic", "sphere", "counts", "laplace", "svgp",
    "svgp_counts", "loo_counts", "binary", "mean_field", "swsgp", "ppgpr", "odvgp")
  saved_fit <- function(kind) {
    readRDS(grep(paste0("/", kind, ".rds"), saved_fits(), value = TRUE, fixed = TRUE)[1L])$fit
  }
  for (kind in kinds) {
    fit <- saved_fit(kind)
    validated <- suppressWarnings(suppressMessages(cross_validate(fit, folds = rep_len(1:3, 45),
      refit = kind %in% c("vecchia", "anisotropic", "sphere", "svgp"), verbose = FALSE)))
    expect_true(all(is.finite(validated$predictions$mean)), label = kind)
  }
  fit <- saved_fit("vecchia")
  expect_true(all(is.finite(suppressWarnings(confint(fit, method = "profile",
    what = "covariance")["nugget", ]))))
})
