# Coverage of 95% prediction intervals by the estimates of the covariance parameters, by maximum likelihood (the default) and by REML, and
# with the parameters integrated over their posterior. Exponential fields on the unit square, variance 1, range 0.2, nugget 0.1, constant mean;
# 50 new locations in the same square. `se`: standard error of a coverage over the fields.
#
#   Rscript bench/integrated-coverage.R [fields: 200] [numbers of rows: 30,50] [three or five parameters: 3]
bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))
describe_run()

field <- function(n, seed, new = 50L) {
  set.seed(1000 * n + seed)
  data <- data.frame(x = runif(n + new), y = runif(n + new))
  data$z <- drop(crossprod(chol(exp(-as.matrix(dist(data)) / 0.2)), rnorm(n + new))) + sqrt(0.1) * rnorm(n + new)
  list(data = data[seq_len(n), ], new = data[n + seq_len(new), ])
}

covariances <- list("3" = quote(cov_exponential()), "4" = quote(cov_exponential(ard = TRUE)), "5" = quote(cov_exponential(anisotropy = TRUE)))

fitted_by <- function(data, estimation, covariance) {
  suppressWarnings(suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, covariance = eval(covariance), threads = 1L, verbose = FALSE,
    method = exact_gp(estimation = estimation))))
}

measure_field <- function(n, seed, covariance) {
  drawn <- field(n, seed)
  inside <- function(fit, parameters) {
    found <- suppressMessages(predict(fit, drawn$new, interval = "prediction", parameters = parameters, verbose = FALSE, threads = 1L))
    c(mean(drawn$new$z >= found$lower & drawn$new$z <= found$upper), mean(found$upper - found$lower))
  }
  ml <- fitted_by(drawn$data, "ML", covariance)
  c(inside(ml, "plug-in"), inside(fitted_by(drawn$data, "REML", covariance), "plug-in"), inside(ml, "integrated"))
}

fields <- as.integer(argument(1L, "200"))
parameters <- argument(3L, "3")
rows <- do.call(rbind, lapply(as.integer(argument(2L, c("30", "50"))), function(n) {
  found <- vapply(seq_len(fields), function(seed) measure_field(n, seed, covariances[[parameters]]), double(6L))
  print(data.frame(n = n, parameters = as.integer(parameters), by = c("ML", "REML", "integrated"), coverage = rowMeans(found)[c(1, 3, 5)],
    se = apply(found[c(1, 3, 5), ], 1L, sd) / sqrt(fields), width = rowMeans(found)[c(2, 4, 6)]))
}))
save_table(rows, "integrated-coverage", digits = 4L)
