# Do 95% intervals of the linear predictor cover it? The script compares loo_k() and vnngp() for counts, amounts and outliers.
#
# A field of variance 1, with a Matérn 3/2 covariance of range 0.1, is observed at 250 locations in the unit square. The coverage is that of the
# field at 250 further locations.
#
#   Rscript bench/loo-k-coverage.R [seeds]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
for (file in c("common.R", "latent-field.R")) source(file.path(folder, file))

arguments <- commandArgs(TRUE)
seeds <- seq_len(if (length(arguments)) as.integer(arguments[[1L]]) else 8L)
n <- 250L
scale <- 0.4

responses <- list(
  poisson = list(family = poisson(), draw = function(eta) rpois(length(eta), exp(eta))),
  binomial = list(family = binomial(), draw = function(eta) rbinom(length(eta), 5L, plogis(eta))),
  gamma = list(family = Gamma("log"), draw = function(eta) rgamma(length(eta), 3, 3 / exp(eta))),
  student_t = list(family = student_t(), draw = function(eta) eta + scale * rt(length(eta), 4))
)

coverage <- function(method, response, data, eta) {
  train <- seq_len(n)
  formula <- if (identical(response$family$family, "binomial")) cbind(y, 5 - y) ~ 1 else y ~ 1
  fit <- suppressWarnings(neargp(formula, data[train, ], coords = ~ x1 + x2, covariance = cov_matern(nu = 1.5), family = response$family,
    method = method, threads = 1L, verbose = FALSE))
  predicted <- predict(fit, data[-train, ], type = "link", interval = "confidence", local_mean = FALSE, sectors = 0)
  mean(predicted$lower <= eta[-train] & eta[-train] <= predicted$upper)
}

describe_run()
rows <- list()
for (name in names(responses)) for (seed in seeds) {
  set.seed(seed)
  coords <- matrix(runif(4L * n), 2L * n, dimnames = list(NULL, c("x1", "x2")))
  eta <- spectral_field(coords, 0.1, 1.5)
  data <- data.frame(coords, y = responses[[name]]$draw(eta))
  rows[[length(rows) + 1L]] <- data.frame(response = name, seed = seed, vnngp = coverage(vnngp(), responses[[name]], data, eta),
    loo_k = coverage(loo_k(k = 20), responses[[name]], data, eta))
}
rows <- do.call(rbind, rows)
save_table(rows, "loo-k-coverage")
summary_of <- function(x) sprintf("%.3f (%.2f to %.2f)", mean(x), min(x), max(x))
for (name in names(responses)) {
  part <- rows[rows$response == name, ]
  cat(sprintf("%-10s vnngp %s  loo_k %s\n", name, summary_of(part$vnngp), summary_of(part$loo_k)))
}
