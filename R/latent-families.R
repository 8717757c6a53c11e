# What the latent models of vnngp() and svgp() share: without gaussian noise there is no nugget, and
# the parameters of the family are estimated with those of the covariance.

# All of R/response-families.R, as family objects are named.
latent_families <- function() {
  names <- sub("^(binomial|ordinal)_.*", "\\1", names(response_families))
  unique(replace(names, names == "gamma", "Gamma"))
}

latent_layout <- function(layout, settings) {
  family <- settings$family
  if (!is.null(settings$nugget)) {
    abort_argument("nugget", sprintf("NULL for %s response, whose family says how it scatters",
      with_article(family)), settings$nugget)
  }
  layout[layout$kind == "nugget", c("value", "fixed")] <- list(0, TRUE)
  if (is_categorical(family)) class_layout(layout, family) else with_family_parameters(layout,
    family)
}

# Parameters of the family on the natural scale, in the order of the core; for a gaussian() response
# that is the nugget.
family_values <- function(family, layout, values) {
  values[layout$kind == if (is_gaussian(family)) "nugget" else "family"]
}

# Joins the core's two gradients to one in the working parameters.
layout_gradient <- function(layout, values, d_covariance, d_likelihood) {
  gradient <- double(length(values))
  gradient[!layout$kind %in% c("family", effect_kinds)] <- d_covariance
  of_family <- if (any(layout$kind == "family")) layout$kind == "family" else layout$kind ==
    "nugget" & !(layout$fixed & layout$value %in% 0)
  gradient[of_family] <- d_likelihood
  core_to_working_slope(layout, values) * gradient
}

# Adds the parameters of the family to a fit. Of its tables only parameters that the model has are
# shown.
with_family_values <- function(fit, working) {
  values <- to_core(working, fit$layout$transform)
  names <- if (is_gaussian(fit$family)) "variance" else fit$layout$name[fit$layout$kind == "family"]
  fit$family_parameters <- stats::setNames(family_values(fit$family, fit$layout, values), names)
  if (is_gaussian(fit$family)) return(fit)
  fit$nugget <- NA_real_
  shown <- fit$layout$kind != "nugget"
  fit[c("layout", "parameters")] <- lapply(fit[c("layout", "parameters")],
    function(table) table[shown, ])
  square <- c("covariance_vcov", "interval_vcov", "information")
  fit[square] <- lapply(fit[square], function(matrix) matrix[shown, shown, drop = FALSE])
  fit
}

# ---- separation ----------------------------------------------------------------------------------

# A result that says so where the trend separates the responses.
with_separation <- function(result, problem) {
  trend <- seq_len(ncol(problem$data$X))
  separated <- separated_coefficients(problem, result$working, result$beta_vcov[trend, trend,
    drop = FALSE])
  if (length(separated)) {
    result$convergence[c("converged", "message", "separated")] <- list(FALSE,
      sprintf("the trend separates the responses, and %s may be infinite", format_some(separated)),
      separated)
  }
  result
}

# Coefficients along which the likelihood only levels off, as where a covariate separates classes or
# all counts of a level are 0. What matters is a direction, and not a column: those of year + year^2
# are uncertain together, and their sum is not. With R'R the covariance of the columns, R beta has
# as its squares the mean square of the trend about its mean; the eigenvalues of R V R' are the
# variances of that, and those out of all proportion to the field belong to directions without an
# end. Named are the user's coefficients that go along.
separated_coefficients <- function(problem, working, beta_vcov, most = 10) {
  X <- problem$data$X
  if (!ncol(X) || response_family(problem$family)$link == "identity") return(character(0))
  if (!all(is.finite(beta_vcov)) || any(diag(as.matrix(beta_vcov)) < 0)) {
    return(setdiff(colnames(X), "(Intercept)"))
  }
  variance <- sum(exp(working[problem$layout$kind == "variance"]))
  centered <- qr(sweep(X, 2L, colMeans(X)), tol = 0)
  factor <- qr.R(centered)[, order(centered$pivot), drop = FALSE] / sqrt(nrow(X) - 1)
  parts <- eigen(factor %*% beta_vcov %*% t(factor), symmetric = TRUE)
  separated <- which(parts$values > most^2 * max(1, variance / 10))
  natural <- problem$data$natural
  back <- natural$back
  along <- back %*% beta_vcov %*% t(factor) %*% parts$vectors[, separated, drop = FALSE]
  correlation <- sweep(along, 2L, sqrt(parts$values[separated]), "/") /
    sqrt(rowSums((back %*% beta_vcov) * back))
  share <- ifelse(seq_len(ncol(X)) %in% natural$constant, 0, rowSums(correlation^2))
  colnames(X)[length(separated) > 0L & share >= min(0.8, max(share))]
}
