# The memory that fits take at their peak, beside the data, and what R/memory-need.R foresees: one process for each case, whose peak is counted
# from after a first small fit (/proc/self/clear_refs; Linux). Expected: the table is right within a third, for whatever takes more than 50 MiB.
#
#   Rscript bench/memory-need.R [methods]        writes results/memory-need.csv
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))

one_case <- function(method, n, k, d, q) {
  status <- function(name) {
    as.double(sub("[^0-9]*([0-9]+).*", "\\1", grep(name, readLines("/proc/self/status"), value = TRUE))) / 1024
  }
  set.seed(1)
  data <- stats::setNames(as.data.frame(matrix(stats::runif(n * d), n)), paste0("x", seq_len(d)))
  for (j in seq_len(q - 1L)) data[[paste0("w", j)]] <- stats::rnorm(n)
  data$z <- sin(6 * data$x1) + stats::rnorm(n, sd = 0.3)
  data$count <- stats::rpois(n, exp(data$z))
  counts <- method == "vnngp"
  formula <- stats::reformulate(c("1", if (q > 1L) paste0("w", seq_len(q - 1L))), if (counts) "count" else "z")
  settings <- switch(method, vecchia = vecchia(k), loo_k = loo_k(k), exact_gp = exact_gp(1e5), vnngp = vnngp(k),
    svgp = svgp(k, optimizer = "collapsed"))
  need <- NULL
  fit <- function(data) {
    suppressWarnings(suppressMessages(neargp(formula, data, coords = stats::reformulate(paste0("x", seq_len(d))), method = settings,
      family = if (counts) stats::poisson(), covariance = cov_matern(nu = 1.5),
      control = neargp_control(max_iterations = 1, max_refreshes = 1, start_rows = 300), threads = 1, device = "cpu")))
  }
  original <- neargp:::check_memory_need
  utils::assignInNamespace("check_memory_need", function(problem, ...) need <<- neargp:::memory_need_of(problem), "neargp")
  fit(data[seq_len(min(n / 2, 600)), ])
  invisible(gc())
  cat("5", file = "/proc/self/clear_refs")
  before <- status("VmRSS")
  fit(data)
  c(measured = status("VmHWM") - before, foreseen = need / 2^20)
}

cases <- utils::read.table(header = TRUE, text = "
  method        n   k d q
  vecchia  100000  10 2 1
  vecchia  200000  30 2 1
  vecchia  100000  60 2 1
  vecchia   60000  30 6 1
  vecchia   60000  30 2 8
  loo_k    100000  30 2 1
  vnngp     30000   8 2 1
  vnngp     30000  15 2 1
  vnngp     15000  15 2 4
  exact_gp   1500   0 2 1
  exact_gp   2500   0 2 1
  svgp      60000  60 2 1
  svgp      20000 300 2 1
  svgp       3000 700 2 1")

script <- normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L]))
if (argument(1L, "")[1L] == "case") {
  cat(do.call(one_case, as.list(cases[as.integer(argument(2L, "1")), ])), "\n")
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
