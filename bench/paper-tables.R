# Compares the papers' tables of regression (and of eeg, two classes) with our results:
# - LOO-k, Table 6: SVGP, PPGPR and SWSGP.
# - ODVGP, appendix G: SVGP and orthogonal bases. Its Tables 1 and 2 are means of these over more sets than are
#   available.
# - SWSGP, Tables 1 to 3.
# - VNNGP, Tables 1 and 2: SVGP and SWSGP.
#
# The splits are those of each paper:
# - LOO-k: 15:3:2 into training, test and validation rows. If several weights of the divergence were run, the
#   validation rows choose one, as in the paper.
# - VNNGP: 64/16/20. The validation rows choose nothing.
# - The other papers: a random tenth is the test set.
#
# The covariance is Matérn 5/2 with a range for each input. Times are CPU seconds (of all threads) of the whole fit.
# The fits by ppgpr() and odvgp() start from the fit by svgp(). They use its parameters and points, and their times
# include its time. The fit by odvgp() adds 700 points for the mean, as many as the paper adds to 300.
#
# PAPER is one of loo-k, odvgp, swsgp, vnngp. The argument k applies to swsgp(), mll_k() and vecchia(). The method
# swsgp-n is swsgp() with an inducing point at each row, and mll_k-adam is mll_k() by mini-batches. The method
# ppgpr-diagonal is the mean-field form of ppgpr(), which the papers print. Its weights are those of svgp(). Rows are
# written to table paper-tables, and rows that it already contains are not run again. The word `table` prints them with the papers'
# figures. Among several numbers of inducing points, it prints the results with most splits, and among these the
# results with most points. Without validation rows, the most neighbours decide.
#
#   Rscript bench/paper-tables.R run PAPER [sets] [methods: svgp,ppgpr,odvgp,swsgp; ppgpr-diagonal,swsgp-n,mll_k,mll_k-adam,vecchia]
#     [splits: 1,2,3] [inducing: 256] [k: 16] [epochs: 30] [svgp() weights: 1] [swsgp() weight: default] [swsgp() rate: 0.03]
#   Rscript bench/paper-tables.R table
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R", "vnngp-uci-sets.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

# ---- sets -----------------------------------------------------------------------------------------------------------------------

# Outliers of eeg are a thousand times the other values and are clipped.
standardised <- function(set) {
  rows <- bench_data(set)
  inputs <- as.matrix(rows[setdiff(names(rows), c("y", "fold"))])
  if (set == "eeg") inputs <- apply(inputs, 2L, function(x) pmin(pmax(x, quantile(x, 0.001)), quantile(x, 0.999)))
  inputs <- scale(inputs)
  data.frame(inputs[, apply(inputs, 2L, function(x) all(is.finite(x)))], y = if (set == "eeg") rows$y else drop(scale(rows$y)))
}

three_quarters <- function(n, split) stats::setNames(split_rows(n, split), c("train", "test", "validation"))

all_but_a_tenth <- function(n, split) {
  set.seed(split)
  test <- seq_len(n) %in% sample.int(n, round(n / 10))
  list(train = which(!test), test = which(test))
}

protocols <- list(
  `loo-k` = list(data = standardised, parts = three_quarters, sets = c("pol", "elevators", "kin40k", "protein", "keggundirected"), nu = 2.5),
  odvgp = list(data = standardised, parts = all_but_a_tenth, sets = c("pol", "elevators", "kin40k", "protein", "keggundirected"), nu = 2.5),
  swsgp = list(data = standardised, parts = all_but_a_tenth, sets = c("powerplant", "kin8nm", "eeg", "protein"), nu = 2.5),
  vnngp = list(data = prepared, parts = train_and_test_rows, sets = c("pol", "elevators", "kin40k", "protein", "keggundirected"), nu = 2.5)
)

# The SWSGP paper prints the errors for these sets in the unit of the response.
response_unit <- function(paper, set) if (paper == "swsgp" && set %in% c("powerplant", "kin8nm")) stats::sd(bench_data(set)$y) else 1

split_of <- function(paper, set, split) {
  data <- protocols[[paper]]$data(set)
  rows <- protocols[[paper]]$parts(nrow(data), split)
  train <- data[rows$train, ]
  varies <- vapply(train, function(x) length(unique(x)) > 1L, NA)
  list(train = train[varies], test = data[rows$test, varies], validation = data[rows$validation, varies])
}

# ---- fits -----------------------------------------------------------------------------------------------------------------------

fit_by <- function(method, case, data, covariance = cov_matern(nu = protocols[[case$paper]]$nu, ard = TRUE), ...) {
  family <- if (case$set == "eeg") stats::binomial() else stats::gaussian()
  set.seed(case$split)
  timed(suppressWarnings(neargp(y ~ 1, data$train, coords = ~ ., covariance = covariance, family = family, method = method, threads = bench_threads(),
    verbose = FALSE, ...), classes = c("neargp_warning_convergence", "neargp_warning_inducing")))
}

# The covariance of a fit, with fixed parameters.
held_covariance <- function(fit, nu) {
  found <- coef(fit, "covariance")
  cov_matern(nu = nu, variance = found[["variance"]], range = unname(found[grepl("^range", names(found))]), ard = TRUE)
}

second_stage <- function(case, data, first, nu) {
  base <- first$value
  covariance <- held_covariance(base, nu)
  points <- as.matrix(base$inducing)
  second <- if (case$method == "ppgpr") {
    fit_by(ppgpr(points, move = FALSE), case, data, covariance, start = c(nugget = base$nugget))
  } else {
    fit_by(odvgp(points, move = FALSE, std_error = FALSE, mean_inducing = 700L), case, data, covariance, nugget = base$nugget)
  }
  list(value = second$value, cpu = first$cpu + second$cpu)
}

scored_row <- function(case, data, fitted) {
  predicting <- timed(predict(fitted$value, data$test, threads = bench_threads()))
  predicted <- predicting$value
  unit <- response_unit(case$paper, case$set)
  classes <- case$set == "eeg"
  scored <- scores(fitted$value, data$test)
  error <- unit * (predicted$mean - data$test$y)
  data.frame(case, n = nrow(data$train), cpu_fit = fitted$cpu, cpu_predict = predicting$cpu,
    nll = scored$log_score + if (classes) 0 else log(unit), rmse = sqrt(mean(error^2)), mae = mean(abs(error)),
    crps = if (classes) NA else unit * scored$crps, error = if (classes) mean((predicted$mean > 0.5) != data$test$y) else NA,
    coverage = if (classes) NA else scored$coverage,
    nll_validation = if (nrow(data$validation)) scores(fitted$value, data$validation)$log_score else NA)
}

# The argument `kl_weight` is the weight of svgp(), from which the other methods start. The argument `steps` contains
# the settings of swsgp().
case_of <- function(paper, set, method, split, points, k, kl_weight, steps) {
  by_steps <- method %in% c("swsgp", "swsgp-n")
  without_points <- method %in% c("mll_k", "mll_k-adam", "vecchia", "swsgp-n")
  data.frame(paper = paper, set = set, method = method, inducing = if (without_points) NA_integer_ else points,
    k = if (by_steps || without_points) k else NA_integer_,
    epochs = if (by_steps || method == "ppgpr-diagonal") steps$epochs else NA_integer_,
    learning_rate = if (by_steps) steps$learning_rate else NA_real_,
    kl_weight = if (by_steps) steps$kl_weight else if (without_points) NA_real_ else kl_weight, split = split)
}

swsgp_of <- function(case, n) {
  swsgp(if (case$method == "swsgp-n") n else case$inducing, k = case$k, epochs = case$epochs, learning_rate = case$learning_rate,
    kl_weight = if (!is.na(case$kl_weight)) case$kl_weight)
}

# The methods that do not start from a fit by svgp(), from the case and the number of training rows.
methods_alone <- list(
  swsgp = swsgp_of, `swsgp-n` = swsgp_of,
  mll_k = function(case, n) mll_k(case$k), `mll_k-adam` = function(case, n) mll_k(case$k, optimizer = "adam"),
  vecchia = function(case, n) vecchia(case$k),
  `ppgpr-diagonal` = function(case, n) {
    ppgpr(case$inducing, joint = TRUE, covariance = "diagonal", kl_weight = case$kl_weight, epochs = case$epochs)
  }
)

run_split <- function(paper, set, methods, split, points, k, kl_weight, steps) {
  cases <- lapply(methods, function(method) case_of(paper, set, method, split, points, k, kl_weight, steps))
  cases <- Filter(function(case) !is_done("paper-tables", case), cases)
  if (!length(cases)) return(invisible())
  data <- split_of(paper, set, split)
  first <- NULL
  for (case in cases) {
    if (case$method %in% names(methods_alone)) {
      fitted <- fit_by(methods_alone[[case$method]](case, nrow(data$train)), case, data)
    } else {
      if (is.null(first)) first <- fit_by(svgp(points, std_error = FALSE, kl_weight = kl_weight), case, data)
      fitted <- if (case$method == "svgp") first else second_stage(case, data, first, protocols[[paper]]$nu)
    }
    append_result("paper-tables", scored_row(case, data, fitted))
  }
}

# ---- tables ---------------------------------------------------------------------------------------------------------------------

# Our results for the same paper, set, method and k (where the paper prints one).
ours_beside <- function(printed, results) {
  rows <- results[results$paper == printed$paper & results$set == printed$set & results$method == printed$method &
    (is.na(printed$k) | results$k %in% printed$k), ]
  if (!nrow(rows)) return(NULL)
  rows <- chosen_like_paper(rows)
  value <- rows[[printed$metric]]
  found <- data.frame(inducing = rows$inducing[1L], splits = nrow(rows), ours = mean(value), ours_se = standard_error(value),
    cpu_fit = mean(rows$cpu_fit))
  found$as_good <- verdict(printed$metric, found$ours, found$ours_se, printed$value, printed$se, printed$digits)
  cbind(printed[c("paper", "set", "method", "k", "metric", "printed_as", "value", "se")], found)
}

compare_all <- function() {
  results <- read_result("paper-tables")
  printed <- best_published(names(protocols))
  rows <- do.call(rbind, lapply(seq_len(nrow(printed)), function(i) ours_beside(printed[i, ], results)))
  rows <- rows[order(rows$paper, rows$method, rows$set, rows$k, rows$metric), ]
  save_table(rows, "paper-tables-compared", digits = 4L)
  print(table(paste(rows$paper, rows$method), rows$as_good))
  cat(sprintf("%d of %d at least as good as printed, %d more within a standard error.\n", sum(rows$as_good == "yes"), nrow(rows),
    sum(rows$as_good == "level")))
}

# ---- what to do -----------------------------------------------------------------------------------------------------------------

what <- argument(1L, "table")
if (what == "table") compare_all() else {
  describe_run()
  paper <- argument(2L, "loo-k")
  for (set in argument(3L, protocols[[paper]]$sets)) for (split in as.integer(argument(5L, c("1", "2", "3")))) {
    for (kl_weight in as.numeric(argument(9L, "1"))) {
      steps <- list(epochs = as.integer(argument(8L, "30")), learning_rate = as.numeric(argument(11L, "0.03")),
        kl_weight = suppressWarnings(as.numeric(argument(10L, "default"))))
      run_split(paper, set, argument(4L, c("svgp", "ppgpr", "odvgp", "swsgp")), split, as.integer(argument(6L, "256")),
        as.integer(argument(7L, "16")), kl_weight, steps)
    }
  }
}
