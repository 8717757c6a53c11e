# Several responses on inducing points. A linear model of coregionalisation by svgp() is compared with separate fits of each response with
# as many points.
#
#   Rscript bench/svgp-outputs.R [sets: naval,sarcos_test] [inducing points: 128] [split: 1] [models: separate,together,rank 2]

# Inputs and responses are standardised, with one range for each input. The splits are 15:3:2 as in loo-k-outputs.R, and the validation rows
# are left out. The model "together" is one structure of full rank. The model "rank 2" is one structure of two factors, for more than two
# responses. CPU seconds are those of fit and prediction on one thread.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
source(file.path(bench_folder(), "outputs-fits.R"))

sets <- argument(1L, c("naval", "sarcos_test"))
points <- as.integer(argument(2L, "128"))
split <- as.integer(argument(3L, "1"))
wanted <- argument(4L, c("separate", "together", "rank 2"))
describe_run()

run <- function(set) {
  loaded <- standardised_outputs(set, c(naval = "^y[0-9]$", sarcos_test = "^tau")[[set]])
  parts <- split_rows(nrow(loaded$data), split)
  train <- loaded$data[parts$training, ]
  test <- loaded$data[parts$test, ]
  covariance <- cov_matern(nu = 2.5, ard = TRUE)
  method <- svgp(points, std_error = FALSE)
  models <- list(
    separate = function() separate(loaded$outputs, "1", train, test, loaded$coords, method, covariance),
    together = function() joint(loaded$outputs, "1", train, test, loaded$coords, method, covariance, together = TRUE),
    "rank 2" = function() {
      joint(loaded$outputs, "1", train, test, loaded$coords, method, cov_coregionalisation(covariance, rank = 2), together = TRUE)
    })
  if (length(loaded$outputs) < 3L) wanted <- setdiff(wanted, "rank 2")
  rows <- lapply(wanted, function(name) {
    result <- models[[name]]()
    row <- data.frame(set = set, outputs = length(loaded$outputs), n = nrow(train), inducing = points,
      mean_scores(name, result$observed, result$mean, result$sd, result$covariance, result$cpu),
      evaluations = if (is.null(result$fit)) NA else result$fit$convergence$evaluations)
    print(row, row.names = FALSE)
    row
  })
  do.call(rbind, rows)
}

save_table(do.call(rbind, lapply(sets, run)), "svgp-outputs")
