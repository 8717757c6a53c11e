# Shared by the scripts of this folder, which are run from anywhere inside the repository.

library(neargp)
options(width = 160L)

source(Find(file.exists, c(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "results.R"),
  "bench/results.R")))

# Reads a data set from the folder NEARGP_DATA. The default is ../shared/data, relative to the repository.
bench_data <- function(name) {
  folder <- Sys.getenv("NEARGP_DATA", file.path(bench_folder(), "..", "..", "shared", "data"))
  file <- file.path(folder, paste0(name, ".csv.gz"))
  if (!file.exists(file)) {
    message("Skipped: ", name, ".csv.gz is neither in NEARGP_DATA nor in ../shared/data.")
    quit("no")
  }
  utils::read.csv(gzfile(file))
}

# 15:3:2 into training, test and validation rows, as the LOO-k paper does.
split_rows <- function(n, split, sorted = TRUE) {
  set.seed(split)
  rows <- sample.int(n)
  part <- findInterval(seq_len(n), c(1, round(0.75 * n) + 1, round(0.9 * n) + 1))
  stats::setNames(lapply(split(rows, part), if (sorted) sort else identity), c("training", "test", "validation"))
}

# Training, test and validation rows of a set, of training rows at most `most`, at random; inputs and response in units of these.
standardised_split <- function(set, split, most = Inf) {
  rows <- bench_data(set)
  part <- split_rows(nrow(rows), split)
  if (length(part$training) > most) {
    set.seed(split)
    part$training <- sort(sample(part$training, most))
  }
  inputs <- setdiff(names(rows), c("y", "fold"))
  unit <- rows[part$training, c(inputs, "y")]
  inputs <- inputs[vapply(unit[inputs], stats::sd, 0) > 0]
  data <- as.data.frame(scale(rows[c(inputs, "y")], vapply(unit[c(inputs, "y")], mean, 0), vapply(unit[c(inputs, "y")], stats::sd, 0)))
  lapply(part, function(rows) data[rows, ])
}

# The i-th argument of the script, split at commas.
argument <- function(i, default) if (length(commandArgs(TRUE)) >= i) strsplit(commandArgs(TRUE)[[i]], ",")[[1L]] else default

bench_threads <- function() as.integer(Sys.getenv("NEARGP_THREADS", "2"))

# For scripts that compare times on one thread. The variable is for rivals and for the BLAS, whose OpenMP reads it once, when it is loaded.
stop_unless_one_thread <- function() {
  if (Sys.getenv("OMP_NUM_THREADS") != "1") stop("Start R with OMP_NUM_THREADS=1 for this script.", call. = FALSE)
  Sys.setenv(NEARGP_THREADS = "1")
}

# The library NEARGP_RIVALS can contain further rivals.
.libPaths(c(.libPaths(), Filter(nzchar, Sys.getenv("NEARGP_RIVALS"))))
has_rival <- function(package) {
  if (suppressMessages(requireNamespace(package, quietly = TRUE))) return(TRUE)
  message("Skipped: the package ", package, " is not installed.")
  FALSE
}

# CPU seconds (all threads) and value of an expression.
timed <- function(expression) {
  began <- proc.time()
  value <- expression
  took <- proc.time() - began
  list(value = value, cpu = sum(took[c("user.self", "sys.self")]), elapsed = took[["elapsed"]])
}

# The least time of an expression that is evaluated several times.
least <- function(times, expression, clock = "cpu") {
  expression <- substitute(expression)
  frame <- parent.frame()
  min(vapply(seq_len(times), function(i) timed(eval(expression, frame))[[clock]], 0))
}

cpu_seconds <- function(expression) timed(expression)$cpu

# A function that returns the CPU seconds of R's chol() of an exponential covariance matrix of 4,000 rows. Times in its units depend
# less on the machine.
new_yardstick <- function(rows = 4000L) {
  set.seed(1)
  covariance <- exp(-as.matrix(dist(matrix(runif(2L * rows), rows))))
  function() cpu_seconds(chol(covariance))
}

# CPU seconds of competing functions. Each function returns the time that it took. A round calls each function once, so that other work on the
# machine affects all of them alike. The result is the least time of each function over the rounds.
compete <- function(rounds, contestants) {
  seconds <- vapply(seq_len(rounds), function(round) vapply(contestants, function(run) run(), 0), double(length(contestants)))
  apply(matrix(seconds, length(contestants), dimnames = list(names(contestants), NULL)), 1L, min)
}

# Prints a table and keeps it.
save_table <- function(table, name, digits = 5L) {
  rounded <- as.data.frame(lapply(table, function(x) if (is.double(x)) signif(x, digits) else x), check.names = FALSE)
  save_result(rounded, name)
  cat("\n", name, "\n", sep = "")
  print(rounded, row.names = FALSE)
  invisible(table)
}

# Prints date, processor, load, threads and versions, which a reader needs to judge a figure.
describe_run <- function(rivals = character(0)) {
  first_line <- function(file, pattern) {
    if (!file.exists(file)) return("?")
    trimws(sub("^[^:]*:", "", grep(pattern, readLines(file), value = TRUE)[1L]))
  }
  versions <- vapply(rivals, function(package) paste("|", package, utils::packageVersion(package)), "")
  cat(format(Sys.Date()), first_line("/proc/cpuinfo", "^model name"), "| family", first_line("/proc/cpuinfo", "^cpu family"), "| load",
    first_line("/proc/loadavg", "."), "|", R.version.string, "| neargp", as.character(utils::packageVersion("neargp")), "| kernels:",
    neargp:::core_simd(), "| threads:", bench_threads(), versions, "\n")
}
