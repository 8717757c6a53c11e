# The fit of several responses that share fields, from the fits of single responses to the result.

# `call`: of neargp() with all arguments by name, `kept_call`: the one that the fit keeps.
fit_joint <- function(call, kept_call, formula, family, data, frame) {
  began <- proc.time()[["elapsed"]]
  check_joint_call(call)
  responses <- if (is_multinomial(family)) composition_responses(call, formula, data, frame) else
    joint_responses(call, formula, family, data, frame)
  first_data <- data_of_first_response(data)
  settings <- joint_settings(call, first_data, frame)
  structures <- joint_fields(responses, with_joint_replicates(settings$covariance, first_data))
  start <- check_joint_start(settings$start, names(responses$formulas), structures)
  common <- cut_common(responses$formulas)
  parts <- with_common_terms(fit_parts(responses, common$formulas, settings), common$labels)
  check_support_is_used(settings$support, parts)
  check_common_locations(parts)
  check_joint_parts(parts)
  parts <- located_parts(responses, parts)
  structures <- located_fields(responses, structures, parts)
  fitted <- proc.time()[["elapsed"]]
  session <- new_session(kept_call, settings$verbose)
  object <- run_in_session(session, function() {
    method <- settings$method
    method$k <- method$k %||% default_joint_k(method, parts)
    shared <- new_joint_problem(parts, structures, method, settings$control,
      new_context(settings$threads, "cpu", settings$control$neighbor_search), session,
      start)
    if (!is.null(settings$checkpoint$path)) {
      keep_checkpoint(session, settings$checkpoint, joint_key(shared))
    }
    new_joint_fit(shared, joint_optimum(shared), settings, kept_call)
  })
  object$formulas <- responses$formulas
  object$one_data <- length(unique(lapply(parts, function(part) part$call$data))) == 1L
  object$elapsed <- c(separate = fitted - began, joint = proc.time()[["elapsed"]] - fitted,
    total = proc.time()[["elapsed"]] - began)
  warn_unless_converged(object)
  finished_joint_fit(responses, object)
}

# Settings of the fields and the search. `shared`: arguments of the fits of single
# responses in place of the call's. `data`: those of the first response.
joint_settings <- function(call, data, frame) {
  value <- function(name) if (!is.null(call[[name]])) eval(call[[name]], frame)
  covariance <- value("covariance")
  if (!is.null(covariance)) check_covariance(covariance)
  control <- value("control") %||% neargp_control()
  check_class(control, "control", "neargp_control", "made by neargp_control()")
  if (!is.null(control$shards)) {
    refuse_of_joint("neargp_control(shards = )",
      "Leave it out: all locations of a joint fit are in the memory of one process.")
  }
  checkpoint <- check_joint_checkpoint(checkpoint_argument(control, value("resume")))
  control$checkpoint <- NULL
  method <- joint_method(value("method"))
  first <- component_of_parts(covariance %||% cov_matern(nu = 1.5), data)
  first["variance"] <- list(NULL)
  verbose <- value("verbose") %||% rlang::is_interactive()
  list(covariance = covariance, control = control, checkpoint = checkpoint, method = method,
    support = check_joint_support(value("support")), threads = value("threads"),
    start = value("start"), verbose = check_flag(verbose, "verbose"),
    shared = list(method = method, covariance = structure(list(components = list(first)),
      class = "neargp_covariance"), verbose = FALSE, start = NULL, resume = NULL))
}

check_joint_parts <- function(parts) {
  for (output in names(parts)) {
    if (!is_compressed(parts[[output]]$data)) next
    abort_argument("formula",
      sprintf("one with fewer random effects; several responses take at most 1,000 (%s)", output),
      "a formula with more")
  }
}

# The method that all responses are fitted by.
joint_method <- function(method) {
  method <- method %||% vnngp()
  check_method(method)
  plain <- inherits(method, "neargp_vnngp") && method$posterior == "sparse" &&
    method$optimizer != "adam" && is.null(method$inducing) && !has_latent_low_rank(method)
  if (plain) return(method)
  abort_neargp("method", c("Only vnngp() fits compositions and several responses of different families.",
    i = "Use method = vnngp(), with posterior = \"sparse\", without `inducing` and `low_rank`."))
}
