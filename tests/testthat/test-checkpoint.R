# The fits whose epochs begin again are left out.
test_extended("a fit goes on from wherever its checkpoint ends, to the last bit", {
  fits <- c(last_fits(), further_fits())
  extended <- is_extended()
  shown <- if (extended) names(fits) else
    c("anisotropic", "loo_adam", "counts", "vnngp", "svgp_counts", "natural", "dspp")
  for (name in setdiff(shown, c("mean_field", "swsgp"))) {
    by_rounds <- grepl("adam|natural|dspp|dgp|polya", name)
    ends <- expect_resumes(fits[[name]], if (extended) c(0, 0.35, 0.9) else 0.6,
      label = name, each = if (by_rounds) 1 else 4)
    expect_gt(length(ends), 2)
  }
})

test_extended("the same call goes on, and a fit that has ended is there at once", {
  run <- last_fits()$vecchia
  file <- local_checkpoint()
  control <- neargp_control(checkpoint = file)
  fit <- run(control = control)
  before <- readBin(file, "raw", file.size(file))
  expect_message(again <- run(control = control), "goes on from [1-9]",
    class = "neargp_message_checkpoint")
  expect_identical(fit_numbers(again), fit_numbers(fit))
  expect_identical(readBin(file, "raw", file.size(file)), before)
  expect_null(fit$control$checkpoint)
  expect_identical(list.files(dirname(file), basename(file), all.files = TRUE), basename(file))
  expect_error(run(resume = paste0(file, "-none")), class = "neargp_error_checkpoint")
})

test_extended("errors on the way are part of a checkpoint, and what they lead to", {
  # an objective that fails twice before it reaches an optimum
  failing <- function(working) {
    if (working > 2) abort_neargp("cholesky", "Singular.")
    -(working - 1)^2
  }
  session <- new_session()
  climb <- function() stats::optimize(function(x) {
    if_computable(journaled(session, x, function() failing(x)), -1e3)
  }, c(0, 10), maximum = TRUE)
  file <- list(path = local_checkpoint(), cost = 0, known = list(), states = list())
  file$length <- write_checkpoint(file$path, list(), list())
  local_write_each(5)
  begin_journal(session, file)
  found <- climb()
  end_journal(session)
  expect_identical(found, climb())
  read <- merged_records(read_checkpoint(file$path)$records)
  expect_true(any(vapply(read$known, function(answer) !is.null(answer$condition), NA)))
  expect_lt(file.size(file$path), 2e4)
  failing <- function(working) stop("asked once more")
  begin_journal(session, c(file[c("path", "cost", "length")], read))
  again <- climb()
  end_journal(session)
  expect_identical(again, found)
})

checkpoint_error <- function(expr) tryCatch(expr, neargp_error_checkpoint = identity)

test_extended("a checkpoint of anything else says what differs, and is left alone", {
  data <- last_data()
  file <- local_checkpoint()
  run <- function(data, ..., k = 10, covariance = cov_exponential(), resume = file) {
    neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k), covariance = covariance,
      resume = resume, ...)
  }
  run(data, resume = NULL, control = neargp_control(checkpoint = file))
  before <- readBin(file, "raw", file.size(file))
  expect_foreign <- function(expr, what) {
    error <- checkpoint_error(expr)
    expect_identical(error$reason, "foreign")
    expect_match(conditionMessage(error), what)
  }
  expect_foreign(run(transform(data, z = z + (x == x[5]) * 1e-9)), "fit: the response differs")
  expect_foreign(run(transform(data, x = x + 1e-12)), "the coordinates")
  expect_foreign(run(data, weights = x), "fit: the weights differs")
  expect_foreign(run(data, offset = x), "the offset")
  expect_foreign(run(data, k = 11), "fit: the method differs")
  expect_foreign(run(data, covariance = cov_matern(nu = 1.5)), "fit: the covariance")
  expect_foreign(run(data, control = neargp_control(tolerance = 1e-5)), "fit: the control differs")
  expect_foreign(run(data, start = c(range = 1)), "fit: the start differs")
  expect_foreign(run(data[-1, ]), "the response")
  expect_identical(readBin(file, "raw", file.size(file)), before)
  # the same numbers by another way are the same fit, on any number of threads
  data$x <- rev(rev(data$x))
  expect_message(run(tibble::as_tibble(data), threads = 1), class = "neargp_message_checkpoint")
})

test_that("the key is of values, and not of how R holds them", {
  key <- function(x) rlang::hash(plain_part(x))
  expect_identical(key(1:10), key(c(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)))
  expect_identical(key(c(0, NA)), key(c(-0, NA)))
  expect_identical(key("\u00e9"), key(iconv("\u00e9", "UTF-8", "latin1")))
  made <- function(y) function(x) x + 1
  expect_identical(key(made(1)), key(made(2)))
  expect_false(key(diag(2)) == key(as.vector(diag(2))))
  expect_false(key(c(1, 2)) == key(c(1, 2 + 4e-16)))
})

test_that("a zero byte in a checksum is damage", {
  block <- as_block(1:3)
  expect_identical(read_block(block, 0L)$object, 1:3)
  expect_identical(read_block(c(replace(block, 12L, as.raw(0)), block), 0L), "damaged")
  expect_null(read_block(replace(block, 12L, as.raw(0)), 0L))
})

test_extended("a damaged file is an error or the same fit, never another one", {
  run <- last_fits()$vecchia
  file <- local_checkpoint()
  local_write_each(1)
  fit <- run(control = neargp_control(checkpoint = file))
  bytes <- readBin(file, "raw", file.size(file))
  left <- local_checkpoint()
  set.seed(1)
  flips <- if (is_extended()) 100 else 12
  seen <- character(0)
  for (at in c(3, 12, 20, 30, 60, sample(length(bytes), flips))) {
    writeBin(replace(bytes, at, xor(bytes[at], as.raw(bitwShiftL(1, sample(0:7, 1))))), left)
    outcome <- checkpoint_error(suppressMessages(run(resume = left)))
    if (inherits(outcome, "neargp")) {
      expect_true(identical(fit_numbers(outcome), fit_numbers(fit)))
    } else {
      seen <- c(seen, outcome$reason)
    }
  }
  expect_true(all(seen %in% c("damaged", "foreign", "version")))
  expect_true(all(c("damaged", "foreign") %in% seen))
  # any end of the last record
  ends <- block_ends(file)
  for (length in round(seq(ends[length(ends) - 1], length(bytes), length.out = 5))) {
    cut_file(file, left, length)
    expect_identical(fit_numbers(suppressMessages(run(resume = left))), fit_numbers(fit))
    expect_true(read_checkpoint(left)$is_whole)
  }
})

test_extended("another version, another file, and two processes are told", {
  run <- last_fits()$vecchia
  file <- local_checkpoint()
  run(control = neargp_control(checkpoint = file))
  read <- read_checkpoint(file)
  write_checkpoint(file, replace(read$header, "version", "0.0.0.1"), read$records)
  error <- checkpoint_error(run(resume = file))
  expect_identical(error$reason, "version")
  expect_match(conditionMessage(error), "by neargp 0.0.0.1, and this is")
  records <- merged_records(read$records)
  records$known[[2]]$asked <- "another"
  write_checkpoint(file, read$header, list(records))
  expect_identical(checkpoint_error(run(resume = file))$reason, "diverged")
  writeLines("A text that somebody needs.", file)
  expect_identical(checkpoint_error(run(control = neargp_control(checkpoint = file)))$reason,
    "foreign")
  expect_identical(readLines(file), "A text that somebody needs.")
  lock <- core_lock_file(lock_name(file))
  expect_identical(checkpoint_error(run(resume = file))$reason, "locked")
  core_unlock_file(lock)
  expect_error(run(control = neargp_control(checkpoint = file), resume = paste0(file, "2")),
    class = "neargp_error_argument")
  expect_error(run(resume = 1), "`resume`", class = "neargp_error_argument")
  expect_identical(checkpoint_error(neargp(z ~ 1, last_data(), coords = ~ x + y,
    transform = box_cox(), resume = local_checkpoint()))$reason, "method")
})

test_extended("a file that cannot be written is an error before the fit, and later a warning", {
  run <- last_fits()$vecchia
  nowhere <- file.path(tempdir(), "none", "fit.checkpoint")
  expect_identical(checkpoint_error(run(control = neargp_control(checkpoint = nowhere)))$reason,
    "unwritable")
  folder <- withr::local_tempdir()
  file <- file.path(folder, "fit.checkpoint")
  alone <- run()
  local_write_each(1)
  local_interrupt(after = 2, stop = function() unlink(file))
  expect_warning(fit <- run(control = neargp_control(checkpoint = file)), "goes on without",
    class = "neargp_warning_checkpoint")
  expect_identical(fit_numbers(fit), fit_numbers(alone))
})

test_extended("what is written again and again makes the file no longer than thrice what it holds", {
  file <- list(path = local_checkpoint(), cost = 0, known = list(), states = list())
  file$length <- write_checkpoint(file$path, list(version = "a"), list())
  local_write_each(1)
  session <- new_session()
  begin_journal(session, file)
  withr::defer(end_journal(session))
  loop <- function() in_stage(session, "numbers", function(stage) {
    for (round in 1:10) stage$keep(stats::rnorm(1e5))
  })
  set.seed(1)
  loop()
  expect_lt(file.size(file$path), 4 * 8 * 1e5 + 2^22)
  expect_identical(as.double(file.size(file$path)), as.double(session$journal$length))
  left <- merged_records(read_checkpoint(file$path)$records)$states[["numbers 1"]]$state
  set.seed(1)
  expect_identical(left$state, stats::rnorm(1e6)[9e5 + seq_len(1e5)])
})

test_that("the parameters that a file has reached are a start", {
  run <- last_fits()$vecchia
  file <- local_checkpoint()
  fit <- run(control = neargp_control(checkpoint = file))
  reached <- neargp_last(file)
  expect_s3_class(reached, "neargp_last")
  expect_equal(reached$parameters, coef(fit, "covariance"), tolerance = 1e-6)
  expect_s3_class(run(start = reached), "neargp")
  expect_error(neargp_last(local_checkpoint()), class = "neargp_error_checkpoint")
})

test_that("a checkpoint touches no file but its own", {
  folder <- withr::local_tempdir()
  file <- file.path(folder, "renv")
  others <- paste0(file, c(".lock", ".tmp", "-lock"))
  for (other in others) writeLines("precious", other)
  run <- function() neargp(z ~ 1, last_data()[1:20, ], coords = ~ x + y, method = vecchia(3),
    covariance = cov_exponential(variance = 1, range = 1), nugget = 0.1,
    control = neargp_control(checkpoint = file))
  run()
  for (other in others) expect_identical(readLines(other), "precious")
  expect_setequal(list.files(folder, all.files = TRUE, no.. = TRUE), basename(c(file, others)))
  writeLines("precious", lock_name(file))
  expect_match(conditionMessage(checkpoint_error(run())), "kept as it is")
  expect_identical(readLines(lock_name(file)), "precious")
})
