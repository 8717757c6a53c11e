#' Report what this installation supports
#'
#' @description
#' Prints the version, the instruction set, threads, GPUs and optional libraries, and how to add
#' what is missing. If something is slow or missing, look here first, and quote the report when you
#' ask for help.
#'
#' ```r
#' neargp_sitrep()
#' ```
#'
#' @section Instruction sets:
#' The package uses the widest instruction set of your processor. To find out whether a difference
#' between two machines comes from it, set the environment variable `NEARGP_INSTRUCTION_SET` to
#' another listed one before R starts. Results then agree to rounding.
#'
#' @section GPUs:
#' An installation from source builds a module for NVIDIA GPUs if it finds a GPU and the compiler
#' nvcc. It needs CUDA 12 or newer, in `CUDA_HOME`, on the `PATH` or in `/usr/local/cuda`. If the
#' build fails, the report gives the reason. You can change the build by these settings:
#'
#' | setting | effect |
#' |---|---|
#' | `NEARGP_CUDA=yes` | builds the module without a GPU; an error if it cannot be built |
#' | `NEARGP_CUDA=no` | leaves the module out |
#' | `NEARGP_CUDA_ARCHS="80 90"` | sets the GPU architectures; later GPUs work after a wait at the first use |
#' | `NEARGP_CUDA_HOST_CXX` | sets the host compiler of nvcc |
#' | `R CMD INSTALL --configure-args=--with-cuda=/opt/cuda` | sets the folder of the toolkit |
#'
#' The argument `device` of [neargp()], [predict()][predict.neargp] and
#' [simulate()][simulate.neargp] chooses where to compute, and `options(neargp.device)` sets its
#' default:
#'
#' * `"auto"` (default) uses a GPU if there is one and the computation takes more than about a
#'   second.
#' * `"cpu"` never uses a GPU.
#' * `"cuda"` uses the first GPU in `CUDA_VISIBLE_DEVICES`, or stops with an error of class
#'   `neargp_error_device`.
#'
#' | method | on the GPU |
#' |---|---|
#' | [vecchia()], [loo_k()], [mll_k()], [vnngp()], several responses | covariances, factors, weights and derivatives of the conditioning sets; densities of Gaussian responses; large neighbour searches; maxmin orders of 20,000 or more observations (emulated so far) |
#' | [svgp()] | with `"cuda"`, fits of one Gaussian response without mini-batches |
#' | [dspp()], [dgp()] | with `"cuda"`, the layers in a fit |
#' | [exact_gp()] | nothing; `"cuda"` is an error |
#'
#' The CPU computes the rest, for example other orderings, optimiser steps, posteriors of
#' [vnngp()] and draws. See the article "Large data, clusters and GPUs". A saved fit contains
#' nothing of the GPU, so you can use it on other machines. Forks, as by `parallel::mclapply()`,
#' cannot use a GPU that their parent used. Use new processes, for example
#' `future::plan("multisession")`.
#'
#' @section FAISS:
#' The library FAISS finds neighbours in many dimensions, see `neighbor_search` in
#' [neargp_control()]. An installation from source uses libfaiss if it finds it, or from
#' `--configure-args=--with-faiss=/opt/faiss`. `NEARGP_FAISS=no` leaves it out. A libfaiss with CUDA
#' (1.10 or newer) searches on the GPU with `device = "cuda"` and `neighbor_search = "faiss"`.
#'
#' @section BLAS:
#' Large dense matrices use R's BLAS if it is OpenBLAS, and otherwise the Eigen library. On Debian
#' and Ubuntu, `apt install libopenblas0-pthread` installs OpenBLAS. `options(neargp.blas =
#' "eigen")` or the environment variable `NEARGP_BLAS` chooses Eigen. `"blas"` stops without
#' OpenBLAS, and the default is `"auto"`. Results of both agree to rounding, and do not depend on
#' the number of threads.
#'
#' @return Invisibly, a list with
#'   * `version`, `r_version`, `platform`, `threads` and `cores`;
#'   * `instruction_set`, and `instruction_sets`, all that the processor supports, widest first;
#'   * `devices`, those that you can use: `"cpu"` and `"cuda"`;
#'   * `cuda`, a list of `built`, `build`, `gpus` (a data frame) and `why_none`;
#'   * `faiss`, a list of `built`, `version`, `with_gpu` and `why_none`;
#'   * `blas`, a list of `engine`, `fast` and `file`, and `optional`, the suggested packages.
#' @seealso [neargp_control()], [clusters]
#' @examples
#' neargp_sitrep()
#' @export
neargp_sitrep <- function() {
  cuda <- cuda_report()
  optional <- c("sf", "terra", "ggplot2")
  report <- list(
    version = as.character(utils::packageVersion("neargp")),
    r_version = as.character(getRversion()),
    platform = R.version$platform, instruction_set = core_simd(),
    instruction_sets = core_simd_available(),
    threads = resolve_threads(NULL), cores = available_cores(),
    devices = c("cpu", if (NROW(cuda$gpus) > 0L) "cuda"), cuda = cuda,
    faiss = faiss_report(), blas = blas_report(),
    optional = vapply(optional, function(x) nzchar(system.file(package = x)), NA)
  )
  cat(sitrep_lines(report), sep = "\n")
  invisible(report)
}

sitrep_lines <- function(report) {
  c(sprintf("neargp %s, R %s, %s", report$version, report$r_version, report$platform),
    sprintf("Instruction set: %s of %s (environment variable NEARGP_INSTRUCTION_SET)",
      report$instruction_set, paste(report$instruction_sets, collapse = ", ")),
    sprintf("Threads:         %d of %d cores (argument `threads`, or options(neargp.threads = ))",
      report$threads, report$cores),
    sprintf("Devices:         %s (argument `device`, or options(neargp.device = ))",
      paste(report$devices, collapse = ", ")),
    cuda_lines(report$cuda), faiss_lines(report$faiss), blas_lines(report$blas),
    sprintf("Optional:        %s",
      paste(names(report$optional), ifelse(report$optional, "found", "not installed"),
        collapse = ", ")))
}

# `why_none` is a sentence, `remedy` another one.
cuda_report <- function() {
  file <- module_file("cuda")
  if (!nzchar(file)) {
    return(list(built = FALSE, why_none = sprintf("The module was not built: %s.",
      why_not_built("cuda")),
      remedy = "To use a GPU, install neargp from source with nvcc (CUDA 12 or newer) and NEARGP_CUDA=yes in the environment."))
  }
  tryCatch({
    found <- core_module_devices(file)
    list(built = TRUE, build = found$build, gpus = found$devices,
      why_none = if (nzchar(found$why_none)) found$why_none)
  }, error = function(e) list(built = TRUE, why_none = conditionMessage(e)))
}

cuda_lines <- function(cuda) {
  gigabytes <- function(bytes) format(round(bytes / 1e9, 1L), nsmall = 1L)
  built <- if (cuda$built) paste("module", if (is.null(cuda$build)) "found" else paste("for",
    cuda$build)) else "no module"
  c(paste0("CUDA:            ", built),
    if (NROW(cuda$gpus) > 0L) {
      sprintf("                 %s, architecture %s, driver for CUDA %s, %s of %s GB free",
        cuda$gpus$name, cuda$gpus$architecture, cuda$gpus$driver, gigabytes(cuda$gpus$free_bytes),
        gigabytes(cuda$gpus$total_bytes))
    },
    strwrap(c(cuda$why_none, cuda$remedy), width = 100L, indent = 17L, exdent = 17L))
}

faiss_report <- function() {
  file <- module_file("faiss")
  if (!nzchar(file)) {
    return(list(built = FALSE, why_none = sprintf("The module was not built: %s.",
      why_not_built("faiss"))))
  }
  tryCatch(c(list(built = TRUE), core_faiss(file)), error = function(e) list(built = TRUE,
    why_none = conditionMessage(e)))
}

faiss_lines <- function(faiss) {
  found <- if (!faiss$built) "no module" else paste0(faiss$version %||% "module found",
    if (isTRUE(faiss$with_gpu)) ", with GPUs")
  c(paste0("FAISS:           ", found),
    strwrap(faiss$why_none, width = 100L, indent = 17L, exdent = 17L))
}
