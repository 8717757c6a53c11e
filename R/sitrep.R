#' What this installation can do
#'
#' Prints version, instruction set in use, threads, GPUs and optional libraries, and what to do
#' where something is missing; the first thing to look at, and to quote, when something is slow or
#' not there.
#'
#' # Instruction sets
#' The computations are compiled for several instruction sets of the processor, and the widest that
#' it has is used. To see whether a difference between two machines comes from there, set the
#' environment variable `NEARGP_INSTRUCTION_SET` to another one of those shown before R starts;
#' results then agree to rounding.
#'
#' # GPUs
#' On a machine with an NVIDIA GPU and NVIDIA's compiler nvcc (CUDA 12 or newer, in `CUDA_HOME`, on
#' the `PATH` or in `/usr/local/cuda`), an installation from source builds a module for that GPU.
#' The module needs the toolkit's cuBLAS and cuSOLVER when it runs. These settings of the
#' installation change that:
#'
#' | setting | effect |
#' |---|---|
#' | `NEARGP_CUDA=yes` | builds the module on a machine without a GPU; an error where it cannot be built |
#' | `NEARGP_CUDA=no` | leaves the module out |
#' | `NEARGP_CUDA_ARCHS="80 90"` | names the architectures of GPUs that get machine code. Later GPUs work as well, after a wait at the first use |
#' | `NEARGP_CUDA_HOST_CXX` | names the host compiler of nvcc |
#' | `R CMD INSTALL --configure-args=--with-cuda=/opt/cuda` | names the toolkit's folder |
#'
#' If the module cannot be built, the package is installed without it, and this report gives the
#' reason.
#'
#' The argument `device` of [neargp()], [predict()][predict.neargp] and
#' [simulate()][simulate.neargp], or `options(neargp.device)` where it is not given, says what to
#' compute on:
#' * `"cuda"`, the first GPU (of those that the environment variable `CUDA_VISIBLE_DEVICES` lets
#'   through), or an error of class `neargp_error_device` with reason and remedy: it never falls
#'   back;
#' * `"cpu"`;
#' * `"auto"`, the default: a GPU where there is one and the computation would take more than a
#'   second or so of one core.
#'
#' A fit says in print which one it was. It holds nothing of the GPU: it can be saved, and used
#' where there is none. A GPU cannot be used in forks of a process that has used it
#' (`parallel::mclapply()`, `future::plan("multicore")`): there `"cuda"` is an error, and `"auto"`
#' is the CPU. Workers that are new processes (`parallel::makePSOCKcluster()`,
#' `future::plan("multisession")`) have no such limit.
#'
#' Of every method with neighbours, and of several outputs, the GPU computes what grows with the
#' cube of `k`: covariances, factors, weights and conditional variances of all conditioning sets,
#' densities of normal responses, and their derivatives, in fits, predictions, simulations,
#' leave-one-out predictions and cross-validation. That is in double precision;
#' `neargp_control(precision = "single")` has the first steps of an optimiser in single precision
#' ([neargp_control()]). Of [svgp()] it computes the bound of one gaussian response and its gradient
#' in a fit, where `"cuda"` asks for it, by cuBLAS; the matrices of inducing points alone are the
#' CPU's. Of [dspp()] and [dgp()] it computes the layers in a fit, where `"cuda"` asks for it: all
#' units of a layer at a time, their factors included. It searches for neighbours where comparing
#' all pairs is faster than the CPU's tree. With `"cuda"`, too, the CPU does the rest:
#' * orderings, trees and sectors of neighbour searches, and the optimiser's steps;
#' * of [vnngp()] the expectations of the likelihood, and the sparse factor of the posterior with
#'   its solves, whose rows wait for each other;
#' * of [loo_k()] for responses that are not normal, and for classes, the score of each row given
#'   its mean and variance, and the gamma variables of [student_t()], which are found when
#'   neighbours are;
#' * of [simulate()][simulate.neargp] the draws themselves, one location after the other;
#' * of `predict(joint = TRUE)` the one matrix of all locations;
#' * of [dspp()] and [dgp()] the values between two layers, the scores of rows given the moments of
#'   the last one, the optimiser's steps, and predictions of the fit;
#' * mini-batches and predictions of [svgp()], and other responses and several outputs there, of
#'   which `"cuda"` is an error;
#' * all of [exact_gp()], of which `"cuda"` is therefore an error.
#'
#' # FAISS
#' The library FAISS finds neighbours in many dimensions, see `neighbor_search` of
#' [neargp_control()]. An installation from source builds a module for it where libfaiss is found,
#' or in the folder that `--configure-args=--with-faiss=/opt/faiss` names. `NEARGP_FAISS=no` leaves
#' it out. It is as fast as the BLAS that it is linked to. A libfaiss (1.10 or newer) that was built
#' with CUDA searches on the GPU where `device` is `"cuda"` and `neighbor_search` is `"faiss"`, if
#' the module for GPUs is there. By default the package's own code searches on the GPU.
#'
#' # BLAS
#' Products, triangular solves and Cholesky factors of large dense matrices ([exact_gp()] is made of
#' them) are computed by R's BLAS where that is OpenBLAS, held to one thread at a time since the
#' package has threads of its own, and else by Eigen, compiled for the processor's instruction set.
#' R's reference BLAS is never used. `options(neargp.blas = "eigen")`, or the environment variable
#' `NEARGP_BLAS`, chooses Eigen in any case, and `"blas"` makes it an error of class
#' `neargp_error_blas` that R has no OpenBLAS; the default is `"auto"`. Results do not depend on the
#' number of threads, and between the two agree to rounding. On Debian and Ubuntu
#' `apt install libopenblas0-pthread` gives OpenBLAS to R.
#'
#' @return Invisibly, a list with the elements `version`, `r_version`, `platform`,
#'   `instruction_set`, `instruction_sets` (all that the processor can run, widest first),
#'   `threads`, `cores`, `devices` (those that can be used: `"cpu"`, `"cuda"`), `cuda` (a list:
#'   `built`, `build`, `gpus` with name, architecture, version supported by the driver and bytes of
#'   memory, `why_none`), `faiss` (a list: `built`, `version`, `with_gpu`, `why_none`), `blas` (a
#'   list: `engine`, `"blas"` or `"eigen"`; `fast`, what R's OpenBLAS says of itself or `""`;
#'   `file`) and `optional`.
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
