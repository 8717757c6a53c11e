# Compares vnngp(low_rank = ) with vnngp() and svgp(): the log score of held-out rows, and CPU seconds on one thread.
# The data are a smooth field in five coordinates (counts and 0/1 responses) and real 0/1 responses. The file
# bench/notes/vnngp.md states the predictions made before the runs and the results.
#
#   Rscript bench/vnngp-low-rank.R simulated [n: 3000] [points: 200] [k: 15]
#   Rscript bench/vnngp-low-rank.R sets [mi_tsca,susy10k] [rows fitted: 3000] [points: 200] [k: 15]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

methods_of <- function(points, k) {
  list(vnngp = vnngp(k = k), vnngp_low_rank = vnngp(k = k, low_rank = points), svgp = svgp(points))
}

# `held`: the rows of `data` that are predicted.
compare <- function(name, formula, data, coords, family, held, points, k) {
  rows <- lapply(names(methods_of(points, k)), function(method) {
    fitted <- timed(neargp(formula, data[!held, ], coords = coords,
      covariance = cov_matern(nu = 2.5), family = family,
      method = methods_of(points, k)[[method]], threads = 1L, verbose = FALSE))
    scored <- timed(scores(fitted$value, newdata = data[held, ], threads = 1L))
    row <- data.frame(case = name, n = sum(!held), inputs = length(all.vars(coords)),
      method = method, cpu_fit = fitted$cpu, cpu_scores = scored$cpu,
      evaluations = fitted$value$convergence$evaluations,
      converged = fitted$value$convergence$converged,
      objective_per_row = c(fitted$value$log_likelihood) / sum(!held),
      variance = coef(fitted$value, "covariance")[["variance"]],
      range = coef(fitted$value, "covariance")[["range"]], log_score = scored$value$log_score)
    message(paste(names(row), lapply(row, format, digits = 4), sep = " = ", collapse = ", "))
    row
  })
  do.call(rbind, rows)
}

# Random Fourier features of a Matérn field of smoothness 5/2 and variance 2 in the unit cube.
simulated_field <- function(n, range, inputs = 5L, features = 2000L) {
  set.seed(1)
  x <- matrix(runif(n * inputs), n)
  # The spectral density is that of Student's t distribution with 5 degrees of freedom.
  frequencies <- matrix(rnorm(features * inputs), inputs) / rep(range * sqrt(rchisq(features, 5)),
    each = inputs)
  field <- drop(cos(x %*% frequencies + rep(runif(features, 0, 2 * pi),
    each = n)) %*% rnorm(features)) * sqrt(2 * 2 / features)
  data <- as.data.frame(x)
  names(data) <- paste0("x", seq_len(inputs))
  data$count <- rpois(n, exp(field))
  data$binary <- rbinom(n, 1L, plogis(2 * field))
  data
}

run_simulated <- function() {
  n <- as.integer(argument(2L, "3000"))
  held <- seq_len(2L * n) > n
  points <- as.integer(argument(3L, "200"))
  k <- as.integer(argument(4L, "15"))
  coords <- ~ x1 + x2 + x3 + x4 + x5
  table <- do.call(rbind, lapply(c(0.5, 1), function(range) {
    data <- simulated_field(2L * n, range)
    rbind(compare(paste("counts, range", range), count ~ 1, data, coords, poisson(), held, points,
      k),
      compare(paste("0/1, range", range), binary ~ 1, data, coords, binomial(), held, points, k))
  }))
  save_table(table, sprintf("vnngp-low-rank-simulated-%d", n))
}

run_sets <- function() {
  most <- as.integer(argument(3L, "3000"))
  points <- as.integer(argument(4L, "200"))
  k <- as.integer(argument(5L, "15"))
  table <- do.call(rbind, lapply(argument(2L, "mi_tsca"), function(set) {
    rows <- bench_data(set)
    response <- if (set == "mi_tsca") "tsca" else "y"
    inputs <- setdiff(names(rows), response)
    data <- as.data.frame(scale(rows[inputs]))
    data$y <- rows[[response]]
    set.seed(1)
    held <- !seq_len(nrow(data)) %in% sample.int(nrow(data), most)
    compare(set, y ~ 1, data, stats::reformulate(inputs), binomial(), held, points, k)
  }))
  save_table(table, sprintf("vnngp-low-rank-sets-%d", most))
}

switch(argument(1L, "simulated"), simulated = run_simulated(), sets = run_sets(),
  stop("The first argument is simulated or sets.", call. = FALSE))
