# Chooses the weight of the divergence and the width of a deep sigma point process by the validation rows, as appendix A.2 of Jankowiak, Pleiss and
# Gardner (2020) does. Summarises the learned weights of the 10 sites of the same fits (Figure 9). The paper searches over widths 3 and 5 and
# over weights .01, .05, .2 and 1. Its figure shows 96 fits: 8 sets, 3 splits and the 4 weights. The paper's fits use 300 inducing points and 400
# epochs on all training rows. Ours are 96 as well, of 4 sets, 3 splits, 4 weights and 2 widths, but with 2,000 training rows, 50 points and 40
# epochs.
#
#   Rscript bench/dspp-search.R run [sets: pol,elevators,kin40k,protein] [splits: 1,2,3] [rows: 2000] [inducing: 50] [epochs: 40]
#   Rscript bench/dspp-search.R table
#
# Rows go to table dspp-search. Cases that it already contains are not run again. "table" keeps tables dspp-search-chosen and dspp-search-weights and
# draws results/dspp-weights.png.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

betas <- c(0.01, 0.05, 0.2, 1)
widths <- c(3L, 5L)

measure <- function(case, data) {
  method <- dspp(width = case$width, inducing = case$inducing, sites = 10L, regularization = case$regularization, epochs = case$epochs,
    restarts = 1L, seed = case$split)
  fitted <- timed(suppressWarnings(neargp(y ~ 1, data$training, coords = ~ ., method = method, threads = 1L, verbose = FALSE)))
  weights <- sort(exp(fitted$value$deep$prediction$log_weights), decreasing = TRUE)
  test <- scores(fitted$value, newdata = data$test, threads = 1L)
  data.frame(case, n = nrow(data$training), cpu_fit = fitted$cpu,
    nll_validation = scores(fitted$value, newdata = data$validation, threads = 1L)$log_score, nll = test$log_score, rmse = test$rmse,
    first = weights[1L], second = weights[2L], third = weights[3L], effective = 1 / sum(weights^2))
}

run <- function(set, split, rows, inducing, epochs) {
  data <- standardised_split(set, split, rows)
  for (width in widths) for (beta in betas) {
    case <- data.frame(set = set, split = split, width = width, regularization = beta, rows = rows, inducing = inducing, epochs = epochs)
    if (!is_done("dspp-search", case)) append_result("dspp-search", measure(case, data))
  }
}

# ---- tables ---------------------------------------------------------------------------------------------------------------------

# Means over the fits that `pick` chooses for each set and split.
picked <- function(rows, how, pick) {
  found <- do.call(rbind, lapply(split(rows, rows[c("set", "split")], drop = TRUE), pick))
  do.call(rbind, lapply(split(found, found$set), function(own) {
    data.frame(set = own$set[1L], settings = how, splits = nrow(own), nll = mean(own$nll), nll_se = standard_error(own$nll),
      rmse = mean(own$rmse), width_5 = sum(own$width == 5L), regularization = paste(sort(own$regularization), collapse = " "))
  }))
}

compare_choices <- function(rows) {
  fixed <- function(beta) function(own) own[own$width == 5L & own$regularization == beta, ]
  least <- function(column) function(own) own[which.min(own[[column]]), ]
  at_width <- function(width) function(own) least("nll_validation")(own[own$width == width, ])
  choices <- rbind(
    picked(rows, "width 5, weight .05", fixed(0.05)), picked(rows, "width 5, weight by validation", at_width(5L)),
    picked(rows, "width 3, weight by validation", at_width(3L)), picked(rows, "both by validation", least("nll_validation")),
    picked(rows, "both by the test rows", least("nll")))
  save_table(choices[order(choices$set), ], "dspp-search-chosen", digits = 4L)
}

largest <- c("first", "second", "third")

weight_table <- function(rows) {
  quantiles <- t(vapply(largest, function(name) stats::quantile(rows[[name]], c(0, 0.25, 0.5, 0.75, 1)), double(5L)))
  colnames(quantiles) <- c("least", "quarter", "median", "three_quarters", "most")
  effective <- stats::quantile(rows$effective, c(0, 0.25, 0.5, 0.75, 1))
  save_table(data.frame(weight = c(largest, "effective number"), fits = nrow(rows), rbind(quantiles, effective), row.names = NULL),
    "dspp-search-weights", digits = 3L)
}

draw_weights <- function(rows) {
  grDevices::png(result_file("dspp-weights.png"), width = 700, height = 420, res = 110)
  on.exit(grDevices::dev.off())
  colours <- grDevices::adjustcolor(c("#2b6cb0", "#d95f02", "#2e8b57"), 0.5)
  breaks <- seq(0, 1, by = 0.025)
  counts <- vapply(largest, function(name) max(graphics::hist(rows[[name]], breaks, plot = FALSE)$counts), 0)
  graphics::par(mar = c(4, 4, 1, 1))
  plot(NULL, xlim = c(0, max(rows$first) + 0.05), ylim = c(0, max(counts)), xlab = "weight of a site", ylab = "fits")
  for (i in 1:3) graphics::hist(rows[[largest[i]]], breaks, col = colours[i], border = "white", add = TRUE)
  graphics::legend("topright", c("largest", "second largest", "third largest"), fill = colours, bty = "n")
}

if (argument(1L, "table") == "run") {
  describe_run()
  for (set in argument(2L, c("pol", "elevators", "kin40k", "protein"))) for (split in as.integer(argument(3L, c("1", "2", "3")))) {
    run(set, split, as.integer(argument(4L, "2000")), as.integer(argument(5L, "50")), as.integer(argument(6L, "40")))
  }
} else {
  rows <- read_result("dspp-search")
  compare_choices(rows)
  weight_table(rows)
  draw_weights(rows)
}
