# Where the arithmetic is done. "cuda" never falls back: it is had, or it is an error with the remedy.
resolve_device <- function(device) {
  device <- check_choice(device, "device", c("auto", "cpu", "cuda"))
  if (device == "cuda") {
    abort_neargp("device", c("This installation was built without CUDA.",
      i = "Install from source where nvcc is found, or use device = \"cpu\"; neargp_sitrep() shows the build."))
  }
  "cpu"
}

#' What this installation can do
#'
#' Prints version, instruction set in use, threads and devices; the first thing to look at, and to quote, when something is slow or
#' missing.
#'
#' The computations are compiled for several instruction sets of the processor, and the widest that it has is used. To see whether a
#' difference between two machines comes from there, set the environment variable `NEARGP_INSTRUCTION_SET` to another one of those shown
#' before R starts; results then agree to rounding.
#'
#' @return Invisibly, a list with the elements `version`, `r_version`, `platform`, `instruction_set`, `instruction_sets` (all that the
#'   processor can run, widest first), `threads`, `cores` and `devices`.
#' @examples
#' neargp_sitrep()
#' @export
neargp_sitrep <- function() {
  report <- list(
    version = as.character(utils::packageVersion("neargp")), r_version = as.character(getRversion()),
    platform = R.version$platform, instruction_set = core_simd(), instruction_sets = core_simd_available(),
    threads = resolve_threads(NULL), cores = available_cores(), devices = "cpu"
  )
  cat(sprintf("neargp %s, R %s, %s\n", report$version, report$r_version, report$platform))
  cat(sprintf("Instruction set: %s of %s (environment variable NEARGP_INSTRUCTION_SET)\n", report$instruction_set,
    paste(report$instruction_sets, collapse = ", ")))
  cat(sprintf("Threads:         %d of %d cores (argument `threads`, or options(neargp.threads = ))\n", report$threads, report$cores))
  cat("Devices:         cpu (built without CUDA)\n")
  optional <- c("sf", "terra", "ggplot2")
  installed <- vapply(optional, function(x) nzchar(system.file(package = x)), NA)
  cat(sprintf("Optional:        %s\n", paste(optional, ifelse(installed, "found", "not installed"), collapse = ", ")))
  invisible(report)
}
