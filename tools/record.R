# Records what the package computes, bit by bit: a hash of each fit, prediction, leave-one-out prediction and
# simulation, for every method, family and covariance. A change that must leave all results alone is recorded before and
# after. Both records are made on one machine, as other compilers and mathematical libraries round differently.
#   Rscript tools/record.R before.csv
#   Rscript tools/record.R after.csv before.csv
# The second call lists what differs and ends with status 1 where anything does. The library that R_LIBS names first is
# loaded.

library(neargp)

# ---- data -------------------------------------------------------------------------------------------------------------------------

set.seed(1)
n <- 160L
rows <- data.frame(x = runif(n), y = runif(n), depth = runif(n), h = rnorm(n), day = rep(1:16, each = 10L),
  trials = rep(1:4, length.out = n))
eta <- 0.5 + sin(6 * rows$x) + cos(5 * rows$y) + 0.3 * rows$h
rows$z <- eta + rnorm(n, sd = 0.2)
rows$z2 <- eta - rows$x + rnorm(n, sd = 0.2)
rows$count <- rnbinom(n, size = 3, mu = exp(eta))
rows$successes <- rbinom(n, rows$trials, plogis(eta))
rows$wet <- rbinom(n, 1L, plogis(eta))
rows$class <- factor(cut(eta, 3), labels = c("a", "b", "c"))
rows$amount <- rgamma(n, 3, scale = exp(eta) / 3)
rows$share <- rbeta(n, 4 * plogis(eta), 4 * plogis(-eta))
rows$catch <- ifelse(rows$amount > 1, rows$amount - 1, 0)
rows$lon <- 360 * rows$x - 180
rows$lat <- 160 * rows$y - 80
new_rows <- rows[1:12, ]
new_rows[c("x", "y", "depth", "lon", "lat")] <- new_rows[c("x", "y", "depth", "lon", "lat")] * 0.97 + 0.01

# ---- cases ------------------------------------------------------------------------------------------------------------------------

covariances <- list(
  exponential = cov_exponential(), matern32 = cov_matern(1.5), matern52 = cov_matern(2.5), matern17 = cov_matern(1.7),
  matern = cov_matern(NULL), gaussian = cov_gaussian(), powered = cov_powered_exponential(), cauchy = cov_cauchy(),
  spherical = cov_spherical(), wendland = cov_wendland(), wave = cov_wave(),
  ard = cov_matern(ard = TRUE), anisotropic = cov_exponential(anisotropy = TRUE), sum = cov_matern(2.5) + cov_exponential()
)
methods <- list(vecchia = vecchia(12), exact_gp = exact_gp(), loo_k = loo_k(12), mll_k = mll_k(12), vnngp = vnngp(8), svgp = svgp(20),
  odvgp = odvgp(20), ppgpr = ppgpr(20), swsgp = swsgp(8, inducing = 40, epochs = 3L))
by_covariance <- function() {
  pairs <- expand.grid(covariance = names(covariances), method = names(methods), stringsAsFactors = FALSE)
  cases <- Map(function(covariance, method) list(covariance = covariances[[covariance]], method = methods[[method]]), pairs$covariance,
    pairs$method)
  stats::setNames(cases, paste(pairs$method, pairs$covariance))
}

responses <- list(
  poisson = list(formula = count ~ h, family = poisson()), negative_binomial = list(formula = count ~ h, family = negative_binomial()),
  successes = list(formula = cbind(successes, trials - successes) ~ h, family = binomial()),
  cloglog = list(formula = wet ~ h, family = binomial("cloglog")), binary = list(formula = wet ~ h, family = binomial()),
  categorical = list(formula = class ~ h, family = categorical()), gamma = list(formula = amount ~ h, family = Gamma("log")),
  beta = list(formula = share ~ h, family = beta_response()), student_t = list(formula = z ~ h, family = student_t()),
  truncated_poisson = list(formula = count + 1 ~ h, family = truncated_poisson()),
  truncated_nbinom2 = list(formula = count + 1 ~ h, family = truncated_nbinom2()), tweedie = list(formula = catch ~ h, family = tweedie()),
  nbinom1 = list(formula = count ~ h, family = nbinom1()), gengamma = list(formula = amount ~ h, family = gengamma()),
  asymmetric_laplace = list(formula = amount ~ h, family = quantile_regression(0.7)),
  zi_poisson = list(formula = count ~ h, family = zi_poisson()), zi_nbinom2 = list(formula = count ~ h, family = zi_nbinom2()),
  betabinomial = list(formula = cbind(successes, trials - successes) ~ h, family = betabinomial()),
  ordinal = list(formula = ordered(class) ~ h, family = ordinal()),
  censored_gaussian = list(formula = cens(ifelse(z > 0, z, NA), upper = 0) ~ h, family = censored_gaussian())
)
latent_methods <- list(
  loo_k = loo_k(10), vnngp = vnngp(8), laplace = vnngp(8, posterior = "laplace"), mean_field = vnngp(8, posterior = "mean-field"),
  exact_factor = vnngp(8, factor = "exact"), adam = vnngp(8, posterior = "mean-field", optimizer = "adam", epochs = 5L),
  low_rank = vnngp(8, low_rank = 15), low_rank_laplace = vnngp(8, posterior = "laplace", low_rank = 15),
  subset = vnngp(8, inducing = 60), kmeans = vnngp(8, inducing = inducing_points(40, "kmeans")), svgp = svgp(20), ppgpr = ppgpr(20),
  swsgp = swsgp(8, inducing = 40, epochs = 3L)
)
by_family <- function() {
  pairs <- expand.grid(response = names(responses), method = names(latent_methods), stringsAsFactors = FALSE)
  pairs <- pairs[pairs$response != "categorical" | pairs$method == "loo_k", ]
  smooth_only <- c("loo_k", "laplace", "low_rank_laplace", "ppgpr")
  pairs <- pairs[pairs$response != "asymmetric_laplace" | !pairs$method %in% smooth_only, ]
  cases <- Map(function(response, method) c(responses[[response]], list(method = latent_methods[[method]], covariance = cov_exponential())),
    pairs$response, pairs$method)
  stats::setNames(cases, paste(pairs$method, pairs$response))
}

others <- list(
  "label" = list(formula = class ~ h, family = categorical(), method = loo_k(10, estimator = "label")),
  "own-class" = list(formula = wet ~ h, family = binomial(), method = loo_k(10, estimator = "own-class")),
  "polya-gamma" = list(formula = wet ~ h, family = binomial(), method = loo_k(10, estimator = "polya-gamma", steps = 20)),
  "loo_k adam" = list(method = loo_k(10, optimizer = "adam", steps = 20)),
  "sphere" = list(coords = ~ lon + lat, method = vecchia(12)),
  "space and time" = list(time = "day", method = vecchia(12)),
  "Gneiting" = list(time = "day", method = vecchia(12), covariance = cov_spacetime()),
  "separable loo_k" = list(time = "day", method = loo_k(12), covariance = cov_spacetime(cov_matern(1.5), model = "separable")),
  "product-sum exact_gp" = list(time = "day", method = exact_gp(), covariance = cov_spacetime(cov_exponential(), model = "product_sum")),
  "Gneiting vnngp" = list(formula = count ~ h, family = poisson(), time = "day", method = vnngp(8), covariance = cov_spacetime(cov_matern(1.5))),
  "three coordinates" = list(coords = ~ x + y + depth, method = vecchia(12), covariance = cov_matern(ard = TRUE)),
  "outputs vecchia" = list(formula = cbind(z, z2) ~ h, method = vecchia(10), covariance = cov_coregionalisation(cov_exponential())),
  "outputs exact_gp" = list(formula = cbind(z, z2) ~ h, method = exact_gp(), covariance = cov_coregionalisation(cov_exponential())),
  "outputs loo_k" = list(formula = cbind(z, z2) ~ h, method = loo_k(10), covariance = cov_coregionalisation(cov_exponential())),
  "outputs mll_k" = list(formula = cbind(z, z2) ~ h, method = mll_k(10), covariance = cov_coregionalisation(cov_exponential())),
  "no noise" = list(method = vecchia(12), nugget = 0),
  "weights" = list(method = vecchia(12), weights = rows$trials),
  "noise of rows" = list(method = vecchia(12), nugget = ~ h, measurement_variance = 0.01),
  "noise of rows exact_gp" = list(method = exact_gp(), nugget = ~ h + x),
  "noise of rows loo_k" = list(method = loo_k(10), measurement_variance = 0.01),
  "noise of rows svgp" = list(method = svgp(15), nugget = ~ h),
  "random order" = list(method = vecchia(12, ordering = "random")),
  "low rank" = list(method = vecchia(8, inducing = 15)),
  "low rank, ard" = list(method = vecchia(8, inducing = 15), covariance = cov_matern(2.5, ard = TRUE)),
  "outputs svgp" = list(formula = cbind(z, z2) ~ h, method = svgp(15), covariance = cov_coregionalisation(cov_exponential())),
  "classes svgp" = list(formula = class ~ h, family = categorical(), method = svgp(15)),
  "mini-batches" = list(method = svgp(15, optimizer = "natural", epochs = 2)),
  "adam svgp" = list(formula = count ~ h, family = poisson(), method = svgp(15, optimizer = "adam", epochs = 2)),
  "local sd and range" = list(method = vecchia(12), covariance = cov_matern(1.5, sd = ~ h, range = ~ bumps(2))),
  "warped" = list(method = vecchia(12), covariance = cov_matern(1.5, warp = list(expand(2, ~ bumps(2)), monotone(~ x, 3)))),
  "local vnngp" = list(formula = count ~ h, family = poisson(), method = vnngp(8), covariance = cov_exponential(range = ~ x)),
  "dspp" = list(method = dspp(inducing = 10, width = 2, sites = 3, epochs = 3)),
  "dspp counts" = list(formula = count ~ h, family = poisson(), method = dspp(inducing = 10, width = 2, sites = 3, epochs = 3)),
  "dgp outputs" = list(formula = cbind(z, z2) ~ h, method = dgp(inducing = 10, width = 2, epochs = 3), covariance = cov_matern(2.5)),
  "mean-field sum" = list(formula = count ~ h, family = poisson(), covariance = cov_exponential(anisotropy = TRUE) + cov_matern(2.5),
    method = vnngp(8, posterior = "mean-field", optimizer = "adam", epochs = 3L))
)

# ---- record -----------------------------------------------------------------------------------------------------------------------

# The numbers of a fit, without what says where and how fast it ran, and without the fields that a method leaves empty.
fit_numbers <- function(fit) {
  Filter(Negate(is.null), unclass(fit)[c("core_covariance", "nugget", "beta", "beta_vcov", "log_likelihood", "score", "information",
    "family_parameters", "posterior", "sites", "pseudo_observations", "classifier", "k", "svgp", "predictive")])
}

# The values of nested lists: names of a fit's own fields are no results.
without_names <- function(value) if (is.list(value)) lapply(unname(unclass(value)), without_names) else value

# A value, or the class of the error where the method computes no such result.
attempt <- function(value) {
  tryCatch(suppressMessages(suppressWarnings(value)), error = function(e) class(e))
}

# Attributes in the order of their names, on which no result depends.
with_sorted_attributes <- function(value) {
  kept <- attributes(value)
  if (is.list(value)) value <- lapply(unclass(value), with_sorted_attributes)
  if (length(kept)) attributes(value) <- kept[order(names(kept))]
  value
}

hash <- function(value) rlang::hash(unserialize(serialize(with_sorted_attributes(value), NULL)))

record_case <- function(name, case) {
  set.seed(2)
  arguments <- list(formula = z ~ h, data = rows, coords = ~ x + y, covariance = cov_exponential(), threads = 2L,
    verbose = FALSE)
  arguments[names(case)] <- case  # modifyList() would mix two covariances
  fit <- attempt(do.call(neargp, arguments))
  parts <- list(fit = if (inherits(fit, "neargp")) without_names(fit_numbers(fit)) else fit)
  if (inherits(fit, "neargp")) {
    parts$predict <- attempt(predict(fit, new_rows))
    parts$interval <- attempt(predict(fit, new_rows, interval = "prediction"))
    parts$joint <- attempt(predict(fit, new_rows, type = "link", joint = TRUE))
    parts$loo <- attempt(loo_predict(fit))
    parts$simulate <- attempt(simulate(fit, nsim = 2, seed = 3, newdata = new_rows))
  }
  data.frame(case = name, part = names(parts), hash = vapply(parts, hash, ""),
    error = vapply(parts, function(part) if (is.character(part)) part[1L] else "", ""))
}

cases <- c(by_covariance(), by_family(), others)
arguments <- commandArgs(trailingOnly = TRUE)
stopifnot("Usage: Rscript tools/record.R RECORD.csv [EARLIER.csv]" = length(arguments) %in% 1:2)
record <- do.call(rbind, Map(record_case, names(cases), cases))
utils::write.csv(record, arguments[1L], row.names = FALSE)
cat(nrow(record), "results of", length(cases), "cases,", sum(record$error != ""), "of them refusals\n")

if (length(arguments) == 2L) {
  earlier <- utils::read.csv(arguments[2L])
  both <- merge(record, earlier, by = c("case", "part"), all = TRUE, suffixes = c("", "_earlier"))
  differs <- both[is.na(both$hash) | is.na(both$hash_earlier) | both$hash != both$hash_earlier, ]
  cat(nrow(differs), "differ\n")
  if (nrow(differs)) print(differs[c("case", "part", "error", "error_earlier")], row.names = FALSE)
  quit(status = nrow(differs) > 0L)
}
