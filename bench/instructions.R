# One fit or prediction, for bench/instructions.sh: Rscript bench/instructions.R TASK. "none" makes the data and fits nothing.

library(neargp)

set.seed(1)
n <- 1500
rows <- data.frame(x = runif(n), y = runif(n))
rows$z <- sin(6 * rows$x) + cos(5 * rows$y) + rnorm(n, sd = 0.3)
rows$count <- rpois(n, exp(rows$z))
rows$class <- factor(ifelse(rows$z > 0, "high", "low"))
places <- data.frame(x = runif(500), y = runif(500))

fit <- function(formula, method, ...) neargp(formula, data = rows, coords = ~ x + y, method = method, threads = 1, ...)

tasks <- list(
  none = function() NULL,
  vecchia = function() fit(z ~ 1, vecchia(k = 20)),
  predict = function() {
    done <- fit(z ~ 1, vecchia(k = 5))
    predict(done, places, k = 30)
    predict(done, rows[c("x", "y")], k = 30)
  },
  loo_k = function() fit(z ~ 1, loo_k(k = 15)),
  vnngp = function() fit(count ~ 1, vnngp(k = 8), family = poisson()),
  classes = function() fit(class ~ 1, loo_k(k = 10))
)

invisible(tasks[[commandArgs(TRUE)[[1L]]]]())
