# All code for posterior. simulate() returns locations as rows, posterior has draws as rows.

#' @exportS3Method posterior::as_draws
as_draws.neargp <- function(x, nsim = 1000, newdata = NULL, what = c("response", "covariance"),
                            ...) {
  what <- check_choice(what, "what", c("response", "covariance"))
  if (what == "covariance") return(covariance_draws(x, check_count(nsim, "nsim"), ...))
  if (inherits(newdata, c("SpatRaster", "stars"))) {
    abort_neargp("newdata", c("Draws of a grid are layers of the grid, which package posterior does not support.",
      i = "Use simulate(), or the cells as a data frame."))
  }
  drawn <- stats::simulate(x, nsim = nsim, newdata = newdata, ...)
  values <- as.matrix(drop_geometry(drawn))
  names <- x$outputs %||% x$data$response_name
  # column sim_1_<output>, sim_2_<output>, ... of each output
  draws <- aperm(array(values, c(nrow(values), nsim, length(names))), c(2L, 1L, 3L))
  variables <- outer(seq_len(nrow(values)), names, function(row, name) sprintf("%s[%d]", name, row))
  posterior::as_draws_matrix(matrix(draws, nsim, dimnames = list(NULL, variables)))
}

# The generics of posterior hand no arguments on to as_draws().
#' @exportS3Method posterior::as_draws_matrix
as_draws_matrix.neargp <- function(x, ...) posterior::as_draws(x, ...)

#' @exportS3Method posterior::as_draws_array
as_draws_array.neargp <- function(x, ...) posterior::as_draws_array(posterior::as_draws(x, ...))

#' @exportS3Method posterior::as_draws_df
as_draws_df.neargp <- function(x, ...) posterior::as_draws_df(posterior::as_draws(x, ...))

#' @exportS3Method posterior::as_draws_list
as_draws_list.neargp <- function(x, ...) posterior::as_draws_list(posterior::as_draws(x, ...))

#' @exportS3Method posterior::as_draws_rvars
as_draws_rvars.neargp <- function(x, ...) posterior::as_draws_rvars(posterior::as_draws(x, ...))

# Points of the design of predict(parameters = "integrated"), drawn by their weights.
covariance_draws <- function(object, nsim, threads = NULL) {
  check_integrable(object)
  design <- integrated_fits(object, plain_context(threads %||% object$threads))
  values <- do.call(rbind, lapply(design$fits, function(fit) {
    stats::coef(fit, what = "covariance")
  }))
  point <- sample.int(nrow(values), nsim, replace = TRUE, prob = exp(design$log_weights))
  posterior::as_draws_matrix(values[point, , drop = FALSE])
}
