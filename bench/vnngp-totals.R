# Checks the totals that vnngp() predicts, for responses with one or a few events. Posterior means at the data are
# summed and divided by the sum of the observed values. Posterior means at held-out locations are summed and divided
# by the sum of the true means. The fields are simulated, with an exponential covariance of range 0.1 on the unit
# square.
#
#   Rscript bench/vnngp-totals.R

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))
describe_run()

n <- 1200L
held_out <- 800L
seeds <- 1:6

families <- list(poisson = poisson(), bernoulli = binomial(), negative_binomial = negative_binomial(), gamma = Gamma("log"))
respond <- list(
  poisson = function(eta) rpois(length(eta), exp(eta)),
  bernoulli = function(eta) rbinom(length(eta), 1, plogis(eta)),
  negative_binomial = function(eta) rnbinom(length(eta), 2, mu = exp(eta)),
  gamma = function(eta) rgamma(length(eta), 3, scale = exp(eta) / 3)
)
inverse_link <- function(name) if (name == "bernoulli") plogis else exp

totals <- function(name, level, seed) {
  set.seed(seed)
  all <- data.frame(x = runif(n + held_out), y = runif(n + held_out))
  field <- crossprod(chol(exp(-as.matrix(dist(all)) / 0.1)), rnorm(n + held_out))
  eta <- if (name == "bernoulli") qlogis(level) + drop(field) else log(level) + drop(field)
  all$z <- respond[[name]](eta)
  data <- all[seq_len(n), ]
  new <- all[-seq_len(n), ]
  true_mean <- inverse_link(name)(eta[-seq_len(n)])
  parts <- lapply(c("sparse", "laplace"), function(posterior) {
    fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vnngp(posterior = posterior), family = families[[name]],
      covariance = cov_exponential(), threads = 1)
    data.frame(family = name, level = level, posterior = posterior, at_data = sum(fitted(fit)) / sum(data$z),
      held_out = sum(predict(fit, new, verbose = FALSE)$mean) / sum(true_mean))
  })
  do.call(rbind, parts)
}

cases <- rbind(expand.grid(name = "poisson", level = c(0.1, 0.5, 2, 8), stringsAsFactors = FALSE),
  data.frame(name = c("negative_binomial", "gamma", "bernoulli", "bernoulli"), level = c(0.5, 2, 0.1, 0.5)))
runs <- do.call(rbind, Map(function(name, level, seed) totals(name, level, seed), rep(cases$name, each = length(seeds)),
  rep(cases$level, each = length(seeds)), rep(seeds, nrow(cases))))

by <- runs[c("posterior", "level", "family")]
table <- aggregate(runs[c("at_data", "held_out")], by, mean)
table$at_data_se <- aggregate(runs["at_data"], by, function(x) sd(x) / sqrt(length(x)))$at_data
table$held_out_se <- aggregate(runs["held_out"], by, function(x) sd(x) / sqrt(length(x)))$held_out
print(table, digits = 4, row.names = FALSE)
save_table(table, "vnngp-totals")
