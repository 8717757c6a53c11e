#' Settings of the optimisation
#'
#' @description
#' Settings for the argument `control` of [neargp()]. The defaults rarely need a change.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326,
#'   control = neargp_control(max_iterations = 200))
#' ```
#'
#' @details
#' If a fit stopped early, you can continue it by `update(fit, start = fit)`. To continue an
#' interrupted fit, see [neargp_last()].
#'
#' @param max_iterations the largest number of steps for each set of neighbours, an integer.
#'   A fit takes more as ranges change, quasi-Newton methods five times as many. Default: 60.
#' @param tolerance Fisher scoring stops if the expected gain in log-likelihood is smaller. Default:
#'   1e-4. With three ranges or more, 0.1 on the process, and 0.2 for 10,000 observations, or 0.02
#'   with inducing points.
#' @param max_step the largest change of a parameter on the log scale. Default: 1.25.
#' @param coarse_k the `k` of a cheap first round, an integer. Default: 10. 0 disables it.
#' @param start_rows the number of observations for starting values, an integer. Default: 5,000.
#' @param refresh_tolerance find neighbours again if the ratios of the ranges change by more than
#'   this, on the log scale. Default: 0.01.
#' @param refresh_gain stop doing so if new neighbours gain less log-likelihood than this, or after
#'   three rounds less than a tenth of what they changed. Default: 0.05. With three ranges or more,
#'   [vecchia()] uses at least 0.02 times the root of the number of observations.
#' @param max_refreshes the largest number of such rounds, an integer. Default: 10.
#' @param neighbor_search `"kd-tree"`, `"faiss"` for many dimensions and GPUs, or `"auto"`
#'   (default), the faster one. All are exact. On a GPU, FAISS finds at most 2,048 candidates.
#' @param precision `"double"` (default), or `"single"` for the first steps on a GPU without fast
#'   double precision. Results are in double precision. For Gaussian responses by [vecchia()],
#'   [loo_k()] and [mll_k()].
#' @param checkpoint the name of a file that keeps the state of the fit, see [checkpoints]. Default
#'   `NULL`: none.
#' @param shards the number of parts of the data for a `cluster`, an integer up to 4,096, see
#'   [clusters]. Default `NULL`: none, or by the number of observations with a cluster.
#' @param worker_timeout seconds after which a silent worker is given up. Default `NULL`: two
#'   minutes and ten times the duration of earlier calls, an hour for the first call, and five
#'   minutes to load the package.
#' @return A list of class `neargp_control`.
#' @references Johnson, J., Douze, M. and Jégou, H. (2021). Billion-scale similarity search with
#'   GPUs. *IEEE Transactions on Big Data* 7, 535–547.
#' @seealso [neargp()], [neargp_sitrep()] for FAISS and GPUs
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # A fit that stops early is continued
#' stations <- colorado_precipitation()
#' early <- suppressWarnings(neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326,
#'   control = neargp_control(max_iterations = 1)))
#' early$convergence
#' fit <- update(early, start = early, control = neargp_control())
#' rbind(early = coef(early, what = "covariance"), continued = coef(fit, what = "covariance"))
#' # A first look ends earlier
#' look <- update(fit, control = neargp_control(tolerance = 0.1))
#' logLik(look)
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
  class = "neargp_control", given = if (!missing(tolerance)) "tolerance")
}

default_tolerance <- formals(neargp_control)$tolerance

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
