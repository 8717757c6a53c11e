# Examines the ELBO as a criterion for the noise (Figures 5 and 8 of the VNNGP paper). The covariance parameters are
# fixed, and the noise is varied. For each noise the script computes the optimised objective of the training rows and
# the NLL of test rows. It compares SVGP, VNNGP, SWSGP and the sparse posterior of vnngp(). In Figure 5 the last three
# use an inducing point at each row. In Figure 8 VNNGP-M and SWSGP-M use a few moving inducing points.
#
# The paper uses UKHousing (74,000 rows), which is not available. Canopy heights (bcef) replace it:
# - Rows: 5,000 for training and as many for the test.
# - Covariance parameters: those of vecchia(), in place of those of an exact GP.
# - Neighbours: k = 30.
# - SVGP: 256 points in place of 1,024.
# - Epochs: 150 with batches of 256, in place of 300. Fits with moving points take 60.
# - Moving points: M = 128 and 1,024, in place of 1,024 and 8,192.
#
# The standard ELBO of SVGP is maximised in closed form. The weight of SWSGP's divergence is 1, as in the paper.
#
#   Rscript bench/vnngp-noise-figures.R [figures: 5,8] [rows: 5000] [values of the noise: 12] [--out=FOLDER]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "vnngp-drawing.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

canopy_rows <- function(rows) {
  data <- bench_data("bcef")
  set.seed(5)
  data <- data[sample.int(nrow(data), 2L * rows), ]
  data <- data.frame(x = data$x, y = data$y, height = drop(scale(data$fch)))
  list(train = data[seq_len(rows), ], test = data[-seq_len(rows), ])
}

estimated <- function(train, k) {
  base <- neargp(height ~ 1, train, coords = ~ x + y, covariance = cov_matern(2.5), method = vecchia(k), threads = 1L, verbose = FALSE)
  stats::coef(base, what = "covariance")
}

fit_with_noise <- function(data, fixed, noise, method) {
  set.seed(1)
  suppressWarnings(neargp(height ~ 1, data$train, coords = ~ x + y, nugget = noise, method = method, threads = 1L, verbose = FALSE,
    covariance = cov_matern(2.5, range = fixed[["range"]], variance = fixed[["variance"]])))
}

noise_row <- function(name, noise, data, fixed, method) {
  run <- timed(fit_with_noise(data, fixed, noise, method))
  data.frame(method = name, noise = noise, objective = run$value$log_likelihood / nrow(data$train),
    test_nll = scores(run$value, newdata = data$test, threads = 1L)$log_score, cpu = run$cpu)
}

points_at_rows <- function(data, k, epochs) {
  list(svgp = svgp(256L, move = FALSE, bound = "standard"), vnngp = vnngp(k, posterior = "mean-field"),
    swsgp = swsgp(as.matrix(data$train[c("x", "y")]), k = k, move = FALSE, kl_weight = 1, epochs = epochs), sparse = vnngp(k))
}

moving_points <- function(points, k, epochs) {
  list(svgp = svgp(256L, move = FALSE, bound = "standard"),
    vnngp = vnngp(k, inducing = inducing_points(points, "kmeans", learn = TRUE), posterior = "mean-field", optimizer = "adam", epochs = epochs),
    swsgp = swsgp(points, k = k, kl_weight = 1, epochs = epochs))
}

noise_grid <- function(methods, noises, data, fixed) {
  do.call(rbind, lapply(names(methods), function(name) do.call(rbind, lapply(noises, function(noise) {
    noise_row(name, noise, data, fixed, methods[[name]])
  }))))
}

draw_noise <- function(tables, titles, fixed) {
  to_unit <- function(x) (x - min(x)) / diff(range(x))
  graphics::par(mfrow = c(1, length(tables)), mar = c(3.5, 3.5, 2, 0.5), mgp = c(2, 0.7, 0))
  for (i in seq_along(tables)) {
    table <- tables[[i]]
    plot(range(table$noise), c(0, 1), type = "n", log = "x", xlab = "noise variance", ylab = "scaled to [0, 1]", main = titles[i])
    for (name in unique(table$method)) {
      here <- table[table$method == name, ]
      graphics::lines(here$noise, to_unit(-here$objective), col = colours[[name]], lwd = 2)
      graphics::lines(here$noise, to_unit(here$test_nll), lty = 3, col = colours[[name]], lwd = 2)
      graphics::abline(v = here$noise[which.max(here$objective)], lty = 2, col = colours[[name]])
    }
    graphics::abline(v = fixed[["nugget"]], col = colours[["exact"]])
    shown <- c(unique(table$method), "exact")
    graphics::legend("top", c(unique(table$method), "Vecchia's noise"), lty = 1, lwd = 2, col = colours[shown], bty = "n", cex = 0.8)
  }
}

# The noise with the largest objective, the noise with the least test NLL, and the test NLL at both.
noise_choices <- function(table, setting, fixed) {
  do.call(rbind, lapply(split(table, factor(table$method, unique(table$method))), function(here) {
    chosen <- which.max(here$objective)
    best <- which.min(here$test_nll)
    data.frame(setting = setting, method = here$method[1L], by_objective = here$noise[chosen], nll = here$test_nll[chosen],
      best = here$noise[best], best_nll = here$test_nll[best], maximum_likelihood = fixed[["nugget"]], cpu = sum(here$cpu))
  }))
}

figure_5 <- function(data, fixed, noises, k, epochs) {
  table <- noise_grid(points_at_rows(data, k, epochs), noises, data, fixed)
  draw("vnngp-figure-5.png", 650, 480, function() draw_noise(list(table), "M = N", fixed))
  save_table(table, "vnngp-figure-5")
  save_table(noise_choices(table, "M = N", fixed), "vnngp-figure-5-choice")
}

figure_8 <- function(data, fixed, noises, k, epochs, points = c(128L, 1024L)) {
  tables <- lapply(points, function(points) noise_grid(moving_points(points, k, epochs), noises, data, fixed))
  titles <- paste("M =", points)
  draw("vnngp-figure-8.png", 1000, 480, function() draw_noise(tables, titles, fixed))
  save_table(do.call(rbind, Map(function(table, points) cbind(inducing = points, table), tables, points)), "vnngp-figure-8")
  save_table(do.call(rbind, Map(noise_choices, tables, titles, list(fixed))), "vnngp-figure-8-choice")
}

plain <- grep("^--", commandArgs(TRUE), value = TRUE, invert = TRUE)
given <- function(i, otherwise) if (length(plain) >= i) strsplit(plain[i], ",")[[1L]] else otherwise
describe_run()
data <- canopy_rows(as.integer(given(2L, "5000")))
fixed <- estimated(data$train, 30L)
noises <- 10^seq(-3, 0.25, length.out = as.integer(given(3L, "12")))
for (figure in given(1L, c("5", "8"))) switch(figure, "5" = figure_5(data, fixed, noises, 30L, 150L), "8" = figure_8(data, fixed, noises, 30L, 60L))
