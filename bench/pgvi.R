# Compares PGVI (Wenzel et al. 2019) with svgp(optimizer = "natural"). PGVI is the baseline of two classes in Table 8 of Jankowiak and Pleiss (2022).
# Both use the inducing points and the covariance of the fit by svgp(). They maximise different objectives over the normal posterior of the inducing
# values. svgp() computes the expected log likelihood of the ELBO by quadrature. PGVI replaces it by its lower bound with Polya-Gamma variables.
# PGVI is written in base R here, and repeats its closed-form updates until they converge.
#
#   Rscript bench/pgvi.R [sets: titanic,bank,spambase,musk2] [inducing points: 64] [splits: 1]
#
# Table pgvi contains a row for each method, set and split. Column "bound" is the objective of the method, and "elbo" is the ELBO of its posterior
# by quadrature, both per training row. Columns "nll" and "error" are the log loss and the share of errors of the test rows. Column `apart` is the
# root mean square difference of its probabilities from those of svgp(). The 15:3:2 splits are those of loo-k-classification.R, and the script
# compares the scores of loo_k() from there. The paper uses 1,024 points and five splits, and validation rows choose its weight of the divergence.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R", "class-sets.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

sets <- argument(1L, c("titanic", "bank", "spambase", "musk2"))
points <- as.integer(argument(2L, "64"))
splits <- eval(str2lang(argument(3L, "1")))

# ---- the model on inducing points -------------------------------------------------------------------------------------------------

matern <- function(x, z, found) {
  scaled <- function(m) sweep(m, 2L, found$range, "/")
  distance <- sqrt(pmax(outer(rowSums(scaled(x)^2), rowSums(scaled(z)^2), "+") - 2 * tcrossprod(scaled(x), scaled(z)), 0))
  found$variance * (1 + distance + distance^2 / 3) * exp(-distance)
}

# Projection of the rows on the whitened inducing values, and the variance that these leave.
projection <- function(x, fit) {
  found <- coef(fit, "covariance")
  found <- list(variance = found[["variance"]], range = unname(found[grepl("^range", names(found))]))
  z <- as.matrix(fit$inducing)
  root <- chol(matern(z, z, found) + diag(1e-6 * found$variance, nrow(z)))
  A <- t(backsolve(root, t(matern(x, z, found)), transpose = TRUE))
  list(A = A, rest = pmax(found$variance - rowSums(A^2), 0))
}

marginals <- function(at, q) list(mean = drop(at$A %*% q$mean), variance = rowSums((at$A %*% q$covariance) * at$A) + at$rest)

divergence <- function(q) 0.5 * (sum(diag(q$covariance)) + sum(q$mean^2) - length(q$mean) - determinant(q$covariance)$modulus[1L])

log_sigmoid <- function(x) stats::plogis(x, log.p = TRUE)

# Nodes of Gauss-Hermite quadrature for a standard normal variable.
hermite <- local({
  n <- 32L
  steps <- sqrt(seq_len(n - 1L))
  J <- diag(0, n)
  J[cbind(seq_len(n - 1L), 2:n)] <- steps
  J[cbind(2:n, seq_len(n - 1L))] <- steps
  found <- eigen(J, symmetric = TRUE)
  list(x = found$values, w = found$vectors[1L, ]^2)
})

expected <- function(f, m) drop(f(outer(sqrt(m$variance), hermite$x) + m$mean) %*% hermite$w)

elbo <- function(y, at, q) (sum(expected(function(f) log_sigmoid(y * f), marginals(at, q))) - divergence(q)) / length(y)

# ---- PGVI -----------------------------------------------------------------------------------------------------------------------

pgvi <- function(y, at, most = 500L) {
  q <- list(mean = double(ncol(at$A)), covariance = diag(ncol(at$A)))
  bound <- -Inf
  for (step in seq_len(most)) {
    m <- marginals(at, q)
    c <- sqrt(m$mean^2 + m$variance)
    last <- bound
    bound <- (sum(log_sigmoid(c) + 0.5 * (y * m$mean - c)) - divergence(q)) / length(y)
    if (bound - last < 1e-9) break
    q$covariance <- chol2inv(chol(diag(ncol(at$A)) + crossprod(at$A * sqrt(tanh(c / 2) / (2 * c)))))
    q$mean <- drop(q$covariance %*% crossprod(at$A, 0.5 * y))
  }
  list(q = q, bound = bound, steps = step)
}

score <- function(p, y) c(nll = -mean(log(ifelse(y > 0, p, 1 - p))), error = mean((p > 0.5) != (y > 0)))

# The rows of results of one split.
kept <- function(set, split, method, cpu, bound, elbo, p, y, beside) {
  append_result("pgvi", data.frame(set = set, split = split, inducing = points, method = method, cpu = cpu, bound = bound, elbo = elbo,
    t(score(p, y)), apart = sqrt(mean((p - beside)^2))))
}

run_split <- function(set, split) {
  if (is_done("pgvi", data.frame(set = set, split = split, inducing = points))) return(invisible())
  data <- class_data(set)
  rows <- split_class_rows(nrow(data), split)
  data <- varying_inputs(data, rows$training)
  inputs <- as.matrix(data[setdiff(names(data), "y")])
  sign <- ifelse(data$y == levels(data$y)[2L], 1, -1)
  set.seed(split)
  fitted <- timed(suppressWarnings(neargp(y ~ 0, data[rows$training, ], coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), threads = 1L,
    family = binomial(), verbose = FALSE, method = svgp(points, bound = "standard", optimizer = "natural", std_error = FALSE))))
  fit <- fitted$value
  at <- projection(inputs[rows$training, ], fit)
  other <- timed(pgvi(sign[rows$training], at))
  q <- other$value$q
  ours <- predict(fit, data[rows$test, ], threads = 1L)$mean
  theirs <- expected(stats::plogis, marginals(projection(inputs[rows$test, ], fit), q))
  test <- sign[rows$test]
  bound <- fit$log_likelihood / length(rows$training)
  kept(set, split, "svgp", fitted$cpu, bound, bound, ours, test, ours)
  kept(set, split, "pgvi", other$cpu, other$value$bound, elbo(sign[rows$training], at, q), theirs, test, ours)
}

# Compares means over splits with those of loo_k() on the same splits, and with these printed figures.
printed_pgvi <- read.csv(text = "set,nll,error
titanic,0.483,0.209
bank,0.246,0.102
spambase,0.217,0.066
musk2,0.114,0.033")

compared <- function(set, results) {
  here <- results[results$set == set & results$inducing == points, ]
  own <- function(method, column) mean(here[here$method == method, column])
  loo <- read_result("loo-k-classification")
  loo <- loo[loo$set == set & loo$estimator == "auto" & loo$split %in% here$split, ]
  loo <- if (nrow(loo)) chosen_by_validation(loo, "validation_nll")
  print <- printed_pgvi[printed_pgvi$set == set, ]
  data.frame(set = set, splits = sum(here$method == "pgvi"), inducing = points, bound_below = own("svgp", "bound") - own("pgvi", "bound"),
    elbo_below = own("svgp", "elbo") - own("pgvi", "elbo"), apart = own("pgvi", "apart"), nll_svgp = own("svgp", "nll"),
    nll_pgvi = own("pgvi", "nll"), nll_loo_k = mean(loo$nll), printed_nll = print$nll, error_svgp = own("svgp", "error"),
    error_pgvi = own("pgvi", "error"), error_loo_k = mean(loo$error), printed_error = print$error)
}

describe_run()
for (set in sets) for (split in splits) run_split(set, split)
results <- read_result("pgvi")
save_table(do.call(rbind, lapply(intersect(printed_pgvi$set, results$set), compared, results)), "pgvi-compared", 4L)
