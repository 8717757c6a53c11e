# All of a fit but how long it took, what called it, and what R keeps next to it.
fit_numbers <- function(fit) {
  fit <- unclass(fit)
  plain_part(fit[setdiff(names(fit), c("call", "elapsed", "cache"))])
}

# A file that is as good as one on a disk, and is written sooner.
local_checkpoint <- function(env = parent.frame()) {
  memory <- "/dev/shm"
  withr::local_tempfile(fileext = ".checkpoint", .local_envir = env,
    tmpdir = if (file.access(memory, 2L) == 0L) memory else tempdir())
}

# Answers and rounds are written whenever there are so many more.
local_write_each <- function(count, env = parent.frame()) {
  original <- write_when_due
  withr::defer(utils::assignInNamespace("write_when_due", original, "neargp"), env)
  answers <- 0
  utils::assignInNamespace("write_when_due", function(session) {
    answers <<- answers + 1
    if (answers %% count == 0) write_journal(session)
  }, "neargp")
}

# Where the blocks of a checkpoint end.
block_ends <- function(path) {
  bytes <- readBin(path, "raw", file.size(path))
  at <- length(file_beginning())
  ends <- double(0)
  while (!is.null(block <- read_block(bytes, at))) ends <- c(ends, at <- block$end)
  ends
}

cut_file <- function(from, to, length) writeBin(readBin(from, "raw", length), to)

# Whether the fit `run(control, resume, seed)` that was killed after `share` of its file had been
# written goes on to the numbers and the random state of one that was left alone.
expect_resumes <- function(run, shares = c(0.3, 0.8), label = NULL, each = 1) {
  alone <- suppressMessages(run(seed = 3))
  after <- .Random.seed
  local_write_each(each)
  file <- local_checkpoint()
  watched <- suppressMessages(run(control = neargp_control(checkpoint = file), seed = 3))
  expect_identical(fit_numbers(watched), fit_numbers(alone), label = label)
  expect_true(identical(.Random.seed, after), label = label)
  ends <- block_ends(file)
  expect_identical(ends[length(ends)], as.double(file.size(file)))
  for (share in shares) {
    end <- ends[1 + round(share * (length(ends) - 1))]
    left <- local_checkpoint()
    cut_file(file, left, min(end + 100, file.size(file)))
    again <- suppressMessages(run(resume = left, seed = 4))
    expect_true(identical(fit_numbers(again), fit_numbers(alone)), label = paste(label, "from",
      share))
    expect_true(identical(.Random.seed, after), label = paste(label, "and its random numbers"))
    whole <- merged_records(read_checkpoint(left)$records)
    expect_identical(length(whole$known), length(merged_records(
      read_checkpoint(file)$records)$known), label = label)
  }
  ends
}

# Further fits, next to last_fits(): by deep methods, and with posteriors that Newton's method
# finds.
further_fits <- function() {
  data <- last_data()
  of <- function(formula, method, family = NULL, covariance = cov_matern(nu = 1.5), nugget = NULL,
                 ...) {
    function(..., seed = 3) {
      set.seed(seed)
      suppressWarnings(neargp(formula, data, coords = ~ x + y, method = method, family = family,
        covariance = covariance, nugget = nugget, verbose = FALSE, ...))
    }
  }
  deep <- function(formula, method, ...) of(formula, method, ..., covariance = NULL)
  list(dspp = deep(z ~ 1, dspp(layers = 2, width = 2, inducing = 15, epochs = 6)),
    dspp_unjudged = deep(z ~ 1, dspp(layers = 1, inducing = 15, epochs = 6, validation = 0)),
    dgp = deep(count ~ 1, dgp(layers = 2, width = 2, inducing = 15, epochs = 6), poisson()),
    laplace = of(count ~ x, vnngp(8, posterior = "laplace"), negative_binomial()),
    vnngp_student = of(w ~ x, vnngp(8), student_t()),
    vnngp_smooth = of(w ~ x, vnngp(4), covariance = cov_gaussian()),
    vnngp_low_rank = of(count ~ 1, vnngp(6, low_rank = 10), poisson()),
    mean_field_natural = of(count ~ x, vnngp(8, posterior = "mean-field"), poisson()),
    svgp_noise = of(z ~ 1, svgp(15), nugget = ~ x),
    ppgpr = of(z ~ 1, ppgpr(15)), odvgp = of(z ~ 1, odvgp(15)),
    restricted = of(z ~ x, vecchia(8, estimation = "REML")),
    random_order = of(z ~ x, vecchia(8, ordering = "random"), covariance = cov_matern(ard = TRUE)),
    sum = of(z ~ 1, vecchia(8), covariance = cov_matern(nu = NULL) + cov_exponential()))
}
