# CPU seconds of one thread for fits and 1,000 predictions, by the number of rows n and of predictors d, for the article "Tabular data". The
# response is a smooth function of all predictors with noise. The covariance is Matérn 5/2 with a range for each predictor.
#
#   OMP_NUM_THREADS=1 R_LIBS=_build/library Rscript bench/tabular-times.R [rows: 1000,10000,50000] [predictors: 5,18] [methods: loo_k,vecchia]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
stop_unless_one_thread()
options(neargp.threads = 1L)

simulated <- function(n, d) {
  set.seed(1)
  x <- as.data.frame(matrix(runif(n * d), n, dimnames = list(NULL, paste0("x", seq_len(d)))))
  slopes <- 2 / seq_len(d)
  x$y <- sin(3 * x$x1) + as.matrix(x[seq_len(d)]) %*% slopes + 2 * (x$x2 - 0.5) * (x$x3 - 0.5) + rnorm(n, sd = 0.3)
  x
}

methods <- list(loo_k = loo_k(), `loo_k-adam` = loo_k(optimizer = "adam"), vecchia = vecchia(), svgp = svgp(inducing = 256))

seconds <- function(expression) {
  time <- system.time(expression, gcFirst = TRUE)
  round(sum(time[c("user.self", "sys.self", "user.child", "sys.child")]), 1)
}

rows <- list()
for (n in as.integer(argument(1L, c("1000", "10000", "50000")))) {
  for (d in as.integer(argument(2L, c("5", "18")))) {
    for (name in argument(3L, names(methods))) {
      if (name == "vecchia" && n * d > 1e5) next   # ten minutes and more
      data <- simulated(n + 1000L, d)
      train <- data[seq_len(n), ]
      test <- data[n + seq_len(1000L), ]
      fit_s <- seconds(fit <- suppressMessages(neargp(y ~ 1, train, coords = ~ ., method = methods[[name]],
        covariance = cov_matern(nu = 2.5, ard = TRUE))))
      predict_s <- seconds(p <- predict(fit, test))
      rows[[length(rows) + 1L]] <- data.frame(rows = n, predictors = d, method = name, fit_s = fit_s, predict_s = predict_s,
        rmse = round(sqrt(mean((p$mean - test$y)^2)), 4))
      save_result(do.call(rbind, rows), "tabular-times")
    }
  }
}
