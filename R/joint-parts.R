# The fits of single responses, from which a joint fit begins.

# `responses`: of joint_responses(); `settings`: of joint_settings().
fit_parts <- function(responses, formulas, settings) {
  call <- responses$call
  frame <- responses$frame
  families <- responses$families
  shared <- settings$shared
  checkpoint <- settings$checkpoint$path
  support <- settings$support
  outputs <- names(formulas)
  data <- expressions_of_responses(call, "data", outputs, frame)
  rows <- lapply(c(weights = "weights", offset = "offset", subset = "subset"), function(name) {
    expressions_of_responses(call, name, outputs, frame)
  })
  nuggets <- nuggets_of_responses(call, families, frame)
  lapply(rlang::set_names(outputs), function(output) {
    own <- call
    own$formula <- formulas[[output]]
    own$data <- data[[output]]
    for (name in names(rows)) own[name] <- list(rows[[name]][[output]])
    own[names(shared)] <- shared
    own$family <- families[[output]]
    own["nugget"] <- list(nuggets[[output]])
    own["support"] <- list(NULL)
    own <- own[!vapply(as.list(own), is.null, NA)]
    check_one_column(own, output, frame)
    kept <- with_part_checkpoint(own, checkpoint, match(output, outputs), frame)
    part <- rlang::try_fetch(fit_rows(kept, support, frame),
      neargp_error_response = function(condition) {
        if (has_categories(own, frame)) refuse_categories(output, condition)
        rlang::zap()
      })
    part$call$control <- own$control
    part$call$data <- own$data
    return_models(part$posterior$neighbors)
    part$posterior <- part$posterior[begins_joint_fit]
    part
  })
}

# The parts of the posterior of a single fit that a joint fit uses. The rest is half of it.
begins_joint_fit <- c("coords", "mean", "linear_predictor", "pseudo_precision", "slope")

# One nugget is that of all Gaussian responses. Fits of others refuse a nugget of their own.
nuggets_of_responses <- function(call, families, frame) {
  nuggets <- expressions_of_responses(call, "nugget", names(families), frame)
  gaussian <- vapply(families, is_gaussian, NA)
  if (any(gaussian) && identical(nuggets[[1L]], call$nugget)) nuggets[gaussian] else nuggets
}

# The fit of a response to the rows of a source, or at the middles of areas.
fit_rows <- function(call, support, frame) {
  # an error is that of the fit
  data <- tryCatch(known_map(eval(call$data, frame)), error = function(e) NULL)
  areal <- areas_of_response(call, data, support, frame)
  rows <- if (is_row_source(data)) columns_of_source(data, call, frame) else areal$data
  if (is.null(rows)) return(fit_part(call, frame))
  call$data <- quote(rows)
  part <- fit_part(call, list2env(list(rows = rows), parent = frame))
  if (is.null(areal)) part else with_points_of_areas(part, areal)
}

# Each response needs its own columns only. `coords` may be a variable that contains a formula.
columns_of_source <- function(source, call, frame) {
  values <- lapply(as.list(call)[intersect(names(call), c("formula", "coords", "covariance",
    "nugget"))], eval, frame)
  by_row <- as.list(call)[intersect(names(call), c("weights", "offset", "subset"))]
  rows_of_source(source, list(cluster = NULL), c(values, by_row, list(call$family$formulas)))$rows
}

# A matrix as the response of one formula in a list would be several responses again.
check_one_column <- function(call, output, frame) {
  data <- tryCatch(eval(call$data, frame), error = function(e) NULL)
  if (!is_joint_model(call$formula, call$family, data)) return(invisible())
  abort_neargp("response", c(sprintf("The response `%s` has several columns.", output),
    i = "Write a formula for each column: list(y[, \"a\"] ~ x, y[, \"b\"] ~ x)."))
}

# Whether the response of a call is a factor or text of three levels or more.
has_categories <- function(call, frame) {
  y <- tryCatch(eval(call$formula[[2L]], as.data.frame(eval(call$data, frame)), frame),
    error = function(e) NULL)
  is_class_vector(y) && length(unique(stats::na.omit(y))) > 2L
}

# A response with fewer rows than k neighbours takes the default by itself. The joint search goes on
# from fits that did not converge, and warns if it does not converge itself.
fit_part <- function(call, frame) {
  fitted <- function(call) suppressWarnings(suppressMessages(eval(call, frame),
    classes = "neargp_message"), classes = "neargp_warning_convergence")
  rlang::try_fetch(fitted(call), neargp_error_k = function(condition) {
    kept <- unclass(call$method)[c("ordering", "factor", "factor_memory", "jitter")]
    call$method <- do.call(vnngp, kept)
    fitted(call)
  })
}

# The rows of the data that a part was fitted to.
rows_of_part <- function(part) {
  setdiff(seq_len(part$n_given), as.integer(part$na_action))
}

# All parts are at locations of one kind.
check_common_locations <- function(parts) {
  first <- parts[[1L]]$locations
  for (part in parts[-1L]) {
    if (!identical(format(first$crs), format(part$locations$crs))) {
      abort_neargp("crs", c("The data of the responses are in two coordinate reference systems.",
        i = "Transform them to one: sf::st_transform()."))
    }
    same <- identical(first$embedded_names, part$locations$embedded_names) &&
      identical(first$metric, part$locations$metric)
    if (!same) {
      abort_neargp("coordinates",
        "All data need the same coordinates, since the responses share fields.")
    }
  }
  check_common_levels(parts)
}
