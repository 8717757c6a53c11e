written_raster <- function() {
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 12, ncols = 10, xmin = 1000, xmax = 1001, ymin = 0, ymax = 1,
    crs = "")
  terra::values(raster) <- sin(seq_len(120))
  names(raster) <- "height"
  raster[c(5, 77)] <- NA
  raster
}

raster_fit <- function(...) {
  neargp(z ~ height, transform(simulated_data(100), x = 1000 + x), coords = ~ x + y,
    method = vecchia(k = 15), covariance = cov_exponential(), ...)
}

plain_values <- function(raster) {
  values <- terra::values(raster)
  replace(values, is.nan(values), NA)
}

test_extended("a raster is read, predicted and written in windows, with the same result", {
  fit <- raster_fit()
  folder <- withr::local_tempdir()
  source <- file.path(folder, "covariate.tif")
  terra::writeRaster(written_raster(), source, datatype = "FLT8S")
  at_once <- predict(fit, written_raster(), interval = "prediction")
  for (name in c("map.tif", "map.grd")) {
    file <- file.path(folder, name)
    result <- predict(fit, terra::rast(source), interval = "prediction", filename = file,
      chunk_size = 25)
    expect_match(terra::sources(result), "map\\.(tif|grd)$")
    expect_identical(names(result), c("mean", "sd", "lower", "upper"))
    expect_equal(plain_values(result), plain_values(at_once), tolerance = 0)
    expect_equal(plain_values(terra::rast(file)), plain_values(at_once), tolerance = 0)
  }
  # nothing but the files asked for, and what their formats keep next to them
  expect_match(list.files(folder, all.files = TRUE, no.. = TRUE), "^(covariate|map)\\.")
  expect_true(file.exists(file.path(folder, "map.gri")))
})

test_extended("classes are written with their names", {
  raster <- written_raster()
  fit <- neargp(group ~ height, transform(simulated_data(90), x = 1000 + x), coords = ~ x + y,
    method = loo_k(k = 8), family = categorical())
  file <- file.path(withr::local_tempdir(), "classes.tif")
  result <- predict(fit, raster, type = "class", filename = file, chunk_size = 30)
  cells <- data.frame(terra::xyFromCell(raster, 1:120), height = terra::values(raster)[, 1])
  expect_identical(as.character(terra::values(terra::rast(file), dataframe = TRUE)$class),
    as.character(predict(fit, cells, type = "class")$class))
  expect_equal(plain_values(result), plain_values(predict(fit, raster, type = "class")))
  expect_error(predict(fit, raster, type = "class", filename = sub("tif$", "grd", file)),
    "names of categories", class = "neargp_error_file")
})

test_extended("an error on the way leaves no file, and one that was there as it was", {
  fit <- raster_fit()
  folder <- withr::local_tempdir()
  file <- file.path(folder, "map.tif")
  # the last block contains a number that no trend takes
  raster <- written_raster()
  raster[115] <- Inf
  expect_error(predict(fit, raster, filename = file, chunk_size = 30),
    class = "neargp_error_missing_values")
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), character(0))
  predict(fit, written_raster(), filename = file)
  before <- tools::md5sum(file)
  expect_error(predict(fit, raster, filename = file, overwrite = TRUE, chunk_size = 30),
    class = "neargp_error_missing_values")
  expect_identical(tools::md5sum(file), before)
  expect_error(predict(fit, written_raster(), filename = file), "overwrite = TRUE",
    class = "neargp_error_file")
  predict(fit, written_raster(), type = "process", filename = file, overwrite = TRUE)
  expect_false(identical(tools::md5sum(file), before))
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), "map.tif")
})

test_extended("files that cannot be written are refused before anything is predicted", {
  fit <- raster_fit()
  raster <- written_raster()
  folder <- withr::local_tempdir()
  expect_error(predict(fit, raster, filename = file.path(folder, "no", "map.tif")),
    "directory that does not exist", class = "neargp_error_file")
  expect_error(predict(fit, raster, filename = folder), "is a directory",
    class = "neargp_error_file")
  expect_error(predict(fit, raster, filename = file.path(folder, "map.nonsense")),
    "cannot be written", class = "neargp_error_file")
  expect_error(predict(fit, raster, filename = 1), "`filename`", class = "neargp_error_argument")
  expect_error(predict(fit, data.frame(x = 1000, y = 0, height = 0), filename = "map.tif"),
    "SpatRaster", class = "neargp_error_argument")
  own <- file.path(folder, "own.tif")
  terra::writeRaster(raster, own)
  expect_error(predict(fit, terra::rast(own), filename = own, overwrite = TRUE),
    "that of `newdata`", class = "neargp_error_file")
})

test_that("files whose names begin alike are left alone, and companions go with their raster", {
  fit <- raster_fit()
  folder <- withr::local_tempdir()
  own <- file.path(folder, c("map.tif", "map.tif.aux.xml", "map.tif.ovr", "map.tif.msk"))
  others <- file.path(folder, c("map.tif.bak", "map.tif.zip", "map.tif.R"))
  for (file in c(own[-1L], others)) writeLines("mine", file)
  predict(fit, written_raster(), filename = own[1L])
  predict(fit, written_raster(), filename = own[1L], overwrite = TRUE)
  expect_setequal(list.files(folder, all.files = TRUE, no.. = TRUE), basename(c(own[1L], others)))
  expect_identical(unname(vapply(others, readLines, "")), rep("mine", 3L))
})

test_that("a file that cannot get its name is an error", {
  folder <- withr::local_tempdir()
  taken <- file.path(folder, "map.tif")
  dir.create(file.path(taken, "full"), recursive = TRUE)
  part <- part_name(taken)
  writeLines("part", part)
  expect_error(rename_parts(part, taken), "map.tif", class = "neargp_error_file")
})

test_that("formats that lose numbers or names are refused", {
  fit <- raster_fit()
  folder <- withr::local_tempdir()
  for (name in c("map.png", "map.asc", "map.nc", "map")) {
    expect_error(predict(fit, written_raster(), filename = file.path(folder, name)), "\\.tif",
      class = "neargp_error_file")
  }
  expect_identical(list.files(folder), character(0))
})

test_that("a raster is refused that reads back as another than was written, as on a full disk", {
  template <- written_raster()
  file <- file.path(withr::local_tempdir(), "map.tif")
  values <- cbind(a = replace(sin(1:120), c(3, 90), c(NaN, NA)), b = cos(1:120))
  written <- terra::setValues(terra::rast(template, nlyrs = 2), values)
  terra::writeRaster(written, file, datatype = "FLT8S", gdal = "COMPRESS=NONE")
  blocks <- lapply(1:3, function(block) list(row = 4 * block - 3, rows = 4,
    hash = cells_hash(values[40 * block - 39:0, ])))
  expect_null(check_written(terra::rast(file), blocks, file))
  bytes <- readBin(file, "raw", file.size(file))
  wanted <- writeBin(values[[120, "b"]], raw())
  at <- Find(function(i) identical(bytes[i + 0:7], wanted), seq_len(length(bytes) - 7))
  writeBin(replace(bytes, at + 6, as.raw(255L - as.integer(bytes[at + 6]))), file)
  expect_error(check_written(terra::rast(file), blocks, file), "was not written whole",
    class = "neargp_error_file")
  writeBin(head(bytes, at), file)
  # newer versions of GDAL do not open a file that is cut off
  cut <- tryCatch(terra::rast(file), error = function(e) skip("GDAL does not open a part"))
  expect_error(check_written(cut, blocks, file), "was not written whole",
    class = "neargp_error_file")
})

# The shell ignores the signal of a file that is too large, and its children inherit that.
test_extended("a disk that is full while a raster is written leaves no file", {
  skip_on_os("windows")
  folder <- withr::local_tempdir()
  script <- file.path(folder, "write.R")
  writeLines(deparse(quote({
    arguments <- commandArgs(TRUE)
    suppressMessages(library(neargp, lib.loc = arguments[[2]]))
    d <- data.frame(x = (1:40 * 0.618) %% 1, y = (1:40 * 0.414) %% 1)
    d$z <- sin(6 * d$x)
    fit <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(5), covariance = cov_exponential())
    raster <- terra::rast(nrows = 200, ncols = 200, xmin = 0, xmax = 1, ymin = 0, ymax = 1,
      crs = "", vals = 1)
    for (file in file.path(arguments[[1]], c("map.tif", "map.grd"))) {
      error <- tryCatch(predict(fit, raster, filename = file, chunk_size = 5000),
        error = identity)
      cat(class(error)[1], "\n")
    }
  })), script)
  call <- paste(vapply(c(file.path(R.home("bin"), "Rscript"), "--vanilla", script, folder,
    dirname(system.file(package = "neargp"))), shQuote, ""), collapse = " ")
  printed <- suppressWarnings(system(paste("trap '' XFSZ; ulimit -f 100;", call, "2>/dev/null"),
    intern = TRUE))
  expect_identical(trimws(printed), rep("neargp_error_file", 2))
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), "write.R")
})

test_that("a raster file that is cut off is an error that names it", {
  file <- file.path(withr::local_tempdir(), "cut.tif")
  terra::writeRaster(terra::disagg(written_raster(), 20), file, datatype = "FLT8S",
    gdal = "COMPRESS=NONE")
  bytes <- readBin(file, "raw", file.size(file))
  writeBin(head(bytes, length(bytes) %/% 2), file)
  cut <- tryCatch(terra::rast(file), error = function(e) skip("GDAL does not open a part"))
  expect_error(suppressWarnings(cell_columns(cut)), "cut.tif\" cannot be read",
    class = "neargp_error_file")
  box <- cell_polygons(terra::aggregate(terra::rast(cut), c(terra::nrow(cut), terra::ncol(cut))))
  for (read in list(quote(covered_cells(cut, box)), quote(point_columns(list(), data.frame(a = 1),
    cbind(terra::xmax(cut) - 1e-3, terra::ymin(cut) + 1e-3), cut)))) {
    expect_error(suppressWarnings(eval(read)), "cut.tif\" cannot be read",
      class = "neargp_error_file")
  }
})
