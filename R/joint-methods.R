#' Several responses of different families that share fields
#'
#' @description
#' Fits counts, presence, amounts and measurements in one model with shared processes.
#' Experimental.
#'
#' ```r
#' gauges <- subset(wet_days(), lon < -110)
#' gauges$rain <- gauges$on_21st > 0
#' fit <- neargp(list(wet = wet ~ 1, rain ~ 1), gauges, coords = ~ lon + lat, crs = 4326,
#'   family = list(poisson(), binomial()))
#' predict(fit, data.frame(lon = -120, lat = 40))
#' ```
#'
#' @details
#' The linear predictor of response m is its trend plus sum_q A\[m, q\] f_q(s), with independent
#' Gaussian processes f_q of variance 1 and loadings A. [vnngp()] maximises the ELBO.
#'
#' * **Lists**: `formula` and `family` are lists with an element for each response. `data`,
#'   `weights` and `offset` are one for all, or lists. `cbind(a, b) ~ x` with one family gives all
#'   the same trend.
#' * **Fields**: [cov_coregionalisation()]. Two or three responses share as many fields, each with
#'   its own range, and more responses share two factors.
#' * **Common coefficients**: `list(a ~ common(x) + z, b ~ common(x))` estimates one coefficient
#'   of x. `common(1)` is a common intercept.
#' * **Missing responses** are `NA`. Responses may be at different locations.
#' * **Gain**: `print()` compares the ELBO with separate fits.
#'
#' With as many shared fields as responses, the prior of correlations is LKJ(2), unless all
#' responses are Gaussian.
#'
#' @return [neargp()] returns an object of class `neargp_joint`. Its element `loadings` is A, for
#'   [stats::loadings()] and, within one structure, [stats::varimax()], and `parts` are the
#'   single fits. See [predict.neargp_joint()].
#' @seealso [cov_coregionalisation()], [joint_areas], [compare_ranks()], [sanity()],
#'   [neargp_hurdle()], [checkpoints]; the article "Several responses".
#' @references Thorson, J. T. (2019). *Fisheries Research* 210, 143–161.
#' @examples
#' # Presence and amounts of the same catches
#' set.seed(1)
#' d <- data.frame(x = runif(200), y = runif(200))
#' field <- sin(6 * d$x) + d$y
#' d$present <- rbinom(200, 1, plogis(2 * field - 1))
#' d$amount <- ifelse(d$present == 1, rgamma(200, 3, 3 / exp(field)), NA)
#' fit <- neargp(list(present ~ 1, amount ~ 1), d, coords = ~ x + y,
#'   family = list(binomial(), Gamma("log")), method = vnngp(k = 8))
#' fit
#' predict(fit, d[1:3, ], interval = "prediction")
#' coef(fit, what = "correlation")
#'
#' coef(update(fit, list(present ~ common(1), amount ~ common(1))))  # one intercept
#' @name joint_models
#' @aliases common
NULL

#' @export
print.neargp_joint <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_sections(sections(x, digits), digits)
  invisible(x)
}

#' @export
sections.neargp_joint <- function(x, digits, summary = NULL) {
  families <- vapply(x$parts, function(part) paste0(family_call(part$family), " with ",
    part$family$link, " link"), "")
  formulas <- vapply(stats::formula(x), deparse1, "")
  left <- vapply(x$parts, function(part) deparse1(part$formula[[2L]]), "")
  facts <- c(Formulas = on_lines(ifelse(left == x$outputs, formulas, paste0(x$outputs, ": ",
    formulas))),
    Responses = on_lines(sprintf("%s: %s, %s observed", x$outputs, families,
      vapply(x$parts, count_of_rows, ""))),
    Locations = format_count(nrow(x$posterior$coords)),
    Coordinates = describe_locations(input_locations(x$locations)))
  c(list(new_section(sprintf("Gaussian process fit of %d responses with %d %s: %s",
    length(x$outputs), ncol(x$loadings), if (ncol(x$loadings) == 1L) "field" else "fields",
    describe_method(x)), facts, show = show_facts, apart = FALSE),
  if (is.null(summary)) new_section("Trend:", x$beta) else
    new_section("Trend:", summary$coefficients, show = show_coefficients),
  new_section("Fields:", describe_fields(x), show = show_facts),
  new_section("Loadings:", x$loadings, dead_fields_remark(x), show = show_numbers),
  new_section("Correlations of the responses (standard deviations on the diagonal):",
    with_deviations(joint_covariances(x)), show = show_numbers),
  new_section("Ranges and families:", joint_parameters(x), boundary_remark(x))),
  list(new_section(joint_ending(x), apart = TRUE)))
}

count_of_rows <- function(part) {
  count <- length(part$data$y)
  if (is.null(part$areas)) return(format_count(count))
  sprintf("%s of up to %s", counted(count, "area"), counted(max(tabulate(part$areas$row)), "point"))
}

# The correlation of the fields of each structure, and the responses of fields of their own.
describe_fields <- function(x) {
  structures <- Filter(function(structure) !isTRUE(structure$constant), x$structures)
  fields <- split(colnames(shared_loadings(x)), structure_of_fields(structures))
  facts <- vapply(structures, function(structure) {
    described <- sub("^Covariance: ", "", describe_covariance(list(components = list(
      structure$component))))
    if (is.null(structure$own)) return(described)
    sprintf("%s, of %s alone", described, format_some(x$outputs[structure$own]))
  }, "")
  stats::setNames(facts, vapply(fields, paste, "", collapse = ", "))
}

dead_fields_remark <- function(x, least = 1e-3) {
  A <- shared_loadings(x)
  share <- abs(A) / sqrt(pmax(rowSums(A^2), 1e-300))
  dead <- colnames(A)[apply(share, 2L, max) < least]
  if (length(dead)) sprintf("The data show no effect of %s, whose loadings ended at 0.",
    format_some(dead))
}

# Both remarks of parameters without a standard error of their own.
boundary_remark <- function(x) {
  named <- function(which) format_some(x$parameters$name[which])
  ended <- x$parameters$at_boundary
  poor <- x$parameters$poor
  c(if (any(ended)) sprintf("At a limit of its search, where standard errors take it as known: %s.",
    named(ended)),
  if (any(poor)) sprintf("Poorly determined by the data: %s.", named(poor)))
}

joint_ending <- function(x) {
  gain <- if (!is.null(x$separate)) sprintf("; separate fits %.2f, gain %.2f", x$separate,
    x$log_likelihood - x$separate)
  sprintf("%s: %.2f%s", capitalised(x$score), x$log_likelihood, gain %||% "")
}

# Parameters other than loadings, on the natural scale.
joint_parameters <- function(x) {
  of_constants <- which(holds_constants(x$structures))
  shown <- x$layout$kind != "loading" & !(x$layout$fixed & x$layout$kind == "shape") &
    !x$layout$component %in% of_constants
  stats::setNames(x$parameters$estimate[shown], x$layout$name[shown])
}

joint_covariances <- function(x) tcrossprod(shared_loadings(x))

with_deviations <- function(B) {
  result <- correlations_of(B)
  diag(result) <- sqrt(diag(B))
  result
}

# NA for a response without a field. Rounding may take a ratio beyond 1.
correlations_of <- function(B) {
  deviations <- sqrt(diag(B))
  deviations[deviations == 0] <- NA
  result <- B / outer(deviations, deviations)
  result[] <- pmax(pmin(result, 1), -1)
  diag(result)[!is.na(deviations)] <- 1
  result
}

#' @export
summary.neargp_joint <- function(object, ...) {
  check_no_more_arguments()
  error <- sqrt(diag(object$beta_vcov))
  z <- object$beta / error
  structure(list(fit = object, coefficients = cbind(Estimate = object$beta, `Std. Error` = error,
    `z value` = z, `Pr(>|z|)` = wald_p_value(z))), class = c("summary.neargp_joint",
    "summary.neargp"))
}

#' @export
print.summary.neargp_joint <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_sections(sections(x$fit, digits, x), digits)
  invisible(x)
}

#' @export
coef.neargp_joint <- function(object, what = c("trend", "covariance", "correlation"), ...) {
  check_no_more_arguments()
  switch(check_choice(what, "what", c("trend", "covariance", "correlation")),
    trend = object$beta,
    covariance = stats::setNames(object$parameters$estimate,
      object$parameters$name)[!hidden_parameters(object)],
    correlation = correlations_of(joint_covariances(object)))
}

#' @export
vcov.neargp_joint <- function(object, what = c("trend", "covariance"), ...) {
  check_no_more_arguments()
  what <- check_choice(what, "what", c("trend", "covariance"))
  if (what == "trend") return(object$beta_vcov)
  names <- object$layout$name
  result <- matrix(NA_real_, length(names), length(names), dimnames = list(names, names))
  rows <- object$spread$rows
  natural <- function(working) joint_natural(object$layout, to_core(working,
    object$layout$transform), object$signs)
  jacobian <- slopes_by_differences(natural, object$parameters$working, seq_along(names) %in% rows,
    rep(1, length(names)))
  shown <- !hidden_parameters(object)
  if (is.null(jacobian)) return(result[shown, shown, drop = FALSE])
  result[] <- jacobian[, rows, drop = FALSE] %*% object$spread$covariance %*%
    t(jacobian[, rows, drop = FALSE])
  unknown <- diag(result) == 0 | names %in% object$parameters$name[object$parameters$poor]
  result[unknown, ] <- NA_real_
  result[, unknown] <- NA_real_
  result[shown, shown, drop = FALSE]
}

#' @export
confint.neargp_joint <- function(object, parm, level = 0.95, ...) {
  check_no_more_arguments()
  half <- stats::qnorm((1 + check_level(level)) / 2) * sqrt(diag(object$beta_vcov))
  limits <- limit_matrix(object$beta - half, object$beta + half, names(object$beta), level)
  if (missing(parm)) limits else take_limits(limits, parm)
}

#' @export
logLik.neargp_joint <- function(object, ...) {
  check_no_more_arguments()
  likelihood <- all_gaussian(object$parts)
  structure(object$log_likelihood, df = length(object$beta) + sum(!object$parameters$fixed),
    nobs = stats::nobs(object), score = if (!likelihood) object$score,
    class = c(if (!likelihood) "neargp_score", "logLik"))
}

#' @export
nobs.neargp_joint <- function(object, ...) length(object$posterior$response)

#' @export
fitted.neargp_joint <- function(object, ...) {
  of_rows(object, lapply(parts_of(object), stats::fitted, ...))
}

#' @export
residuals.neargp_joint <- function(object, ...) {
  of_rows(object, lapply(parts_of(object), stats::residuals, ...))
}

# A matrix with a row for each row of the data, where all responses are of one data frame, and else
# a list.
of_rows <- function(object, values) {
  rows <- lapply(object$parts, rows_of_part)
  counts <- vapply(object$parts, `[[`, 0L, "n_given")
  same <- isTRUE(object$one_data) && length(unique(counts)) == 1L &&
    all(lengths(rows) == vapply(object$parts, function(part) length(part$data$y), 0L))
  if (!same) return(lapply(values, unname))
  result <- matrix(NA_real_, counts[1L], length(values), dimnames = list(NULL, object$outputs))
  for (m in seq_along(values)) {
    own <- as.vector(values[[m]])
    # na.exclude has filled up the rows that were left out
    result[rows[[m]], m] <- if (length(own) == counts[m]) own[rows[[m]]] else own
  }
  result
}

#' @export
tidy.neargp_joint <- function(x, conf.int = FALSE, conf.level = 0.95, exponentiate = FALSE, ...) {
  check_no_more_arguments()
  check_flag(conf.int, "conf.int")
  check_flag(exponentiate, "exponentiate")
  found <- summary(x)$coefficients
  owners <- coefficient_owners(x$parts)
  table <- data.frame(response = owners$owner, term = owners$term,
    estimate = found[, 1L], std.error = found[, 2L], statistic = found[, 3L],
    p.value = found[, 4L], row.names = NULL)
  limits <- unname(stats::confint(x, level = conf.level))
  if (conf.int) table[c("conf.low", "conf.high")] <- list(limits[, 1L], limits[, 2L])
  if (exponentiate) exponentiated_rows(table, rep(TRUE, nrow(table))) else table
}

#' @export
glance.neargp_joint <- function(x, ...) {
  check_no_more_arguments()
  data.frame(nobs = stats::nobs(x), outputs = length(x$outputs), fields = ncol(shared_loadings(x)),
    places = nrow(x$posterior$coords), score = x$log_likelihood, score_type = x$score,
    separate = x$separate %||% NA_real_, converged = x$convergence$converged,
    seconds = x$elapsed[["total"]])
}

parts_of <- function(object) lapply(rlang::set_names(object$outputs), part_of, object = object)

#' @export
family.neargp_joint <- function(object, ...) lapply(object$parts, stats::family)

#' @export
formula.neargp_joint <- function(x, ...) x$formulas %||% lapply(x$parts, stats::formula)

# A formula such as . ~ . + z changes that of each response; a list replaces the formulas.
#' @export
update.neargp_joint <- function(object, formula., ..., evaluate = TRUE) {
  call <- object$call
  frame <- parent.frame()
  if (!missing(formula.)) {
    given <- eval(call$formula, frame)
    call$formula <- if (!rlang::is_formula(formula.)) formula. else if (rlang::is_formula(given))
      stats::update(given, formula.) else lapply(given, stats::update, formula.)
  }
  changed <- as.list(match.call(expand.dots = FALSE))[["..."]]
  for (name in names(changed)) call[name] <- changed[name]
  if (isTRUE(evaluate)) eval(call, frame) else call
}
