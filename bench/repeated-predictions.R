# The cost of a prediction from a fit that has predicted before: the first row, each further call of one row, and many rows in 1 and in 100
# chunks.
#
#   Rscript bench/repeated-predictions.R [numbers of rows, comma-separated; 20000,200000] [methods, comma-separated; all] [label]
#
# Times are elapsed seconds and, for calls, also CPU milliseconds. Elapsed times count only where nothing else runs. Fits take one step, so
# that they are quick. Keeps table repeated-predictions[-label].

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

sizes <- as.integer(argument(1L, c("20000", "200000")))
wanted <- argument(2L, "all")
label <- argument(3L, "")
calls <- 100L
many <- 10000L

simulate_rows <- function(n) {
  rows <- data.frame(x = stats::runif(n), y = stats::runif(n), h = stats::rnorm(n))
  eta <- sin(6 * rows$x) + cos(5 * rows$y) + 0.2 * rows$h
  rows$z <- eta + stats::rnorm(n, sd = 0.3)
  rows$z2 <- eta + stats::rnorm(n, sd = 0.4)
  rows$count <- stats::rpois(n, exp(eta / 2))
  rows$class <- factor(c("a", "b")[1L + stats::rbinom(n, 1L, stats::plogis(eta))])
  rows
}

few_steps <- function(formula, data, method, ...) {
  suppressWarnings(neargp(formula, data, coords = ~ x + y, method = method, covariance = cov_matern(1.5), ..., threads = bench_threads(),
    control = neargp_control(max_iterations = 1), verbose = FALSE))
}

# `most`: rows beyond which a case takes too long to fit here.
cases <- list(
  vecchia = list(fit = function(d) few_steps(z ~ h, d, vecchia(10))),
  loo_k = list(fit = function(d) few_steps(z ~ h, d, loo_k(10))),
  mll_k = list(fit = function(d) few_steps(z ~ h, d, mll_k(10))),
  vnngp_poisson = list(fit = function(d) few_steps(count ~ h, d, vnngp(10), family = stats::poisson())),
  loo_k_poisson = list(fit = function(d) few_steps(count ~ h, d, loo_k(10), family = stats::poisson()), most = 20000L),
  loo_k_classes = list(fit = function(d) few_steps(class ~ h, d, loo_k(10), family = stats::binomial()), most = 20000L),
  two_outputs = list(fit = function(d) few_steps(cbind(z, z2) ~ h, d, loo_k(10)), most = 20000L),
  svgp = list(fit = function(d) few_steps(z ~ h, d, svgp(200)), most = 20000L),
  vecchia_inducing = list(fit = function(d) few_steps(z ~ h, d, vecchia(10, inducing = 100)), most = 20000L),
  exact_gp = list(fit = function(d) few_steps(z ~ h, d[seq_len(2000L), ], exact_gp()), most = 20000L)
)
if (!identical(wanted, "all")) cases <- cases[wanted]

seconds <- function(expression) system.time(expression, gcFirst = FALSE)

measure <- function(case, n) {
  set.seed(1)
  data <- simulate_rows(n)
  fit <- cases[[case]]$fit(data)
  new <- simulate_rows(many)
  one <- function(i) predict(fit, new[i, ], threads = bench_threads(), verbose = FALSE)
  rows <- lapply(seq_len(calls), function(i) new[i, ])
  first <- seconds(one(1L))[["elapsed"]]
  if (first > 0.5) rows <- rows[1:20]
  further <- vapply(rows, function(row) {  # by a clock that tells microseconds
    began <- Sys.time()
    predict(fit, row, threads = bench_threads(), verbose = FALSE)
    as.double(Sys.time() - began, units = "secs")
  }, 0)
  total <- seconds(for (row in rows) predict(fit, row, threads = bench_threads(), verbose = FALSE))
  all_rows <- function(chunks) {
    seconds(predict(fit, new, chunk_size = many %/% chunks, threads = bench_threads(), verbose = FALSE))[["elapsed"]]
  }
  chunked <- vapply(1:2, function(i) c(all_rows(1L), all_rows(100L)), double(2))
  data.frame(case = case, n = nrow(fit$data$coords), first_ms = 1e3 * first,
    further_ms = 1e3 * stats::median(further), further_least_ms = 1e3 * min(further),
    further_cpu_ms = 1e3 * sum(total[1:2]) / length(rows), one_chunk_s = min(chunked[1L, ]), hundred_chunks_s = min(chunked[2L, ]))
}

results <- do.call(rbind, lapply(sizes, function(n) {
  do.call(rbind, lapply(names(cases), function(case) {
    if (n > min(cases[[case]]$most, Inf)) return(NULL)
    row <- tryCatch(measure(case, n), error = function(e) {
      message(case, ": ", conditionMessage(e))
      NULL
    })
    if (!is.null(row)) print(format(row, digits = 3), row.names = FALSE)
    row
  }))
}))
results$ratio <- results$hundred_chunks_s / results$one_chunk_s
print(format(results, digits = 3), row.names = FALSE)
save_result(format(results, digits = 4), paste0("repeated-predictions", if (nzchar(label)) paste0("-", label)), quote = FALSE)
