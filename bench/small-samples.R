# Do 95% prediction intervals of few rows cover 95%? Exponential fields are simulated in the unit square, with variance 1, range 0.2 and
# nugget 0.1. The mean is constant, or contains four covariates. In each field, 20 new locations are predicted, and all locations are drawn
# at random. The intervals use parameters estimated by maximum or by restricted likelihood, or integrate the covariance parameters over
# their posterior.
#
#   Rscript bench/small-samples.R [fields, 1000] [numbers of rows, 30,50,100,300]

# Keeps table small-samples, a row for each setting, by fits of one thread in NEARGP_THREADS processes. Errors are standard errors of the
# mean over fields, because new locations of one field depend on each other.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

fields <- as.integer(argument(1L, "1000"))
sizes <- as.integer(argument(2L, c("30", "50", "100", "300")))
new_places <- 20L
trends <- list("constant" = z ~ 1, "four covariates" = z ~ a + b + c + d)

simulate_field <- function(n, seed) {
  set.seed(seed)
  count <- n + new_places
  data <- data.frame(x = runif(count), y = runif(count), matrix(rnorm(4L * count), count, dimnames = list(NULL, c("a", "b", "c", "d"))))
  factor <- chol(exp(-as.matrix(dist(data[c("x", "y")])) / 0.2))
  data$z <- drop(crossprod(factor, rnorm(count))) + rnorm(count, sd = sqrt(0.1))
  data
}

covered <- function(fit, new, parameters, by) {
  ran <- timed(predict(fit, new, interval = "prediction", parameters = parameters, threads = 1L, verbose = FALSE))
  inside <- new$z >= ran$value$lower & new$z <= ran$value$upper
  data.frame(by = by, coverage = mean(inside), width = mean(ran$value$upper - ran$value$lower), seconds = ran$cpu)
}

one_field <- function(n, trend, seed) {
  data <- simulate_field(n, 1e4 * n + seed)
  new <- utils::tail(data, new_places)
  fit_by <- function(estimation) {
    suppressWarnings(neargp(trends[[trend]], data[seq_len(n), ], coords = ~ x + y, method = exact_gp(estimation = estimation),
      covariance = cov_exponential(), threads = 1L, verbose = FALSE))
  }
  ml <- fit_by("ML")
  rbind(covered(ml, new, "plug-in", "ML"), covered(fit_by("REML"), new, "plug-in", "REML"), covered(ml, new, "integrated", "integrated"))
}

settings <- expand.grid(trend = names(trends), n = sizes, stringsAsFactors = FALSE)
settings <- settings[settings$trend == "constant" | settings$n == 30L, ]

summary_of <- function(results) {
  summaries <- aggregate(cbind(coverage, width, seconds) ~ by + trend + n, results, mean)
  coverages <- aggregate(coverage ~ by + trend + n, results, function(x) c(error = sd(x) / sqrt(length(x)), fields = length(x)))$coverage
  summaries$error <- coverages[, "error"]
  numbers <- c("coverage", "width", "seconds", "error")
  summaries[numbers] <- lapply(summaries[numbers], signif, 4L)
  cbind(summaries, fields = coverages[, "fields"])
}

# Written after each fifty fields, so that a run may be stopped. Rows of other sizes stay.
before <- read_result("small-samples")
results <- NULL
for (block in split(seq_len(fields), (seq_len(fields) - 1L) %/% 50L)) {
  cases <- merge(settings, data.frame(seed = block))
  cases <- cases[order(cases$seed, cases$n), ]
  results <- rbind(results, do.call(rbind, parallel::mclapply(seq_len(nrow(cases)), function(i) {
    cbind(cases[i, c("n", "trend")], one_field(cases$n[i], cases$trend[i], cases$seed[i]), row.names = NULL)
  }, mc.cores = bench_threads())))
  summaries <- rbind(before[!before$n %in% sizes, ], summary_of(results))
  save_result(summaries[order(summaries$n, summaries$trend, summaries$by), ], "small-samples")
}
print(summaries, row.names = FALSE)
