# Studies the log score of protein by LOO-k. The paper prints an NLL of .626 with standard error .008 over ten splits (Jankowiak and Pleiss 2022,
# Table 6). On three splits loo-k-uci.R reaches only .658. Two questions: what differs between splits, and what do settings change?
#
# Part "splits" fits with 600 steps of Adam from scratch. It reports the NLL of test and validation rows. For the test rows it also reports the part
# of the NLL that the ten worst rows contribute. Test rows whose predictors equal those of a training row ("copies") and the other test rows get
# separate NLLs. The last figure is the part of the NLL from test rows with the smallest response of the set (-2.45 standard deviations).
#
# Part "settings" changes one setting at a time. Setting "jitter" adds normal noise of standard deviation .01 to the training inputs. Setting "once"
# keeps one of the training rows with the same inputs.
#
#   Rscript bench/loo-k-protein.R splits [splits, e.g. 1:10] [k, 64]
#   Rscript bench/loo-k-protein.R settings [split, 2] [k, 32]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

what <- argument(1L, "splits")
splits <- eval(str2lang(argument(2L, if (what == "splits") "1:10" else "2")))
k <- as.integer(argument(3L, if (what == "splits") "64" else "32"))

raw <- bench_data("protein")
inputs <- setdiff(names(raw), c("y", "fold"))
copies_key <- do.call(paste, raw[inputs])
data <- data.frame(scale(as.matrix(raw[inputs])), y = drop(scale(raw$y)))

fit_protein <- function(train, steps = 600L, learning_rate = 0.03, optimizer = "adam", trend = "gls", refresh = 50L) {
  timed(neargp(y ~ 1, train, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), threads = 1L, verbose = FALSE,
    method = loo_k(k, optimizer = optimizer, steps = if (optimizer == "adam") steps, learning_rate = learning_rate, trend = trend,
      refresh = refresh)))
}

# Returns the NLL of each row. scores() returns only their mean.
row_scores <- function(fit, rows, k) {
  predicted <- predict(fit, data[rows, ], k = k, threads = 1L)
  -stats::dnorm(data$y[rows], predicted$mean, predicted$sd, log = TRUE)
}

score_split <- function(split) {
  if (is_done("loo-k-protein", data.frame(split = split, k = k))) return(invisible())
  rows <- split_rows(nrow(data), split)
  set.seed(split)
  fitted <- fit_protein(data[rows$training, ])
  nll <- row_scores(fitted$value, rows$test, k)
  copy <- copies_key[rows$test] %in% copies_key[rows$training]
  least <- data$y[rows$test] == min(data$y)
  scored <- scores(fitted$value, data[rows$test, ], threads = 1L)
  append_result("loo-k-protein", data.frame(split = split, k = k, cpu = fitted$cpu, nll = mean(nll), rmse = scored$rmse, crps = scored$crps,
    validation_nll = mean(row_scores(fitted$value, rows$validation, k)), worst_ten = sum(sort(nll, decreasing = TRUE)[1:10]) / length(nll),
    median_nll = stats::median(nll), copies = mean(copy), nll_copies = mean(nll[copy]), nll_others = mean(nll[!copy]), rows_least = sum(least),
    part_least = sum(nll[least]) / length(nll)))
}

# ---- settings -------------------------------------------------------------------------------------------------------------------

jittered <- function(train) {
  train[names(train) != "y"] <- lapply(train[names(train) != "y"], function(x) x + stats::rnorm(length(x), sd = 0.01))
  train
}

settings <- list(
  default = list(), `2,400 steps` = list(steps = 2400L), `rate .1` = list(learning_rate = 0.1), `rate .01` = list(learning_rate = 0.01),
  `constant learnt by the score` = list(trend = "score"), `neighbours renewed every 10 steps` = list(refresh = 10L), bfgs = list(optimizer = "bfgs"),
  jitter = list(change = jittered), once = list(change = function(train) train[!duplicated(train[names(train) != "y"]), ]))

score_setting <- function(name, split) {
  if (is_done("loo-k-protein-settings", data.frame(split = split, k = k, setting = name))) return(invisible())
  rows <- split_rows(nrow(data), split)
  setting <- settings[[name]]
  set.seed(split)
  train <- data[rows$training, ]
  if (!is.null(setting$change)) train <- setting$change(train)
  fitted <- do.call(fit_protein, c(list(train), setting[names(setting) != "change"]))
  fit <- fitted$value
  covariance <- coef(fit, "covariance")
  append_result("loo-k-protein-settings", data.frame(split = split, k = k, setting = name, cpu = fitted$cpu,
    loo_nll = -c(logLik(fit)) / nrow(train), nll = mean(row_scores(fit, rows$test, k)), validation_nll = mean(row_scores(fit, rows$validation, k)),
    nll_k_128 = mean(row_scores(fit, rows$test, 128L)), variance = covariance[["variance"]], nugget = fit$nugget,
    median_range = stats::median(covariance[grepl("^range", names(covariance))])))
}

describe_run()
if (what == "splits") for (split in splits) score_split(split) else for (name in names(settings)) score_setting(name, splits[1L])
results <- read_result("loo-k-protein")
if (what == "splits") {
  here <- results[results$k == k, ]
  means <- vapply(here[c("nll", "validation_nll", "rmse", "crps", "worst_ten", "part_least")], mean, 0)
  errors <- vapply(here[c("nll", "validation_nll", "rmse", "crps", "worst_ten", "part_least")], standard_error, 0)
  save_table(data.frame(measure = names(means), splits = nrow(here), mean = means, se = errors), "loo-k-protein-means", 4L)
}
