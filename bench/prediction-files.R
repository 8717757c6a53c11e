# Predictions of a raster that go to files. The result is the peak memory by the number of cells, each in a separate process. Expected: the
# memory of one part, whatever the raster.
#
#   Rscript bench/prediction-files.R [thousands of cells, 250,1000,4000] [cells of a part, 250000]     keeps table prediction-files
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))
thousands <- as.integer(argument(1L, c("250", "1000", "4000")))
cells_of_part <- as.integer(argument(2L, "250000"))

written <- function(rows) {
  set.seed(1)
  data <- data.frame(x = stats::runif(2000), y = stats::runif(2000))
  data$z <- sin(6 * data$x) + stats::rnorm(2000, sd = 0.1)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(10), covariance = cov_exponential(variance = 1, range = 0.3), nugget = 0.01,
    threads = 1L)
  raster <- terra::rast(nrows = rows, ncols = 1000L, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "local")
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  took <- timed(files <- predict(fit, raster, output = file.path(folder, "map_{part}.tif"), chunk_size = cells_of_part, k = 10, sectors = 0,
    threads = 1L, verbose = FALSE))
  peak <- as.numeric(gsub("[^0-9]", "", grep("^VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024
  data.frame(cells = rows * 1000L, parts = length(files), peak_mb = peak, cpu = took$cpu, elapsed = took$elapsed,
    load = strsplit(readLines("/proc/loadavg"), " ")[[1L]][1L])
}

found <- do.call(rbind, lapply(thousands, function(rows) parallel::mccollect(parallel::mcparallel(written(rows)))[[1L]]))
print(found, row.names = FALSE)
save_result(found, "prediction-files")
