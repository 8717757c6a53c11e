# Presence and positive density of Pacific cod in 2,143 hauls, by separate fits and by a joint one: the ELBO, and the held-out log density
# of a haul. The trends consist of the year, the log of depth and its square. k = 20. Fold f leaves out the rows with (row - 1) %% 5 = f.
#
#   Rscript bench/joint-cod.R

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
bench_here <- if (length(bench_script)) dirname(bench_script) else "bench"
source(file.path(bench_here, "common.R"))
source(file.path(bench_here, "hurdle-density.R"))
options(neargp.threads = 1L)
describe_run()

hauls <- bench_data("pcod")
hauls$depth <- as.vector(scale(log(hauls$depth)))
hauls$year <- factor(hauls$year)
hauls$amount <- replace(hauls$density, hauls$present == 0, NA)
trend <- ~ year + depth + I(depth^2)
of_response <- function(name) update(trend, reformulate(".", name))
families <- list(present = binomial(), amount = Gamma("log"))
method <- vnngp(k = 20)

single <- function(name, rows) {
  suppressMessages(neargp(of_response(name), rows[!is.na(rows[[name]]), ], coords = ~ X + Y, family = families[[name]],
    covariance = cov_matern(nu = 1.5), method = method))
}
joint <- function(rows, ...) {
  suppressMessages(neargp(lapply(setNames(nm = names(families)), of_response), rows, coords = ~ X + Y, family = families, method = method, ...))
}
shape_of <- function(fit, name) coef(fit, what = "covariance")[[name]]

alone <- lapply(setNames(nm = names(families)), single, hauls)
both <- timed(joint(hauls))
print(both$value)

fold <- (seq_len(nrow(hauls)) - 1L) %% 5L
densities <- do.call(rbind, lapply(0:4, function(f) {
  seen <- hauls[fold != f, ]
  test <- hauls[fold == f, ]
  fits <- lapply(setNames(nm = names(families)), single, seen)
  linked <- lapply(fits, predict, test, type = "link")
  together <- joint(seen, start = both$value)
  found <- predict(together, test, type = "link", covariance = TRUE)
  data.frame(row = which(fold == f),
    separate = catch_log_density(test$density, linked$present, linked$amount, double(nrow(test)), shape_of(fits$amount, "shape")),
    joint = catch_log_density(test$density, data.frame(mean = found$mean_present, sd = found$sd_present),
      data.frame(mean = found$mean_amount, sd = found$sd_amount), attr(found, "covariance")[, 1, 2], shape_of(together, "amount:shape")))
}))
difference <- densities$joint - densities$separate
elbo <- vapply(alone, function(fit) as.numeric(logLik(fit)), 0)
table <- data.frame(model = c("separate", "joint", "prototype, separate", "prototype, joint"),
  elbo = round(c(sum(elbo), both$value$log_likelihood, -6076.72, -6062.77), 2),
  lpd = round(c(mean(densities$separate), mean(densities$joint), -2.8217, -2.8165), 4),
  lpd_difference = round(c(NA, mean(difference), NA, 0.0052), 4),
  lpd_difference_se = round(c(NA, sd(difference) / sqrt(length(difference)), NA, 0.0036), 4),
  correlation = c(NA, round(coef(both$value, what = "correlation")[1, 2], 2), NA, 0.65), cpu = round(c(NA, both$cpu, NA, NA), 1))
print(table, row.names = FALSE)
save_result(table, "joint-cod")
