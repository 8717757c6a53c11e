# Models of space and time on data. One set is ocean temperatures of floats, every third profile of argo2016, on the sphere. The other is
# square roots of monthly precipitation at the stations of Colorado, 1994 to 1997. A tenth of the rows is withheld as gaps, and all of the
# last twentieth of the time.
#
#   OMP_NUM_THREADS=1 Rscript bench/space-time-data.R

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

argo <- function() {
  data <- bench_data("argo2016")
  data <- data[seq(1L, nrow(data), 3L), ]
  data.frame(lon = data$lon, lat = data$lat, time = data$day, z = data$temp100)
}
precipitation <- function() {
  data <- bench_data("co_ppt_monthly")
  data <- data[data$year >= 1994L, ]
  data.frame(data[c("lon", "lat", "elev", "month")], time = 12 * data$year + data$month, z = sqrt(data$ppt))
}
sets <- list(argo = list(data = argo, formula = z ~ poly(lat, 2)), precipitation = list(data = precipitation, formula = z ~ elev + factor(month)))
covariances <- list(
  "Gneiting, by default" = NULL,
  "separable, exponential in time" = cov_spacetime(model = "separable"),
  "product-sum" = cov_spacetime(model = "product_sum"),
  "exponential + Matern, metric" = cov_exponential() + cov_matern(nu = NULL)
)

scores_of <- function(fit, rows) {
  predicted <- predict(fit, rows, threads = 1L)
  c(log_score = mean(stats::dnorm(rows$z, predicted$mean, predicted$sd, log = TRUE)), rmse = sqrt(mean((rows$z - predicted$mean)^2)),
    coverage = mean(abs(rows$z - predicted$mean) <= stats::qnorm(0.975) * predicted$sd))
}

scores_by <- function(name, set) {
  data <- sets[[set]]$data()
  set.seed(1)
  late <- data$time > stats::quantile(data$time, 0.95)
  gap <- !late & stats::runif(nrow(data)) < 0.1
  seen <- data[!late & !gap, ]
  ran <- timed(suppressWarnings(suppressMessages(neargp(sets[[set]]$formula, seen, coords = ~ lon + lat, time = ~ time, distance = "chordal",
    covariance = covariances[[name]], method = vecchia(), threads = 1L, verbose = FALSE))))
  fit <- ran$value
  estimates <- coef(fit, what = "covariance")
  data.frame(set = set, fit = name, rows = nrow(seen), cpu = ran$cpu, log_likelihood = as.numeric(logLik(fit)), gap = t(scores_of(fit, data[gap, ])),
    late = t(scores_of(fit, data[late, ])), estimates = paste(names(estimates), signif(estimates, 3L), collapse = " "))
}

describe_run()
cases <- expand.grid(name = names(covariances), set = names(sets), stringsAsFactors = FALSE)
save_table(do.call(rbind, Map(scores_by, cases$name, cases$set)), "space-time-data", digits = 4L)
