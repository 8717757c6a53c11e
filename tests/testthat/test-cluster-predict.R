test_that("a part that has ended two workers is not given to a third", {
  queue <- new_task_queue(function(number) list(number = number), 1:7, 3L)
  expect_identical(vapply(1:3, function(at) queue$take(at)$number, 0L), c(1L, 4L, 6L))
  queue$put_back(list(number = 4L))
  expect_identical(queue$take(3L)$number, 4L)
  # the first worker goes on from its block, and then takes from the end of others
  expect_identical(vapply(1:5, function(i) queue$take(1L)$number %||% 0L, 0L),
    c(2L, 3L, 5L, 7L, 0L))
  expect_error(queue$put_back(list(number = 4L)), "part 4", class = "neargp_error_cluster")
})

# Five chunks; `at(number)` is done where one is read.
watched_source <- function(places, at) {
  force(places)
  force(at)
  row_source(function(number) {
    if (number > 5L) return(NULL)
    at(number)
    places[5L * (number - 1L) + 1:5, ]
  })
}

# Kills the process that is at a chunk, the first time.
killer <- function(chunk, marker = tempfile()) {
  force(marker)
  function(number) {
    if (number == chunk && !file.exists(marker)) {
      file.create(marker)
      tools::pskill(Sys.getpid(), tools::SIGKILL)
    }
  }
}

# For those of a cluster that answer.
pids_of_live <- function(cluster) {
  lapply(seq_along(cluster), function(i) tryCatch(parallel::clusterCall(cluster[i],
    Sys.getpid)[[1L]], error = function(e) NULL))
}

test_extended("workers write the files that this process writes, also where one is killed", {
  fit <- files_fit()
  places <- files_places()
  folder <- withr::local_tempdir()
  to <- function(name, newdata, ...) unname(tools::md5sum(predict(fit, newdata,
    output = file.path(folder, name), verbose = FALSE, ...)))
  alone <- to("a{part}.csv", places, chunk_size = 7)
  cluster <- local_workers(3)
  expect_identical(to("b{part}.csv", places, chunk_size = 7, cluster = cluster), alone)
  source <- watched_source(places, function(number) invisible())
  alone <- to("c{part}.csv", source)
  expect_identical(to("d{part}.csv", watched_source(places, killer(3L)), cluster = cluster), alone)
  expect_length(Filter(isTRUE, lapply(pids_of_live(cluster), is.numeric)), 2L)
  deadly <- watched_source(places, function(number) if (number == 2L)
    tools::pskill(Sys.getpid(), tools::SIGKILL))
  expect_error(to("e{part}.csv", deadly, cluster = local_workers(3)), "Two workers have ended",
    class = "neargp_error_cluster")
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 9, ncols = 8, xmin = 0, xmax = 1, ymin = 0, ymax = 1,
    crs = "local", names = "h", vals = cos(1:72))
  file <- withr::local_tempfile(fileext = ".tif")
  terra::writeRaster(raster, file, datatype = "FLT8S")
  alone <- to("g{part}.tif", raster, chunk_size = 20)
  expect_identical(to("h{part}.tif", terra::rast(file), chunk_size = 20,
    cluster = local_workers(2)), alone)
})

test_extended("a prediction that was killed goes on", {
  skip_on_os("windows")
  fit <- files_fit()
  places <- files_places()
  folder <- withr::local_tempdir()
  output <- file.path(folder, "map{part}.csv")
  # at the beginning of a chunk, and while a file is written or named
  for (moment in c("chunk", "write_rows", "rename_parts")) {
    unlink(list.files(folder, full.names = TRUE))
    source <- watched_source(places, if (moment == "chunk") killer(3L) else identity)
    # the process ends without a value
    suppressWarnings(parallel::mccollect(parallel::mcparallel({
      if (moment != "chunk") {
        original <- get(moment, asNamespace("neargp"))
        count <- 0
        utils::assignInNamespace(moment, function(...) {
          count <<- count + 1
          if (moment == "write_rows") original(...)
          # two renamings a part
          if (count == if (moment == "rename_parts") 5 else 3) {
            tools::pskill(Sys.getpid(), tools::SIGKILL)
          }
          if (moment != "write_rows") original(...)
        }, "neargp")
      }
      predict(fit, source, output = output, verbose = FALSE)
    })))
    expect_length(list.files(folder, "csv$"), 2L)
    expect_message(files <- predict(fit, source, output = output, verbose = FALSE), "2 of 5")
    whole <- predict(fit, places)
    expect_identical(read_parts(files, names(whole)), as.list(whole))
    expect_setequal(list.files(folder, all.files = TRUE, no.. = TRUE),
      c(basename(files), paste0(basename(files), ".neargp")))
  }
})

test_extended("after an interrupt workers are idle, and the parts that are there are kept", {
  fit <- files_fit()
  places <- files_places()
  folder <- withr::local_tempdir()
  output <- file.path(folder, "map{part}.csv")
  source <- watched_source(places, function(number) Sys.sleep(0.1))
  cluster <- local_workers(2)
  local({
    stopped <- FALSE
    take <- neargp:::take_messages
    withr::defer(utils::assignInNamespace("take_messages", take, "neargp"))
    utils::assignInNamespace("take_messages", function(...) {
      if (!stopped && length(list.files(folder, "csv$")) >= 2L) {
        stopped <<- TRUE
        rlang::interrupt()
      }
      take(...)
    }, "neargp")
    expect_identical(tryCatch(predict(fit, source, output = output, cluster = cluster),
      interrupt = function(condition) "stopped"), "stopped")
  })
  expect_identical(held_by_workers(cluster), list(0L, 0L))
  expect_false(any(grepl("stop", list.files(folder, all.files = TRUE))))
  expect_gt(length(list.files(folder, "csv$")), 0L)
  expect_message(files <- predict(fit, source, output = output, cluster = cluster),
    "were there already")
  expect_identical(read_parts(files, "mean")$mean, predict(fit, places)$mean)
  # a worker stops between the chunks of its rows where the file says so
  stop_file <- withr::local_tempfile(lines = "")
  assign("stop_file", stop_file, neargp:::process_state)
  withr::defer(rm("stop_file", envir = neargp:::process_state))
  expect_error(predict(fit, places, chunk_size = 10, verbose = FALSE), "interrupted",
    class = "neargp_error_cluster")
})

test_extended("rows that are read in shards are predicted by whoever reads the shards", {
  set.seed(34)
  n <- 600
  data <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  data$z <- sin(6 * data$x) + data$h + rnorm(n, sd = 0.1)
  parts <- split(data, cut(data$y, 6, labels = FALSE))
  source <- local({
    parts <- parts
    row_source(function(number) if (number <= length(parts)) parts[[number]])
  })
  covariance <- cov_exponential(variance = 1, range = c(0.2, 0.5), ard = TRUE)
  fit <- neargp(z ~ h, source, coords = ~ x + y, method = vecchia(5), threads = 1L,
    covariance = covariance, nugget = 0.01, control = neargp_control(shards = 8L))
  places <- data.frame(x = c(runif(59), NA), y = runif(60), h = rnorm(60))
  whole <- predict(fit, places, k = 9)
  cluster <- local_workers(2)
  expect_identical(predict(fit, places, k = 9, cluster = cluster), whole)
  output <- file.path(withr::local_tempdir(), "{part}.csv")
  files <- predict(fit, places, k = 9, output = output, chunk_size = 25, cluster = cluster)
  expect_identical(read_parts(files, names(whole)), as.list(whole))
  # the neighbours are the nearest of all rows
  memory <- neargp(z ~ h, do.call(rbind, parts), coords = ~ x + y, method = vecchia(5),
    threads = 1L, covariance = covariance, nugget = 0.01,
    control = neargp_control(shards = 8L))
  expect_equal(predict(memory, places, k = 9, sectors = 0, local_mean = FALSE), whole,
    tolerance = 1e-8)
  # few shards are read, and as many kept as may be
  cache <- new_shard_cache(fit, most = 2L)
  fit$source$cache <- cache
  expect_identical(predict(fit, places, k = 9), whole)
  expect_length(cache$shards, 2L)
  fit$source$cache <- new_shard_cache(fit)
  predict(fit, data.frame(x = 0.01, y = 0.01, h = 0), k = 9)
  expect_lt(length(fit$source$cache$shards), 4L)
  # all rows of a shard are in its box
  component <- metric_component(fit$core_covariance)
  boxes <- scaled_boxes(cache$reach, component)
  for (id in 1:8) {
    rows <- shard_scaled(cached_shard(cache, id), component)
    expect_true(all(distance2_to_box(rows, boxes[[id]]) == 0))
  }
  expect_error(predict(fit, places, joint = TRUE), class = "neargp_error_cluster")
  expect_error(simulate(fit, newdata = places), class = "neargp_error_source")
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 9, ncols = 8, xmin = 0, xmax = 1, ymin = 0, ymax = 1,
    crs = "local", names = "h", vals = cos(1:72))
  cells <- predict(fit, terra::as.data.frame(raster, xy = TRUE), k = 9)
  expect_equal(terra::values(predict(fit, raster, k = 9)), as.matrix(cells),
    ignore_attr = "dimnames")
  files <- predict(fit, raster, k = 9, output = file.path(withr::local_tempdir(), "{part}.tif"),
    chunk_size = 20, cluster = local_workers(2))
  expect_equal(terra::values(terra::merge(terra::sprc(lapply(files, terra::rast)))),
    as.matrix(cells), ignore_attr = "dimnames")
})
