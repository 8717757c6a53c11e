#' Settings of the optimisation
#'
#' The defaults are meant to be left alone; a fit that stopped early says so and can be continued
#' with `update(fit, start = fit, control = neargp_control(max_iterations = 200))`. One that was
#' interrupted is continued by `start = neargp_last()`, see [neargp_last()].
#'
#' @param max_iterations largest number of optimiser steps for each set of neighbours: they are
#'   searched anew as ranges change, up to `max_refreshes` times and at two levels of `k`, so that a
#'   fit may take more in all. Quasi-Newton methods may take five times as many.
#' @param tolerance Fisher scoring stops when a further step would be expected to raise the
#'   log-likelihood by less than this; it is far below any statistical significance, which starts at
#'   about 1.
#' @param max_step largest change of a parameter in one step, on the logarithmic scale.
#' @param coarse_k `k` of the first, cheap round that brings the parameters near the optimum (0:
#'   none).
#' @param start_rows number of rows on which starting values are compared.
#' @param refresh_tolerance neighbours are searched anew while the ratios of the ranges (or the
#'   anisotropy) still change by more than this, on the logarithmic scale.
#' @param refresh_gain and no longer when new neighbours let the optimiser gain less than this in
#'   log-likelihood, or, after the third round, less than a tenth of what they have changed of it
#'   themselves.
#' @param max_refreshes largest number of such rounds.
#' @param neighbor_search how neighbours are found, always exactly, so that the choice is one of
#'   time alone: `"kd-tree"`, the package's own tree; `"faiss"`, the library FAISS, which compares
#'   with all points, by matrix products in single precision whose candidates are then compared and
#'   certified in double precision, for many dimensions that the data really fill, and on the GPU
#'   where the computation is on one and FAISS was built for it (it gives up to 2,048 candidates
#'   there: conditioning sets of more than 2,032 are found on the CPU); or `"auto"`, the GPU's
#'   search where the computation is on one, and there faster and with room for the points, else,
#'   from 8 dimensions and 20,000 points on, whichever of the two a trial finds to be faster.
#' @param precision `"single"`: on a GPU the optimiser first runs with covariance matrices in single
#'   precision, and then goes on in double precision from where that ended. Log-likelihood,
#'   estimates and standard errors are those of double precision: as near to those of a fit without
#'   single precision as fits from different starting values are to each other. It is meant for GPUs
#'   that were not made for double precision; on others it is expected to gain nothing
#'   (`bench/notes/cuda.md`). If a matrix cannot be factorised in single precision, for example with
#'   a very small nugget, the first run ends, and [print()][print.neargp] says so. Single precision
#'   is available for gaussian responses, also several outputs, by [vecchia()], [loo_k()] and
#'   [mll_k()]. Predictions and all other results of a fit are in double precision, and so is
#'   everything on the CPU: where `device = "auto"` chooses it, [print()][print.neargp] says that;
#'   `device = "cpu"` is an error of [neargp()] (`neargp_error_precision`).
#' @param checkpoint name of a file to which the fit writes what it has computed, so that the same
#'   call goes on from there after a crash or a kill, see [checkpoints]; `NULL` for none. Writing
#'   takes half a percent of the time.
#' @param shards number of compact parts that the rows are cut into, up to 4,096, which the workers
#'   of a `cluster` share: the same number gives the same result on any number of workers, see
#'   [clusters]. `NULL` for none without a cluster, with one for a number by the rows.
#' @param worker_timeout seconds after which a worker of a `cluster` that does not answer is given
#'   up; `NULL` for two minutes and ten times as long as such a call has taken before (the first one
#'   has an hour). Workers load the package within that, too (`NULL`: five minutes).
#' @section Errors: `neargp_error_argument`; `neargp_error_neighbor_search`, where neargp was built
#'   without FAISS ([neargp_sitrep()] tells).
#' @references Johnson, J., Douze, M. and Jégou, H. (2021). Billion-scale similarity search with
#'   GPUs. *IEEE Transactions on Big Data* 7, 535–547.
#' @return A list of class `neargp_control`.
#' @examples
#' neargp_control(tolerance = 1e-6)
#' @export
neargp_control <- function(max_iterations = 60L, tolerance = 1e-4, max_step = 1.25, coarse_k = 10L,
                           start_rows = 5000L, refresh_tolerance = 0.01, refresh_gain = 0.05,
                           max_refreshes = 10L, neighbor_search = c("auto", "kd-tree", "faiss"),
                           precision = c("double", "single"), checkpoint = NULL, shards = NULL,
                           worker_timeout = NULL) {
  structure(c(list(
    max_iterations = check_count(max_iterations, "max_iterations"),
    tolerance = check_number(tolerance, "tolerance", 0, open = TRUE),
    max_step = check_number(max_step, "max_step", 0, open = TRUE),
    coarse_k = check_count(coarse_k, "coarse_k", lower = 0L),
    start_rows = check_count(start_rows, "start_rows", lower = 10L),
    refresh_tolerance = check_number(refresh_tolerance, "refresh_tolerance", 0, open = TRUE),
    refresh_gain = check_number(refresh_gain, "refresh_gain", 0),
    max_refreshes = check_count(max_refreshes, "max_refreshes"),
    neighbor_search = check_search(neighbor_search),
    precision = check_choice(precision, "precision", c("double", "single"))
  ), if (!is.null(checkpoint)) list(checkpoint = check_checkpoint(checkpoint)),
  if (!is.null(shards)) list(shards = check_count(shards, "shards", upper = 4096L)),
  if (!is.null(worker_timeout)) list(worker_timeout = check_number(worker_timeout, "worker_timeout",
    0, open = TRUE))),
  class = "neargp_control")
}

check_search <- function(search) {
  search <- check_choice(search, "neighbor_search", c("auto", "kd-tree", "faiss"))
  if (search != "faiss") return(search)
  remedy <- c(i = "Use neighbor_search = \"auto\", or install libfaiss (Debian: libfaiss-dev) and then neargp from source.")
  file <- module_file("faiss")
  if (!nzchar(file)) {
    abort_neargp("neighbor_search",
      c(sprintf("This installation was built without FAISS: %s.", why_not_built("faiss")), remedy))
  }
  tryCatch(core_faiss(file), error = function(e) abort_neargp("neighbor_search",
    c(conditionMessage(e), remedy)))
  search
}

#' @export
print.neargp_control <- function(x, ...) {
  cat("Settings of the optimisation\n")
  cat(sprintf("  %-18s %s\n", names(x), vapply(x, format, "")), sep = "")
  invisible(x)
}
