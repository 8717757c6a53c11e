#' Covariance of several responses (cokriging)
#'
#' @description
#' The linear model of coregionalisation for `cbind(zinc, lead) ~ trend`, whose predictions are
#' cokriging.
#'
#' ```r
#' cov_coregionalisation(cov_matern(nu = 1.5), cov_exponential())
#' ```
#'
#' @details
#' \deqn{cov(Y_p(s), Y_q(t)) = \sum_c B_c[p, q]\, \rho_c(s, t) + 1[p = q, s = t]\,
#' nugget_p}{cov(Y_p(s), Y_q(t)) = sum over c of B_c\[p, q\] rho_c(s, t), plus nugget_p where p = q
#' and s = t} Each structure c consists of a correlation function with one set of ranges and a
#' coregionalisation matrix B. A plain covariance such as `cov_matern(nu = 1.5)` becomes one
#' structure of full rank for each summand.
#'
#' B = A A' with lower triangular loadings A, whose diagonal is positive. `coef()` and `print()`
#' report B. A lower `rank` is a factor model: fewer parameters and less time for many responses.
#' The first responses must then depend on the factors.
#'
#' @param ... covariances such as [cov_matern()] without a fixed `variance`, each a structure.
#' @param rank the number of factors of each structure, one integer or one for each. Default `NULL`:
#'   the number of responses.
#' @param own for responses of different families (see [joint_models]): a covariance for a field of
#'   each response's own, or a named list of covariances for some. Default `NULL`: none.
#' @param matrices a list with a known coregionalisation matrix for each structure, in squared units
#'   of the responses, or `NULL` elements to estimate. Default `NULL`: all estimated.
#' @return A covariance for the argument `covariance` of [neargp()].
#' @references Goulard, M. and Voltz, M. (1992). Linear coregionalization model. *Mathematical
#'   Geology* 24, 269–286. Álvarez, M. A., Rosasco, L. and Lawrence, N. D. (2012). Kernels for
#'   vector-valued functions: a review. *Foundations and Trends in Machine Learning* 4, 195–266,
#'   section 4.
#' @seealso [predict.neargp_outputs()]
#' @examples
#' # Two pollutants that share one process
#' set.seed(1)
#' d <- data.frame(x = runif(100), y = runif(100))
#' d$zinc <- sin(6 * d$x) + d$y + rnorm(100, sd = 0.2)
#' d$lead <- 2 * sin(6 * d$x) + rnorm(100, sd = 0.2)
#' fit <- neargp(cbind(zinc, lead) ~ 1, d, coords = ~ x + y,
#'   covariance = cov_coregionalisation(cov_matern(nu = 1.5), rank = 1))
#' fit
#' @export
cov_coregionalisation <- function(..., rank = NULL, own = NULL, matrices = NULL) {
  given <- rlang::list2(...)
  if (!length(given)) given <- list(cov_matern(nu = 1.5))
  for (structure in given) {
    if (!inherits(structure, "neargp_covariance") ||
        inherits(structure, "neargp_coregionalisation")) {
      abort_argument("...", "covariances such as cov_matern()", structure)
    }
  }
  if (any(vapply(given, has_no_process, NA))) {
    abort_neargp("argument", c("cov_none() is for one response, and several responses or categories need a process to share.",
      i = "Fit each response alone with cov_none(), or categories by nnet::multinom()."))
  }
  components <- do.call(c, lapply(given, function(x) x$components))
  if (any(lengths(lapply(components, function(x) c(x$variance, x$start$variance))) > 0L)) {
    abort_neargp("argument",
      c("The covariances within cov_coregionalisation() do not take a `variance`.",
        i = "Leave `variance` out. Give known coregionalisation matrices as `matrices`."))
  }
  structure(list(components = components, rank = check_rank_argument(rank, length(components)),
    own = check_own(own), matrices = check_matrices(matrices, length(components))),
  class = c("neargp_coregionalisation", "neargp_covariance"))
}

#' @rdname cov_coregionalisation
#' @export
cov_coregionalization <- cov_coregionalisation

as_coregionalisation <- function(covariance) {
  if (inherits(covariance, "neargp_coregionalisation")) covariance else
    cov_coregionalisation(covariance)
}

check_rank_argument <- function(rank, structures) {
  if (is.null(rank)) return(NULL)
  valid <- is.numeric(rank) && length(rank) %in% c(1L, structures) && all(is.finite(rank)) &&
    all(rank >= 1 & rank == round(rank))
  if (!valid) {
    abort_argument("rank", "NULL or whole numbers of at least 1, one or one for each structure",
      rank)
  }
  rep_len(as.integer(rank), structures)
}

check_own <- function(own) {
  if (is.null(own)) return(NULL)
  each <- if (inherits(own, "neargp_covariance")) list(own) else own
  plain <- function(x) inherits(x, "neargp_covariance") && !inherits(x, "neargp_coregionalisation")
  named <- inherits(own, "neargp_covariance") ||
    (!is.null(names(own)) && all(nzchar(names(own))) && !anyDuplicated(names(own)))
  if (is.list(each) && length(each) && named && all(vapply(each, plain, NA))) return(own)
  abort_argument("own", "a covariance such as cov_matern(), or a named list of them", own)
}

check_no_own_fields <- function(covariance, outputs) {
  if (is.null(covariance$own)) return(invisible())
  abort_neargp("argument", c("`own` is for responses with formulas of their own.",
    i = sprintf("Write the formula as list(%s).", paste(outputs, "~ 1", collapse = ", "))))
}

check_matrices <- function(matrices, structures) {
  if (is.null(matrices)) return(vector("list", structures))
  if (is.matrix(matrices)) matrices <- list(matrices)
  if (!is.list(matrices) || length(matrices) != structures) {
    abort_argument("matrices", sprintf("a list with an element for each of %d structure(s)",
      structures), matrices)
  }
  for (j in which(!vapply(matrices, is.null, NA))) {
    check_covariance_matrix(matrices[[j]], sprintf("matrices[[%d]]", j))
  }
  matrices
}

check_covariance_matrix <- function(matrix, name) {
  valid <- is.matrix(matrix) && is.numeric(matrix) && nrow(matrix) == ncol(matrix) &&
    all(is.finite(matrix)) && isSymmetric(unname(matrix))
  if (valid) {
    values <- eigen(matrix, symmetric = TRUE, only.values = TRUE)$values
    valid <- min(values) >= -1e-10 * max(values, 0) && max(values) > 0
  }
  if (!valid) {
    abort_argument(name, "a covariance matrix: square, symmetric, without negative eigenvalues",
      matrix)
  }
}

#' @export
print.neargp_coregionalisation <- function(x, ...) {
  cat("Linear model of coregionalisation with", length(x$components),
    if (length(x$components) == 1L) "structure\n" else "structures\n")
  for (j in seq_along(x$components)) {
    matrix <- if (!is.null(x$matrices[[j]])) "fixed" else
      paste("estimated, of", if (is.null(x$rank)) "full rank" else paste("rank", x$rank[j]))
    cat(sprintf("%d. coregionalisation matrix: %s; correlation:\n   ", j, matrix))
    print(structure(list(components = x$components[j]), class = "neargp_covariance"))
  }
  invisible(x)
}

# ---- loadings ------------------------------------------------------------------------------------

# The lower triangular loadings with `rank` columns nearest to a factor of B, exactly so where B has
# that rank: the leading eigenvectors, rotated. With t(A) = QR, the matrix A Q = t(R) is lower
# triangular and gives the same A A'.
loadings_of <- function(B, rank) {
  decomposition <- eigen(B, symmetric = TRUE)
  leading <- seq_len(rank)
  A <- decomposition$vectors[, leading, drop = FALSE] %*%
    diag(sqrt(pmax(decomposition$values[leading], 0)), rank)
  positive_diagonal(t(qr.R(qr(t(A), LAPACK = FALSE, tol = 0))))
}

positive_diagonal <- function(A) {
  signs <- ifelse(A[cbind(seq_len(ncol(A)), seq_len(ncol(A)))] < 0, -1, 1)
  sweep(A, 2L, signs, "*")
}

# ---- layout --------------------------------------------------------------------------------------

# A layout as new_layout() makes it, with loadings (by rows: output after output) in place of each
# variance and a nugget for each output.
coregionalisation_layout <- function(covariance, nugget, outputs, locations) {
  count <- length(covariance$components)
  check_rank_of_outputs(covariance, outputs)
  if (length(nugget) > 1L && length(nugget) != length(outputs)) {
    abort_argument("nugget", sprintf("NULL, one number, or one for each of %d responses",
      length(outputs)), nugget)
  }
  rows <- lapply(seq_len(count), function(j) {
    part <- rbind(loading_layout(covariance, j, outputs),
      component_layout(covariance$components[[j]], locations)[-1L, ])
    part$component <- j
    if (count > 1L) part$name <- paste0(part$name, "_", j)
    part
  })
  nuggets <- layout_rows(paste0("nugget_", outputs), "nugget", "log",
    value = if (!is.null(nugget)) rep_len(nugget, length(outputs)))
  layout <- do.call(rbind, c(rows, list(nuggets)))
  layout$fixed <- !is.na(layout$value)
  layout
}

loading_layout <- function(covariance, j, outputs) {
  P <- length(outputs)
  fixed <- covariance$matrices[[j]]
  rank <- if (!is.null(fixed)) P else if (is.null(covariance$rank)) P else covariance$rank[j]
  value <- if (!is.null(fixed)) loadings_of(fixed, P) else matrix(NA_real_, P, rank)
  value[col(value) > row(value)] <- 0
  names <- outer(outputs, seq_len(rank), function(output, factor) paste0("loading_", output, "_f",
    factor))
  layout_rows(as.vector(t(names)), "loading", "identity", value = as.vector(t(value)))
}

check_rank_of_outputs <- function(covariance, outputs) {
  P <- length(outputs)
  if (any(covariance$rank > P)) {
    abort_argument("rank", sprintf("at most %d, the number of responses (%s)", P,
      format_some(outputs)), max(covariance$rank))
  }
  sizes <- vapply(covariance$matrices, function(x) if (is.null(x)) P else nrow(x), 0L)
  if (any(sizes != P)) {
    abort_neargp("argument",
      sprintf("A coregionalisation matrix has %d rows, but there are %d responses (%s).",
        sizes[sizes != P][1L], P, format_some(outputs)))
  }
}

# The core's list, as as_core_covariance() makes it of one output. `variance` is not used there.
core_coregionalisation <- function(layout, groups, values) {
  P <- sum(layout$kind == "nugget")
  components <- lapply(seq_along(groups), function(j) {
    own <- which(!is.na(layout$component) & layout$component == j)
    take <- function(kinds) values[own[layout$kind[own] %in% kinds]]
    list(family = groups[[j]]$family, variance = 1, range = take("range"),
      group = core_group(groups[[j]]), anisotropy = take(axes_kinds), shape = take("shape"),
      loadings = matrix(take("loading"), nrow = P, byrow = TRUE))
  })
  list(components = components, active = !layout$fixed, nuggets = values[layout$kind == "nugget"])
}

coregionalisation_matrices <- function(core_covariance, outputs) {
  lapply(core_covariance$components, function(x) structure(tcrossprod(x$loadings),
    dimnames = list(outputs, outputs)))
}

# Entries of a coregionalisation matrix of P outputs in the order in which they are reported:
# variances, then the covariances of its lower triangle.
output_pairs <- function(P) {
  pairs <- which(lower.tri(diag(P), diag = TRUE), arr.ind = TRUE)
  pairs[order(pairs[, 1L] != pairs[, 2L]), , drop = FALSE]
}

# Names of the loadings in structure j of `count`. Names of outputs may join to one and the same:
# "a_b" and "c" as "a" and "b_c" do.
coregionalisation_names <- function(outputs, j, count) {
  pairs <- output_pairs(length(outputs))
  names <- ifelse(pairs[, 1L] == pairs[, 2L], paste0("variance_", outputs[pairs[, 1L]]),
    paste0("covariance_", outputs[pairs[, 2L]], "_", outputs[pairs[, 1L]]))
  paste0(make.unique(names, sep = "_"), if (count > 1L) paste0("_", j))
}
