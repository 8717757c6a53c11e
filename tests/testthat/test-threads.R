test_that("threads come from the argument, then the option, then a modest default", {
  withr::local_options(neargp.threads = NULL)
  expect_lte(resolve_threads(NULL), 2L)
  withr::local_options(neargp.threads = 3)
  expect_identical(resolve_threads(NULL), 3L)
  expect_identical(resolve_threads(5), 5L)
  expect_error(resolve_threads(1.5), "`threads`", class = "neargp_error_argument")
  withr::local_options(neargp.threads = "many")
  expect_error(resolve_threads(NULL), "neargp.threads", class = "neargp_error_argument")
})

test_that("a fork of a process that has used threads can use threads", {
  skip_on_os("windows")
  local_device("cpu")
  stations <- colorado_precipitation()
  fit <- function() neargp(precipitation ~ 1, stations, coords = ~ lon + lat, distance = "chordal", method = vecchia(10), threads = 2, verbose = FALSE)
  here <- fit()
  job <- parallel::mcparallel(coef(fit(), what = "covariance"))
  there <- parallel::mccollect(job, wait = FALSE, timeout = 60)
  if (is.null(there)) tools::pskill(job$pid, tools::SIGKILL)
  suppressWarnings(parallel::mccollect(job))  # for the record of jobs of the package parallel
  expect_identical(unname(there)[[1]], coef(here, what = "covariance"))
})
