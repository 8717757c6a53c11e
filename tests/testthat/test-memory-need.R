# The peak of a fit in a process of its own, and what is foreseen for it, in MiB. On the CPU: a
# device's libraries are no need of the fit.
measured_peak <- function(method, rows, formula = z ~ 1, family = NULL) {
  script <- withr::local_tempfile(fileext = ".R")
  writeLines(deparse(bquote({
    suppressMessages(library(neargp, lib.loc = .(dirname(system.file(package = "neargp")))))
    set.seed(1)
    data <- data.frame(x = stats::runif(.(rows)), y = stats::runif(.(rows)))
    data$z <- sin(6 * data$x) + stats::rnorm(.(rows), sd = 0.3)
    data$count <- stats::rpois(.(rows), exp(data$z))
    data$level <- factor(sample.int(200L, .(rows), replace = TRUE))
    status <- function(name) as.double(sub("[^0-9]*([0-9]+).*", "\\1", grep(name,
      readLines("/proc/self/status"), value = TRUE))) / 1024
    need <- NULL
    utils::assignInNamespace("check_memory_need", function(problem, ...) {
      need <<- neargp:::memory_need_of(problem)
    }, "neargp")
    control <- neargp_control(max_iterations = 1, max_refreshes = 1, start_rows = 100)
    fit <- function(data) suppressWarnings(neargp(.(formula), data, ~ x + y, method = .(method),
      family = .(family), covariance = cov_exponential(), control = control, threads = 1,
      device = "cpu"))
    invisible(fit(data[1:400, ]))
    invisible(gc())
    cat("5", file = "/proc/self/clear_refs")
    before <- status("VmRSS")
    invisible(fit(data))  # print() is no part of a fit
    cat(status("VmHWM") - before, need / 2^20)
  })), script)
  out <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script)),
    stdout = TRUE, stderr = FALSE)
  stats::setNames(as.double(strsplit(out[length(out)], " ")[[1]]), c("measured", "foreseen"))
}

test_extended("what is foreseen is what is measured, within a third", {
  skip_if_not(file.access("/proc/self/clear_refs", 2L) == 0L, "the peak cannot be reset")
  # a margin of 40 MiB is foreseen, a third of what 1,100 rows need
  cases <- list(list(quote(exact_gp()), 1600), list(quote(vecchia(30)), 1e5),
    list(quote(vnngp(15)), 3e4), list(quote(svgp(300, optimizer = "collapsed")), 2e4),
    list(quote(vecchia(15)), 3e4, z ~ (1 | level)),
    list(quote(loo_k(20)), 1e5, count ~ 1, quote(poisson())),
    list(quote(swsgp(200, epochs = 1)), 6e4),
    list(quote(dspp(inducing = 50, epochs = 1, restarts = 1)), 6e4),
    list(quote(dspp(inducing = 50, epochs = 1, restarts = 1)), 1.5e5))
  for (case in cases) {
    peak <- do.call(measured_peak, case)
    ratio <- peak[["foreseen"]] / peak[["measured"]]
    expect_true(ratio > 0.7 && ratio < 1.4, label = sprintf("%s of %s rows: %.3g of %.3g MiB",
      deparse(case[[1]]), case[[2]], peak[["foreseen"]], peak[["measured"]]))
  }
})

memory_data <- function(n = 400) {
  withr::with_seed(1, data.frame(x = stats::runif(n), y = stats::runif(n), z = stats::rnorm(n),
    count = stats::rpois(n, 2), class = rep_len(c("a", "b", "c"), n)))
}

test_that("a fit that does not fit says so before it starts, and what would", {
  fit <- function(method, family = NULL, formula = z ~ 1) neargp(formula, memory_data(),
    coords = ~ x + y, method = method, family = family, device = "cpu")
  need <- function(...) memory_need(...)
  # a byte less than it needs, and less than the margin
  withr::local_options(neargp.memory = need("neighbors", 400, 10) - 1)
  expect_warning(fit(vecchia(10)), "k = 9 would fit", class = "neargp_warning_memory")
  withr::local_options(neargp.memory = need("neighbors", 400, 10))
  expect_s3_class(fit(vecchia(10)), "neargp")
  withr::local_options(neargp.memory = 1e6)
  for (method in list(vecchia(10), loo_k(10), mll_k(10), exact_gp(), svgp(20))) {
    expect_error(fit(method), "needs about [0-9.]+ MiB of memory.* 0.954 MiB are available",
      class = "neargp_error_memory")
  }
  expect_error(fit(exact_gp()), "Use vecchia", class = "neargp_error_memory")
  expect_error(fit(svgp(20)), "fewer inducing points", class = "neargp_error_memory")
  expect_error(fit(vnngp(6), poisson(), count ~ 1), "subset", class = "neargp_error_memory")
  withr::local_options(neargp.memory = Inf)
  expect_s3_class(fit(exact_gp()), "neargp")
  withr::local_options(neargp.memory = "much")
  expect_error(fit(vecchia(10)), "neargp.memory", class = "neargp_error_argument")
})

test_extended("fits of all methods, families and effects say what they need", {
  fit <- function(method, formula = z ~ 1, family = NULL) neargp(formula, memory_data(),
    coords = ~ x + y, method = method, family = family, device = "cpu")
  withr::local_options(neargp.memory = 6e4)
  for (method in list(odvgp(20), ppgpr(20), swsgp(20), dgp(inducing = 20))) {
    expect_error(fit(method), class = "neargp_error_memory")
  }
  for (method in list(vnngp(6), loo_k(6), svgp(20), dspp(inducing = 20))) {
    expect_error(fit(method, count ~ 1, poisson()), class = "neargp_error_memory")
  }
  expect_error(fit(loo_k(6), class ~ 1, categorical()), class = "neargp_error_memory")
  expect_error(fit(vecchia(10), z ~ (1 | class)), "Merge levels", class = "neargp_error_memory")
})

test_that("needs grow with rows, neighbours, coordinates, columns and points", {
  gains <- function(method, ...) {
    least <- list(n = 1e5, k = 10, d = 2, q = 1, p = 3, points = 100)
    need <- function(...) do.call(memory_need, c(method, utils::modifyList(least, list(...))))
    expect_gt(need(...), need())
  }
  for (kind in c("neighbors", "vnngp")) gains(kind, k = 20)
  for (kind in c("neighbors", "vnngp", "svgp")) {
    gains(kind, n = 2e5)
    gains(kind, d = 5)
    gains(kind, q = 5)
  }
  gains("svgp", points = 500)
  gains("exact_gp", p = 6)
  for (kind in c("observed", "swsgp", "deep")) gains(kind, n = 2e5)
  for (kind in c("observed", "swsgp")) gains(kind, k = 20)
})

test_that("columns of random effects are counted, dense or compressed", {
  data <- function(Z, compressed) list(effects = list(Z = Z, compressed = compressed,
    blocks = list(list(columns = 1:3000))))
  expect_identical(effect_bytes(list()), 0)
  expect_identical(effect_bytes(data(matrix(0, 50, 30), FALSE)), 56 * 50 * 30)
  expect_gt(effect_bytes(data(matrix(0, 50, 2), TRUE)), 16 * 3000^2)
})

test_that("what is available is what the system and the groups of the process say", {
  folder <- withr::local_tempdir()
  meminfo <- file.path(folder, "meminfo")
  writeLines(c("MemTotal:  8000 kB", "MemAvailable:   3000 kB"), meminfo)
  expect_identical(system_memory(meminfo), 3000 * 1024)
  expect_identical(system_memory(file.path(folder, "none")), NA_real_)
  write <- function(group, ...) {
    files <- list(...)
    dir.create(file.path(folder, group), recursive = TRUE, showWarnings = FALSE)
    for (name in names(files)) writeLines(files[[name]], file.path(folder, group, name))
  }
  # version 2: the group above has less left than the process' own, and some of that can be had
  write("jobs/one", memory.max = "max", memory.current = "500", memory.stat = "inactive_file 10")
  write("jobs", memory.max = "9000", memory.current = "8000",
    memory.stat = c("anon 7000", "inactive_file 600"))
  expect_identical(group_memory(folder, "0::/jobs/one"), 1600)
  # version 1, where no limit is a number beyond all memories
  write("memory/box", memory.limit_in_bytes = "9223372036854771712",
    memory.usage_in_bytes = "100", memory.stat = "total_inactive_file 0")
  expect_identical(group_memory(folder, "4:memory:/box"), NA_real_)
  write("memory/box", memory.limit_in_bytes = "5000")
  expect_identical(group_memory(folder, "4:cpu,memory:/box"), 4900)
  expect_identical(group_memory(folder, character(0)), NA_real_)
  withr::local_options(neargp.memory = 12)
  expect_identical(available_memory(), 12)
})
