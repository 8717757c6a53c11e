# Do the 95% intervals of the default call cover 95%? Matérn fields of smoothness 3/2 are simulated in the unit square, with variance 1 and
# range 0.12. The slope of a covariate is 0.5. In each field, 20 new locations are checked, for the linear predictor and for a new
# observation. Intervals of the slope are checked as well, and those of the means of the response over 4 quarters of the square.
# `parameters` of predict() is "plug-in", "integrated" or "default".
#
#   Rscript bench/coverage.R [fields, 200] [rows, 30,100,300] [families, all] [parameters, default]

# Keeps table coverage, a row for each setting. Errors are standard errors of the mean over fields. Intervals of whole numbers cover more by
# their nature. The coverage of a new count is therefore a probability. It is the chance that a uniform variable in the count's step of the
# distribution function lies in the inner 95%.

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))
describe_run()

fields <- as.integer(argument(1L, "200"))
sizes <- as.integer(argument(2L, c("30", "100", "300")))
new_places <- 20L

families <- list(gaussian = gaussian(), poisson = poisson(), binomial = binomial(), negative_binomial = negative_binomial(),
  gamma = Gamma("log"))
wanted <- argument(3L, names(families))
parameters <- argument(4L, "default")

draw_response <- list(
  gaussian = function(eta) rnorm(length(eta), eta, sqrt(0.1)), poisson = function(eta) rpois(length(eta), exp(eta)),
  binomial = function(eta) rbinom(length(eta), 5L, plogis(eta)), negative_binomial = function(eta) rnbinom(length(eta), 2, mu = exp(eta)),
  gamma = function(eta) rgamma(length(eta), 3, scale = exp(eta) / 3))
mean_of <- list(gaussian = identity, poisson = exp, binomial = plogis, negative_binomial = exp, gamma = exp)

# 20 x 20 locations. Their means over the quarters are taken as the true means of the quarters.
inner <- expand.grid(x = (seq_len(20L) - 0.5) / 20, y = (seq_len(20L) - 0.5) / 20)
quarter_of <- function(places) 1L + (places$x > 0.5) + 2L * (places$y > 0.5)
squares <- sf::st_sf(h = 0, geometry = sf::st_make_grid(sf::st_as_sfc(sf::st_bbox(c(xmin = 0, ymin = 0, xmax = 1, ymax = 1))), n = 2L))

# Training rows, new rows, and the inner locations, whose covariate is 0.
simulate_field <- function(n, seed, family) {
  set.seed(1e4 * n + seed)
  data <- rbind(data.frame(x = runif(n + new_places), y = runif(n + new_places)), inner)
  data$h <- c(rnorm(n + new_places), rep(0, nrow(inner)))
  distance <- as.matrix(dist(data[c("x", "y")])) / 0.12
  factor <- chol((1 + distance) * exp(-distance) + diag(1e-8, nrow(data)))
  data$eta <- 0.3 + 0.5 * data$h + drop(crossprod(factor, rnorm(nrow(data))))
  data$z <- draw_response[[family]](data$eta)
  split(data, rep(c("train", "new", "areas"), c(n, new_places, nrow(inner))))
}

inside <- function(truth, found) mean(truth >= found$lower & truth <= found$upper)

cover_areas <- function(fit, field, family, by) {
  truth <- tapply(mean_of[[family]](field$areas$eta), quarter_of(field$areas), mean)
  inside(truth, do.call(predict, c(list(fit, squares, interval = "confidence", seed = 1L), by)))
}

# The share of each observation's step of the distribution function that lies in the inner 95%.
cover_observations <- function(fit, new, family, by) {
  if (!family %in% c("poisson", "binomial", "negative_binomial")) {
    return(inside(new$z, do.call(predict, c(list(fit, new, interval = "prediction"), by))))
  }
  limits <- sort(unique(c(new$z, new$z - 1)))
  trials <- if (family == "binomial") list(trials = 5)
  found <- do.call(predict, c(list(fit, new, threshold = limits), trials, by))
  beyond <- as.matrix(found[grep("^p_exceed", names(found))])
  beyond[, limits < 0] <- 1
  at <- function(y) 1 - beyond[cbind(seq_along(y), match(y, limits))]
  step <- cbind(at(new$z - 1), at(new$z))
  mean((pmin(step[, 2L], 0.975) - pmax(step[, 1L], 0.025)) / (step[, 2L] - step[, 1L]) *
    (pmin(step[, 2L], 0.975) > pmax(step[, 1L], 0.025)))
}

cover_once <- function(n, seed, family) {
  field <- simulate_field(n, seed, family)
  by <- if (parameters != "default") list(parameters = parameters)
  run <- timed(suppressMessages(suppressWarnings({
    formula <- if (family == "binomial") cbind(z, 5 - z) ~ h else z ~ h
    fit <- neargp(formula, field$train, coords = ~ x + y, family = families[[family]], threads = 1L, verbose = FALSE)
    field_limits <- do.call(predict, c(list(fit, field$new, type = "link", interval = "confidence"), by))
    slope <- confint(fit)["h", ]
    c(predictor = inside(field$new$eta, field_limits), observation = cover_observations(fit, field$new, family, by),
      slope = as.double(slope[1L] <= 0.5 && slope[2L] >= 0.5), areas = cover_areas(fit, field, family, by))
  })))
  c(run$value, seconds = run$cpu)
}

summary_of <- function(found) {
  known <- found[, colSums(is.na(found)) == 0, drop = FALSE]
  means <- rowMeans(known)
  errors <- apply(known, 1L, sd) / sqrt(ncol(known))
  what <- c("predictor", "observation", "slope", "areas")
  data.frame(what, coverage = means[what], error = errors[what], seconds = means[["seconds"]], fields = ncol(known))
}

settings <- expand.grid(n = sizes, family = wanted, stringsAsFactors = FALSE)
before <- read_result("coverage")
rows <- NULL
for (i in seq_len(nrow(settings))) {
  setting <- settings[i, ]
  runs <- parallel::mclapply(seq_len(fields), function(seed) {
    tryCatch(cover_once(setting$n, seed, setting$family), error = function(error) {
      message(setting$family, " ", setting$n, " ", seed, ": ", conditionMessage(error))
      rep(NA_real_, 5L)
    })
  }, mc.cores = bench_threads())
  found <- vapply(runs, identity, double(5L))
  rownames(found) <- c("predictor", "observation", "slope", "areas", "seconds")
  rows <- rbind(rows, cbind(parameters, setting, summary_of(found), row.names = NULL))
  print(utils::tail(rows, 4L), row.names = FALSE)
}
if (length(before)) {
  key <- function(table) paste(table$parameters, table$n, table$family)
  rows <- rbind(before[!key(before) %in% key(rows), ], rows)
}
rows[c("coverage", "error", "seconds")] <- lapply(rows[c("coverage", "error", "seconds")], signif, 4L)
save_result(rows[order(rows$family, rows$n, rows$parameters), ], "coverage")
