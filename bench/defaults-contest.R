# Fits the satellite contest (Heaton et al. 2019) by a call that names nothing, by the former default, and with cross-validation. The
# package's own cross-validation in blocks chooses among covariances, and then among settings of predict(). Keeps tables
# defaults-contest[-covariances, -settings].

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
cells <- bench_data("heaton_satellite")
train <- cells[cells$train == 1, ]
test <- cells[cells$train == 0, ]
describe_run()

fit_to <- function(...) {
  timed(neargp(temp ~ 1, train, coords = ~ lon + lat, distance = "euclidean", threads = bench_threads(), verbose = FALSE, ...))
}

contest_row <- function(label, fitted, ...) {
  predicted <- timed(predict(fitted$value, test, threads = bench_threads(), verbose = FALSE, ...))
  data.frame(call = label, scores(predicted$value, observed = test$temp)[c("rmse", "crps", "coverage")], fit_cpu = fitted$cpu,
    predict_cpu = predicted$cpu)
}

fits <- list(default = fit_to(), "Matern 3/2" = fit_to(covariance = cov_matern(nu = 1.5)),
  "Matern, smoothness estimated, anisotropic" = fit_to(covariance = cov_matern(nu = NULL, anisotropy = TRUE)),
  "Cauchy, anisotropic" = fit_to(covariance = cov_cauchy(anisotropy = TRUE)))
rows <- rbind(contest_row("default", fits$default),
  contest_row("former default: Matern 3/2, 60 nearest", fits[["Matern 3/2"]], k = 60, sectors = 0, local_mean = FALSE),
  do.call(rbind, Map(contest_row, names(fits)[-1L], fits[-1L])))

# Blocks of 0.3 degrees: as far from data as the clouds.
set.seed(1)
blocks <- block_folds(fits$default$value, v = 10, size = 0.3)
by_covariance <- cross_validate(lapply(fits, function(x) x$value), folds = blocks, threads = bench_threads())$scores
save_table(by_covariance, "defaults-contest-covariances", 4L)
best <- fits[[by_covariance$setting[which.min(by_covariance$crps)]]]
settings <- list("8 sectors of 12" = list(), "8 sectors of 25" = list(k = 200, sectors = 8), "16 sectors of 13" = list(k = 200, sectors = 16))
by_setting <- cross_validate(best$value, folds = blocks, settings = settings, threads = bench_threads())$scores
save_table(by_setting, "defaults-contest-settings", 4L)
chosen <- by_setting$setting[which.min(by_setting$crps)]
label <- sprintf("chosen in blocks: %s, %s", by_covariance$setting[which.min(by_covariance$crps)], chosen)
save_table(rbind(rows, do.call(contest_row, c(list(label, best), settings[[chosen]]))), "defaults-contest")
