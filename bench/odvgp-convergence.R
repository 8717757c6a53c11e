# How fast the bases of the ODVGP paper converge for two classes (Figure 2b of Salimbeni et al. 2018): the ELBO against iterations with
# inducing points and covariance parameters fixed. This script computes the bases with dense matrices, since the package finds the
# optimum of the mean by Newton steps instead. The basis "coupled" uses the points of the covariance alone. The bases "decoupled", "hybrid" and
# "orthogonal" add the same points to the mean, and share one optimum. Adam updates what natural gradients ("_natural") do not. The paper takes
# batches of all 6,660 training rows of ringnorm for 20,000 iterations. Ours takes all of 1,000 rows in each of 3,000 iterations, 30 points and
# 100 more.
#
#   Rscript bench/odvgp-convergence.R [iterations: 3000] [rows: 1000] [points: 30] [more points of the mean: 100]
#
# Keeps table odvgp-convergence (log-likelihood bounds) and draws results/odvgp-convergence.png.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

iterations <- as.integer(argument(1L, "3000"))
adam_rate <- 0.01
natural_rate <- 0.1

# ---- problem --------------------------------------------------------------------------------------------------------------------

covariance <- cov_matern(nu = 2.5, variance = 4, range = sqrt(20))

kernel <- function(x, y) {
  squared <- outer(rowSums(x^2), rowSums(y^2), "+") - 2 * tcrossprod(x, y)
  matrix(covariance_value(covariance, sqrt(pmax(squared, 0))), nrow(x))
}

ringnorm_problem <- function(n, points, more) {
  rows <- bench_data("ringnorm")
  set.seed(1)
  rows <- rows[sample.int(nrow(rows), n), ]
  x <- scale(as.matrix(rows[setdiff(names(rows), "y")]))
  beta <- x[seq_len(points), ]
  gamma <- x[points + seq_len(more), ]
  K <- kernel(beta, beta) + diag(4e-6, points)
  list(x = x, y = as.double(rows$y == max(rows$y)), beta = beta, K = K, K_inverse = chol2inv(chol(K)), at_beta = kernel(x, beta),
    at_gamma = kernel(x, gamma), gamma_gamma = kernel(gamma, gamma) + diag(4e-6, more), gamma_beta = kernel(gamma, beta))
}

# Nodes and weights of Gauss-Hermite quadrature for a standard normal.
hermite <- local({
  off <- sqrt(seq_len(19L))
  jacobi <- matrix(0, 20L, 20L)
  jacobi[cbind(1:19, 2:20)] <- jacobi[cbind(2:20, 1:19)] <- off
  found <- eigen(jacobi, symmetric = TRUE)
  list(nodes = found$values, weights = found$vectors[1L, ]^2)
})

# Expected log-likelihood of logits N(mean, variance), and its derivatives in both.
expectation <- function(y, mean, variance) {
  eta <- mean + outer(sqrt(variance), hermite$nodes)
  p <- stats::plogis(eta)
  logs <- pmax(eta, 0) + log1p(exp(-abs(eta)))
  list(value = sum(y * mean) - sum(logs %*% hermite$weights), mean = y - drop(p %*% hermite$weights),
    variance = -0.5 * drop((p * (1 - p)) %*% hermite$weights))
}

# ---- bases ----------------------------------------------------------------------------------------------------------------------

# The functions of the mean at the rows, and their inner products, which are blocks of 2 for the points of the covariance alone.
mean_basis <- function(problem, name) {
  if (name == "coupled") return(list(A = problem$at_beta, Q = problem$K))
  if (name != "orthogonal") {
    return(list(A = cbind(problem$at_beta, problem$at_gamma),
      Q = rbind(cbind(problem$K, t(problem$gamma_beta)), cbind(problem$gamma_beta, problem$gamma_gamma))))
  }
  projected <- problem$gamma_beta %*% problem$K_inverse
  M <- nrow(problem$K)
  Q <- diag(0, M + nrow(projected))
  Q[seq_len(M), seq_len(M)] <- problem$K
  Q[-seq_len(M), -seq_len(M)] <- problem$gamma_gamma - tcrossprod(projected, problem$gamma_beta)
  list(A = cbind(problem$at_beta, problem$at_gamma - tcrossprod(problem$at_beta, projected)), Q = Q)
}

prior_variance <- function() covariance_value(covariance, 0)

# S is L L', of the values at the points: variances, half the divergence and its gradient in L.
by_cholesky <- function(problem) {
  W <- problem$at_beta %*% problem$K_inverse
  known <- prior_variance() - rowSums(W * problem$at_beta)
  log_det <- 2 * sum(log(diag(chol(problem$K))))
  list(start = t(chol(problem$K)), W = W,
    variance = function(L) known + rowSums((W %*% L)^2),
    divergence = function(L) 0.5 * (sum(L * (problem$K_inverse %*% L)) - nrow(L) + log_det - 2 * sum(log(abs(diag(L))))),
    gradient = function(L, slope) {
      full <- 2 * crossprod(W, slope * (W %*% L)) - problem$K_inverse %*% L + diag(1 / diag(L))
      full * lower.tri(full, TRUE)
    })
}

# The inverse parametrisation of Cheng and Boots: variance k - k'(B^-1 + K)^-1 k with B = L L'. With C = R L and K = R'R, the whitened S is
# (I + C C')^-1.
by_inverse <- function(problem) {
  R <- chol(problem$K)
  white <- problem$at_beta %*% solve(R)
  known <- prior_variance() - rowSums(white^2)
  inner <- function(L) chol2inv(chol(diag(nrow(L)) + tcrossprod(R %*% L)))
  list(start = diag(0.1, nrow(R)), variance = function(L) known + rowSums((white %*% inner(L)) * white),
    divergence = function(L) {
      S <- inner(L)
      0.5 * (sum(diag(S)) - nrow(S) - as.double(determinant(S)$modulus))
    },
    gradient = function(L, slope) {
      S <- inner(L)
      in_S <- crossprod(white, slope * white) - 0.5 * (diag(nrow(S)) - solve(S))
      full <- -2 * crossprod(R, S %*% in_S %*% S %*% R %*% L)
      full * lower.tri(full, TRUE)
    })
}

# ---- optimisers -----------------------------------------------------------------------------------------------------------------

adam_maker <- function(size) {
  first <- second <- double(size)
  step <- 0L
  function(gradient) {
    step <<- step + 1L
    first <<- 0.9 * first + 0.1 * gradient
    second <<- 0.999 * second + 0.001 * gradient^2
    adam_rate * (first / (1 - 0.9^step)) / (sqrt(second / (1 - 0.999^step)) + 1e-8)
  }
}

elbo_at <- function(problem, basis, spread, a, L) {
  found <- expectation(problem$y, drop(basis$A %*% a), spread$variance(L))
  c(found, list(elbo = found$value - 0.5 * sum(a * (basis$Q %*% a)) - spread$divergence(L)))
}

# A step of natural gradients for the values at the points, of which the mean is K a.
natural_step <- function(problem, W, found, own, L) {
  G <- crossprod(W, found$variance * W)
  S <- tcrossprod(L)
  mean <- problem$K %*% own
  precision <- (1 - natural_rate) * solve(S) + natural_rate * (problem$K_inverse - 2 * G)
  first <- (1 - natural_rate) * solve(S, mean) + natural_rate * (crossprod(W, found$mean) - 2 * G %*% mean)
  S <- chol2inv(chol(precision))
  list(own = drop(problem$K_inverse %*% (S %*% first)), L = t(chol(S)))
}

# The ELBO before each iteration.
path_of <- function(problem, name, natural) {
  basis <- mean_basis(problem, name)
  spread <- if (name == "decoupled") by_inverse(problem) else by_cholesky(problem)
  own <- seq_len(nrow(problem$K))
  a <- double(ncol(basis$A))
  L <- spread$start
  by_adam <- adam_maker(length(a) + if (natural) 0L else length(L))
  elbo <- double(iterations)
  for (i in seq_len(iterations)) {
    found <- elbo_at(problem, basis, spread, a, L)
    elbo[i] <- found$elbo
    gradient <- drop(crossprod(basis$A, found$mean) - basis$Q %*% a)
    if (natural) {
      moved <- natural_step(problem, spread$W, found, a[own], L)
      a <- a + by_adam(gradient)
      a[own] <- moved$own
      L <- moved$L
    } else {
      step <- by_adam(c(gradient, spread$gradient(L, found$variance)))
      a <- a + step[seq_along(a)]
      L <- L + matrix(step[-seq_along(a)], nrow(L))
    }
  }
  elbo
}

# Newton steps for the mean, and the S that is best given its precisions, in turn.
optimum_of <- function(problem, name, steps = 50L) {
  basis <- mean_basis(problem, name)
  spread <- by_cholesky(problem)
  a <- double(ncol(basis$A))
  L <- spread$start
  for (i in seq_len(steps)) {
    found <- elbo_at(problem, basis, spread, a, L)
    D <- -2 * found$variance
    a <- drop(solve(crossprod(basis$A, D * basis$A) + basis$Q, crossprod(basis$A, D * (basis$A %*% a) + found$mean)))
    L <- t(chol(chol2inv(chol(problem$K_inverse + crossprod(spread$W, D * spread$W)))))
  }
  elbo_at(problem, basis, spread, a, L)$elbo
}

of_package <- function(problem, method) {
  data <- data.frame(problem$x, y = problem$y)
  fit <- neargp(y ~ 0, data, coords = ~ ., covariance = covariance, family = stats::binomial(), threads = 1L, verbose = FALSE,
    method = method(unname(problem$beta), move = FALSE, bound = "standard", std_error = FALSE))
  list(elbo = c(logLik(fit)), steps = c(fit$svgp$mean$steps, NA)[1L])
}

# ---- table and picture ----------------------------------------------------------------------------------------------------------

bases <- data.frame(basis = c("coupled", "coupled", "decoupled", "hybrid", "orthogonal", "orthogonal"),
  natural = c(FALSE, TRUE, FALSE, FALSE, FALSE, TRUE))
bases$label <- paste0(bases$basis, ifelse(bases$natural, "_natural", ""))
colours <- c("#2b6cb0", "#2b6cb0", "#7b3294", "#2e8b57", "#d95f02", "#d95f02")

draw <- function(paths, optima) {
  grDevices::png(result_file("odvgp-convergence.png"), width = 800, height = 480, res = 110)
  on.exit(grDevices::dev.off())
  graphics::par(mar = c(4, 4, 1, 1))
  best <- max(unlist(optima))
  plot(NULL, xlim = c(1, iterations), ylim = c(min(paths[1L, ]), best + 0.02 * abs(min(paths[1L, ]))), log = "x", xlab = "iteration", ylab = "ELBO")
  graphics::abline(h = unlist(optima), lty = 3, col = "grey40")
  for (i in seq_len(ncol(paths))) graphics::lines(paths[, i], col = colours[i], lty = if (bases$natural[i]) 1 else 2, lwd = 2)
  graphics::legend("bottomright", c(sub("_", ", ", bases$label), "optimum, coupled and others"), col = c(colours, "grey40"),
    lty = c(ifelse(bases$natural, 1, 2), 3), lwd = 2, bty = "n", cex = 0.8)
}

describe_run()
problem <- ringnorm_problem(as.integer(argument(2L, "1000")), as.integer(argument(3L, "30")), as.integer(argument(4L, "100")))
optima <- list(coupled = optimum_of(problem, "coupled"), orthogonal = optimum_of(problem, "orthogonal"))
paths <- mapply(function(basis, natural) path_of(problem, basis, natural), bases$basis, bases$natural)
best <- ifelse(bases$basis == "coupled", optima$coupled, optima$orthogonal)
at <- pmin(c(10L, 100L, 300L, iterations), iterations)
first_within <- function(path, best) which(path > best - 0.001 * length(problem$y))[1L]
own <- data.frame(basis = bases$label, t(paths[at, ]), within_0.001 = mapply(first_within, as.data.frame(paths), best), optimum = best)
names(own)[2:5] <- paste0("elbo_", at)
package <- lapply(list(svgp = svgp, odvgp = odvgp), of_package, problem = problem)
package <- data.frame(basis = c("svgp()", "odvgp(), mean of all rows"), elbo_10 = NA, elbo_100 = NA, elbo_300 = NA, last = NA,
  within_0.001 = c(NA, package$odvgp$steps), optimum = c(package$svgp$elbo, package$odvgp$elbo))
names(package) <- names(own)
save_table(rbind(own, package), "odvgp-convergence", digits = 6L)
draw(paths, optima)
