# Calls on large tables other than default fits, in CPU seconds of one thread and in units of the yardstick of common.R, timed before and
# after all of them. `plot`: plot() of a fit to the 105,569 rows of the satellite data. `row`: predict() of one further row of a fit to 200,000
# rows. `effects`: a fit of 100,000 rows with 10,000 levels scattered over them, also in times of one without. `inducing`:
# vecchia(inducing = 200) of elevators, whose fold 0 is predicted.
#
#   OMP_NUM_THREADS=1 Rscript bench/table-verbs.R [verbs: plot,row,effects,inducing] [label]
#
# Another version of the package is measured through R_LIBS, with a label of its own. Keeps tables table-verbs[-label] and
# table-verbs-inducing[-label].

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
stop_unless_one_thread()
options(neargp.threads = 1L)
verbs <- argument(1L, c("plot", "row", "effects", "inducing"))
label <- argument(2L, "")
name_of <- function(...) paste(c(..., if (nzchar(label)) label), collapse = "-")

few_steps <- function(...) {
  suppressWarnings(suppressMessages(neargp(..., verbose = FALSE, control = neargp_control(max_iterations = 3))))
}

measure_plot <- function() {
  rows <- bench_data("heaton_satellite")
  fit <- few_steps(temp ~ 1, rows[rows$train == 1, ], coords = ~ lon + lat, crs = 4326, covariance = cov_exponential(), method = vecchia(10))
  drawn <- function() {
    grDevices::png(tempfile(fileext = ".png"), 1200, 1000, res = 110)
    on.exit(grDevices::dev.off())
    cpu_seconds(plot(fit))
  }
  c(first = drawn(), further = min(replicate(3L, drawn())))
}

measure_row <- function(n = 200000L, calls = 500L) {
  set.seed(1)
  rows <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  rows$z <- sin(6 * rows$x) + cos(5 * rows$y) + 0.2 * rows$h + rnorm(n, sd = 0.3)
  fit <- few_steps(z ~ h, rows, coords = ~ x + y, method = vecchia(10), covariance = cov_matern(1.5))
  new <- lapply(seq_len(calls), function(i) data.frame(x = runif(1L), y = runif(1L), h = rnorm(1L)))
  one <- function(row) predict(fit, row, threads = 1L, verbose = FALSE)
  one(new[[1L]])
  c(further = least(3L, for (row in new) one(row)) / calls)
}

measure_effects <- function(n = 100000L, levels = 10000L) {
  set.seed(1)
  rows <- data.frame(px = runif(n), py = runif(n), site = sample(levels, n, TRUE))
  rows$y <- rnorm(levels)[rows$site] + sin(6 * rows$px) * cos(5 * rows$py) + rnorm(n, sd = 0.5)
  fit <- function(formula) {
    cpu_seconds(neargp(formula, rows, coords = ~ px + py, method = vecchia(30), covariance = cov_exponential(), verbose = FALSE))
  }
  fit(y ~ 1)  # the first call of a session also loads code
  c(plain = fit(y ~ 1), effects = fit(y ~ (1 | site)))
}

measure_inducing <- function() {
  rows <- bench_data("elevators")
  columns <- setdiff(names(rows), "fold")
  fitted <- timed(suppressWarnings(suppressMessages(neargp(y ~ 1, rows[rows$fold != 0, columns], coords = ~ ., method = vecchia(inducing = 200),
    verbose = FALSE))))
  fit <- fitted$value
  save_table(data.frame(cpu_s = fitted$cpu, evaluations = fit$convergence$evaluations, log_likelihood = as.numeric(logLik(fit)),
    scores(fit, newdata = rows[rows$fold == 0, columns])[c("rmse", "crps", "log_score", "coverage")]), name_of("table-verbs-inducing"))
  c(fit = fitted$cpu)
}

describe_run()
measures <- list(plot = measure_plot, row = measure_row, effects = measure_effects, inducing = measure_inducing)[verbs]
yardstick <- new_yardstick()
unit <- yardstick()
results <- do.call(rbind, lapply(verbs, function(verb) {
  seconds <- measures[[verb]]()
  data.frame(verb = verb, call = names(seconds), cpu_s = seconds, row.names = NULL)
}))
results$yardsticks <- results$cpu_s / mean(c(unit, yardstick()))
save_table(results, name_of("table-verbs"), digits = 4L)
