# A case is a set of rows, one fit and eight calls on it. Its seed reproduces it exactly.
#
# Every call ends with one of these outcomes.
#   `ok`         The result passes its check.
#   `classed`    The call raises an error of class neargp_error.
#   `UNCLASSED`  The call raises any other error.
#   `NONFINITE`  Numbers are missing or not finite.
#   `WRONG`      Numbers are out of their range, or a dense reference or the same call again contradicts them.
# Seen from outside, a call can also end as CRASH, HANG or MEMORY. HARNESS is an error of these files.

calls_on_fit <- 8L

# Runs a call and checks it. `log` provides begin(operation) and end(operation, outcome, text, warnings).
attempt <- function(operation, run, check, log) {
  log$begin(operation)
  unclassed_warnings <- character(0)
  muffle <- function(w) {
    if (!inherits(w, "neargp_warning")) unclassed_warnings <<- union(unclassed_warnings, one_line(conditionMessage(w)))
    invokeRestart("muffleWarning")
  }
  value <- tryCatch(
    withCallingHandlers(run(), warning = muffle, message = function(m) invokeRestart("muffleMessage")),
    error = function(e) structure(list(error = e), class = "fuzz_error"))
  verdict <- judge(value, check)
  log$end(operation, verdict$kind, verdict$text, unclassed_warnings)
  if (!inherits(value, "fuzz_error")) value
}

judge <- function(value, check) {
  if (inherits(value, "fuzz_error")) {
    e <- value$error
    message <- one_line(conditionMessage(e))
    if (inherits(e, "neargp_error")) return(list(kind = "classed", text = paste0(class(e)[1L], ": ", message)))
    return(list(kind = "UNCLASSED", text = paste0(message, " [", one_line(deparse(conditionCall(e))[1L]), "]")))
  }
  found <- if (inherits(value, "fuzz_problem")) value else check(value)
  if (inherits(found, "fuzz_problem")) found else list(kind = "ok", text = "")
}

# `joint` stands for lists of formulas and families (joint.R).
method_weights <- c(vecchia = 3, exact_gp = 2, mll_k = 2.5, loo_k = 1.2, vnngp = 3, svgp = 1.2, odvgp = 0.6, ppgpr = 0.8, swsgp = 1, dspp = 0.6, dgp = 0.4,
  joint = 1)

# All methods, or those that NEARGP_FUZZ_METHODS names.
wanted_methods <- function() {
  named <- strsplit(Sys.getenv("NEARGP_FUZZ_METHODS"), " +")[[1L]]
  if (length(named)) method_weights[named] else method_weights
}

# Draws the kind of a case, before any data.
draw_plan <- function() {
  tame <- chance(0.6)
  method <- pick_name(wanted_methods())
  family <- sample(families_of[[method]], 1L)
  if (!tame && chance(0.05)) family <- "poisson"
  default <- chance(0.12)
  label <- paste0(if (default) "default" else method, "/", family)
  list(tame = tame, method = method, family = family, default_method = default, label = label,
    several = method %in% c("vecchia", "exact_gp", "mll_k", "loo_k", "svgp", "dspp", "dgp") && family == "gaussian" && chance(0.08))
}

# Adds the response's columns to the rows, and the left side of the formula.
add_response <- function(rows, plan) {
  rows$data$y <- random_response(plan$family, rows$eta, plan$tame)
  rows$left <- "y"
  if (plan$several) {
    rows$data$y2 <- stats::rnorm(rows$n)
    if (rows$n > 2L && chance(0.5)) rows$data$y2[1:2] <- NA
    rows$left <- "cbind(y, y2)"
  } else if (plan$family == "binomial" && chance(0.3)) rows$left <- "cbind(y, trials)"
  rows
}

# Errors of the functions that make settings are caught as well. In that case the result is NULL.
draw_settings <- function(plan, rows, log) {
  settings <- NULL
  attempt("settings", function() {
    settings <<- list(method = random_method(plan$method, rows$n, plan$tame), covariance = random_covariance(plan$several, plan$tame),
      family = random_family(plan$family))
    if (plan$default_method) settings["method"] <<- list(NULL)
    TRUE
  }, no_check, log)
  settings
}

fit_call <- function(settings, rows, frame, plan) {
  formula <- stats::as.formula(paste(rows$left, "~", random_trend(plan$tame)))
  arguments <- c(list(formula = formula, data = frame$data, coords = frame$coords), settings, list(verbose = FALSE, threads = 1L))
  further <- further_arguments(plan$tame, settings$covariance)
  arguments[names(further)] <- further
  # in half of the cases NULL is passed, and in the others it is left out
  if (chance(0.5)) arguments <- Filter(Negate(is.null), arguments)
  as.call(c(list(quote(neargp::neargp)), arguments))
}

call_on_fit <- function(name, fit, frame, plan, log, among = operations) {
  drawn <- tryCatch(among[[name]](fit, frame$data), error = function(e) {
    log$end(name, "HARNESS", one_line(conditionMessage(e)), character(0))
    NULL
  })
  if (is.null(drawn)) return(invisible())
  arguments <- if (nzchar(drawn$label)) paste0("(", drawn$label, ")")
  attempt(paste0(name, arguments, "/", plan$label), drawn$run, drawn$check, log)
}

run_case <- function(seed, log, trace = FALSE) {
  set.seed(seed)
  plan <- draw_plan()
  if (plan$method == "joint") return(run_joint_case(seed, plan, log, trace))
  rows <- add_response(random_rows(plan$tame), plan)
  frame <- dress(rows$data, rows$d, plan$tame)
  settings <- draw_settings(plan, rows, log)
  if (is.null(settings)) return(invisible())
  call <- fit_call(settings, rows, frame, plan)
  if (trace) utils::str(as.list(call)[-1L], max.level = 2L, give.attr = FALSE, vec.len = 3L)
  fit <- attempt(paste0("neargp/", plan$label), function() eval(call), check_fit, log)
  if (!inherits(fit, "neargp")) return(invisible())
  if (trace) print(fit)
  wrong <- check_likelihood(fit)
  if (!is.null(wrong)) log$end("dense likelihood", wrong$kind, wrong$text, character(0))
  if (inherits(call$control, "neargp_control")) {
    set.seed(seed)
    attempt(paste0("resume/", plan$label), function() call, function(call) check_resumed(call, fit), log)
  }
  weights <- ifelse(names(operations) == "predict", 6, 1)
  for (name in sample(names(operations), calls_on_fit, prob = weights)) {
    set.seed(seed + match(name, names(operations)))
    call_on_fit(name, fit, frame, plan, log)
  }
  invisible(fit)
}
