# Shared by the scripts of this folder, which are run from anywhere inside the repository.

library(neargp)
options(width = 160L)

bench_folder <- function() {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  if (length(script)) dirname(normalizePath(script)) else "bench"
}

# A data set of the folder NEARGP_DATA, else of ../shared/data beside the repository.
bench_data <- function(name) {
  folder <- Sys.getenv("NEARGP_DATA", file.path(bench_folder(), "..", "..", "shared", "data"))
  file <- file.path(folder, paste0(name, ".csv.gz"))
  if (!file.exists(file)) {
    message("Skipped: ", name, ".csv.gz is neither in NEARGP_DATA nor in ../shared/data.")
    quit("no")
  }
  utils::read.csv(gzfile(file))
}

bench_threads <- function() as.integer(Sys.getenv("NEARGP_THREADS", "2"))

has_gpgp <- function() {
  if (requireNamespace("GpGp", quietly = TRUE)) return(TRUE)
  message("Skipped: the package GpGp is not installed.")
  FALSE
}

# CPU seconds (all threads) and value of an expression.
timed <- function(expression) {
  began <- proc.time()
  value <- expression
  took <- proc.time() - began
  list(value = value, cpu = sum(took[c("user.self", "sys.self")]), elapsed = took[["elapsed"]])
}

result_file <- function(name) {
  folder <- file.path(bench_folder(), "results")
  dir.create(folder, showWarnings = FALSE)
  file.path(folder, name)
}

# Prints a table and keeps it.
save_table <- function(table, name, digits = 5L) {
  rounded <- as.data.frame(lapply(table, function(x) if (is.double(x)) signif(x, digits) else x), check.names = FALSE)
  utils::write.csv(rounded, result_file(paste0(name, ".csv")), row.names = FALSE)
  cat("\n", name, "\n", sep = "")
  print(rounded, row.names = FALSE)
  invisible(table)
}

describe_run <- function() {
  cpu <- if (file.exists("/proc/cpuinfo")) grep("^model name", readLines("/proc/cpuinfo"), value = TRUE)[1L]
  cat(format(Sys.Date()), sub(".*: ", "", cpu), "|", R.version.string, "| neargp", as.character(packageVersion("neargp")),
    "| kernels:", neargp:::core_simd(), "| threads:", bench_threads(), "\n")
}
