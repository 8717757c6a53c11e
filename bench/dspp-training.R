# Trials of how dspp() is trained, on standardised UCI sets. They vary where hidden units start, the rows in a batch, and the least noise.
# They also compare the last step of an epoch with the mean of the last steps, by the rows held out. Each seed is one start. Splits are
# those of dspp.R, with at most `rows` training rows at random. CPU seconds are those of the epochs, on one thread.
#
#   Rscript bench/dspp-training.R run SET SEEDS WIDTH SITES INDUCING EPOCHS BATCH FLOOR [start: random, orthogonal, quiet] [beta: 0.05] [rows: 10000]
#   Rscript bench/dspp-training.R table

# `start` is "random" for projections as in the package, or "orthogonal". With "quiet", the variance of hidden units begins at 0.1 instead
# of 1. Rows go to table dspp-training, and rows that are already there are not run again. `picked` is "last" or "best" for the steps at the
# end of the last and of the best epoch, and "mean" for what a fit keeps.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))
core <- function(name) getFromNamespace(name, "neargp")

as_matrices <- function(rows) list(x = unname(as.matrix(rows[names(rows) != "y"])), y = as.matrix(rows$y))

# Hidden units of orthogonal directions, as far as there are inputs.
orthogonal <- function(state, x) {
  weights <- qr.Q(qr(vapply(state$layers[[1L]]$units, function(unit) unit$weights, double(ncol(x)))))
  weights <- sweep(weights, 2L, apply(x %*% weights, 2L, stats::sd), "/")
  for (w in seq_len(ncol(weights))) state$layers[[1L]]$units[[w]]$weights <- weights[, w]
  last <- state$layers[[2L]]$units[[1L]]
  state$layers[[2L]]$units[[1L]]$positions <- core("start_clusters")(x %*% weights, nrow(last$positions))
  state
}

quiet <- function(state, x) {
  for (w in seq_along(state$layers[[1L]]$units)) state$layers[[1L]]$units[[w]]$variance <- 0.1
  state
}

starts <- list(random = function(state, x) state, orthogonal = orthogonal, quiet = quiet)

score <- function(state, rows) {
  moments <- core("core_deep_components")(state, rows$x, core("plain_context")())
  density <- core("core_deep_density")(state, rows$x, rows$y, list(), core("plain_context")())$value
  c(nll = -mean(density), rmse = sqrt(mean((rows$y - moments$mean %*% exp(state$log_weights))^2)))
}

# States of the best steps and the best mean, and of the last step.
train <- function(case, training, held_out, settings) {
  state <- starts[[case$start]](core("deep_start")(training$x, training$y, settings, case$seed + 1e5), training$x)
  found <- list(last = list(), best = list(score = -Inf), mean = list(score = -Inf))
  memory <- NULL
  cpu <- 0
  for (epoch in seq_len(case$epochs)) {
    run <- timed(core("core_deep_train")(state, training$x, training$y, held_out, list(score = "mixture", gamma = 1, beta = case$beta,
      from = epoch - 1L, to = epoch, epochs = case$epochs, batch_size = case$batch, learning_rate = 0.03, key = case$seed,
      least_noise = case$floor, memory = memory, report = function(...) NULL), core("plain_context")()))
    cpu <- cpu + run$cpu
    state <- run$value$state
    memory <- run$value$memory
    means <- list(score = run$value$validation, state = run$value$best$state, epoch = epoch)
    steps <- list(score = -score(state, held_out)[["nll"]], state = state, epoch = epoch)
    if (means$score > found$mean$score) found$mean <- means
    if (steps$score > found$best$score) found$best <- steps
    found$last <- steps
  }
  list(found = found, cpu = cpu)
}

measure <- function(case) {
  data <- standardised_split(case$set, 1L, case$rows)
  all <- as_matrices(data$training)
  settings <- utils::modifyList(core("deep_defaults")(), list(width = case$width, sites = case$sites, inducing = case$inducing, seed = case$seed))
  split <- core("hold_out")(all$x, settings)
  part <- function(rows) lapply(all, function(columns) columns[rows, , drop = FALSE])
  run <- train(case, part(split$training), part(split$validation), settings)
  of_test <- vapply(run$found, function(found) score(found$state, as_matrices(data$test)), double(2L))
  data.frame(case, picked = names(run$found), epoch = vapply(run$found, function(found) found$epoch, 0L), nll = of_test["nll", ],
    rmse = of_test["rmse", ], noise = vapply(run$found, function(found) found$state$noise, 0), cpu = run$cpu, row.names = NULL)
}

if (argument(1L, "table") == "run") {
  describe_run()
  settings <- as.data.frame(as.list(vapply(4:9, function(i) as.numeric(argument(i, NA)), 0)),
    col.names = c("width", "sites", "inducing", "epochs", "batch", "floor"))
  for (seed in as.integer(argument(3L, "1"))) {
    case <- data.frame(set = argument(2L, "kin40k"), seed = seed, settings, start = argument(10L, "random"), beta = as.numeric(argument(11L, "0.05")),
      rows = as.numeric(argument(12L, "10000")))
    if (!is_done("dspp-training", case)) append_result("dspp-training", measure(case))
  }
}
print(read_result("dspp-training"), digits = 3L, row.names = FALSE)
