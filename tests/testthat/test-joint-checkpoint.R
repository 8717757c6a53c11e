# Joint fits that were killed end with the bits of those that were left alone.

joint_data <- function(n = 80L) {
  withr::with_seed(8, {
    d <- data.frame(x = runif(n), y = runif(n), z = rnorm(n), vessel = rep(1:4, n / 4))
    field <- sin(6 * d$x) + d$y
    d$present <- rbinom(n, 1L, plogis(2 * field - 1))
    d$amount <- ifelse(d$present == 1, rgamma(n, 3, 3 / exp(field)), NA)
    d$count <- rpois(n, exp(field))
    d
  })
}

joint_calls <- function(d = joint_data()) {
  of <- function(formula, family, covariance = NULL, k = 6) {
    function(..., seed = 3) {
      set.seed(seed)
      neargp(formula, d, coords = ~ x + y, family = family, covariance = covariance,
        method = vnngp(k = k, ordering = "random"), ...)
    }
  }
  list(hurdle = of(list(present ~ z, amount ~ 1), list(binomial(), Gamma("log"))),
    factor = of(list(count ~ common(z) + (1 | vessel), amount ~ common(z)),
      list(poisson(), Gamma("log")), cov_coregionalisation(cov_matern(nu = 1.5), rank = 1)))
}

joint_numbers <- function(fit) {
  fit$parts <- lapply(fit$parts, function(part) fit_numbers(part))
  fit_numbers(fit)
}

copy_cut <- function(file, share, parts = 2L) {
  left <- local_checkpoint(parent.frame())
  for (m in seq_len(parts)) file.copy(part_checkpoint(file, m), part_checkpoint(left, m))
  if (share > 0) {
    ends <- block_ends(file)
    end <- ends[1 + round(share * (length(ends) - 1))]
    cut_file(file, left, min(end + 100, file.size(file)))
  }
  left
}

test_extended("a joint fit goes on from wherever its checkpoint ends, to the last bit", {
  calls <- joint_calls()
  for (name in if (is_extended()) names(calls) else "hurdle") {
    run <- calls[[name]]
    alone <- run()
    after <- .Random.seed
    local_write_each(1)
    file <- local_checkpoint()
    watched <- run(control = neargp_control(checkpoint = file))
    expect_identical(joint_numbers(watched), joint_numbers(alone), label = name)
    expect_null(watched$control$checkpoint)
    expect_identical(list.files(dirname(file), basename(file), all.files = TRUE),
      basename(c(file, part_checkpoint(file, 1:2))))
    for (share in if (is_extended()) seq(0, 1, 0.05) else c(0, 0.3, 0.6, 0.9)) {
      left <- copy_cut(file, share)
      again <- suppressMessages(run(resume = left, seed = 4))
      expect_true(identical(joint_numbers(again), joint_numbers(alone)),
        label = paste(name, "from", share))
      expect_true(identical(.Random.seed, after), label = paste(name, "and its random numbers"))
    }
    # killed while the first response was fitted
    left <- copy_cut(file, 0, parts = 1L)
    expect_true(identical(joint_numbers(suppressMessages(run(resume = left, seed = 5))),
      joint_numbers(alone)))
  }
})

test_that("a checkpoint of another joint fit says what differs", {
  d <- joint_data()
  file <- local_checkpoint()
  control <- neargp_control(checkpoint = file)
  run <- function(data = d, covariance = NULL, ...) {
    suppressMessages(neargp(list(count ~ 1, amount ~ 1), data, coords = ~ x + y,
      family = list(poisson(), Gamma("log")), method = vnngp(k = 6), covariance = covariance, ...))
  }
  fit <- run(control = control)
  expect_error(run(transform(d, count = count + 1), control = control), "the response",
    class = "neargp_error_checkpoint")
  rank_one <- cov_coregionalisation(cov_matern(nu = 1.5), rank = 1)
  expect_error(run(covariance = rank_one, control = control), "the covariance",
    class = "neargp_error_checkpoint")
  expect_error(run(resume = paste0(file, "-none")), "does not exist",
    class = "neargp_error_checkpoint")
  expect_identical(joint_numbers(run(resume = file)), joint_numbers(fit))
})

test_that("shards and clusters are refused with the remedy", {
  d <- joint_data()
  run <- function(data = d, ...) {
    neargp(list(count ~ 1, amount ~ 1), data, coords = ~ x + y,
      family = list(poisson(), Gamma("log")), method = vnngp(k = 6), ...)
  }
  expect_error(run(control = neargp_control(shards = 2)), "one process",
    class = "neargp_error_argument")
  expect_error(run(cluster = list(1)), "threads", class = "neargp_error_argument")
})

test_that("rows of sources give the numbers of a data frame", {
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(joint_data(), file, row.names = FALSE)
  d <- utils::read.csv(file)
  places <- ~ x + y
  run <- function(data) {
    neargp(list(count ~ 1, amount ~ 1), data, coords = places,
      family = list(poisson(), Gamma("log")), method = vnngp(k = 6),
      covariance = cov_coregionalisation(cov_matern(nu = 1.5), rank = 1))
  }
  whole <- run(d)
  source <- row_source(file, chunk_rows = 50)
  expect_identical(joint_numbers(run(source)), joint_numbers(whole))
  mixed <- run(list(d, source))
  expect_identical(mixed$log_likelihood, whole$log_likelihood)
  expect_identical(predict(mixed, d[1:3, ]), predict(whole, d[1:3, ]))
})
