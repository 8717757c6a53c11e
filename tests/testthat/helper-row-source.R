# 1,000 rows in files whose lengths have nothing to do with the core's chunks.
source_rows <- function(n = 1000L, seed = 5) {
  withr::with_seed(seed, {
    d <- data.frame(x = stats::runif(n), y = stats::runif(n), height = stats::rnorm(n),
      soil = sample(c("clay", "sand", "peat"), n, TRUE),
      years = sample(1:9, n, TRUE), known = stats::rnorm(n))
    d$z <- 20 + d$height + (d$soil == "peat") + d$known + sin(6 * d$x) + cos(5 * d$y) +
      stats::rnorm(n, sd = 0.3)
    d
  })
}

in_parts <- function(data, lengths) split(data, rep(seq_along(lengths), lengths))

chunked <- function(parts, ...) row_source(function(i) if (i <= length(parts)) parts[[i]], ...)

source_file <- function(data, env = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = env)
  utils::write.csv(data, file, row.names = FALSE)
  file
}

source_fit <- function(data, ..., method = svgp(inducing = 15, std_error = FALSE),
                       covariance = cov_matern(nu = 1.5)) {
  suppressWarnings(neargp(z ~ height + soil + offset(known), data, coords = ~ x + y,
    weights = years, method = method, covariance = covariance,
    threads = 1L, ...), classes = "neargp_warning_convergence")
}

estimates <- function(fit) {
  fit[c("beta", "beta_vcov", "parameters", "log_likelihood", "inducing", "svgp", "core_trend",
    "n_given", "n_dropped")]
}
