# Every method of the package on seven tasks, for the article "Which method?". The results are test scores, and CPU seconds of one thread
# for the whole fit and for the predictions. Rows are drawn at random: 4,000 for the fit and 2,000 for the test.
#
#   OMP_NUM_THREADS=1 Rscript bench/which-method.R [tasks: map,gaps,inputs-smooth,inputs-noisy,counts,presence,classes] [methods: all]
#
# Rows of methods that are not named stay as they are in the results.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "latent-field.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))
stop_unless_one_thread()
options(neargp.threads = 1L)

tasks <- argument(1L, c("map", "gaps", "inputs-smooth", "inputs-noisy", "counts", "presence", "classes"))

parted <- function(data, fitted = 4000L, tested = 2000L) {
  set.seed(1)
  rows <- sample.int(nrow(data), fitted + tested)
  list(fit = data[rows[seq_len(fitted)], ], test = data[rows[-seq_len(fitted)], ])
}

standardised <- function(set) {
  rows <- bench_data(set)
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", "fold"))]))
  data.frame(inputs[, apply(inputs, 2L, function(x) all(is.finite(x)))], y = rows$y)
}

regression_set <- function(set) {
  data <- standardised(set)
  data$y <- drop(scale(data$y))
  parted(data)
}

class_set <- function(set, two = FALSE) {
  data <- standardised(set)
  data$y <- factor(data$y)
  if (two) data$y <- as.integer(data$y) - 1L
  parted(data, 3000L, 1400L)
}

in_plane <- list(coords = ~ lon + lat, distance = "euclidean")
in_inputs <- list(coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE))

# Satellite temperatures: test rows among those of the fit, or under clouds.
land <- function(gaps) {
  cells <- bench_data("heaton_satellite")
  cells <- data.frame(cells[c("lon", "lat")], y = cells$temp, seen = cells$train == 1)
  data <- parted(cells[cells$seen, ])
  if (gaps) data$test <- parted(cells[!cells$seen, ])$test
  data
}

# Counts with mean exp(field).
simulated_counts <- function() {
  set.seed(1)
  rows <- latent_frame(6000L, "poisson", range = 0.08)
  parted(data.frame(lon = rows$x1, lat = rows$x2, y = rows$y))
}

settings <- list(
  map = list(data = function() land(FALSE), call = in_plane, methods = c("vecchia", "loo_k", "mll_k", "svgp", "odvgp", "ppgpr", "swsgp")),
  gaps = list(data = function() land(TRUE), call = in_plane, methods = c("vecchia", "loo_k", "mll_k", "svgp", "odvgp", "ppgpr", "swsgp")),
  `inputs-smooth` = list(data = function() regression_set("kin40k"), call = in_inputs,
    methods = c("vecchia", "vecchia-inducing", "loo_k", "mll_k", "svgp", "odvgp", "ppgpr", "swsgp")),
  `inputs-noisy` = list(data = function() regression_set("elevators"), call = in_inputs,
    methods = c("vecchia", "vecchia-inducing", "loo_k", "mll_k", "svgp", "odvgp", "ppgpr", "swsgp")),
  counts = list(data = simulated_counts, call = c(in_plane, list(family = poisson())),
    methods = c("vnngp", "loo_k", "svgp", "ppgpr", "swsgp")),
  presence = list(data = function() class_set("spambase", two = TRUE), call = c(in_inputs, list(family = binomial())),
    methods = c("vnngp", "loo_k", "svgp", "ppgpr", "swsgp")),
  classes = list(data = function() class_set("landsat"), call = c(in_inputs, list(family = categorical())), methods = c("loo_k", "svgp"))
)

method_called <- function(name) if (name == "vecchia-inducing") vecchia(inducing = 200L) else get(name)()

run <- function(task, name) {
  setting <- settings[[task]]
  data <- setting$data()
  fit <- tryCatch(timed(suppressMessages(do.call(neargp, c(list(y ~ 1, data$fit, method = method_called(name), verbose = FALSE), setting$call)))),
    neargp_error = function(e) {
      message(task, ", ", name, ": ", conditionMessage(e))
      NULL
    })
  if (is.null(fit)) return(NULL)
  scored <- timed(scores(fit$value, newdata = data$test))
  error <- scored$value[[intersect(c("rmse", "error"), names(scored$value))[1L]]]
  data.frame(task = task, rows = nrow(data$fit), method = name, log_score = scored$value$log_score, error = error,
    coverage = c(scored$value$coverage, NA)[1L], fit_s = fit$cpu, predict_s = scored$cpu)
}

describe_run()
for (task in tasks) {
  wanted <- argument(2L, settings[[task]]$methods)
  name <- paste0("which-method-", task)
  results <- do.call(rbind, lapply(wanted, function(method) run(task, method)))
  known <- read_result(name)
  if (!is.null(known)) results <- rbind(results, subset(known, !method %in% wanted))
  save_table(results[order(results$log_score), ], name, digits = 4L)
}
