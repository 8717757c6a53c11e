# CPU time of predictions and scores of 1,000 responses by the mixture over their linear predictor: CRPS, PIT, log score, 95% intervals,
# exceedance. The library of another version of the package can be given. The results are then also the ratio of the times and the largest
# difference of the CRPS.
#
#   Rscript bench/response-scores.R [library of another version]
#
# The versions take turns in processes of their own; times are the least of two.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
source(file.path(folder, "common.R"))

# family, parameters, trials, and mean and standard deviation of the linear predictor
cases <- list(
  poisson_1 = list(poisson(), NULL, 1, 0, 0.5),
  poisson_10 = list(poisson(), NULL, 1, log(10), 0.5),
  poisson_10_wide = list(poisson(), NULL, 1, log(10), 1.5),
  poisson_1000 = list(poisson(), NULL, 1, log(1000), 0.5),
  negative_binomial_5 = list(negative_binomial(), c(size = 2), 1, log(5), 0.7),
  bernoulli = list(binomial(), NULL, 1, 0, 1),
  binomial_20 = list(binomial(), NULL, 20, 0, 1),
  binomial_5000 = list(binomial(), NULL, 5000, 0, 1),
  gamma_3 = list(Gamma("log"), c(shape = 3), 1, 0, 0.7),
  beta_5 = list(beta_response(), c(precision = 5), 1, 0, 0.7),
  student_4 = list(student_t(), c(scale = 0.3, df = 4), 1, 0, 0.7)
)

drawn <- function(case, n = 1000L) {
  set.seed(1)
  mean <- rnorm(n, case[[4L]], 0.5)
  sd <- case[[5L]] * runif(n, 0.5, 1.5)
  mixture <- neargp:::new_mixture(mean, sd, case[[1L]], case[[2L]], case[[3L]])
  y <- neargp:::mixture_family(mixture)$random(n, rnorm(n, mean, sd), mixture$parameters, mixture$trials)
  list(mixture = mixture, y = y)
}

measured <- function(case) {
  drawn <- drawn(case)
  crps <- timed(neargp:::predictive_crps(drawn$y, drawn$mixture))
  list(crps = crps$value, seconds = c(crps = crps$cpu,
    pit = cpu_seconds(neargp:::predictive_pit(drawn$y, drawn$mixture)),
    log_score = cpu_seconds(neargp:::predictive_log_density(drawn$y, drawn$mixture)),
    interval = cpu_seconds(neargp:::predictive_limits(drawn$mixture, 0.95)),
    exceedance = cpu_seconds(neargp:::predictive_cdf(5, drawn$mixture, lower = FALSE))))
}

arguments <- commandArgs(TRUE)
if (identical(arguments[1L], "--measure")) {
  saveRDS(lapply(cases, measured), arguments[[2L]])
  quit("no")
}

in_process <- function(library) {
  file <- tempfile(fileext = ".rds")
  paths <- paste(c(library, .libPaths()), collapse = .Platform$path.sep)
  system2(file.path(R.home("bin"), "Rscript"), c(shQuote(script), "--measure", shQuote(file)), env = paste0("R_LIBS=", shQuote(paths)))
  readRDS(file)
}

describe_run()
libraries <- c(dirname(find.package("neargp")), arguments)
rounds <- lapply(1:2, function(round) lapply(libraries, in_process))
seconds <- lapply(seq_along(libraries), function(version) {
  Reduce(pmin, lapply(rounds, function(round) t(vapply(round[[version]], `[[`, double(5L), "seconds"))))
})
table <- data.frame(response = names(cases), seconds[[1L]])
if (length(arguments)) {
  table$other_crps <- seconds[[2L]][, "crps"]
  table$crps_ratio <- seconds[[2L]][, "crps"] / seconds[[1L]][, "crps"]
  table$all_ratio <- rowSums(seconds[[2L]]) / rowSums(seconds[[1L]])
  table$difference <- mapply(function(a, b) max(abs(a$crps - b$crps) / a$crps), rounds[[1L]][[1L]], rounds[[1L]][[2L]])
}
save_table(table, "response-scores", 3L)
