# Predictions, draws and values at the rows of a process with learners.

#' @export
predict.neargp_learned <- function(object, newdata, type = c("response", "quantile"),
                                   interval = c("none", "prediction"), level = 0.95,
                                   probs = c(0.05, 0.5, 0.95), threshold = NULL, chunk_size = NULL,
                                   threads = NULL, verbose = rlang::is_interactive(),
                                   filename = NULL, overwrite = FALSE, ...) {
  check_no_more_arguments()
  check_learned(object)
  if (missing(newdata) || is.null(newdata)) abort_no_newdata(object)
  type <- check_choice(type, "type", c("response", "quantile"))
  interval <- check_choice(interval, "interval", c("none", "prediction"))
  check_level(level)
  if (!missing(probs)) check_for_quantiles(probs, type)
  check_learned_newdata(newdata)
  settings <- list(type = type, interval = interval, level = level,
    probs = if (type == "quantile") check_probs(probs), threshold = check_threshold(threshold))
  columns_at <- function(rows) {
    given <- list(observation = learned_distribution(object, rows, threads))
    target_columns(object$process, predictive_columns(given, settings))
  }
  if (!is_raster(newdata)) return(restorer(newdata)(columns_at(newdata)))
  raster_by_blocks(newdata, list(file = raster_file(newdata, filename, overwrite),
    chunk_size = check_count(chunk_size %||% 1e5, "chunk_size"),
    verbose = check_flag(verbose, "verbose")), function(cells) {
      columns_at(raster_of_window(newdata, window_of_cells(newdata, cells)))
    })
}

check_learned_newdata <- function(newdata) {
  if (is_areas(newdata)) abort_learned("Predictions of areas", "Predict fit$process alone.")
  if (is_stars(newdata)) {
    abort_argument("newdata", "a data frame, sf points or a SpatRaster", newdata)
  }
}

# New observations at rows. `process`: the moments of the process there.
learned_distribution <- function(object, newdata, threads = NULL,
                                 process = predicted_numbers(object$process, newdata, "response",
                                   threads)) {
  combined_distribution(object, process, learner_means(object, newdata))
}

# The predictions of each learner at rows or cells.
learner_means <- function(object, newdata) {
  rows <- if (is_raster(newdata)) rows_of_cells(object$process, newdata) else
    list(process = object$process, data = newdata)
  lapply(object$members, predict_member, process = rows$process, data = rows$data)
}

# Cells as rows of a data frame. A process at geometries then takes their centres from columns.
rows_of_cells <- function(process, raster) {
  data <- cell_columns(raster)
  centers <- terra::xyFromCell(raster, seq_len(terra::ncell(raster)))
  process$locations["time_unit"] <- list(NULL)
  if (is.null(process$locations$names)) {
    process$locations <- with_center_columns(process$locations)
  }
  data[process$locations$names[1:2]] <- list(centers[, 1L], centers[, 2L])
  list(process = process, data = data)
}

# ---- rows of the fit -----------------------------------------------------------------------------

# The expected response given all rows, learners by their predictions without the row.
#' @export
fitted.neargp_learned <- function(object, ...) {
  check_no_more_arguments()
  stats::naresid(object$na_action, fitted_learned(object))
}

fitted_learned <- function(object) {
  process <- object$process
  mean <- smoothed(process$method, process, NULL, NULL)
  means <- lapply(object$members, `[[`, "left_out")
  predictive_mean(combined_distribution(object, list(mean = mean, sd = 0 * mean), means))
}

#' @export
residuals.neargp_learned <- function(object, type = c("response", "loo", "standardized"), ...) {
  check_no_more_arguments()
  type <- check_choice(type, "type", c("response", "loo", "standardized"))
  if (type == "response") {
    return(residuals_of_rows(object$process, object$y - fitted_learned(object)))
  }
  left <- object$left_out
  y <- object$y[left$rows]
  values <- if (type == "loo") y - predictive_mean(left$distribution) else
    normal_residuals(y, left$distribution)
  residuals_of_rows(object$process, at_left_out(object, values))
}

# Values of the rows that are left out, `unknown` in the others.
at_left_out <- function(object, values, unknown = NA_real_) {
  replace(rep(unknown, length(object$y)), object$left_out$rows, values)
}

#' @export
loo_predict.neargp_learned <- function(object, k = NULL, threads = NULL, leave_out = NULL,
                                       parameters = NULL) {
  check_default_leave_out(k, leave_out)
  if (identical(parameters, "integrated")) {
    abort_learned("parameters = \"integrated\"", "Use it for the fit without learner().")
  }
  moments <- predictive_moments(object$left_out$distribution)
  table <- data.frame(
    mean = stats::naresid(object$na_action, at_left_out(object, moments$mean)),
    sd = stats::naresid(object$na_action, at_left_out(object, moments$sd, Inf)))
  new_left_out(table, if (is.null(object$folds)) "row")
}

check_default_leave_out <- function(k, leave_out) {
  given <- c("k", "leave_out")[!c(is.null(k), is.null(leave_out))]
  if (!length(given)) return(invisible())
  abort_learned(sprintf("`%s`", given[1L]), "The folds of learner(folds = ) are what is left out.")
}

# ---- draws ---------------------------------------------------------------------------------------

#' @export
simulate.neargp_learned <- function(object, nsim = 1, seed = NULL, newdata = NULL, ...) {
  check_no_more_arguments()
  check_learned(object)
  nsim <- check_count(nsim, "nsim")
  if (is_raster(newdata)) {
    abort_argument("newdata", "a data frame or sf points", newdata)
  }
  check_learned_newdata(newdata)
  state <- seed_generator(seed)
  on.exit(state$restore())
  means <- if (is.null(newdata)) lapply(object$members, `[[`, "left_out") else
    learner_means(object, newdata)
  drawn <- drop_geometry(as.data.frame(stats::simulate(object$process, nsim, newdata = newdata,
    parameters = "plug-in")))
  draws <- combined_draws(object, as.matrix(drawn[paste0("sim_", seq_len(nsim))]), means)
  restore <- if (is.null(newdata)) identity else restorer(newdata)
  structure(restore(as.data.frame(draws)), seed = state$seed)
}

# `process`: draws of the process in columns.
combined_draws <- function(object, process, means) {
  UseMethod("combined_draws")
}

# Each draw is of one member, chosen by the weights.
#' @export
combined_draws.neargp_stack <- function(object, process, means) {
  member <- sample.int(length(object$weights), ncol(process), TRUE, object$weights) - 1L
  for (draw in which(member > 0L)) {
    process[, draw] <- stats::rnorm(nrow(process), means[[member[draw]]],
      object$members[[member[draw]]]$sd)
  }
  process
}

#' @export
combined_draws.neargp_kriged_residuals <- function(object, process, means) process + means[[1L]]
