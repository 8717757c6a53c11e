# neargp() with learner() terms: the process by the call without them, and the learners on the rows
# that it was fitted to.

# `call`: of neargp(), `frame`: where it was called from, `given`: its formulation; `kept_call`: the
# call that the fit keeps.
fit_learned <- function(call, kept_call, data, given, frame) {
  check_learned_call(call, data, given, frame)
  terms <- learner_terms(given$formula)
  settings <- settings_of_learners(terms$calls, environment(given$formula))
  combine <- combination_of(settings)
  object <- structure(list(call = kept_call, formula = given$formula,
    settings = settings), class = c(combined_classes[[combine]], "neargp_learned"))
  call$formula <- terms$formula
  data <- data_as_rows(data, given)
  complete_learned(object, call, data, first_process(object, call, frame), frame)
}

combined_classes <- c(stack = "neargp_stack", residual = "neargp_kriged_residuals")

# `process`: of the responses.
complete_learned <- function(object, call, data, process, frame) {
  check_learned_process(process)
  rows <- fitted_rows(process, data)
  object$y <- process$data$y
  object$terms <- process$terms
  object$response <- process$data$response_name
  object$na_action <- process$na_action
  object$data <- kept_columns(object, process, rows)
  object$folds <- folds_of_learners(object$settings, process, rows)
  splits <- if (!is.null(object$folds)) fold_splits(object$folds, process)
  object$members <- train_members(object, process, object$data, object$y, splits)
  object <- with_process(object, last_process(object, process, call, data, frame), splits)
  object$process$call$data <- object$call$data
  object
}

# The columns that predictions of new rows read, and geometries.
kept_columns <- function(object, process, data) {
  learned <- lapply(object$settings, learner_columns, process)
  names <- intersect(names(data), c(names_of_model(process), unlist(learned)))
  if (is_sf(data)) data[names] else as.data.frame(data)[names]
}

# ---- the process ---------------------------------------------------------------------------------

# A fit to the responses, from which the rows and the columns of the learners are known.
first_process <- function(object, call, frame) {
  UseMethod("first_process")
}

#' @export
first_process.neargp_stack <- function(object, call, frame) eval(call, frame)

# Only its rows and columns are of use.
#' @export
first_process.neargp_kriged_residuals <- function(object, call, frame) {
  control <- eval(call$control, frame) %||% neargp_control()
  control$max_iterations <- 1L
  control["checkpoint"] <- list(NULL)
  call$control <- control
  suppressWarnings(eval(call, frame), classes = "neargp_warning_convergence")
}

# The process that predicts.
last_process <- function(object, process, call, data, frame) {
  UseMethod("last_process")
}

#' @export
last_process.neargp_stack <- function(object, process, call, data, frame) process

# Messages on the data came with the first process.
#' @export
last_process.neargp_kriged_residuals <- function(object, process, call, data, frame) {
  residual <- process_response(object, object$members, object$y)
  check_all_left_out(residual)
  name <- utils::tail(make.unique(c(names(data), "residual")), 1L)
  data[[name]] <- NA_real_
  data[[name]][fitted_row_numbers(process, data)] <- residual
  # A dot stands for all other columns.
  if ("." %in% names_in(list(call$formula, eval(call$coords, frame)))) {
    data[intersect(all.vars(call$formula[[2L]]), names(data))] <- NULL
  }
  call$formula[[2L]] <- as.name(name)
  call$data <- data
  suppressMessages(eval(call, frame), classes = "neargp_message")
}

check_all_left_out <- function(residual) {
  if (!anyNA(residual)) return(invisible())
  abort_neargp("folds", c("combine = \"residual\" needs a fold for each row.",
    x = sprintf("There is none for %s.", format_rows(which(is.na(residual)))),
    i = "Give these rows a fold, or leave them out by `subset`."))
}

# ---- arguments of the terms ----------------------------------------------------------------------

settings_of_learners <- function(calls, env) {
  settings <- lapply(calls, function(call) {
    call[[1L]] <- learner
    eval(call, env)
  })
  labels <- make.unique(vapply(settings, `[[`, "", "label"), sep = " ")
  settings <- Map(function(one, label) replace(one, "label", label), settings, labels)
  stats::setNames(settings, labels)
}

combination_of <- function(settings) {
  combine <- unique(vapply(settings, `[[`, "", "combine"))
  if (identical(combine, "stack") || length(settings) == 1L) return(combine)
  abort_neargp("learner", c("combine = \"residual\" takes one learner.",
    x = sprintf("There are %s.", format_some(names(settings))),
    i = "Stack several learners: combine = \"stack\"."))
}

# One set of folds leaves the same rows out of all members. NULL where none is given.
folds_of_learners <- function(settings, process, data) {
  given <- unique(Filter(Negate(is.null), lapply(unname(settings), `[[`, "folds")))
  if (!length(given)) return(NULL)
  if (length(given) > 1L) {
    abort_neargp("folds", c("Learners have different `folds`.",
      i = "All members leave the same rows out: give one learner its folds."))
  }
  folds <- given[[1L]]
  plain <- drop_geometry(data)
  if (rlang::is_string(folds) && folds %in% names(plain)) folds <- plain[[folds]]
  resolve_folds(folds, process)
}

# ---- what is refused -----------------------------------------------------------------------------

# Refused before anything is fitted.
check_learned_call <- function(call, data, given, frame) {
  check_learned_method(eval(call$method, frame))
  family <- eval(call$family, frame)
  if (!is.null(family) && !is_gaussian(as_family(family))) refuse_learned_family(as_family(family))
  if (is_row_source(data)) {
    abort_learned("A row source", "Read the rows into a data frame.")
  }
  if (!is.null(given$transform)) {
    abort_learned("`transform`", "Transform in the formula: log(y) ~ 1.")
  }
  if (!is.null(given$support)) abort_learned("`support`", "Leave learner() out.")
}

refuse_learned_family <- function(family) {
  abort_neargp("family", c("learner() terms need one Gaussian response.",
    x = sprintf("This one is %s.", family_call(family)),
    i = "Leave learner() out, or use the learner's predictions as a covariate."))
}

check_learned_process <- function(process) {
  if (!is.null(process$outputs)) {
    abort_learned("A matrix of responses", "Fit the responses one by one.")
  }
  if (!is_gaussian(process$family)) refuse_learned_family(process$family)
  if (has_areal_data(process)) abort_learned("`support`", "Leave learner() out.")
  check_leave_one_out(process)
}

check_learned_method <- function(method) {
  offered <- !is.list(method) || !inherits(method, "neargp_deep") &&
    has_ability(method, "leave_one_out")
  if (offered) return(invisible())
  abort_neargp("method", c(
    sprintf("learner() needs leave-one-out predictions, which %s() does not offer.",
      method_name(method)), i = "Use vecchia(), exact_gp(), loo_k() or svgp()."))
}
