# The experiments of section 4.2 of the VNNGP paper, each with the sparse posterior beside the mean field: KL divergence against the number
# of neighbours (Figure 3), highly noisy data with a gap (Figure 4), the ELBO as a criterion for the noise (Figure 5). The paper's
# third method, SWSGP, is not here; its UKHousing data are not to be had, and canopy heights (bcef) stand in for them.
#
#   Rscript bench/vnngp-paper-figures.R [--out=FOLDER]     (default: a temporary folder)

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

out <- sub("^--out=", "", grep("^--out=", commandArgs(TRUE), value = TRUE))
if (!length(out)) out <- tempfile("vnngp-figures")
dir.create(out, showWarnings = FALSE, recursive = TRUE)

colours <- c(exact = "#7b3294", dense = "#2b6cb0", mean_field = "#2e8b57", sparse = "#d95f02")

draw <- function(name, width, height, plot) {
  grDevices::png(file.path(out, name), width = width, height = height, res = 110)
  on.exit(grDevices::dev.off())
  plot()
}

# ---- Figure 3 ---------------------------------------------------------------------------------------------------------------------

squared_exponential <- function(x, y, lengthscale) exp(-outer(x, y, "-")^2 / (2 * lengthscale^2))

# The precision matrix of the nearest-neighbour prior, dense, from the covariance matrix: Q = (I - B)'F^-1(I - B).
nearest_neighbor_precision <- function(S, neighbors, order) {
  n <- nrow(S)
  rows <- diag(n)
  f <- double(n)
  for (rank in seq_len(n)) {
    j <- order[rank]
    near <- stats::na.omit(neighbors[, rank])
    b <- if (length(near)) solve(S[near, near, drop = FALSE], S[near, j]) else double(0)
    rows[j, near] <- -b
    f[j] <- S[j, j] - sum(b * S[near, j])
  }
  list(Q = crossprod(rows / sqrt(f)), log_det = -sum(log(f)))
}

# The paper's divergence has unit variances; the sparse posterior's has the same means and, at every point, the information of a normal
# observation of variance 1. Its divergence can be far smaller: it does not have to break the correlations of the prior.
divergences <- function(k, lengthscale, m, x, order) {
  S <- squared_exponential(x, x, lengthscale) + diag(1e-6, length(x))
  ordered <- cbind(x)[order, , drop = FALSE]
  neighbors <- matrix(order[as.matrix(neargp:::core_neighbors_before(ordered, seq_along(x), k, neargp:::plain_context()))], k)
  prior <- nearest_neighbor_precision(S, neighbors, order)
  quadratic <- drop(m %*% prior$Q %*% m)
  n <- length(x)
  A <- prior$Q + diag(n)
  c(mean_field = 0.5 * (quadratic + sum(diag(prior$Q)) - prior$log_det - n),
    sparse = 0.5 * (quadratic + sum(prior$Q * chol2inv(chol(A))) - prior$log_det + 2 * sum(log(diag(chol(A)))) - n))
}

figure_3 <- function(points = 100L, ks = c(1:10, 15, 20, 30, 50, 75, 99)) {
  set.seed(1)
  x <- as.double(seq_len(points))
  order <- sample.int(points)
  m <- drop(crossprod(chol(squared_exponential(x, x, 5) + diag(1e-6, points)), stats::rnorm(points)))
  table <- do.call(rbind, lapply(c(1, 2, 5, 10), function(lengthscale) do.call(rbind, lapply(ks, function(k) {
    data.frame(lengthscale = lengthscale, k = k, t(divergences(as.integer(k), lengthscale, m, x, order)))
  }))))
  draw("figure-3.png", 1200, 700, function() {
    graphics::par(mfrow = c(2, 4), mar = c(4, 4, 2, 1))
    for (posterior in c("mean_field", "sparse")) for (lengthscale in unique(table$lengthscale)) {
      here <- table[table$lengthscale == lengthscale, ]
      plot(here$k, here[[posterior]], type = "b", log = "xy", pch = 16, col = colours[[posterior]], xlab = "k", ylab = "KL divergence",
        main = sprintf("%s, lengthscale %g", sub("_", " ", posterior), lengthscale))
      graphics::abline(h = here[[posterior]][nrow(here)], lty = 2, col = colours[["dense"]])
    }
  })
  save_table(table[table$k %in% c(1, 3, 5, 10, 20, 50, 99), ], "vnngp-figure-3")
}

# ---- Figure 4 ---------------------------------------------------------------------------------------------------------------------

# Lengthscale 5, variance 5, noise 5; clusters around 0 and 50 and little between. Everything but the posterior is fixed.
toy_data <- function() {
  set.seed(4)
  x <- sort(c(stats::rnorm(20, 0, 3), stats::rnorm(20, 50, 3), stats::runif(10, 5, 45)))
  grid <- seq(-10, 60, by = 0.25)
  all <- c(x, grid)
  field <- drop(crossprod(chol(5 * squared_exponential(all, all, 5) + diag(1e-6, length(all))), stats::rnorm(length(all))))
  list(train = data.frame(x = x, y = field[seq_along(x)] + stats::rnorm(50, sd = sqrt(5))),
    grid = data.frame(x = grid, truth = field[-seq_along(x)]))
}

exact_moments <- function(train, grid) {
  inner <- 5 * squared_exponential(train$x, train$x, 5) + diag(5, nrow(train))
  cross <- 5 * squared_exponential(train$x, grid$x, 5)
  data.frame(mean = drop(crossprod(cross, solve(inner, train$y))), sd = sqrt(5 - colSums(cross * solve(inner, cross))))
}

toy_moments <- function(train, grid, k, posterior) {
  fit <- neargp(y ~ 0, train, coords = ~ x, covariance = cov_gaussian(range = 5 * sqrt(2), variance = 5), nugget = 5,
    method = vnngp(k, posterior = posterior), threads = 1L, verbose = FALSE)
  predict(fit, grid, type = "link", k = k, threads = 1L, verbose = FALSE)[c("mean", "sd")]
}

figure_4 <- function() {
  data <- toy_data()
  models <- list(exact = exact_moments(data$train, data$grid), dense = toy_moments(data$train, data$grid, 49L, "mean-field"),
    mean_field = toy_moments(data$train, data$grid, 5L, "mean-field"), sparse = toy_moments(data$train, data$grid, 5L, "sparse"))
  titles <- c(exact = "exact", dense = "mean field, k = M - 1", mean_field = "mean field, k = 5", sparse = "sparse, k = 5")
  draw("figure-4.png", 1200, 800, function() {
    graphics::par(mfrow = c(2, 2), mar = c(4, 4, 2, 1))
    for (name in names(models)) {
      moments <- models[[name]]
      plot(data$train$x, data$train$y, pch = 16, cex = 0.6, xlim = range(data$grid$x), ylim = c(-10, 10), xlab = "x", ylab = "y", main = titles[[name]])
      graphics::polygon(c(data$grid$x, rev(data$grid$x)), c(moments$mean - 1.96 * moments$sd, rev(moments$mean + 1.96 * moments$sd)),
        col = grDevices::adjustcolor(colours[[name]], 0.25), border = NA)
      graphics::lines(data$grid$x, moments$mean, col = colours[[name]], lwd = 2)
      graphics::lines(data$grid$x, data$grid$truth, col = "grey50")
    }
  })
  apart <- function(moments) {
    at <- function(where) data.frame(
      mean_error = sqrt(mean((moments$mean - models$exact$mean)[where]^2)), sd_ratio = mean((moments$sd / models$exact$sd)[where]),
      coverage = mean((abs(data$grid$truth - moments$mean) < 1.96 * moments$sd)[where]))
    dense <- abs(data$grid$x) < 5 | abs(data$grid$x - 50) < 5
    cbind(clusters = at(dense), between = at(data$grid$x > 8 & data$grid$x < 42))
  }
  save_table(cbind(model = names(models), do.call(rbind, lapply(models, apart))), "vnngp-figure-4")
}

# ---- Figure 5 ---------------------------------------------------------------------------------------------------------------------

# Covariance parameters as a Vecchia fit finds them, the noise varied, the posterior optimal at each.
figure_5 <- function(rows = 5000L, k = 30L, noises = 10^seq(-3, 0.25, length.out = 14L)) {
  data <- bench_data("bcef")
  set.seed(5)
  data <- data[sample.int(nrow(data), 2L * rows), ]
  data <- data.frame(x = data$x, y = data$y, height = drop(scale(data$fch)))
  train <- data[seq_len(rows), ]
  test <- data[-seq_len(rows), ]
  base <- neargp(height ~ 1, train, coords = ~ x + y, covariance = cov_matern(2.5), method = vecchia(k), threads = 1L, verbose = FALSE)
  fixed <- stats::coef(base, what = "covariance")
  at <- function(noise, posterior) {
    fit <- neargp(height ~ 1, train, coords = ~ x + y, covariance = cov_matern(2.5, range = fixed[["range"]], variance = fixed[["variance"]]),
      nugget = noise, method = vnngp(k, posterior = posterior), threads = 1L, verbose = FALSE)
    scored <- scores(fit, newdata = test, threads = 1L)
    data.frame(posterior = posterior, noise = noise, elbo = fit$log_likelihood / rows, test_nll = scored$log_score)
  }
  table <- do.call(rbind, lapply(c("mean-field", "sparse"), function(posterior) do.call(rbind, lapply(noises, at, posterior = posterior))))
  to_unit <- function(x) (x - min(x)) / diff(range(x))
  draw("figure-5.png", 1100, 500, function() {
    graphics::par(mfrow = c(1, 2), mar = c(4, 4, 2, 1))
    for (posterior in c("mean-field", "sparse")) {
      here <- table[table$posterior == posterior, ]
      colour <- colours[[sub("-", "_", posterior)]]
      plot(here$noise, to_unit(-here$elbo), type = "b", log = "x", col = colour, lwd = 2, xlab = "noise variance", ylab = "scaled to [0, 1]",
        main = posterior)
      graphics::lines(here$noise, to_unit(here$test_nll), lty = 3, col = colour, lwd = 2)
      graphics::abline(v = here$noise[which.max(here$elbo)], lty = 2, col = colour)
      graphics::abline(v = fixed[["nugget"]], col = colours[["exact"]])
      graphics::legend("topright", inset = c(0, 0.05), bg = "white", box.col = NA, c("negative ELBO", "test NLL", "Vecchia's estimate"), lty = c(1, 3, 1), col = c(colour, colour, colours[["exact"]]))
    }
  })
  cat(sprintf("Noise by maximum likelihood: %.4f\n", fixed[["nugget"]]))
  save_table(table, "vnngp-figure-5")
}

describe_run()
figure_3()
figure_4()
figure_5()
cat("Figures in", out, "\n")
