# Fits to several responses: what their methods for generics do otherwise than those of other fits.
# A fit to several responses is of class c("neargp_outputs", "neargp"), with an element `outputs`
# (names), a nugget for each, and loadings in its covariance.

#' @export
fit_of_response.neargp_method_outputs <- function(method, fit) {
  outputs <- fit$data$outputs
  fit <- with_positive_loadings(fit)
  fit$outputs <- outputs
  fit$nugget <- stats::setNames(fit$core_covariance$nuggets, outputs)
  fit$coregionalisation <- coregionalisation_matrices(fit$core_covariance, outputs)
  class(fit) <- c("neargp_outputs", "neargp")
  fit
}

# A factor's sign is arbitrary: that of its first loading is made positive.
with_positive_loadings <- function(fit) {
  layout <- fit$layout
  for (j in seq_along(fit$core_covariance$components)) {
    loadings <- fit$core_covariance$components[[j]]$loadings
    turned <- positive_diagonal(loadings)
    signs <- ifelse(colSums(loadings * turned) < 0, -1, 1)
    rows <- which(layout$kind == "loading" & layout$component == j)
    sign_of_row <- rep_len(signs, length(rows))
    fit$core_covariance$components[[j]]$loadings <- turned
    fit$parameters$estimate[rows] <- fit$parameters$estimate[rows] * sign_of_row
    fit$parameters$working[rows] <- fit$parameters$working[rows] * sign_of_row
    for (name in c("covariance_vcov", "interval_vcov")) {
      fit[[name]][rows, ] <- fit[[name]][rows, ] * sign_of_row
      fit[[name]][, rows] <- sweep(fit[[name]][, rows, drop = FALSE], 2L, sign_of_row, "*")
    }
  }
  fit
}

# ---- covariance parameters -----------------------------------------------------------------------

# Estimates, names and delta-method covariance of what is identified: variances and covariances of
# the outputs in each structure in place of the loadings, on the natural scale.
#' @export
covariance_estimates.neargp_outputs <- function(object) {
  layout <- object$layout
  parts <- lapply(seq_along(object$coregionalisation), function(j) structure_parameters(object, j))
  nugget <- which(layout$kind == "nugget")
  nuggets <- list(name = layout$name[nugget], estimate = unname(object$nugget),
    jacobian = diag(nrow(layout))[nugget, , drop = FALSE],
    fixed = layout$fixed[nugget], at_boundary = object$parameters$at_boundary[nugget])
  parts <- c(parts, list(nuggets))
  jacobian <- do.call(rbind, lapply(parts, `[[`, "jacobian"))
  inner <- object$covariance_vcov
  inner[is.na(inner)] <- 0
  vcov <- jacobian %*% inner %*% t(jacobian)
  uninformed <- !diag(vcov) > 0
  vcov[uninformed, ] <- NA_real_
  vcov[, uninformed] <- NA_real_
  name <- unlist(lapply(parts, `[[`, "name"))
  dimnames(vcov) <- list(name, name)
  table <- data.frame(name = name, estimate = unlist(lapply(parts, `[[`, "estimate")),
    std_error = sqrt(unname(diag(vcov))), fixed = unlist(lapply(parts, `[[`, "fixed")),
    at_boundary = unlist(lapply(parts, `[[`, "at_boundary")))
  list(table = table, vcov = vcov, limits = function(level) limits_of_outputs(table, level))
}

# d B[p, q] = sum over factors of d a_p a_q + a_p d a_q. Loadings are by rows in the layout.
structure_parameters <- function(object, j) {
  layout <- object$layout
  own <- which(layout$component %in% j)
  loading <- own[layout$kind[own] == "loading"]
  A <- object$core_covariance$components[[j]]$loadings
  pairs <- output_pairs(nrow(A))
  jacobian <- matrix(0, nrow(pairs), nrow(layout))
  row_of <- matrix(loading, nrow(A), ncol(A), byrow = TRUE)
  for (i in seq_len(nrow(pairs))) {
    p <- pairs[i, 1L]
    q <- pairs[i, 2L]
    jacobian[i, row_of[p, ]] <- A[q, ]
    jacobian[i, row_of[q, ]] <- jacobian[i, row_of[q, ]] + A[p, ]
  }
  rest <- setdiff(own, loading)
  list(name = c(coregionalisation_names(object$outputs, j, length(object$coregionalisation)),
    layout$name[rest]), estimate = c(object$coregionalisation[[j]][pairs],
    object$parameters$estimate[rest]),
    jacobian = rbind(jacobian, diag(nrow(layout))[rest, , drop = FALSE]),
    fixed = c(rep(all(layout$fixed[loading]), nrow(pairs)), layout$fixed[rest]),
    at_boundary = c(rep(FALSE, nrow(pairs)), object$parameters$at_boundary[rest]))
}

# Wald intervals: of positive parameters on the logarithmic scale, of covariances and angles as they
# are.
limits_of_outputs <- function(table, level) {
  logged <- table$estimate > 0 & !grepl("^(covariance|anisotropy_(angle|dip|plunge))", table$name)
  half_width <- stats::qnorm((1 + level) / 2) * ifelse(logged, table$std_error / table$estimate,
    table$std_error)
  limit_matrix(ifelse(logged, table$estimate * exp(-half_width), table$estimate - half_width),
    ifelse(logged, table$estimate * exp(half_width), table$estimate + half_width), table$name,
    level)
}

# The covariance of two outputs (of one with itself) at distances.
#' @export
covariance_value.neargp_outputs <- function(object, distance, outputs = object$outputs[c(1L, 1L)],
                                            direction = NULL, ...) {
  check_no_more_arguments()
  if (!is.character(outputs) || length(outputs) != 2L) {
    abort_argument("outputs", "the names of two responses", outputs)
  }
  check_choices(outputs, "outputs", object$outputs)
  components <- Map(function(component, B) replace(component, "variance",
    B[outputs[1L], outputs[2L]]), object$core_covariance$components, object$coregionalisation)
  sum_of_covariances(components, distance,
    directional_range = function(component) range_in_direction(component, direction))
}

# ---- print and summary ---------------------------------------------------------------------------

#' @export
sections.neargp_outputs <- function(x, digits, summary = NULL) {
  table <- covariance_estimates(x)$table
  remarks <- c(fixed_remark(x), boundary_lines(x, table$name[table$at_boundary], vanishing = TRUE))
  nugget <- if (is.null(summary)) new_section("Nugget:", x$nugget, remarks) else
    if (length(remarks)) new_section(remarks = remarks, apart = FALSE)
  c(list(header_section(x), trend_section(x, summary),
    if (!is.null(summary)) covariance_table_section("Covariance:", summary)),
  unlist(lapply(seq_along(x$coregionalisation), structure_sections, x, digits,
    is.null(summary)), recursive = FALSE),
  list(nugget, ending_section(x)))
}

# `values`: with the parameters, which a summary has in a table.
structure_sections <- function(j, x, digits, values) {
  B <- x$coregionalisation[[j]]
  own <- which(x$layout$component %in% j & x$layout$kind != "loading" &
    !x$layout$name %in% titled_shapes(x))
  of_structure <- function(all) all[intersect(x$layout$name[own], names(all))]
  deviations <- sqrt(diag(B))
  table <- cbind(variance = diag(B), sd = deviations, ifelse(outer(deviations, deviations) > 0,
    B / outer(deviations, deviations), NA_real_))
  number <- if (length(x$coregionalisation) > 1L) paste0(j, ": ")
  described <- describe_covariance(list(components = x$covariance$components[j]))
  list(new_section(paste0("Structure ", number, described),
    if (values) stats::setNames(x$parameters$estimate[own], x$layout$name[own]),
    c(effective_range_line(x, of_structure(effective_ranges(x)), digits),
      level_line(of_structure(level_correlations(x)), digits))),
  new_section("  Covariance of the responses (correlations right of the variances):", table,
    show = show_numbers, apart = FALSE))
}

# ---- one of them ---------------------------------------------------------------------------------

# One output with its trend and covariance, as if it had been fitted by itself.
single_output <- function(x, output) {
  p <- match(output, x$outputs)
  q <- ncol(x$data$X) %/% length(x$outputs)
  x$beta <- x$beta[(p - 1L) * q + seq_len(q)]
  x$data <- data_of_output(x$data, p)
  x$data["basis"] <- x["core_trend"] <- list(NULL)
  x$nugget <- x$nugget[[p]]
  x$core_covariance$components <- Map(function(component, B) {
    component$variance <- B[p, p]
    component$loadings <- NULL
    component
  }, x$core_covariance$components, x$coregionalisation)
  as_one_output(x)
}

#' @rdname empirical_variogram
#' @param output for a fit to several responses, the name of one.
#' @export
empirical_variogram.neargp_outputs <- function(object, output = object$outputs[1L], ...) {
  check_choice(output, "output", object$outputs)
  empirical_variogram(single_output(object, output), ...)
}
