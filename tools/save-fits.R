# Saves small fits of all kinds with their predictions, as tests/testthat/fits/<version>/<kind>.rds: what later versions of the package have to
# read (tests/testthat/test-fit-format.R). Run once for each release, from the repository root, with the package of that release:
#   R_LIBS=_build/library Rscript --vanilla tools/save-fits.R
# Files of earlier versions are not made again.
suppressMessages(library(neargp))

set.seed(1)
n <- 45L
data <- data.frame(x = round(runif(n), 3), y = round(runif(n), 3), h = round(rnorm(n), 2))
field <- sin(5 * data$x) + cos(4 * data$y)
data$z <- round(field + 0.3 * data$h + rnorm(n, sd = 0.2), 3)
data$w <- round(field - data$x + rnorm(n, sd = 0.2), 3)
data$positive <- round(exp(data$z), 3)
data$count <- rpois(n, exp(0.5 + field / 2))
data$wet <- rbinom(n, 1L, plogis(2 * field))
data$class <- factor(c("a", "b", "c")[1L + (field > 0.5) + (data$x > 0.6)])
data$lon <- round(10 + 5 * data$x, 3)
data$lat <- round(50 + 3 * data$y, 3)
new <- data.frame(x = c(0.2, 0.5, 0.9), y = c(0.4, 0.6, 0.1), h = 0, lon = c(11, 12, 14), lat = c(51, 52, 50.5))

fit <- function(formula, method, ..., coords = ~ x + y) {
  set.seed(2)
  suppressWarnings(suppressMessages(neargp(formula, data, coords = coords, method = method, ..., verbose = FALSE, threads = 1)))
}
fits <- list(
  vecchia = fit(z ~ h, vecchia(8)), exact = fit(z ~ h, exact_gp()), loo_k = fit(z ~ h, loo_k(8)), mll_k = fit(z ~ h, mll_k(8)),
  anisotropic = fit(z ~ 1, vecchia(8), covariance = cov_matern(nu = NULL, anisotropy = TRUE)),
  sphere = fit(z ~ 1, vecchia(8), coords = ~ lon + lat, distance = "chordal"),
  local = fit(z ~ 1, vecchia(8), covariance = cov_exponential(range = ~ x)),
  transformed = fit(positive ~ 1, vecchia(8), transform = "log"), low_rank = fit(z ~ 1, vecchia(6, inducing = 8)),
  outputs = fit(cbind(z, w) ~ 1, vecchia(8)), counts = fit(count ~ h, vnngp(6), family = poisson()),
  laplace = fit(count ~ h, vnngp(6, posterior = "laplace"), family = poisson()),
  mean_field = fit(count ~ h, vnngp(6, posterior = "mean-field", optimizer = "adam", epochs = 3), family = poisson()),
  loo_counts = fit(count ~ h, loo_k(8), family = poisson()), classes = fit(class ~ 1, loo_k(8)), binary = fit(wet ~ 1, loo_k(8),
    family = binomial()),
  polya_gamma = fit(class ~ 1, loo_k(8, estimator = "polya-gamma", steps = 20)), svgp = fit(z ~ h, svgp(8)),
  svgp_counts = fit(count ~ h, svgp(8), family = poisson()), svgp_classes = fit(class ~ 1, svgp(8), family = categorical()),
  svgp_outputs = fit(cbind(z, w) ~ 1, svgp(8)), odvgp = fit(z ~ h, odvgp(8)), ppgpr = fit(z ~ h, ppgpr(8)),
  swsgp = fit(z ~ h, swsgp(4, inducing = 8, epochs = 3)), dspp = fit(z ~ h, dspp(width = 1, inducing = 6, epochs = 3, restarts = 1))
)
folder <- file.path("tests", "testthat", "fits", as.character(packageVersion("neargp")))
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
for (kind in names(fits)) {
  # without the source references and the environment of the formula
  saved <- list(fit = fits[[kind]], new = new, predicted = suppressMessages(predict(fits[[kind]], new, threads = 1)))
  saveRDS(saved, file.path(folder, paste0(kind, ".rds")), version = 3, compress = "xz")
}
sizes <- file.size(list.files(folder, full.names = TRUE))
cat(length(fits), "fits in", folder, "of", round(sum(sizes) / 1000), "kB, the largest", round(max(sizes) / 1000, 1), "kB\n")
