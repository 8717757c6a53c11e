# The memory that fits take at their peak, in addition to the data, and what R/memory-need.R predicts. Each case runs in its own process.
# Its peak is counted from after a first small fit (/proc/self/clear_refs, on Linux). Expected: the table is right within a third, for
# whatever takes more than 50 MiB.
#
#   Rscript bench/memory-need.R [methods]        keeps table memory-need
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))

# Returns the settings of a case by its name. Formula, family and covariance may differ from those of a Gaussian response.
settings_of <- function(kind, k) {
  method <- switch(kind, vecchia = , levels = , few_levels = , space_time = vecchia(k), loo_k = , loo_k_counts = , loo_k_classes = loo_k(k),
    mll_k = mll_k(k), exact_gp = exact_gp(1e5), vnngp = vnngp(k),
    svgp = , svgp_counts = svgp(k, optimizer = "collapsed"),
    svgp_natural = svgp(k, optimizer = "natural", epochs = 1L), odvgp = odvgp(k), ppgpr = ppgpr(k),
    swsgp = swsgp(k, epochs = 1L), dspp = dspp(inducing = k, epochs = 1L, restarts = 1L), dgp = dgp(inducing = k, epochs = 1L, restarts = 1L))
  counts <- kind %in% c("vnngp", "loo_k_counts", "svgp_counts")
  list(method = method, family = if (counts) stats::poisson() else if (grepl("classes", kind)) categorical(),
    response = if (counts) "count" else if (grepl("classes", kind)) "class" else "z",
    effects = if (kind %in% c("levels", "few_levels")) "(1 | level)", time = if (kind == "space_time") "time",
    covariance = if (kind == "space_time") cov_spacetime() else cov_matern(nu = 1.5))
}

data_of <- function(n, d, q, levels) {
  set.seed(1)
  data <- stats::setNames(as.data.frame(matrix(stats::runif(n * d), n)), paste0("x", seq_len(d)))
  for (j in seq_len(q - 1L)) data[[paste0("w", j)]] <- stats::rnorm(n)
  data$z <- sin(6 * data$x1) + stats::rnorm(n, sd = 0.3)
  data$count <- stats::rpois(n, exp(data$z))
  data$class <- factor(c("a", "b", "c")[1L + (data$z > -0.3) + (data$z > 0.5)])
  data$level <- factor(sample.int(levels, n, replace = TRUE))
  data$time <- stats::runif(n)
  data
}

one_case <- function(kind, n, k, d, q) {
  status <- function(name) {
    as.double(sub("[^0-9]*([0-9]+).*", "\\1", grep(name, readLines("/proc/self/status"), value = TRUE))) / 1024
  }
  data <- data_of(n, d, q, levels = if (kind == "levels") 1000L else 200L)
  settings <- settings_of(kind, k)
  formula <- stats::reformulate(c("1", if (q > 1L) paste0("w", seq_len(q - 1L)), settings$effects), str2lang(settings$response))
  need <- NULL
  fit <- function(data) {
    suppressWarnings(suppressMessages(neargp(formula, data, coords = stats::reformulate(paste0("x", seq_len(d))), time = settings$time,
      method = settings$method, family = settings$family, covariance = settings$covariance,
      control = neargp_control(max_iterations = 1, max_refreshes = 1, start_rows = 300), threads = 1, device = "cpu")))
  }
  utils::assignInNamespace("check_memory_need", function(problem, ...) need <<- neargp:::memory_need_of(problem), "neargp")
  fit(data[seq_len(min(n / 2, 600)), ])
  need <- NULL
  invisible(gc())
  cat("5", file = "/proc/self/clear_refs")
  before <- status("VmRSS")
  fit(data)
  c(measured = status("VmHWM") - before, foreseen = if (is.null(need)) NA else need / 2^20)
}

cases <- utils::read.table(header = TRUE, text = "
  method             n   k d q
  vecchia       100000  10 2 1
  vecchia       200000  30 2 1
  vecchia       100000  60 2 1
  vecchia        60000  30 6 1
  vecchia        60000  30 2 8
  levels         60000  30 2 1
  levels        200000  15 2 1
  few_levels     60000  30 2 1
  space_time     60000  30 2 1
  loo_k         100000  30 2 1
  loo_k_counts   60000  20 2 1
  loo_k_counts  150000  20 2 1
  loo_k_classes  30000  20 2 1
  loo_k_classes 100000  20 2 1
  vnngp          30000   8 2 1
  vnngp          30000  15 2 1
  vnngp          15000  15 2 4
  exact_gp        1500   0 2 1
  exact_gp        2500   0 2 1
  svgp           60000  60 2 1
  svgp           20000 300 2 1
  svgp            3000 700 2 1
  svgp_counts    60000  60 2 1
  svgp_natural   60000 100 2 1
  ppgpr          20000 100 2 1
  odvgp          20000  60 2 1
  swsgp          60000 500 2 1
  dspp           60000 100 2 1
  dspp           60000 100 8 1
  dgp            60000 100 2 1")

script <- normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L]))
if (argument(1L, "")[1L] == "case") {
  cat(do.call(one_case, unname(as.list(cases[as.integer(argument(2L, "1")), ]))), "\n")
} else {
  wanted <- argument(1L, unique(cases$method))
  cases <- cases[cases$method %in% wanted, ]
  run <- function(row) {
    out <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script), "case", row), stdout = TRUE)
    as.double(strsplit(trimws(out[length(out)]), " ")[[1L]])
  }
  found <- vapply(rownames(cases), run, double(2L))
  table <- cbind(cases, measured_mib = round(found[1L, ], 1), foreseen_mib = round(found[2L, ], 1),
    ratio = round(found[2L, ] / found[1L, ], 2))
  save_table(table, "memory-need")
}
