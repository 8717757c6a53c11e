# Random fits of several responses that share fields: lists of formulas, families and data.

joint_calls_on_fit <- 5L

# The responses are the columns y1, y2, ... of the rows.
add_joint_responses <- function(rows, tame) {
  count <- pick(2L, 2L, 3L, 3L, 4L, if (tame) 5L else 1L)
  families <- if (chance(0.2)) rep(sample(latent_families, 1L), count) else sample(latent_families, count, TRUE)
  for (m in seq_len(count)) {
    y <- random_response(families[m], rows$eta * stats::rnorm(1L), tame)
    if (chance(0.3) && rows$n > 4L && is.null(dim(y)) && !is.raw(y) && length(y) == rows$n) y[sample.int(rows$n, pick(1L, rows$n %/% 2L, if (tame) 2L else rows$n))] <- NA
    rows$data[[paste0("y", m)]] <- y
  }
  rows$families <- families
  rows
}

joint_formulas <- function(count, tame) {
  common <- if (chance(0.3)) pick("common(a)", "common(a)", "common(1)", "common(flag)", "common(a + g)", "common(year)", if (tame) "common(a)" else
    pick("common(nowhere)", "common((1 | g))", "common(a):g", "common(text)", "common(poly(a, 2))", "common(holes)", "common()"))
  formulas <- lapply(seq_len(count), function(m) {
    trend <- random_trend(tame)
    # a term that is common to responses is not repeated
    if (!is.null(common) && tame) trend <- pick("1", "s1", "e", "(1 | g)")
    stats::as.formula(paste0("y", m, " ~ ", paste(c(trend, common), collapse = " + ")), env = globalenv())
  })
  if (chance(0.3)) names(formulas) <- paste0("out", seq_len(count))
  if (!tame && chance(0.1)) formulas[[1L]] <- junk()
  formulas
}

joint_output_names <- function(formulas) {
  if (is.null(names(formulas))) paste0("y", seq_along(formulas)) else names(formulas)
}

random_joint_covariance <- function(outputs, tame) {
  if (chance(0.35)) return(NULL)
  component <- function() pick(neargp::cov_matern(nu = 1.5), neargp::cov_exponential(), neargp::cov_matern(nu = 1.5, range = 0.2),
    neargp::cov_exponential(anisotropy = TRUE), neargp::cov_matern(ard = TRUE), if (tame) neargp::cov_matern(nu = 2.5) else random_component(FALSE))
  if (chance(0.15)) return(component())
  own <- pick(NULL, NULL, component(), stats::setNames(list(component()), sample(outputs, 1L)), if (!tame) list(nothing = component()))
  # the time of a fit is cubic in the number of fields
  rank <- pick(1L, 1L, 2L, if (length(outputs) > 3L) 1L, if (!tame) 7L)
  if (inherits(own, "neargp_covariance") && length(outputs) > 3L) own <- NULL
  arguments <- list(component(), rank = rank, own = own)
  if (chance(0.15)) arguments <- c(list(component()), arguments)
  do.call(neargp::cov_coregionalisation, arguments)
}

# One for all responses, or a list with one for each. Weights and offsets are expressions of columns.
for_joint_responses <- function(draw, count, tame) {
  if (chance(0.5)) return(draw())
  as.call(c(list(quote(list)), lapply(seq_len(if (tame) count else pick(count, count, 1L)), function(m) draw())))
}

joint_fit_call <- function(rows, frame, tame) {
  count <- length(rows$families)
  formulas <- joint_formulas(count, tame)
  families <- lapply(rows$families, random_family)
  if (chance(0.1)) families <- families[[1L]]
  outputs <- joint_output_names(formulas)
  data <- frame$data
  if (is.data.frame(data) && chance(0.2)) {
    data <- lapply(seq_len(count), function(m) data[sort(sample.int(rows$n, max(rows$n %/% 2L, min(rows$n, 8L)))), , drop = FALSE])
    if (chance(0.3)) names(data) <- sample(outputs)
  }
  method <- if (chance(0.8)) {
    if (tame) neargp::vnngp(k = min(pick(3L, 5L, 10L), max(1L, rows$n - 1L)), factor = pick("incomplete", "incomplete", "exact")) else
      random_method("vnngp", rows$n, FALSE)
  }
  call <- list(quote(neargp::neargp), formula = formulas, data = data, coords = frame$coords, family = families, method = method,
    covariance = random_joint_covariance(outputs, tame), verbose = FALSE, threads = 1L)
  if (chance(0.5)) call$control <- neargp::neargp_control(max_iterations = pick(1L, 3L, 20L))
  if (chance(0.15)) call$weights <- for_joint_responses(function() quote(w), count, tame)
  if (chance(0.15)) call$offset <- for_joint_responses(function() pick(quote(a), quote(log(e))), count, tame)
  if (chance(0.1)) call["nugget"] <- list(for_joint_responses(function() pick(0.1, 1), count, tame))
  if (chance(0.06)) call$time <- ~t
  if (!tame && chance(0.15)) call[[sample(setdiff(names(formals(neargp::neargp)), c("device", "cluster", "...")), 1L)]] <- junk()
  as.call(Filter(Negate(is.null), call))
}

check_joint_fit <- function(fit) {
  if (inherits(fit, "neargp")) return(NULL)  # junk may lead to a fit of one response
  if (!inherits(fit, "neargp_joint")) return(problem("WRONG", "no fit, but an object of class ", class(fit)[1L]))
  for (name in c("log_likelihood", "beta", "loadings")) {
    if (!all_finite(fit[[name]])) return(problem("NONFINITE", name, ": ", paste(fit[[name]], collapse = " ")))
  }
  if (!all_finite(fit$parameters$estimate)) return(problem("NONFINITE", "parameters: ", paste(fit$parameters$estimate, collapse = " ")))
  variances <- diag(as.matrix(fit$beta_vcov))
  if (length(variances) && (!all_finite(variances) || any(variances < 0))) {
    return(problem("NONFINITE", "variances of the trend: ", paste(variances, collapse = " ")))
  }
  # the search begins at the separate fits if each response uses its own range
  starts_there <- is.null(fit$covariance) && length(fit$outputs) <= 3L && !is.null(fit$separate) && !any(startsWith(names(fit$beta), "common("))
  if (starts_there && fit$log_likelihood < fit$separate - 1e-6 * (1 + abs(fit$separate))) {
    return(problem("WRONG", "the objective ", fit$log_likelihood, " is below that of separate fits, ", fit$separate))
  }
}

# ---- calls on the fit ----------------------------------------------------------------------------------------------------------------

joint_predict_operation <- function(fit, data) {
  arguments <- list(newdata = random_newdata(data))
  if (chance(0.5)) arguments$type <- pick("response", "link", "quantile", "factor", "prob")
  if (chance(0.4)) arguments$interval <- pick("none", "confidence", "prediction")
  if (chance(0.3)) arguments$threshold <- pick(0, 1, rep(0.5, length(fit$outputs)), c(0, 1, 2, 3, 4, 5), 1e300)
  if (!is.null(arguments$threshold) && chance(0.5)) arguments$exceedance <- "all"
  if (!is.null(arguments$threshold) && chance(0.2)) arguments$threshold_of <- "mean"
  if (chance(0.2)) arguments$outputs <- pick(fit$outputs[1L], rev(fit$outputs), "nothing")
  if (chance(0.2)) arguments$covariance <- TRUE
  if (chance(0.2)) arguments$use_observed <- TRUE
  if (chance(0.2)) arguments$allow.new.levels <- TRUE
  if (chance(0.1)) arguments["re.form"] <- list(pick(NA, NULL, ~0, "x"))
  arguments <- with_junk(arguments)
  operation(function() do.call(stats::predict, c(list(fit), arguments)), function(x) check_table(x, NROW(arguments$newdata)), argument_names(arguments))
}

joint_simulate_operation <- function(fit, data) {
  arguments <- with_junk(list(nsim = pick(1L, 3L), seed = pick(NULL, 1L)))
  if (chance(0.7)) arguments["newdata"] <- list(random_newdata(data))
  if (chance(0.2)) arguments$allow.new.levels <- TRUE
  operation(function() do.call(stats::simulate, c(list(fit), arguments)), check_vector, argument_names(arguments))
}

joint_cross_validate_operation <- function(fit, data) {
  arguments <- with_junk(list(folds = pick(2L, 3L, 10L, 1000L), refit = chance(0.1), verbose = FALSE))
  operation(function() do.call(neargp::cross_validate, c(list(fit), arguments)), function(x) check_table(neargp::scores(x)))
}

joint_extract_operation <- function(fit, data) {
  operation(function() {
    list(coef(fit), coef(fit, what = "covariance"), coef(fit, what = "correlation"), vcov(fit), vcov(fit, what = "covariance"), confint(fit),
      logLik(fit), nobs(fit), formula(fit), family(fit), neargp::tidy(fit), neargp::glance(fit), loadings(fit))
  }, function(x) check_vector(x[c(1L, 2L)]))
}

# The neighbours of the second search are those of the metric where the first one ended.
joint_start_operation <- function(fit, data) {
  operation(function() stats::update(fit, start = fit), function(again) {
    if (again$log_likelihood < fit$log_likelihood - 5e-3 * (1 + abs(fit$log_likelihood))) {
      problem("WRONG", "a search from a fit of ", fit$log_likelihood, " ended at ", again$log_likelihood)
    }
  })
}

joint_saved_operation <- function(fit, data) {
  new <- random_newdata(data)
  operation(function() {
    file <- tempfile(fileext = ".rds")
    on.exit(unlink(file))
    saveRDS(fit, file)
    check_identical(stats::predict(fit, new), stats::predict(readRDS(file), new, threads = 3L), "a saved fit, on three threads, predicts otherwise")
  })
}

joint_hurdle_operation <- function(fit, data) {
  new <- random_newdata(data)
  operation(function() {
    hurdle <- neargp::neargp_hurdle(fit)
    list(stats::predict(hurdle, new), stats::simulate(hurdle, 2, newdata = new))
  }, check_vector)
}

joint_operations <- list(predict = joint_predict_operation, simulate = joint_simulate_operation, cross_validate = joint_cross_validate_operation,
  extract = joint_extract_operation, start = joint_start_operation, saved = joint_saved_operation, hurdle = joint_hurdle_operation,
  print = function(fit, data) operation(function() utils::capture.output(print(fit), print(summary(fit))), check_printed),
  fitted = simple(function(fit) list(stats::fitted(fit), stats::residuals(fit)), check_vector),
  scores = simple(function(fit) neargp::scores(fit), check_table),
  plot = simple(function(fit) with_null_device(function() plot(fit))),
  ranks = simple(function(fit) neargp::compare_ranks(fit, pick(1L, 1:2, 9L))$table, check_table)
)

# Several responses with many random effects would take minutes for more rows.
most_joint_rows <- 100L

few_joint_rows <- function(rows) {
  kept <- seq_len(min(rows$n, most_joint_rows))
  list(data = rows$data[kept, , drop = FALSE], d = rows$d, n = length(kept), eta = rows$eta[kept])
}

run_joint_case <- function(seed, plan, log, trace) {
  rows <- add_joint_responses(few_joint_rows(random_rows(plan$tame)), plan$tame)
  frame <- dress(rows$data, rows$d, plan$tame)
  call <- NULL
  attempt("settings", function() {
    call <<- joint_fit_call(rows, frame, plan$tame)
    TRUE
  }, no_check, log)
  if (is.null(call)) return(invisible())
  if (trace) utils::str(as.list(call)[-1L], max.level = 2L, give.attr = FALSE, vec.len = 3L)
  fit <- attempt("neargp/joint", function() eval(call), check_joint_fit, log)
  if (!inherits(fit, "neargp_joint")) return(invisible())
  if (trace) print(fit)
  # update() finds no name of the data here
  fit$call$data <- call$data
  for (name in sample(names(joint_operations), joint_calls_on_fit, prob = ifelse(names(joint_operations) == "predict", 6, 1))) {
    set.seed(seed + match(name, names(joint_operations)))
    call_on_fit(name, fit, frame, plan, log, joint_operations)
  }
  invisible(fit)
}
