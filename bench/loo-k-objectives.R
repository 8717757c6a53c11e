# Which scale of the kernel and of the noise does each objective prefer (Jankowiak and Pleiss 2022, section 5.2, Figure 2)? One parameter varies,
# and all others stay at their maximum likelihood estimates. The paper's set, Bike with 2,000 rows and 100 inducing points, is not available. We
# use 600 rows of pol and of elevators, and 40 points.
#
# Four objectives are compared, per row and less their maximum. The first is the log likelihood by exact_gp(). The second is LOO given all other
# rows, in closed form. The third is loo_k(128). The fourth is the collapsed ELBO of svgp(), whose posterior is optimal at each value. Its inducing
# points come from k-means and do not move.
#
#   Rscript bench/loo-k-objectives.R [sets: pol,elevators] [rows: 600] [points: 40]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

sets <- argument(1L, c("pol", "elevators"))
rows <- as.integer(argument(2L, "600"))
points <- as.integer(argument(3L, "40"))
factors <- 2^seq(-2, 3, by = 0.5)

training_rows <- function(set) standardised_split(set, 1L, most = rows)$training

fit_at <- function(data, method, covariance = cov_matern(nu = 2.5, ard = TRUE), nugget = NULL) {
  suppressWarnings(neargp(y ~ 0, data, coords = ~ ., covariance = covariance, nugget = nugget, method = method, threads = 1L, verbose = FALSE))
}

dense_loo <- function(data, variance, range, nugget) {
  x <- sweep(as.matrix(data[names(data) != "y"]), 2L, range, "/")
  d <- as.matrix(stats::dist(x))
  inverse <- chol2inv(chol(variance * (1 + d + d^2 / 3) * exp(-d) + diag(nugget, nrow(d))))
  residual <- drop(inverse %*% data$y) / diag(inverse)
  sum(stats::dnorm(residual, sd = sqrt(1 / diag(inverse)), log = TRUE))
}

objectives <- function(data, inducing, variance, range, nugget) {
  covariance <- cov_matern(nu = 2.5, ard = TRUE, variance = variance, range = range)
  by <- function(method) fit_at(data, method, covariance, nugget)$log_likelihood / nrow(data)
  c(likelihood = by(exact_gp()), loo_all = dense_loo(data, variance, range, nugget) / nrow(data), loo_128 = by(loo_k(128L)),
    svgp = by(svgp(inducing, move = FALSE, std_error = FALSE)))
}

profile_set <- function(set) {
  data <- training_rows(set)
  best <- fit_at(data, exact_gp())
  found <- coef(best, "covariance")
  range <- unname(found[grepl("^range", names(found))])
  set.seed(1)
  inducing <- stats::kmeans(data[names(data) != "y"], points, iter.max = 50L)$centers
  at <- function(parameter, factor) {
    kernel <- parameter == "kernel scale"
    variance <- found[["variance"]] * if (kernel) factor^2 else 1
    nugget <- best$nugget * if (kernel) 1 else factor^2
    data.frame(set = set, parameter = parameter, factor = factor, sd = sqrt(if (kernel) variance else nugget),
      t(objectives(data, inducing, variance, range, nugget)))
  }
  cases <- expand.grid(factor = factors, parameter = c("kernel scale", "noise"), stringsAsFactors = FALSE)
  do.call(rbind, Map(at, cases$parameter, cases$factor))
}

kinds <- c("likelihood", "loo_all", "loo_128", "svgp")
shifted <- function(table) {
  group <- paste(table$set, table$parameter)
  table[kinds] <- lapply(table[kinds], function(x) x - stats::ave(x, group, FUN = max))
  table
}

# The value at which an objective is highest. A parabola in log(sd) through the best value and its two neighbours gives it.
highest <- function(sd, value) {
  best <- min(max(which.max(value), 2L), length(value) - 1L)
  if (which.max(value) != best) return(sd[which.max(value)])
  x <- log(sd[best + -1:1])
  bend <- stats::coef(stats::lm(value[best + -1:1] ~ x + I(x^2)))
  exp(-bend[[2L]] / (2 * bend[[3L]]))
}

maxima <- function(table) {
  groups <- split(table, paste(table$set, table$parameter))
  do.call(rbind, lapply(groups, function(own) {
    data.frame(set = own$set[1L], parameter = own$parameter[1L], t(vapply(kinds, function(kind) highest(own$sd, own[[kind]]), 0)))
  }))
}

draw <- function(table) {
  colours <- c("#0072B2", "#D55E00", "#E69F00", "grey40")
  grDevices::png(result_file("loo-k-objectives.png"), 900, 330 * length(sets), res = 110)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(length(sets), 2L), mar = c(4, 4.4, 2, 0.6), las = 1, mgp = c(3, 0.7, 0))
  for (set in sets) for (parameter in c("kernel scale", "noise")) {
    own <- table[table$set == set & table$parameter == parameter, ]
    graphics::matplot(own$sd, own[kinds], type = "b", log = "x", pch = c(1, 16, 17, 15), lty = 1, col = colours, ylim = c(-1, 0), font.main = 1,
      cex.main = 1, xlab = if (parameter == "noise") "sd of the noise" else "sd of the kernel", main = set,
      ylab = "objective per row, less its maximum")
    if (set == sets[1L] && parameter == "noise") {
      graphics::legend("bottomright", c("likelihood", "LOO, all rows", "LOO-128", "SVGP"), col = colours, pch = c(1, 16, 17, 15), lty = 1, bty = "n")
    }
  }
}

describe_run()
table <- shifted(do.call(rbind, lapply(sets, profile_set)))
save_table(table, "loo-k-objectives", 4L)
save_table(maxima(table), "loo-k-objectives-maxima", 3L)
draw(table)
