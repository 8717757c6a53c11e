# Compares vnngp() in shards with the fit without shards to the same rows. The script measures the loss of accuracy
# for an overlap, the difference that print() reports, and the cost. Expected with the default overlap: estimates
# within 0.1 standard errors and means within 0.1 posterior standard deviations. The difference should never exceed
# the one that print() reports. The time should follow the number of rows of all extended shards.
#
#   Rscript bench/vnngp-shards.R [rows, 20000] [shards, 4,16] [smoothness, 0.5,1.5] [overlap, default]    keeps table vnngp-shards
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))
n <- as.integer(argument(1L, "20000"))
shards <- as.integer(argument(2L, c("4", "16")))
smoothness <- as.double(argument(3L, c("0.5", "1.5")))
overlap <- argument(4L, "default")
overlap <- if (overlap != "default") as.double(overlap)

# A field of variance 1 and range 0.1: waves whose frequencies follow the spectral density of a Matérn covariance, a
# Student distribution.
field <- function(places, nu, waves = 400L) {
  frequency <- matrix(stats::rnorm(2L * waves), waves) / sqrt(stats::rchisq(waves, 2 * nu) / (2 * nu)) / 0.1
  phase <- stats::runif(waves, 0, 2 * pi)
  drop(cos(as.matrix(places) %*% t(frequency) + rep(phase, each = nrow(places))) %*% stats::rnorm(waves)) * sqrt(2 / waves)
}

rows <- function(nu) {
  set.seed(3)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), h = stats::rnorm(n))
  eta <- 0.3 + 0.5 * data$h + field(data[c("x", "y")], nu)
  data$z <- eta + stats::rnorm(n, 0, 0.5)
  data$count <- stats::rpois(n, exp(eta))
  data$present <- factor(stats::runif(n) < stats::plogis(eta))
  data
}

models <- list(gaussian = list(z ~ h, stats::gaussian()), poisson = list(count ~ h, stats::poisson()),
  binary = list(present ~ h, stats::binomial()))

compare <- function(model, nu, data, new) {
  fitted <- function(shards) suppressMessages(neargp(model[[1L]], data, coords = ~ x + y, family = model[[2L]],
    method = vnngp(15, overlap = overlap), covariance = cov_matern(nu), threads = 1L, control = neargp_control(shards = shards)))
  cpu <- function(expr) sum(system.time(expr)[c("user.self", "sys.self")])
  alone <- cpu(whole <- fitted(NULL))
  sd <- sqrt(whole$posterior$variance)
  free <- !whole$parameters$fixed
  link <- predict(whole, new, type = "link")
  do.call(rbind, lapply(shards, function(count) {
    time <- cpu(parts <- fitted(count))
    by_shards <- predict(parts, new, type = "link")
    data.frame(shards = count, overlap = parts$posterior$shards$overlap, extended = parts$posterior$shards$extended,
      bound_a_row = (parts$log_likelihood - whole$log_likelihood) / n,
      parameters = max(abs(log(parts$parameters$estimate / whole$parameters$estimate)[free] * whole$parameters$estimate[free] /
        whole$parameters$std_error[free])),
      trend = max(abs(coef(parts) - coef(whole)) / sqrt(diag(vcov(whole)))),
      mean = max(abs(parts$posterior$mean - whole$posterior$mean) / sd), sd = max(abs(sqrt(parts$posterior$variance) / sd - 1)),
      told = parts$posterior$shards$difference, predicted = max(abs(by_shards$mean - link$mean) / link$sd), cpu = alone,
      cpu_shards = time)
  }))
}

found <- NULL
for (nu in smoothness) {
  data <- rows(nu)
  new <- data.frame(x = stats::runif(1000), y = stats::runif(1000), h = 0)
  for (name in names(models)) {
    one <- cbind(response = name, smoothness = nu, rows = n, compare(models[[name]], nu, data, new))
    numbers <- vapply(one, is.numeric, NA)
    one[numbers] <- lapply(one[numbers], signif, 3L)
    print(one, row.names = FALSE)
    found <- rbind(found, one)
    save_result(found, "vnngp-shards")
  }
}
