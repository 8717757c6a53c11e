# How long does a default fit take where it conditions on the field, compared with the same fit on responses? How long does sampling the
# loss by few neighbours take?
#
#   OMP_NUM_THREADS=1 Rscript bench/conditioning-time.R [rows: 2000,10000,50000]
#
# Locations are uniform in the unit square. The field has variance 1 and an exponential covariance of range .3: it is a sum of 400 waves, whose
# frequencies are bivariate Cauchy, the spectral density of that covariance. The noise variance is 10. CPU seconds of one thread, the least of three
# rounds in turn. Expected: at most 6 times as long as on responses; sampling below .2 s and 2% of the fit. Keeps table conditioning-time.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))
stop_unless_one_thread()
sizes <- as.integer(argument(1L, c("2000", "10000", "50000")))

# A bivariate Cauchy frequency is a pair of normal numbers over the absolute value of a third.
field_rows <- function(n, waves = 400L) {
  set.seed(n)
  rows <- data.frame(x = stats::runif(n), y = stats::runif(n))
  field <- double(n)
  for (wave in seq_len(waves)) {
    frequency <- stats::rnorm(2) / abs(stats::rnorm(1)) / 0.3
    field <- field + stats::rnorm(1) * cos(frequency[1L] * rows$x + frequency[2L] * rows$y + stats::runif(1, 0, 2 * pi))
  }
  rows$z <- sqrt(2 / waves) * field + stats::rnorm(n, sd = sqrt(10))
  rows
}

fit <- function(rows, method) {
  neargp(z ~ 1, rows, coords = ~ x + y, covariance = cov_exponential(), method = method, threads = 1L, verbose = FALSE)
}

range_of <- function(fit) stats::coef(fit, what = "covariance")[["range"]]

times_of <- function(n) {
  rows <- field_rows(n)
  by_default <- fit(rows, vecchia())
  on_responses <- fit(rows, vecchia(condition = "responses"))
  stopifnot(by_default$conditioning$on == "field")
  seconds <- compete(3L, list(
    default = function() cpu_seconds(fit(rows, vecchia())),
    responses = function() cpu_seconds(fit(rows, vecchia(condition = "responses"))),
    loss = function() cpu_seconds(neighbor_loss(on_responses, threads = 1L))
  ))
  data.frame(n = n, default_s = seconds[["default"]], responses_s = seconds[["responses"]],
    ratio = seconds[["default"]] / seconds[["responses"]],
    gain = c(stats::logLik(by_default)) - c(stats::logLik(on_responses)), range = range_of(by_default),
    range_responses = range_of(on_responses), loss_s = seconds[["loss"]],
    share = seconds[["loss"]] / seconds[["default"]], share_responses = seconds[["loss"]] / seconds[["responses"]])
}

describe_run()
save_table(do.call(rbind, lapply(sizes, times_of)), "conditioning-time", digits = 3L)
