test_that("rows go to files part by part, and what is there is kept", {
  fit <- files_fit()
  places <- files_places()
  output <- file.path(withr::local_tempdir(), "map_{part}.csv")
  write <- function(...) predict(fit, places, interval = "prediction", output = output,
    chunk_size = 10, ...)
  files <- write()
  expect_identical(basename(files), sprintf("map_%d.csv", 1:3))
  whole <- predict(fit, places, interval = "prediction")
  expect_identical(read_parts(files, names(whole)), as.list(whole))
  expect_identical(read_parts(files, c("x", "y")), as.list(places[c("x", "y")]))
  # one is missing, one was cut off: these are made again, and no other
  before <- file.mtime(files[3L])
  unlink(files[1L])
  cat("", file = files[2L])
  expect_message(again <- write(), "1 of 3 parts", class = "neargp_message_parts")
  expect_identical(again, files)
  expect_identical(file.mtime(files[3L]), before)
  expect_identical(read_parts(files, names(whole)), as.list(whole))
  # other rows, arguments or files of somebody else are not taken for parts, nor replaced
  expect_error(predict(fit, places, output = output, chunk_size = 10), "is there already",
    class = "neargp_error_file")
  unlink(paste0(files, ".neargp"))
  expect_error(write(), "part 1", class = "neargp_error_file")
  expect_length(write(overwrite = TRUE), 3L)
  # the same fit made again belongs to the same parts
  fit <- files_fit()
  expect_message(write(), "3 of 3")
})

test_that("a source is predicted chunk by chunk, a file of text some rows at a time", {
  fit <- files_fit()
  places <- files_places()
  folder <- withr::local_tempdir()
  source <- local({
    places <- places
    row_source(function(number) if (number <= 5L) places[5L * (number - 1L) + 1:5, ])
  })
  whole <- as.list(predict(fit, places))
  files <- predict(fit, source, output = file.path(folder, "a{part}.csv"), verbose = TRUE)
  expect_length(files, 5L)
  expect_identical(read_parts(files, names(whole)), whole)
  table <- file.path(folder, "places.csv")
  write_rows(places, table)
  files <- predict(fit, row_source(table, chunk_rows = 10L), output = file.path(folder,
    "b{part}.csv"))
  expect_length(files, 3L)
  expect_identical(read_parts(files, names(whole)), whole)
})

test_extended("windows of a raster are its predictions, cell by cell", {
  skip_if_not_installed("terra")
  fit <- files_fit()
  raster <- terra::rast(nrows = 6, ncols = 11, xmin = 0, xmax = 1, ymin = 0, ymax = 1,
    crs = "local", names = "h")
  set.seed(33)
  terra::values(raster) <- replace(rnorm(66), c(3, 40), NA)
  output <- file.path(withr::local_tempdir(), "map_{part}.tif")
  files <- predict(fit, raster, output = output, chunk_size = 20)
  expect_length(files, 6L)
  # a missing value of a file is NA to some versions of terra and NaN to others
  values <- function(raster) {
    values <- terra::values(raster)
    replace(values, is.na(values), NA)
  }
  whole <- values(predict(fit, raster))
  expect_identical(values(terra::merge(terra::sprc(lapply(files, terra::rast)))), whole)
  unlink(files[5L])
  expect_message(predict(fit, raster, output = output, chunk_size = 20), "5 of 6")
  # what is in memory and what is in a file travel, and are the same
  file <- withr::local_tempfile(fileext = ".tif")
  two <- c(raster, h2 = raster + 1)
  terra::writeRaster(two, file, datatype = "FLT8S")
  of_file <- terra::rast(file)[[2:1]]
  recipe <- portable_raster(of_file, most = 0)
  expect_lt(length(serialize(recipe, NULL)), 1e4)
  made <- carried_raster(unserialize(serialize(recipe, NULL)))
  expect_identical(terra::values(made), terra::values(of_file))
  expect_identical(terra::values(carried_raster(portable_raster(raster))), terra::values(raster))
  expect_error(portable_raster(raster, most = 0), "in memory", class = "neargp_error_cluster")
  unlink(file)
  expect_error(carried_raster(recipe), "not on the machine", class = "neargp_error_file")
})

test_extended("a hurdle model has files of rows and of windows, also by workers", {
  hurdle <- hurdle_fits(hurdle_data(60))
  places <- files_places()
  folder <- withr::local_tempdir()
  write <- function(name, ...) predict(hurdle, places, interval = "prediction", threshold = 1,
    output = file.path(folder, name), chunk_size = 10, ...)
  files <- write("a{part}.csv")
  whole <- predict(hurdle, places, interval = "prediction", threshold = 1)
  # products of several rows round differently
  expect_equal(read_parts(files, names(whole)), as.list(whole), tolerance = 1e-14)
  expect_identical(read_parts(files, c("x", "y")), as.list(places[c("x", "y")]))
  expect_message(write("a{part}.csv"), "3 of 3", class = "neargp_message_parts")
  by_workers <- write("b{part}.csv", cluster = local_workers(2))
  expect_identical(unname(tools::md5sum(by_workers)), unname(tools::md5sum(files)))
  expect_error(predict(hurdle, places, cluster = local_workers(1)), "output",
    class = "neargp_error_cluster")
  # another model's files are not taken for these
  other <- neargp_hurdle(hurdle$presence, hurdle_fits(hurdle_data(80))$positive)
  expect_error(predict(other, places, output = file.path(folder, "a{part}.csv"), chunk_size = 10,
    interval = "prediction", threshold = 1), class = "neargp_error_file")
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 6, ncols = 11, xmin = 0, xmax = 1, ymin = 0, ymax = 1,
    crs = "local", names = "h")
  terra::values(raster) <- withr::with_seed(33, replace(rnorm(66), c(3, 40), NA))
  layers <- predict(hurdle, raster)
  cells <- predict(hurdle, terra::as.data.frame(raster, xy = TRUE, na.rm = FALSE))
  expect_identical(unname(terra::values(layers)), unname(as.matrix(cells)))
  files <- predict(hurdle, raster, output = file.path(folder, "c{part}.tif"), chunk_size = 20)
  expect_length(files, 6L)
  expect_equal(terra::values(terra::merge(terra::sprc(lapply(files, terra::rast)))),
    terra::values(layers), tolerance = 1e-14)
})

test_extended("areas and grids of stars have no files, and the error says what has", {
  skip_if_not_installed("sf")
  fit <- files_fit()
  square <- sf::st_sf(h = 0, geometry = sf::st_sfc(sf::st_polygon(list(cbind(c(0, 1, 1, 0, 0),
    c(0, 0, 1, 1, 0))))))
  expect_error(predict(fit, square, output = "{part}.csv"), "predict some at a time",
    class = "neargp_error_newdata")
  skip_if_not_installed("stars")
  expect_error(predict(fit, stars::st_as_stars(list(h = matrix(0, 2, 2))), output = "{part}.csv"),
    "SpatRaster", class = "neargp_error_newdata")
})

test_that("what has no parts is refused, and why", {
  fit <- files_fit()
  places <- files_places()
  folder <- withr::local_tempdir()
  to <- function(output = file.path(folder, "{part}.csv"), newdata = places, ...) {
    predict(fit, newdata, output = output, ...)
  }
  expect_error(to("map.csv"), "\\{part\\}", class = "neargp_error_argument")
  expect_error(to(file.path(folder, "none", "{part}.csv")), class = "neargp_error_file")
  expect_error(to(file.path(folder, "{part}.tif")), "not a table", class = "neargp_error_file")
  expect_error(to(joint = TRUE), class = "neargp_error_argument")
  expect_error(to(filename = "one.tif"), class = "neargp_error_argument")
  expect_error(to(newdata = places["x"]), "part 1", class = "neargp_error_newdata")
  expect_identical(list.files(folder, all.files = TRUE, no.. = TRUE), character(0))
  source <- row_source(function(number) NULL)
  expect_identical(to(newdata = source), character(0))
  expect_error(predict(fit, source), "output", class = "neargp_error_newdata")
  expect_error(simulate(fit, newdata = source), "fit together", class = "neargp_error_newdata")
  expect_error(simulate(fit, newdata = places, output = "a"), "whole",
    class = "neargp_error_newdata")
})

test_extended("classes and several outputs go to files, too", {
  folder <- withr::local_tempdir()
  fit <- neargp(Species ~ 1, iris, coords = ~ ., method = loo_k(k = 10), family = categorical(),
    covariance = cov_exponential(variance = 1, range = 1), threads = 1L)
  cluster <- local_workers(2)
  whole <- predict(fit, iris[1:20 * 7, ], type = "class")
  files <- predict(fit, iris[1:20 * 7, ], type = "class", output = file.path(folder, "{part}.csv"),
    chunk_size = 8, cluster = cluster)
  expect_identical(read_parts(files, "class")$class, as.character(whole$class))
  expect_error(predict(fit, iris, cluster = cluster), class = "neargp_error_cluster")
  set.seed(35)
  data <- data.frame(x = runif(40), y = runif(40))
  data$a <- sin(5 * data$x) + rnorm(40, sd = 0.1)
  data$b <- data$a + rnorm(40, sd = 0.2)
  fit <- neargp(cbind(a, b) ~ 1, data, coords = ~ x + y, method = loo_k(k = 5), threads = 1L)
  whole <- predict(fit, data[1:9, ])
  files <- predict(fit, data[1:9, ], output = file.path(folder, "o{part}.csv"), chunk_size = 4)
  expect_identical(read_parts(files, names(whole)), as.list(whole))
  expect_error(predict(fit, data, output = "{part}.csv", covariance = TRUE),
    class = "neargp_error_argument")
})

test_that("a part that another process has taken away is an error that says so", {
  folder <- withr::local_tempdir()
  file <- file.path(folder, "map.csv")
  part <- part_name(file)
  settle <- function(part, file) settle_part(part, file, list(part = "1"))
  for (move in list(rename_parts, settle)) {
    expect_error(move(part, file), "another process", class = "neargp_error_file")
  }
  expect_error(settle(file.path(folder, "none", "map.csv"), file),
    "another process", class = "neargp_error_file")
  writeLines("x", part)
  settle(part, file)
  expect_setequal(list.files(folder, all.files = TRUE, no.. = TRUE), basename(c(file,
    label_file(file))))
})

test_that("parts are written as Parquet to the bit, and read again as rows", {
  skip_if_not_installed("nanoparquet")
  fit <- files_fit()
  places <- files_places()
  folder <- withr::local_tempdir()
  write <- function() predict(fit, places, output = file.path(folder, "map_{part}.parquet"),
    chunk_size = 10)
  files <- write()
  expect_identical(basename(files), sprintf("map_%d.parquet", 1:3))
  parts <- lapply(files, function(file) as.data.frame(nanoparquet::read_parquet(file)))
  whole <- predict(fit, places)
  expect_identical(as.list(do.call(rbind, parts)[names(whole)]), as.list(whole))
  expect_identical(as.list(do.call(rbind, parts)[c("x", "y")]), as.list(places[c("x", "y")]))
  expect_message(expect_identical(write(), files), "3 of 3", class = "neargp_message_parts")
  rows <- withr::local_tempdir()
  nanoparquet::write_parquet(places, file.path(rows, "1.parquet"))
  again <- predict(fit, source_folder(rows, "parquet"), output = file.path(folder, "{part}.csv"))
  expect_identical(read_parts(again, names(whole)), as.list(whole))
})

test_that("without a package for Parquet its files are refused, and other formats", {
  fit <- files_fit()
  to <- function(name) predict(fit, files_places(), output = file.path(tempdir(), name))
  expect_error(to("{part}.txt"), ".csv or .parquet", fixed = TRUE, class = "neargp_error_file")
  skip_if(rlang::is_installed("nanoparquet") || rlang::is_installed("arrow"))
  expect_error(to("{part}.parquet"), "nanoparquet", class = "neargp_error_package")
})
