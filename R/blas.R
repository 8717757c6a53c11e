# The engine of dense products, triangular solves and Cholesky factors: options(neargp.blas), then
# the environment variable NEARGP_BLAS, then "auto".

resolve_blas <- function(fast = core_fast_blas()) {
  choices <- c("auto", "blas", "eigen")
  option <- getOption("neargp.blas")
  choice <- if (!is.null(option)) check_choice(option, "options(neargp.blas)", choices) else
    check_choice(Sys.getenv("NEARGP_BLAS", "auto"), "the environment variable NEARGP_BLAS", choices)
  if (choice == "blas" && !nzchar(fast)) {
    abort_neargp("blas", c("R's BLAS is not one that is known to be fast.",
      x = paste0("It is ", blas_file(), ", and not OpenBLAS."),
      i = "Let R use OpenBLAS (neargp_sitrep() explains how), or use options(neargp.blas = \"auto\")."))
  }
  if (choice != "eigen" && nzchar(fast)) "blas" else "eigen"
}

blas_file <- function() {
  file <- extSoftVersion()[["BLAS"]]
  if (nzchar(file)) file else "a library without a file of its own"
}

# A report does not fail where the choice cannot be had: `engine` is NA then.
blas_report <- function(fast = core_fast_blas()) {
  engine <- tryCatch(resolve_blas(fast), neargp_error_blas = function(e) NA_character_)
  list(engine = engine, fast = fast, file = blas_file())
}

blas_lines <- function(blas) {
  engine <- if (is.na(blas$engine)) "none, as R's BLAS was asked for" else
    if (blas$engine == "blas") paste("R's BLAS,", blas$fast) else "Eigen"
  remedy <- if (!nzchar(blas$fast)) {
    paste0("R's BLAS is ", blas$file,
      ", and not OpenBLAS, which is faster. On Debian and Ubuntu: apt install libopenblas0-pthread.")
  }
  c(sprintf("Dense products:  %s (options(neargp.blas = ), environment variable NEARGP_BLAS)",
    engine), strwrap(remedy, width = 100L, indent = 17L, exdent = 17L))
}
