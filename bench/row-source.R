# Memory and time of svgp() on rows that are read from a CSV file in chunks, compared with the same fit in memory. Each fit runs in its own
# process. Its memory is the peak of that process, less the peak of a process that has only loaded the package. The peak is VmHWM of
# /proc/self/status, so the script needs Linux.
#
#   Rscript bench/row-source.R [rows: 1000000] [inducing points along each side: 6] [iterations: 1]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

n <- as.integer(argument(1L, "1000000"))
side <- as.integer(argument(2L, "6"))
iterations <- as.integer(argument(3L, "1"))

# Start and positions are given, so that both fits are the same.
grid <- sprintf("expand.grid(x = ppoints(%d), y = ppoints(%d))", side, side)

file <- tempfile(fileext = ".csv")
local({
  set.seed(1)
  for (first in seq(1L, n, by = 100000L)) {
    rows <- min(100000L, n - first + 1L)
    part <- data.frame(x = stats::runif(rows), y = stats::runif(rows), height = stats::rnorm(rows))
    part$z <- with(part, height + sin(6 * x) + cos(5 * y)) + stats::rnorm(rows, sd = 0.3)
    utils::write.table(signif(part, 8L), file, sep = ",", row.names = FALSE, col.names = first == 1L, append = first > 1L)
  }
})

# Peak memory in MiB, CPU seconds, ELBO and evaluations of a process that fits `data`.
child <- function(data) {
  lines <- c(sprintf(".libPaths(%s)", deparse1(.libPaths())), "suppressMessages(library(neargp))",
    if (nzchar(data)) c(sprintf("data <- %s", data), sprintf(paste("fit <- suppressWarnings(neargp(z ~ height, data, coords = ~ x + y,",
      "method = svgp(%s, std_error = FALSE, move = FALSE, optimizer = 'collapsed'), covariance = cov_matern(nu = 1.5), threads = 1L,",
      "start = c(variance = 1, range = 0.3, nugget = 0.1), control = neargp_control(max_iterations = %d)))"), grid, iterations)),
    "status <- readLines('/proc/self/status')", "peak <- as.numeric(gsub('[^0-9]', '', grep('VmHWM', status, value = TRUE))) / 1024",
    sprintf("cat(peak, sum(proc.time()[1:2]), %s)", if (nzchar(data)) "format(fit$log_likelihood, digits = 15), fit$convergence$evaluations" else "NaN, NaN"))
  script <- tempfile(fileext = ".R")
  writeLines(lines, script)
  printed <- system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script), stdout = TRUE)
  as.numeric(strsplit(utils::tail(printed, 1L), " ")[[1L]])
}

cases <- c("package alone" = "", source = sprintf("row_source('%s')", file), memory = sprintf("utils::read.csv('%s')", file))
found <- t(vapply(cases, child, double(4L)))
results <- data.frame(case = names(cases), rows = n, inducing = side^2, file_mib = file.size(file) / 2^20, data_mib = n * 4 * 8 / 2^20,
  peak_mib = found[, 1L], above_package_mib = found[, 1L] - found[1L, 1L], cpu = found[, 2L], bound = found[, 3L], evaluations = found[, 4L])
describe_run()
save_table(results, "row-source", digits = 15L)
unlink(file)
