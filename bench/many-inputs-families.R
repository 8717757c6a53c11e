# Classes, presence and counts with ten predictors, of which four matter. One range for all predictors is compared with one range for each.
# The latter is the default from three predictors and 50 rows for each on. Fits take 2,000 rows and one thread, and 1,000 other rows are
# scored.
#
#   Rscript bench/many-inputs-families.R      keeps table many-inputs-families
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))
describe_run()

set.seed(2)
n <- 3000L
inputs <- matrix(rnorm(10L * n), n, dimnames = list(NULL, paste0("x", 1:10)))
f <- 2 * sin(inputs[, 1L]) + inputs[, 2L] * inputs[, 3L] + inputs[, 4L]
data <- data.frame(inputs, present = rbinom(n, 1L, plogis(1.5 * f)), count = rpois(n, exp(f / 2)))
data$class <- cut(f + rnorm(n, sd = 0.5), c(-Inf, -1, 1, Inf), labels = c("low", "middle", "high"))
training <- data[1:2000, ]
test <- data[2001:3000, ]

fits <- list(list("class", "categorical", loo_k()), list("present", "binomial", loo_k()), list("count", "poisson", loo_k()),
  list("present", "binomial", svgp()), list("count", "poisson", svgp()), list("count", "poisson", vnngp()), list("present", "binomial", vnngp()))
rows <- list()
for (case in fits) for (ard in c(FALSE, TRUE)) {
  time <- system.time(fit <- suppressWarnings(suppressMessages(neargp(reformulate("1", case[[1L]]), training, coords = colnames(inputs),
    family = case[[2L]], method = case[[3L]], covariance = cov_matern(nu = 1.5, ard = ard), threads = 1L, verbose = FALSE))))
  found <- scores(fit, test)
  rows[[length(rows) + 1L]] <- data.frame(response = case[[1L]], method = neargp:::method_name(case[[3L]]), ranges = if (ard) 10L else 1L,
    log_score = c(found$log_score, found$log_loss)[1L], crps = c(found$crps, NA)[1L], cpu_seconds = round(sum(time[1:2]), 1),
    converged = fit$convergence$converged)
  print(rows[[length(rows)]], row.names = FALSE)
}
save_table(do.call(rbind, rows), "many-inputs-families")
