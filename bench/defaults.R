# Which covariance and which prediction should a call get that names neither? The answer comes from a panel of data sets and splits. Each
# set is fitted by every covariance and predicted from every choice of neighbours. Rows go to table defaults as they are computed, and a run
# continues where the last one stopped. The conclusions are in bench/notes/defaults.md.
#
#   Rscript defaults.R [sets, comma-separated; all of them] [at most this many CPU minutes; 60]

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
source(file.path(bench_folder(), "defaults-sets.R"))

train_rows <- 10000L
test_rows <- 4000L

# ---- combinations -----------------------------------------------------------------------------------------------------------------

# Fixes the smoothness halfway, on the logarithmic scale, from the estimate to 1/2, and estimates the other parameters again.
leaning <- function(fit, again) {
  nu <- sqrt(0.5 * stats::coef(fit, what = "covariance")[["smoothness"]])
  again(cov_matern(nu = nu, anisotropy = fit$covariance$components[[1L]]$anisotropy, ard = fit$covariance$components[[1L]]$ard), fit)
}

# `more`: rotated anisotropy in the plane, a range for each of several inputs.
covariances_of <- function(kind) {
  more <- switch(kind, plane = list(anisotropy = TRUE), inputs = list(ard = TRUE))
  suffix <- if (kind == "plane") "A" else "R"
  forms <- list(list())
  names(forms) <- ""
  if (!is.null(more)) forms[[suffix]] <- more
  smoothness <- list(exp = 0.5, m32 = 1.5, m52 = if (kind == "inputs") 2.5, nu = NA, lean = NA)
  smoothness <- Filter(Negate(is.null), smoothness)
  made <- list()
  for (form in names(forms)) for (nu in names(smoothness)) {
    arguments <- c(list(nu = if (!is.na(smoothness[[nu]])) smoothness[[nu]]), forms[[form]])
    made[[paste0(nu, form)]] <- list(covariance = do.call(cov_matern, arguments), lean = nu == "lean", from = paste0("nu", form))
  }
  made
}

predictions_of <- function(kind) {
  nearest <- list(k60 = list(k = 60, sectors = 0, local_mean = FALSE), k60L = list(k = 60, sectors = 0, local_mean = TRUE),
    k100L = list(k = 100, sectors = 0, local_mean = TRUE))
  if (kind == "inputs") return(nearest)
  c(nearest, list(S8k96 = list(k = 96, sectors = 8, local_mean = FALSE), S8k48L = list(k = 48, sectors = 8, local_mean = TRUE),
    S8k96L = list(k = 96, sectors = 8, local_mean = TRUE)))
}

# ---- one split --------------------------------------------------------------------------------------------------------------------

scores_of <- function(predicted, observed) {
  scored <- scores(predicted, observed = observed)
  data.frame(rmse = scored$rmse, crps = scored$crps, log_score = -mean(stats::dnorm(observed, predicted$mean, predicted$sd, log = TRUE)),
    coverage = scored$coverage)
}

fit_to <- function(set, train, covariance, start = NULL) {
  arguments <- list(set$formula, train, coords = set$coords, time = set$time, method = vecchia(k = min(30L, nrow(train) - 1L)),
    covariance = covariance, distance = if (set$kind == "sphere") "chordal" else "euclidean", start = start, threads = bench_threads(),
    verbose = FALSE)
  suppressWarnings(suppressMessages(do.call(neargp, arguments)))
}

run_split <- function(name, set, split) {
  rows <- split_of(set, split)
  train <- set$data[rows$train, ]
  test <- set$data[rows$test, ]
  open_of <- function(covariance, settings) {
    setdiff(names(settings), done$prediction[done$set == name & done$split == split & done$covariance == covariance])
  }
  # Fits once, and predicts by each of the settings.
  compare <- function(covariance, settings, fit) {
    spent()
    fitted <- timed(fit())
    told <- stats::coef(fitted$value, what = "covariance")
    of_fit <- function(parameter) if (parameter %in% names(told)) told[[parameter]] else NA_real_
    for (setting in names(settings)) {
      arguments <- c(list(fitted$value, test, threads = bench_threads(), verbose = FALSE), settings[[setting]])
      predicted <- timed(do.call(predict, arguments))
      keep_row(data.frame(set = name, split = split, covariance = covariance, prediction = setting, rows = nrow(train), test = nrow(test),
        scores_of(predicted$value, test[[set$response]]), fit_cpu = fitted$cpu, predict_cpu = predicted$cpu,
        smoothness = of_fit("smoothness"), ratio = of_fit("anisotropy_ratio")))
    }
    fitted$value
  }
  settings <- predictions_of(set$kind)
  covariances <- covariances_of(set$kind)
  fits <- list()
  for (covariance in names(covariances)) {
    open <- open_of(covariance, settings)
    if (!length(open)) next
    wanted <- covariances[[covariance]]
    fits[[covariance]] <- compare(covariance, settings[open], function() fit_one(set, train, wanted, fits[[wanted$from]]))
  }
  if (length(open_of("default", list(default = list())))) compare("default", list(default = list()), function() fit_by_default(set, train))
}

# A call that names only the data.
fit_by_default <- function(set, train) {
  suppressWarnings(suppressMessages(neargp(set$formula, train, coords = set$coords, time = set$time,
    distance = if (set$kind == "sphere") "chordal" else "euclidean", threads = bench_threads(), verbose = FALSE)))
}

# The leaning fit starts from the fit with the smoothness estimated.
fit_one <- function(set, train, wanted, estimated) {
  if (!wanted$lean) return(fit_to(set, train, wanted$covariance))
  estimated <- estimated %||% fit_to(set, train, wanted$covariance)
  leaning(estimated, function(covariance, start) fit_to(set, train, covariance, start))
}

keep_row <- function(row) {
  rounded <- as.data.frame(lapply(row, function(x) if (is.double(x)) signif(x, 6L) else x))
  save_result(rounded, "defaults", append = TRUE)
}

`%||%` <- function(a, b) if (is.null(a)) b else a

minutes <- as.numeric(argument(2L, "60"))
spent <- function() if (sum(proc.time()[1:2]) > 60 * minutes) quit("no")

done <- read_result("defaults") %||% data.frame(set = character(0), split = character(0), covariance = character(0),
  prediction = character(0))
describe_run()
for (name in argument(1L, names(sets))) {
  set <- sets[[name]]()
  for (split in set$splits) {
    cat(format(Sys.time(), "%H:%M"), name, split, "\n")
    run_split(name, set, split)
  }
}
