#' Tidy summaries of a fit (broom)
#'
#' @description
#' `tidy()` returns a row for each parameter, `glance()` one row for the fit, and `augment()` the
#' data with fitted values and residuals.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' tidy(fit)
#' ```
#'
#' @param x a fit by [neargp()].
#' @param effects `"trend"` or `"fixed"`, `"covariance"` or `"ran_pars"`, both, or `"ran_vals"` for
#'   [random effects][random_effects].
#' @param conf.int `TRUE` adds confidence intervals. Default: `FALSE`.
#' @param conf.level their level. Default: 0.95.
#' @param data the training data, for `augment()`. Default `NULL`: the columns of the model.
#' @param exponentiate `TRUE` exponentiates the trend's estimates and limits (odds, rates). Default:
#'   `FALSE`.
#' @param newdata new rows, which replace `data`. Default `NULL`: none.
#' @param se_fit,interval for `newdata`: add standard errors? `"confidence"` or `"prediction"`
#'   limits?
#' @param ... not used.
#' @return A data frame, tibble, data.table or sf object, as the data.
#'
#' `tidy()`: `effect`, `term`, `estimate`, `std.error`, and for the trend `statistic` and `p.value`
#' (Wald test). Several responses add `response`, and categories `y.level`. [joint_models]
#' return the trend alone.
#'
#' `glance()`: `nobs`, `df`, `logLik`, `AIC`, `BIC`, `sigma`, `variance`, `range`, `nugget`,
#' `method`, `k`, `converged`, `iterations`, `elapsed`, `deviance` and `df.residual`. Criteria of
#' scores are `NA`. Deep fits add `validation` and `coverage`.
#'
#' `augment()`: the data with `.fitted`, `.resid`, and the leave-one-out `.loo_mean`, `.loo_sd` and
#' `.loo_std_resid`, which is random for counts. [ppgpr()] returns the first two, deep fits also
#' `.std_resid`. `newdata` returns `.fitted`, `.se.fit`, `.lower`, `.upper` and `.resid`, and for
#' categories `.pred_<level>` and `.pred_class`. [joint_models] return a row for each observation of
#' each response, and `.fitted_<response>` for `newdata`.
#' @seealso [summary.neargp()], [companions]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5))
#' tidy(fit, conf.int = TRUE)
#' glance(fit)
#' head(augment(fit), 3)
#' augment(fit, newdata = stations[1:2, ], interval = "prediction")
#' @name tidiers
NULL

#' @importFrom generics tidy
#' @export
generics::tidy

#' @importFrom generics glance
#' @export
generics::glance

#' @importFrom generics augment
#' @export
generics::augment

#' @rdname tidiers
#' @export
tidy.neargp <- function(x, effects = c("trend", "covariance"), conf.int = FALSE, conf.level = 0.95,
                        exponentiate = FALSE, ...) {
  check_fit(x)
  check_no_more_arguments()
  check_choices(effects, "effects", c("trend", "covariance", "fixed", "ran_pars", "ran_vals"))
  effects <- unique(named_as_trend(effects))
  check_flag(conf.int, "conf.int")
  check_flag(exponentiate, "exponentiate")
  check_level(conf.level, "conf.level")
  parts <- list(trend = tidy_trend, covariance = tidy_covariance, ran_vals = tidy_random)[effects]
  tables <- lapply(parts, function(part) part(x))
  table <- do.call(rbind, unname(tables))
  if (conf.int) {
    limits <- do.call(rbind, Map(tidy_limits, effects, tables, list(x), conf.level))
    table[c("conf.low", "conf.high")] <- list(limits[, 1L], limits[, 2L])
  }
  if (exponentiate) table <- exponentiated_trend(table)
  structure(table, row.names = seq_len(nrow(table)))
}

# Estimates without errors get no limits.
tidy_limits <- function(what, table, x, level) {
  if (!has_errors(table$std.error)) return(matrix(NA_real_, nrow(table), 2L))
  unname(if (what == "ran_vals") random_limits(x, level) else
    stats::confint(x, level = level, what = what))
}

exponentiated_trend <- function(table) exponentiated_rows(table, table$effect == "trend")

# With all numbers of an estimate on one scale; d exp(b) = exp(b) db.
exponentiated_rows <- function(table, rows) {
  shown <- intersect(c("estimate", "conf.low", "conf.high"), names(table))
  table$std.error[rows] <- exp(table$estimate[rows]) * table$std.error[rows]
  table[rows, shown] <- exp(table[rows, shown])
  table
}

# The names that mixed models have for them.
named_as_trend <- function(effects) {
  same <- c(fixed = "trend", ran_pars = "covariance")
  unname(ifelse(effects %in% names(same), same[effects], effects))
}

tidy_trend <- function(fit) {
  wald <- wald_tests(fit)
  data.frame(effect = rep("trend", length(wald$z)), term = as.character(names(wald$estimate)),
    estimate = unname(wald$estimate), std.error = unname(wald$std_error),
    statistic = unname(wald$z), p.value = unname(wald$p_value))
}

# Next to the term whose it is, as broom has it of several responses and classes; `owner` and `term`
# are of the trend's rows, `others` of the other rows.
with_owner_column <- function(table, column, owner, term, others = NA_character_) {
  trend <- table$effect == "trend"
  whose <- rep(NA_character_, nrow(table))
  whose[!trend] <- others
  if (any(trend)) {
    whose[trend] <- owner
    table$term[trend] <- term
  }
  cbind(table["effect"], stats::setNames(list(whose), column), table[-1L])
}

tidy_covariance <- function(fit) {
  parameters <- covariance_estimates(fit)$table
  none <- rep(NA_real_, nrow(parameters))
  data.frame(effect = rep("covariance", nrow(parameters)), term = parameters$name,
    estimate = parameters$estimate, std.error = parameters$std_error, statistic = none,
    p.value = none)
}

#' @rdname tidiers
#' @export
glance.neargp <- function(x, ...) {
  check_fit(x)
  check_no_more_arguments()
  first <- function(name) {
    found <- x$parameters$name %in% c(name, paste0(name, "_1"))
    if (any(found)) x$parameters$estimate[found][1L] else NA_real_
  }
  data.frame(nobs = stats::nobs(x), glance_score(x), sigma = stats::sigma(x),
    variance = first("variance"), range = first("range"), nugget = nugget_estimate(x),
    glance_search(x), deviance = criterion(x, stats::deviance), df.residual = stats::df.residual(x))
}

# AIC and BIC exist for likelihoods only, not for the scores that loo_k() and mll_k() maximise.
criterion <- function(x, value) if (is_likelihood(x)) value(x) else NA_real_

glance_score <- function(x) {
  score <- stats::logLik(x)
  data.frame(df = attr(score, "df"), logLik = as.numeric(score), AIC = criterion(x, stats::AIC),
    BIC = criterion(x, stats::BIC))
}

glance_search <- function(x) {
  data.frame(method = method_name(x$method), k = x$k %||% NA_integer_,
    converged = as.logical(x$convergence$converged),
    iterations = x$convergence$iterations %||% NA_integer_, elapsed = x$elapsed[["total"]])
}

#' @rdname tidiers
#' @export
augment.neargp <- function(x, data = NULL, newdata = NULL, se_fit = FALSE,
                           interval = c("none", "confidence", "prediction"), conf.level = 0.95,
                           ...) {
  check_fit(x)
  check_no_more_arguments()
  interval <- check_choice(interval, "interval", c("none", "confidence", "prediction"))
  if (!is.null(newdata)) return(augment_newdata(x, newdata, se_fit, interval, conf.level))
  check_for_newdata(se_fit, interval)
  fitted <- smoothed(x$method, x, NULL, NULL)
  said <- data.frame(.fitted = fitted, .resid = observed_response(x$data) - fitted)
  if (has_ability(x$method, "leave_one_out")) {
    said[c(".loo_mean", ".loo_sd", ".loo_std_resid")] <- loo_table(x)[c("mean", "sd", "z")]
  }
  with_training_columns(x, data, said)
}

# Refuses arguments of predictions: the rows of the fit have leave-one-out predictions.
check_for_newdata <- function(se_fit, interval) {
  if (isFALSE(se_fit) && interval == "none") return(invisible())
  abort_neargp("argument", c("`se_fit` and `interval` are for `newdata`.",
    i = "For the rows of the fit, `.loo_mean` and `.loo_sd` are their predictions from the others."))
}

# The data with `said`, what the fit says of each of its rows.
with_training_columns <- function(x, data, said) {
  n <- length(x$data$y)
  like <- data %||% data_of_call(x)
  data <- if (is.null(data)) original_columns(x) %||% fitted_columns(x) else
    if (inherits(data, "data.table")) as.data.frame(data) else data
  spread <- stats::naresid(x$na_action, seq_len(n))
  if (!is.data.frame(data) || !nrow(data) %in% c(n, length(spread))) {
    abort_neargp("argument", c(
      sprintf("`data` must be a data frame with the %s rows that were fitted.", format_count(n)),
      i = "Remove the rows that `subset` or `na.action` removed, or fit with na.action = na.exclude."
    ))
  }
  if (nrow(data) != n) said <- said[spread, ]
  data[names(said)] <- said
  if (is_sf(data)) data else in_class_of(data, like)
}

# The data of the call, if they are still what was fitted.
original_columns <- function(fit) {
  data <- data_of_call(fit)
  if (is.null(data)) return(NULL)
  plain <- drop_geometry(data)
  rows <- fitted_row_numbers(fit, data)
  if (is.null(rows) || have_moved(fit, data, rows) || length(changed_parts(fit, data))) return(NULL)
  wanted <- intersect(unique(c(all.vars(fit$terms), all.vars(fit$locations$terms),
    fit$locations$time)), names(plain))
  columns <- as.data.frame(plain)[rows, wanted, drop = FALSE]
  if (!is_sf(data)) return(columns)
  places <- original_coords(fit)
  cbind(columns, places[, setdiff(colnames(places), wanted), drop = FALSE])
}

fitted_columns <- function(fit) {
  response <- if (is.null(fit$classifier)) observed_response(fit$data) else observed_classes(fit)
  data <- structure(data.frame(response), names = fit$data$response_name)
  trend <- fit$data$X[, setdiff(colnames(fit$data$X), "(Intercept)"), drop = FALSE]
  extra <- cbind(as.data.frame(trend), original_frame(fit))
  cbind(data, extra[, !duplicated(colnames(extra)), drop = FALSE])
}
