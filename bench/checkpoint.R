# The cost of checkpoints, as the seconds of a fit that go into writing. Expected: below 1% for fits that take more than some seconds.
#
#   Rscript bench/checkpoint.R        keeps table checkpoint
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))

spent <- 0
original <- neargp:::write_journal
utils::assignInNamespace("write_journal", function() {
  began <- neargp:::core_monotonic_seconds()
  on.exit(spent <<- spent + neargp:::core_monotonic_seconds() - began)
  original()
}, "neargp")

one_case <- function(n, method, formula = z ~ 1, family = NULL, covariance = NULL) {
  set.seed(1)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n))
  field <- sin(9 * data$x) * cos(7 * data$y)
  data$z <- field + stats::rnorm(n, sd = 0.3)
  data$count <- stats::rpois(n, exp(field))
  file <- tempfile()
  spent <<- 0
  took <- timed(suppressWarnings(suppressMessages(neargp(formula, data, coords = ~ x + y, method = method, family = family,
    covariance = covariance, control = neargp_control(checkpoint = file), threads = bench_threads()))))
  data.frame(method = method$label, rows = n, seconds = round(took$elapsed, 2), writing = round(spent, 4),
    percent = round(100 * spent / took$elapsed, 2), file_kb = round(file.size(file) / 1000))
}
table <- rbind(one_case(1e5, vecchia(20), covariance = cov_exponential(anisotropy = TRUE)),
  one_case(30000, loo_k(20), covariance = cov_matern(nu = 1.5, ard = TRUE)), one_case(20000, vnngp(10), count ~ x, stats::poisson()),
  one_case(20000, svgp(60)), one_case(5000, dspp(width = 2, inducing = 30, epochs = 20)))
save_table(table, "checkpoint")
