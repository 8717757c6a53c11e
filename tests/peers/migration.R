# Tests the conversions of the article Migration. Each test compares a call of another package with one of neargp. gstat, mgcv, nlme
# and fields are run here. For GpGp, spNNGP, GPBoost, sdmTMB and GPyTorch, the formulas of their documentation are computed in base R.
source("lib.R")
suppressPackageStartupMessages({library(sp); library(gstat); library(mgcv); library(nlme); library(fields)})
h <- c(0, 0.05, 0.3, 1, 2.5)
value <- function(covariance) covariance_value(covariance, distance = h)
matern <- function(h, range, nu) ifelse(h == 0, 1, 2^(1 - nu) / gamma(nu) * (h / range)^nu * besselK(h / range, nu))

S <- paste("gstat", packageVersion("gstat"), "run here")
line <- function(...) variogramLine(vgm(2, ...), dist_vector = h, covariance = TRUE)$gamma
chk("gstat-exp", S, "vgm(2, \"Exp\", 0.4)", line("Exp", 0.4), value(cov_exponential(2, 0.4)), 1e-9)
chk("gstat-gau", S, "vgm(2, \"Gau\", 0.4)", line("Gau", 0.4), value(cov_gaussian(2, 0.4)), 1e-9)
chk("gstat-mat", S, "vgm(2, \"Mat\", 0.4, kappa = 1.5)", line("Mat", 0.4, kappa = 1.5), value(cov_matern(1.5, 2, 0.4)), 1e-9)
chk("gstat-ste", S, "vgm(2, \"Ste\", 0.4, kappa = 1.5)", line("Ste", 0.4, kappa = 1.5), value(cov_matern(1.5, 2, 0.4 / (2 * sqrt(1.5)))), 1e-9)
chk("gstat-exc", S, "vgm(2, \"Exc\", 0.4, kappa = 1.4)", line("Exc", 0.4, kappa = 1.4), value(cov_powered_exponential(1.4, 2, 0.4)), 1e-9)
data(meuse)
data(meuse.grid)
points <- meuse
coordinates(points) <- ~ x + y
grid <- meuse.grid[seq(1, 3103, 100), ]
targets <- grid
coordinates(targets) <- ~ x + y
near <- krige(log(zinc) ~ 1, points, targets, vgm(0.5, "Exp", 400, nugget = 0.05), nmax = 20, debug.level = 0)
fit <- neargp(log(zinc) ~ 1, meuse, coords = ~ x + y, covariance = cov_exponential(0.5, 400), nugget = 0.05,
  method = exact_gp(), distance = "euclidean")
chk("gstat-nmax", S, "krige(nmax = 20): means, variances of observations", c(near$var1.pred, near$var1.var),
  { p <- predict(fit, grid, k = 20, sectors = 0, local_mean = TRUE); c(p$mean, p$sd^2) }, 1e-6)
chk("gstat-cv", S, "krige.cv(): leave-one-out predictions",
  krige.cv(log(zinc) ~ 1, points, vgm(0.5, "Exp", 400, nugget = 0.05), verbose = FALSE, debug.level = 0)$var1.pred,
  loo_predict(fit)$mean, 1e-6)

S <- paste("mgcv", packageVersion("mgcv"), "run here")
set.seed(1)
d <- data.frame(x = runif(150), y = runif(150), depth = runif(150), g = factor(rep(1:15, 10)))
d$z <- sin(6 * d$depth) + rnorm(15, sd = 0.5)[d$g] + rnorm(150, sd = 0.3)
none <- cov_exponential(1e-10, 0.1)
reml <- function(formula, ...) neargp(formula, d, coords = ~ x + y, method = exact_gp(estimation = "REML"), distance = "euclidean", ...)
g <- gam(z ~ s(depth), data = d, method = "REML")
curve <- data.frame(depth = seq(0.1, 0.9, 0.1), x = 0.5, y = 0.5, g = "1")
chk("mgcv-smooth", S, "s(depth), REML, without a process: the curve", as.vector(predict(g, curve)),
  predict(reml(z ~ s(depth), covariance = none), curve, type = "trend")$mean, 2e-3)
g <- gam(z ~ s(depth) + s(g, bs = "re"), data = d, method = "REML")
chk("mgcv-re", S, "s(g, bs = \"re\") is (1 | g): standard deviations of group and noise",
  c(gam.vcomp(g, rescale = FALSE)[c("s(g)", "scale"), 1]),
  { m <- reml(z ~ s(depth) + (1 | g), covariance = none); v <- as.data.frame(VarCorr(m)); c(v$sdcor[v$grp == "g"], sigma(m)) }, 1e-2)
process <- matern(as.matrix(dist(d[c("x", "y")])), 0.2, 1.5)
d$w <- drop(crossprod(chol(process + diag(1e-8, 150)), rnorm(150))) + rnorm(150, sd = 0.3)
g <- suppressWarnings(gam(w ~ s(x, y, bs = "gp", m = c(-3, 0.2), k = 150), data = d, method = "REML"))
chk("mgcv-gp", S, "s(x, y, bs = \"gp\", m = c(-3, 0.2), k = n): fitted values", as.vector(fitted(g)),
  predict(reml(w ~ 1, covariance = cov_matern(1.5, range = 0.2)), d, type = "link")$mean, 5e-3)

S <- paste("nlme", packageVersion("nlme"), "run here")
e <- gls(w ~ 1, d, correlation = corExp(c(0.2, 0.3), form = ~ x + y, nugget = TRUE), method = "ML")
share <- coef(e$modelStruct$corStruct, unconstrained = FALSE)
chk("nlme-exp", S, "corExp(nugget = TRUE): range, nugget, process variance, log-likelihood",
  c(share[["range"]], e$sigma^2 * share[["nugget"]], e$sigma^2 * (1 - share[["nugget"]]), logLik(e)),
  { m <- neargp(w ~ 1, d, coords = ~ x + y, covariance = cov_exponential(), method = exact_gp(), distance = "euclidean"); c(est(m)[c("range", "nugget", "variance")], logLik(m)) }, 1e-2)

S <- paste("fields", packageVersion("fields"), "run here")
k <- suppressWarnings(spatialProcess(as.matrix(d[c("x", "y")]), d$w, smoothness = 1.5, mKrig.args = list(m = 1)))
chk("fields-process", S, "spatialProcess(smoothness = 1.5): log-likelihood", unname(k$summary["lnProfileLike.FULL"]),
  ll(m <- neargp(w ~ 1, d, coords = ~ x + y, covariance = cov_matern(1.5), method = exact_gp(), distance = "euclidean")), 1e-2, "higher")
chk("fields-range", S, "aRange, tau, sigma2", unname(k$summary[c("aRange", "tau", "sigma2")]),
  unname(c(est(m)["range"], sqrt(est(m)["nugget"]), est(m)["variance"])), 3e-2)

chk("gpgp-matern", "formula of GpGp's help", "matern_isotropic: covparms (2, 0.4, 1.5, 0.1)", 2 * matern(h, 0.4, 1.5) + 2 * 0.1 * (h == 0),
  value(cov_matern(1.5, 2, 0.4)) + 0.2 * (h == 0), 1e-9)
chk("spnngp-exp", "formula of spNNGP's help", "exponential, sigma.sq = 2, phi = 2.5", 2 * exp(-2.5 * h), value(cov_exponential(2, 1 / 2.5)), 1e-9)
chk("spnngp-matern", "formula of spNNGP's help", "matern, sigma.sq = 2, phi = 2.5, nu = 0.8", 2 * matern(h, 1 / 2.5, 0.8), value(cov_matern(0.8, 2, 1 / 2.5)), 1e-6)
chk("gpboost-matern", "formula of GPBoost's documentation", "matern, cov_fct_shape = 1.5, sigma2 = 2, rho = 0.4", 2 * (1 + sqrt(3) * h / 0.4) * exp(-sqrt(3) * h / 0.4),
  value(cov_matern(1.5, 2, 0.4 / sqrt(3))), 1e-9)
chk("sdmtmb-range", "formula of sdmTMB's documentation", "Matern of smoothness 1, sigma_O = 1.4, range = 0.4", 1.4^2 * matern(h, 0.4 / sqrt(8), 1),
  value(cov_matern(1, 1.4^2, 0.4 / sqrt(8))), 1e-6)
chk("gpytorch-matern", "formula of GPyTorch's documentation", "MaternKernel(nu = 2.5), lengthscale 0.4, outputscale 2",
  { r <- sqrt(5) * h / 0.4; 2 * (1 + r + r^2 / 3) * exp(-r) }, value(cov_matern(2.5, 2, 0.4 / sqrt(5))), 1e-9)
chk("gpytorch-rbf", "formula of GPyTorch's documentation", "RBFKernel, lengthscale 0.4, outputscale 2", 2 * exp(-h^2 / (2 * 0.4^2)),
  value(cov_gaussian(2, 0.4 * sqrt(2))), 1e-9)
chk("gpytorch-rq", "formula of GPyTorch's documentation", "RQKernel, alpha 0.7, lengthscale 0.4, outputscale 2", 2 * (1 + h^2 / (2 * 0.7 * 0.4^2))^-0.7,
  value(cov_cauchy(0.7, 2, 0.4 * sqrt(2 * 0.7))), 1e-9)
