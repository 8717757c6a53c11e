# Fits to the rows of a source. They hold none of them: what would need them is an error that says
# what to do instead.

check_streamable <- function(settings, transform) {
  if (wants_shards(settings)) {
    check_takes_shards(settings, NULL)
    if (has_ability(settings$method, "keep_rows", settings$family)) return(invisible())
    check_streamed_family(settings$family)
  } else check_streamed_bound(settings)
  if (!is.null(transform)) {
    abort_source(c("`transform` needs all rows in memory, and not a source that is read in chunks.",
      i = "Transform the response in the formula, or read the rows into a data frame."))
  }
}

check_streamed_family <- function(family) {
  if (is_categorical(family)) abort_needs_all_rows("a class")
  if (!has_gamma_variables(family)) return(invisible())
  abort_source(c("student_t() by loo_k() keeps a variable for each row, on which all rows depend.",
    i = "Read the rows into a data frame, which can be fitted in shards as well."))
}

check_streamed_bound <- function(settings) {
  method <- settings$method
  if (plain_class(method)[1L] != "neargp_svgp" || settings$method_open) {
    abort_source(c(sprintf("%s needs all rows in memory, and not a source that is read in chunks.",
      if (settings$method_open) "The method by default" else method_call(method)),
      i = paste("Use method = svgp(); or vecchia(), loo_k(), mll_k() or vnngp() with `cluster`",
        "or neargp_control(shards = 16); or read the rows into a data frame.")))
  }
  if (!is_gaussian(settings$family)) {
    abort_source(c("Responses that are not Gaussian need two numbers of each row in memory.",
      i = "Read the rows into a data frame."))
  }
  if (method$optimizer %in% c("natural", "adam")) {
    abort_source(c(sprintf("optimizer = \"%s\" takes random rows of all, which are not in memory.",
      method$optimizer),
      i = "Use \"auto\", which takes mini-batches from a sample, or \"collapsed\"."))
  }
  if (bound_kl_weight(method) != 1) {
    abort_source(c("`kl_weight` needs the weight of each row in memory.",
      i = "Leave `kl_weight` at 1, or read the rows into a data frame."))
  }
}

# The chunk from which columns are known.
first_chunk <- function(source) {
  found <- NULL
  rlang::try_fetch(for_each_chunk(source, function(chunk, number, first) {
    found <<- chunk
    if (nrow(chunk)) rlang::cnd_signal(rlang::cnd("neargp_chunk_found"))
  }), neargp_chunk_found = function(condition) NULL)
  if (!NROW(found)) abort_source("The source contains no rows.")
  found
}

# A sample may lack what makes columns of the trend differ.
in_sample <- function(stream, value) {
  if (is.null(stream) || stream$is_whole) return(value)
  rlang::try_fetch(value, neargp_error = function(error) {
    error$body <- c(error$body,
      i = sprintf("This is so in a sample of %s rows of the source: see `start_rows` of row_source().",
        format_count(NROW(stream$sample))))
    stop(error)
  })
}

as_streamed_fit <- function(fit, problem) {
  stream <- problem$data$stream
  fit$data <- take_data_rows(fit$data, integer(0))
  fit$source <- list(from = describe_source(stream$source), rows = stream$rows,
    chunks = length(stream$hashes), hashes = stream$hashes, model = stream$model,
    recipe = if (is_sharded(problem) && !has_ability(problem$method, "inducing_features"))
      shard_recipe(problem, new_partition(problem), raw = TRUE))
  fit$n_given <- stream$given
  fit$n_dropped <- stream$missing
  if (fit$n_dropped) fit$na_action <- structure(integer(0), class = "omit")
  fit["row_names"] <- list(NULL)
  class(fit) <- c("neargp_streamed", class(fit))
  fit
}

# The part of the header of a fit that says where its rows are from, and at how many locations they
# are where these repeat.
describe_rows <- function(fit) {
  if (is_streamed(fit)) {
    return(sprintf(" from %s, in %s", fit$source$from, counted(fit$source$chunks, "chunk")))
  }
  inputs <- fit$data$inputs
  locations <- max(if (is.null(inputs)) key_of_rows(fit$data) else location_index(inputs), 0L)
  if (locations == count_places(fit$data)) return("")
  paste(" at", counted(locations, "location"))
}

#' @export
nobs.neargp_streamed <- function(object, ...) object$source$rows

refuse_rows <- function(what,
                        instead = "Predict a chunk of rows by predict(fit, newdata = chunk), and compare it with their response.") {
  abort_source(
    c(sprintf("%s needs the rows of the fit, which were read in chunks and are not in memory.",
      what), i = instead))
}

#' @export
residuals.neargp_streamed <- function(object, ...) refuse_rows("residuals()")

#' @export
fitted.neargp_streamed <- function(object, ...) {
  refuse_rows("fitted()", "Use predict(fit, newdata = chunk) for a chunk of rows.")
}

#' @export
weights.neargp_streamed <- function(object, ...) refuse_rows("weights()", "They are in the source.")

#' @export
case.names.neargp_streamed <- function(object, ...) {
  refuse_rows("case.names()", "Rows are known by their position in the source.")
}

#' @export
model.matrix.neargp_streamed <- function(object, ...) {
  refuse_rows("model.matrix()", "model.matrix(formula(fit), chunk) has that of a chunk of rows.")
}

#' @export
model.frame.neargp_streamed <- function(formula, ...) {
  refuse_rows("model.frame()", "model.frame(formula(fit), chunk) has that of a chunk of rows.")
}

#' @export
augment.neargp_streamed <- function(x, ...) refuse_rows("augment()")

#' @export
plot.neargp_streamed <- function(x, ...) {
  refuse_rows("plot()", "plot_map(predict(fit, grid)) shows predictions.")
}

#' @exportS3Method ggplot2::autoplot
autoplot.neargp_streamed <- function(object, ...) {
  refuse_rows("autoplot()", "plot_map(predict(fit, grid)) shows predictions.")
}

#' @export
cross_validate.neargp_streamed <- function(object, ...) {
  refuse_rows("cross_validate()", "Fit the source without some rows (`subset`), and predict these.")
}

#' @export
empirical_variogram.neargp_streamed <- function(object, ...) {
  refuse_rows("empirical_variogram()", "Use a sample of the rows.")
}

#' @exportS3Method performance::r2
r2.neargp_streamed <- function(model, ...) refuse_rows("r2()")

#' @export
scores.neargp_streamed <- function(object, newdata = NULL, ...) {
  if (is.null(newdata)) {
    refuse_rows("scores() without `newdata`",
      "scores(fit, newdata = chunk) has those of other rows.")
  }
  NextMethod()
}

#' @export
simulate.neargp_streamed <- function(object, nsim = 1, seed = NULL, newdata = NULL, ...) {
  if (is.null(newdata)) {
    refuse_rows("simulate() without `newdata`", "Give the locations of draws as `newdata`.")
  }
  if (reads_shards(object) && !isFALSE(list(...)$conditional)) {
    refuse_rows("simulate()", "predict() returns limits and probabilities of single locations. For draws fit the rows about the region that is wanted, in memory.")
  }
  NextMethod()
}
