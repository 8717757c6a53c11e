#' Settings of the optimisation
#'
#' The defaults are meant to be left alone; a fit that stopped early says so and can be continued with
#' `update(fit, start = fit, control = neargp_control(max_iterations = 200))`.
#'
#' @param max_iterations largest number of optimiser steps at each level of `k`.
#' @param tolerance Fisher scoring stops when a further step would be expected to raise the log-likelihood by less than this;
#'   it is far below any statistical significance, which starts at about 1.
#' @param max_step largest change of a parameter in one step, on the logarithmic scale.
#' @param coarse_k `k` of the first, cheap round that brings the parameters near the optimum (0: none).
#' @param start_rows number of rows on which starting values are compared.
#' @param refresh_tolerance neighbours are sought anew while the ratios of the ranges (or the anisotropy) still change by more than
#'   this, on the logarithmic scale.
#' @param refresh_gain and no longer when new neighbours let the optimiser gain less than this in log-likelihood.
#' @param max_refreshes largest number of such rounds.
#' @return A list of class `neargp_control`.
#' @examples
#' neargp_control(tolerance = 1e-6)
#' @export
neargp_control <- function(max_iterations = 60L, tolerance = 1e-4, max_step = 1.25, coarse_k = 10L, start_rows = 5000L,
                           refresh_tolerance = 0.01, refresh_gain = 0.05, max_refreshes = 10L) {
  structure(list(
    max_iterations = check_count(max_iterations, "max_iterations"),
    tolerance = check_number(tolerance, "tolerance", 0, open = TRUE),
    max_step = check_number(max_step, "max_step", 0, open = TRUE),
    coarse_k = check_count(coarse_k, "coarse_k", lower = 0L),
    start_rows = check_count(start_rows, "start_rows", lower = 10L),
    refresh_tolerance = check_number(refresh_tolerance, "refresh_tolerance", 0, open = TRUE),
    refresh_gain = check_number(refresh_gain, "refresh_gain", 0),
    max_refreshes = check_count(max_refreshes, "max_refreshes")
  ), class = "neargp_control")
}

#' @export
print.neargp_control <- function(x, ...) {
  cat("Settings of the optimisation\n")
  cat(sprintf("  %-18s %s\n", names(x), vapply(x, format, "")), sep = "")
  invisible(x)
}
