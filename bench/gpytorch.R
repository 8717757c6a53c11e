# Functions shared by the scripts that run GPyTorch. NEARGP_GPYTORCH is a Python interpreter with torch and gpytorch (default: python3).

# Runs torch on one thread, with an allocator that keeps its memory. This makes it faster than the default allocator.
allocator_settings <- c("MALLOC_MMAP_MAX_=0", "MALLOC_TRIM_THRESHOLD_=68719476736", "MALLOC_TOP_PAD_=268435456", "MKL_NUM_THREADS=1")

# Ends the script where the interpreter lacks one of the modules.
python_with <- function(modules) {
  python <- Sys.getenv("NEARGP_GPYTORCH", "python3")
  found <- nzchar(Sys.which(python)) &&
    system2(python, c("-c", shQuote(paste("import", toString(modules)))), stdout = FALSE, stderr = FALSE) == 0L
  if (found) return(python)
  message("Skipped: ", python, " (NEARGP_GPYTORCH) does not have ", toString(modules), ".")
  quit("no")
}

# A set with inputs that vary, in units of their standard deviations, and the response likewise.
standardised_rows <- function(rows) {
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", "fold"))]))
  data.frame(inputs[, apply(inputs, 2L, function(x) all(is.finite(x)))], y = drop(scale(rows$y)))
}

# Returns what a script of this folder prints as its last line. The script reads the data, columns of coordinates and then the response,
# from files in a folder. The folder is one of its arguments, between `before` and `after`.
run_gpytorch <- function(python, script, data, before = NULL, after = NULL) {
  place <- tempfile("gpytorch")
  dir.create(place)
  on.exit(unlink(place, recursive = TRUE))
  for (part in names(data)) writeBin(as.double(unlist(data[[part]])), file.path(place, paste0(part, ".bin")))
  printed <- system2(python, c(shQuote(file.path(bench_folder(), script)), before, shQuote(place), after), stdout = TRUE, stderr = FALSE,
    env = allocator_settings)
  jsonlite::fromJSON(printed[length(printed)])
}
