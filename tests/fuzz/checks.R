# Checks of results. Each check returns NULL, or a problem of kind "NONFINITE" or "WRONG".

problem <- function(kind, ...) structure(list(kind = kind, text = paste0(...)), class = "fuzz_problem")

all_finite <- function(x) all(is.finite(unlist(x, use.names = FALSE)))

no_check <- function(value) NULL

# Where a search ended at log densities that are not concave, print() says that the trend is without standard errors.
says_unbounded <- function(fit) {
  isFALSE(fit$convergence$converged) && grepl("no response bounds the trend", fit$convergence$message, fixed = TRUE)
}

check_fit <- function(fit) {
  if (!inherits(fit, "neargp")) return(problem("WRONG", "no fit, but an object of class ", class(fit)[1L]))
  for (name in c("log_likelihood", "beta")) {
    if (!all_finite(fit[[name]])) return(problem("NONFINITE", name, ": ", paste(fit[[name]], collapse = " ")))
  }
  estimates <- fit$parameters$estimate
  if (!all_finite(estimates)) return(problem("NONFINITE", "parameters: ", paste(estimates, collapse = " ")))
  if (inherits(fit, "neargp_classifier")) return(NULL)
  if (inherits(fit, "neargp_deep_fit")) return(NULL)  # its coefficients have no variances
  variances <- diag(as.matrix(fit$beta_vcov))
  if (all(is.na(variances)) && says_unbounded(fit)) return(NULL)
  if (length(variances) && (!all_finite(variances) || any(variances < 0))) {
    return(problem("NONFINITE", "variances of the trend: ", paste(variances, collapse = " ")))
  }
  NULL
}

# Missing values are allowed, because a leave-one-out prediction may be missing. NaN and infinite values are not
# allowed.
check_vector <- function(x) {
  values <- unlist(x, use.names = FALSE)
  bad <- is.nan(values) | is.infinite(values)
  if (any(bad)) problem("NONFINITE", sum(bad), " of ", length(values), ": ", values[bad][1L])
}

check_column <- function(x, name) {
  found <- check_vector(x)
  if (!is.null(found)) return(problem(found$kind, name, ": ", found$text))
  if (grepl("^sd", name) && any(x < 0, na.rm = TRUE)) return(problem("WRONG", "negative ", name))
  if (grepl("^(p_|prob)", name) && any(x < -1e-9 | x > 1 + 1e-9, na.rm = TRUE)) return(problem("WRONG", name, " is no probability"))
  NULL
}

check_table <- function(result, rows = NULL) {
  table <- as.data.frame(if (inherits(result, "sf")) sf::st_drop_geometry(result) else result)
  if (!is.null(rows) && nrow(table) != rows) return(problem("WRONG", nrow(table), " rows for ", rows))
  numbers <- table[vapply(table, is.numeric, NA)]
  for (name in names(numbers)) {
    found <- check_column(numbers[[name]], name)
    if (!is.null(found)) return(found)
  }
  ordered <- all(c("lower", "upper") %in% names(numbers))
  if (ordered && any(numbers$lower > numbers$upper + 1e-9 * abs(numbers$upper), na.rm = TRUE)) return(problem("WRONG", "lower above upper"))
  NULL
}

# Some standard deviations are infinite, as documented. A row that alone determines a coefficient of the trend
# cannot be predicted from the others, and its mean is NA. Student's t distribution with two degrees of freedom or
# fewer is the other case.
without_infinite_sds <- function(result, fit) {
  heavy <- identical(fit$family$family, "student_t") && isTRUE(fit$family_parameters[["df"]] <= 2)
  for (name in grep("^sd", names(result), value = TRUE)) {
    mean <- result[[sub("^sd", "mean", name)]]
    result[[name]][result[[name]] == Inf & (heavy | is.na(mean) & !is.nan(mean))] <- NA
  }
  result
}

check_identical <- function(a, b, what) if (!identical(as.data.frame(a), as.data.frame(b))) problem("WRONG", what)

check_close <- function(a, b, what) {
  if (!isTRUE(all.equal(as.data.frame(a), as.data.frame(b), tolerance = 1e-7))) problem("WRONG", what)
}

check_printed <- function(lines) {
  bad <- grep("\\b(NaN|Inf)\\b", lines, value = TRUE)
  if (length(bad)) problem("NONFINITE", "printed: ", bad[1L])
}

# exact_gp() and vecchia() with all other rows are compared with a dense Cholesky factor. At the fit's parameters
# the likelihoods must agree, wherever the correlation matrix is well enough conditioned to compare.
check_likelihood <- function(fit) {
  n <- length(fit$data$y)
  is_exact <- inherits(fit$method, "neargp_exact_gp") || (inherits(fit$method, "neargp_vecchia") && identical(fit$method$k, n - 1L))
  if (!identical(fit$family$family, "gaussian") || inherits(fit, "neargp_outputs") || n > 120L || !is_exact) return(NULL)
  smoothness <- vapply(fit$core_covariance$components, function(part) if (part$family == "matern") part$shape else 0, 0)
  if (any(smoothness > 20)) return(NULL)
  # A Matérn covariance treats locations nearer than 2^-50 of the range as one location. This matters
  # for the roughest covariances.
  distances <- stats::dist(fit$data$coords)
  if (any(smoothness > 0 & smoothness < 0.5) && any(distances > 0 & distances < 1e-12 * max(distances))) return(NULL)
  data <- fit$data
  # The reference would lose the digits of a response that is large compared with its noise. An intercept absorbs
  # the first value.
  if (any(colSums(data$X != 1) == 0)) data$y <- data$y - data$y[1L]
  value <- dense_likelihood(data, fit$core_covariance, fit$nugget, neargp:::fitted_effects(fit))
  transform <- fit$family$transform
  if (!is.null(value) && identical(transform$name, "functions")) {
    y <- fit$data$untransformed
    h <- 1e-5 * pmax(abs(y), 1)
    value <- value + sum(log((transform$forward(y + h) - transform$forward(y - h)) / (2 * h)))
  }
  if (!is.null(value) && identical(transform$name, "log")) value <- value - sum(fit$data$y)
  if (!is.null(transform) && !transform$name %in% c("functions", "log")) return(NULL)
  found <- as.numeric(stats::logLik(fit, REML = FALSE))
  if (is.null(value) || abs(value - found) <= 1e-4 * (1 + abs(value))) return(NULL)
  problem("WRONG", "log-likelihood ", format(found, digits = 10L), ", dense ", format(value, digits = 10L))
}

# The same call continues from the checkpoint that it has left. Both fits must agree to the last bit.
check_resumed <- function(call, fit) {
  file <- call$control$checkpoint
  if (is.null(file)) return(NULL)
  on.exit(unlink(file))
  again <- suppressWarnings(suppressMessages(eval(call)))
  told <- c("parameters", "beta", "log_likelihood", "score", "convergence", "posterior")
  if (!identical(fit[told], again[told])) problem("WRONG", "the fit that goes on from its checkpoint is another one")
}

# The factor is that of the correlations, whose scale is 1. The result is NULL where they are ill conditioned.
dense_likelihood <- function(data, covariance, nugget, effects = NULL) {
  S <- tryCatch(dense_noisy(data, covariance, nugget), error = function(e) NULL)
  if (is.null(S)) return(NULL)
  for (k in seq_along(effects$blocks)) {
    Z <- data$effects$Z[, effects$blocks[[k]]$columns, drop = FALSE]
    S <- S + Z %*% kronecker(diag(ncol(Z) / effects$blocks[[k]]$d), tcrossprod(effects$factors[[k]])) %*% t(Z)
  }
  scale <- sqrt(diag(S))
  correlations <- S / tcrossprod(scale)
  if (!all(is.finite(correlations)) || rcond(correlations) < 1e-9) return(NULL)
  L <- t(chol(correlations))
  e <- forwardsolve(L, (data$y - data$offset) / scale)
  if (ncol(data$X)) e <- qr.resid(qr(forwardsolve(L, data$X / scale), tol = 1e-14), e)
  value <- -sum(log(diag(L))) - sum(log(scale)) - 0.5 * sum(e^2) - 0.5 * length(e) * log(2 * pi)
  if (is.finite(value)) value
}
