# Compares VNNGP, SWSGP and SVGP: claims of section 4.3 of the VNNGP paper that are in no table of paper-tables.R.
#
# The word `traces` runs Figure 6: the training loss against the steps of Adam, as means over about 100 steps. Batches
# of 256, the rate 0.01 and k = 32 are used. The paper uses all training rows of Bike and UKHousing, and SVGP with
# 1,024 points. Neither set is available. The script uses 3,000 rows each of elevators and of canopy heights (bcef).
# It runs 200 epochs, which are 2,400 steps, and SVGP with 128 points.
#
# The word `spatial` tests the claim that on spatial data VNNGP overfits less than SWSGP and predicts better than
# SVGP. It computes the NLL of training and test rows, with 3,000 training rows of each of these sets.
# - `bcef`: canopy heights, in place of UKHousing.
# - `heaton_satellite`: satellite temperatures, in place of 3DRoad.
# - `co_ppt_monthly`: Colorado's monthly precipitation, in place of precipitation.
#
# The weight of SWSGP's divergence is 1, as in the paper.
#
# The word `noise` runs Table 3, the learned noise. It uses all training rows of seed 1 and the paper's scaling
# (vnngp-uci-sets.R).
# - SVGP: 256 points (the paper: 1,024).
# - SWSGP-M and SWSGP-N: k = 32 and 30 epochs. SWSGP-M uses 1,024 points.
# - The paper's sgGP is mll_k(15).
# - The paper's ExactGP is vecchia(30).
#
# VNNGP's noise is read from the tables of vnngp-uci.R. Rows are appended to table vnngp-noise. The word `compare`
# prints them with the paper's figures.
#
#   Rscript bench/vnngp-side-by-side.R [traces, spatial, noise or compare] [sets]
#     [methods of noise: svgp,swsgp,swsgp-n,mll_k,vecchia] [--out=FOLDER]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
for (file in c("common.R", "published.R", "vnngp-uci-sets.R", "vnngp-drawing.R")) source(file.path(folder, file))

spatial_data <- function(set) {
  rows <- bench_data(set)
  rows <- switch(set, bcef = data.frame(rows[c("x", "y")], value = rows$fch),
    heaton_satellite = data.frame(x = rows$lon, y = rows$lat, value = rows$temp),
    co_ppt_monthly = data.frame(x = rows$lon, y = rows$lat, month = rows$year * 12 + rows$month, value = rows$ppt))
  inputs <- scaled_inputs(as.matrix(rows[names(rows) != "value"]))
  colnames(inputs) <- paste0("x", seq_len(ncol(inputs)))
  data.frame(inputs, y = drop(scale(rows$value)))
}

some_rows <- function(set, training, test = 3000L) {
  data <- if (set %in% c("bcef", "heaton_satellite", "co_ppt_monthly")) spatial_data(set) else prepared(set)
  rows <- train_and_test_rows(nrow(data), 1L)
  train <- data[utils::head(rows$train, training), ]
  varies <- vapply(train, function(x) length(unique(x)) > 1L, NA)
  list(train = train[varies], test = data[utils::head(rows$test, test), varies])
}

fit_to <- function(train, method) {
  set.seed(1)
  timed(suppressWarnings(neargp(y ~ 1, train, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), method = method,
    control = neargp_control(max_refreshes = 2L), threads = 1L, verbose = FALSE)))
}

points_at <- function(train) unname(as.matrix(train[names(train) != "y"]))

# ---- Figure 6 -------------------------------------------------------------------------------------------------------------------

# The objective of each epoch. A fit by svgp() does not keep it, and the function reads it where the optimisation by
# batches returns.
trace_of <- function(train, method) {
  kept <- NULL
  keep <- function(found) kept <<- found$trace
  suppressMessages(trace("fit_by_batches", exit = bquote(.(keep)(returnValue())), where = asNamespace("neargp"), print = FALSE))
  on.exit(suppressMessages(untrace("fit_by_batches", where = asNamespace("neargp"))))
  run <- fit_to(train, method)
  list(trace = if (is.null(run$value$posterior$trace)) kept else run$value$posterior$trace, cpu = run$cpu)
}

trace_methods <- function(train, epochs) {
  settings <- list(epochs = epochs, batch_size = 256L, learning_rate = 0.01)
  list(svgp = do.call(svgp, c(list(128L, optimizer = "adam", std_error = FALSE), settings)),
    vnngp = do.call(vnngp, c(list(32L, posterior = "mean-field", optimizer = "adam", jitter = 1e-5), settings)),
    swsgp = do.call(swsgp, c(list(points_at(train), k = 32L, move = FALSE, kl_weight = 1), settings)))
}

# Means over blocks of epochs, also scaled to [0, 1] by their least and largest value.
trace_rows <- function(set, training = 3000L, epochs = 200L, block = 10L) {
  train <- some_rows(set, training)$train
  methods <- trace_methods(train, epochs)
  do.call(rbind, lapply(names(methods), function(name) {
    found <- trace_of(train, methods[[name]])
    loss <- -colMeans(matrix(found$trace, block)) / nrow(train)
    data.frame(set = set, method = name, steps = seq_along(loss) * block * ceiling(nrow(train) / 256), loss = loss,
      scaled = (loss - min(loss)) / diff(range(loss)), cpu = found$cpu)
  }))
}

# Steps after which the scaled loss stays below a tenth and below a hundredth.
steps_to <- function(here, share) here$steps[max(c(0L, which(here$scaled > share))) + 1L]

trace_summary <- function(table) {
  do.call(rbind, lapply(split(table, list(factor(table$method, unique(table$method)), table$set)), function(here) {
    last <- nrow(here)
    data.frame(set = here$set[1L], method = here$method[1L], first = here$loss[1L], worst = max(here$loss), last = here$loss[last],
      steps = here$steps[last], to_a_tenth = steps_to(here, 0.1), to_a_hundredth = steps_to(here, 0.01), cpu = here$cpu[1L])
  }))
}

traces <- function(sets) {
  table <- do.call(rbind, lapply(sets, trace_rows))
  draw("vnngp-figure-6.png", 1000, 450, function() {
    graphics::par(mfrow = c(1, length(sets)), mar = c(3.5, 3.5, 2, 0.5), mgp = c(2, 0.7, 0))
    for (set in sets) {
      plot(c(0, max(table$steps)), c(0, 1), type = "n", xlab = "steps", ylab = "training loss, scaled to [0, 1]", main = set)
      for (name in unique(table$method)) {
        here <- table[table$set == set & table$method == name, ]
        graphics::lines(here$steps, here$scaled, lwd = 2, col = colours[[name]])
      }
      graphics::legend("topright", unique(table$method), col = colours[unique(table$method)], lty = 1, lwd = 2, bty = "n")
    }
  })
  save_table(trace_summary(table), "vnngp-figure-6")
}

# ---- overfitting ----------------------------------------------------------------------------------------------------------------

spatial_methods <- function(train) {
  list(svgp = svgp(256L, bound = "standard", std_error = FALSE), "swsgp-m" = swsgp(512L, k = 32L, kl_weight = 1, epochs = 100L),
    "swsgp-n" = swsgp(points_at(train), k = 32L, move = FALSE, kl_weight = 1, epochs = 100L),
    vnngp = vnngp(32L, posterior = "mean-field", optimizer = "natural", jitter = 1e-5), sparse = vnngp(32L))
}

spatial_rows <- function(set, training = 3000L) {
  data <- some_rows(set, training)
  methods <- spatial_methods(data$train)
  do.call(rbind, lapply(names(methods), function(name) {
    run <- fit_to(data$train, methods[[name]])
    inside <- scores(run$value, newdata = data$train, threads = 1L)
    outside <- scores(run$value, newdata = data$test, threads = 1L)
    data.frame(set = set, n = training, method = name, train_nll = inside$log_score, test_nll = outside$log_score,
      gap = outside$log_score - inside$log_score, test_rmse = outside$rmse, coverage = outside$coverage, nugget = run$value$nugget, cpu = run$cpu)
  }))
}

# ---- Table 3 --------------------------------------------------------------------------------------------------------------------

printed_noise <- data.frame(set = c("pol", "elevators", "kin40k", "protein", "keggundirected"), vecchia = c(0.020, 0.166, 0.020, 0.182, 0.023),
  mll_k = c(0.002, 0.102, 0.000, 0.022, 0.013), svgp = c(0.015, 0.132, 0.031, 0.417, 0.015), swsgp = c(0.005, 0.062, 0.009, 0.339, 0.014),
  "swsgp-n" = 0, vnngp = c(0.002, 0.067, 0.001, 0.018, 0.013), check.names = FALSE)

noise_method <- function(name, train) {
  switch(name, svgp = svgp(256L, bound = "standard", std_error = FALSE), swsgp = swsgp(1024L, k = 32L, kl_weight = 1),
    "swsgp-n" = swsgp(points_at(train), k = 32L, move = FALSE, kl_weight = 1), mll_k = mll_k(15L), vecchia = vecchia(30L))
}

run_noise <- function(set, methods) {
  data <- some_rows(set, Inf, Inf)
  for (name in methods) {
    if (is_done("vnngp-noise", list(set = set, method = name))) next
    run <- fit_to(data$train, noise_method(name, data$train))
    append_result("vnngp-noise", data.frame(set = set, n = nrow(data$train), method = name, nugget = run$value$nugget,
      nll = scores(run$value, newdata = data$test, threads = 1L)$log_score, cpu = run$cpu))
  }
}

# The mean over seeds of the noise in vnngp-uci.R's tables, of each posterior and k.
noise_of_vnngp <- function(set) {
  names <- outer(c("mean-field", "sparse"), c(32, 256), paste, sep = "-")
  rows <- lapply(names, function(name) {
    found <- read_result(paste("vnngp-uci", set, name, sep = "-"))
    if (!is.null(found)) data.frame(set = set, method = paste("vnngp", name), nugget = mean(found$nugget), nll = mean(found$nll))
  })
  do.call(rbind, rows)
}

compare_noise <- function() {
  ours <- rbind(read_result("vnngp-noise")[c("set", "method", "nugget", "nll")], do.call(rbind, lapply(printed_noise$set, noise_of_vnngp)))
  column <- ifelse(startsWith(ours$method, "vnngp"), "vnngp", ours$method)
  ours$printed <- mapply(function(set, column) printed_noise[printed_noise$set == set, column], ours$set, column)
  ours$within_a_third <- abs(ours$nugget - ours$printed) <= ours$printed / 3 + 0.0005
  save_table(ours[order(match(ours$set, printed_noise$set)), ], "vnngp-noise-compared", digits = 3L)
}

what <- argument(1L, "compare")
plain <- grep("^--", commandArgs(TRUE), value = TRUE, invert = TRUE)
given <- function(i, otherwise) if (length(plain) >= i) strsplit(plain[i], ",")[[1L]] else otherwise
describe_run()
switch(what, traces = traces(given(2L, c("elevators", "bcef"))),
  spatial = save_table(do.call(rbind, lapply(given(2L, c("bcef", "heaton_satellite", "co_ppt_monthly")), spatial_rows)), "vnngp-spatial"),
  noise = for (set in given(2L, c("pol", "elevators"))) run_noise(set, given(3L, c("svgp", "swsgp", "swsgp-n", "mll_k", "vecchia"))),
  compare = compare_noise())
