# Varies the number of neighbours of vnngp(), and chooses settings by validation rows, on subsets of the sets of its
# paper.
#
# The word `sweep` runs Figure 2 of the paper: test RMSE and NLL of the mean field for k = 32, 64, 128 and 256. The
# script adds the exact GP, SVGP and the sparse posterior. The paper uses all 10,600 training rows of elevators and
# 74,000 of UKHousing, 300 or 500 epochs, and SVGP with 1,024 points. The set UKHousing is not available, and canopy
# heights (bcef) replace it. The script uses at most 1,000 training and 4,000 test rows, 100 epochs of batches of 64,
# and SVGP with 256 points.
#
# The word `chosen` chooses k, learning rate and epochs by the NLL of the validation rows, as in section D.3.1 of the
# paper. The choices are k in {32, 256}, rates of 0.005 and 0.01, and 50 or 100 epochs in place of 300 or 500. It uses
# 400 training rows.
#
#   Rscript bench/vnngp-neighbors.R [sweep or chosen: sweep] [sets: elevators,bcef] [training rows: 1000, or 400]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "vnngp-uci-sets.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

canopy <- function() {
  rows <- bench_data("bcef")
  data.frame(stats::setNames(data.frame(scaled_inputs(as.matrix(rows[c("x", "y")]))), c("x1", "x2")), y = drop(scale(rows$fch)))
}

# Splits the rows 64/16/20 and limits the number of rows of each part.
parts_of <- function(set, most, seed = 1L) {
  data <- if (set == "bcef") canopy() else prepared(set)
  n <- nrow(data)
  set.seed(seed)
  rows <- sample.int(n)
  part <- function(from, to, most) data[utils::head(rows[seq(round(from * n) + 1, round(to * n))], most), ]
  parts <- list(train = part(0, 0.64, most), validation = part(0.64, 0.8, 4000L), test = part(0.8, 1, 4000L))
  varies <- vapply(parts$train, function(x) length(unique(x)) > 1L, NA)
  lapply(parts, function(rows) rows[varies])
}

mean_field <- function(k, epochs = 100L, rate = 0.01) {
  vnngp(k, posterior = "mean-field", optimizer = "adam", jitter = 1e-5, epochs = epochs, learning_rate = rate, batch_size = 64L)
}

fit_set <- function(data, method) {
  set.seed(1)
  timed(suppressWarnings(neargp(y ~ 1, data$train, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), method = method,
    control = neargp_control(max_refreshes = 2L), threads = 1L, verbose = FALSE)))
}

score_of <- function(fit, rows) {
  found <- scores(fit, newdata = rows, threads = 1L)
  c(nll = found$log_score, rmse = found$rmse, coverage = found$coverage)
}

# ---- Figure 2 -------------------------------------------------------------------------------------------------------------------

sweep_methods <- function() {
  ks <- c(32L, 64L, 128L, 256L)
  c(stats::setNames(lapply(ks, mean_field), paste("mean field", ks)), stats::setNames(lapply(ks[-4L], vnngp), paste("sparse", ks[-4L])),
    list("exact" = exact_gp(), "svgp" = svgp(256L, std_error = FALSE)))
}

sweep_set <- function(set, most) {
  data <- parts_of(set, most)
  methods <- sweep_methods()
  do.call(rbind, lapply(names(methods), function(name) {
    run <- fit_set(data, methods[[name]])
    row <- data.frame(set = set, n = nrow(data$train), method = name, as.list(score_of(run$value, data$test)), nugget = run$value$nugget,
      cpu = run$cpu)
    print(row, row.names = FALSE)
    row
  }))
}

# ---- the choice by validation ---------------------------------------------------------------------------------------------------

choices <- expand.grid(epochs = c(50L, 100L), rate = c(0.005, 0.01), k = c(32L, 256L))

run_choices <- function(set, most) {
  data <- parts_of(set, most)
  rows <- do.call(rbind, Map(function(k, rate, epochs) {
    run <- fit_set(data, mean_field(k, epochs, rate))
    data.frame(set = set, n = nrow(data$train), k = k, rate = rate, epochs = epochs, validation_nll = score_of(run$value, data$validation)[["nll"]],
      as.list(score_of(run$value, data$test)), cpu = run$cpu)
  }, choices$k, choices$rate, choices$epochs))
  cbind(rows, chosen = rows$validation_nll == min(rows$validation_nll), best = rows$nll == min(rows$nll))
}

what <- argument(1L, "sweep")
most <- as.integer(argument(3L, if (what == "sweep") "1000" else "400"))
describe_run()
run <- if (what == "sweep") sweep_set else run_choices
save_table(do.call(rbind, lapply(argument(2L, c("elevators", "bcef")), run, most = most)), paste0("vnngp-neighbors-", what))
