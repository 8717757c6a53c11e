# fabsig/GPBoost, R-package/tests/testthat/test_GPModel_gaussian_process.R (and ..._combined_GP_random_effects.R)
source("lib.R")
S <- "fabsig/GPBoost test_GPModel_gaussian_process.R"
n <- 100
xy <- matrix(lcg(2 * n, 0.1), ncol = 2)
D <- cross(xy, xy)
L <- t(chol(exp(-D / 0.1) + diag(1e-20, n)))
b1 <- qnorm(lcg(n, 0.8)); b2 <- qnorm(lcg(n, 0.17)); b3 <- qnorm(lcg(n, 0.42))
Z <- matrix(lcg(2 * n, 0.6), ncol = 2)
field <- drop(L %*% b1)
noise <- qnorm(lcg(n, 0.1)) / 5
x <- sin((1:n - n / 2)^2 * 2 * pi / n)
d <- data.frame(e = xy[, 1], n = xy[, 2], y = field + noise, x = x, z1 = Z[, 1], z2 = Z[, 2])
d$ysvc <- drop(L %*% b1 + Z[, 1] * L %*% b2 + Z[, 2] * L %*% b3) + noise
d$yx <- field + 2 + 2 * x + noise
new <- data.frame(e = c(0.1, 0.2, 0.7), n = c(0.9, 0.4, 0.55))
fit <- function(f, cov, nugget = NULL, data = d, coords = ~ e + n, method = exact_gp(), ...)
  neargp(f, data, coords = coords, covariance = cov, nugget = nugget, method = method, distance = "euclidean", control = neargp_control(tolerance = 1e-8), ...)
E_ <- cov_exponential

# likelihood at given parameters
chk("g01", S, "exponential, negative log-likelihood at (0.1, 1.6, 0.2), mean 0", 124.2549533, -ll(fit(y ~ 0, E_(1.6, 0.2), 0.1)), 1e-6)
chk("g02", S, "Matern 1.5 (range / sqrt(3))", 141.3502172, -ll(fit(y ~ 0, cov_matern(1.5, 1.6, 0.2 / sqrt(3)), 0.1)), 1e-6)
chk("g03", S, "Matern 2.5 (range / sqrt(5))", 158.1111626, -ll(fit(y ~ 0, cov_matern(2.5, 1.6, 0.2 / sqrt(5)), 0.1)), 1e-6)
chk("g04", S, "Matern 0.5 + 1e-6 (Bessel)", 124.2549533, -ll(fit(y ~ 0, cov_matern(0.5 + 1e-6, 1.6, 0.2), 0.1)), 1e-4)
# estimates
chk("g05", S, "ML, exponential: negative log-likelihood", 122.7752664, -ll(m1 <- fit(y ~ 0, E_())), 1e-4, "lower")
chk("g06", S, "ML estimates nugget, variance, range", c(0.03276547, 1.07617676, 0.11352557), est(m1)[c("nugget", "variance", "range")], 1e-4)
chk("g07", S, "standard errors", c(0.07715343, 0.25177603, 0.03770062), se(m1)[c("nugget", "variance", "range")], 2e-4)
chk("g07b", S, "ML at the default tolerance 1e-4: negative log-likelihood, nugget, variance, range", c(122.7752664, 0.03276547, 1.07617676, 0.11352557), { m <- neargp(y ~ 0, d, coords = ~ e + n, covariance = E_(), method = exact_gp()); c(-ll(m), est(m)[c("nugget", "variance", "range")]) }, 2e-3)
chk("g08", S, "ML, Matern 1.5: negative log-likelihood", 123.6388965, -ll(m15 <- fit(y ~ 0, cov_matern(1.5))), 1e-4, "lower")
chk("g09", S, "ML estimates, Matern 1.5", c(0.22926543, 0.87886348, 0.10726402), c(est(m15)[c("nugget", "variance")], est(m15)["range"] * sqrt(3)), 5e-3)
chk("g10", S, "ML, Matern 2.5: negative log-likelihood", 123.9752771, -ll(m25 <- fit(y ~ 0, cov_matern(2.5))), 1e-4, "lower")
chk("g11", S, "Gaussian covariance: estimates", c(0.33824439, 0.75776861, 0.14361521), est(fit(y ~ 0, cov_gaussian()))[c("nugget", "variance", "range")], 5e-3)
chk("g12", S, "smoothness estimated: negative log-likelihood", 122.7099697, -ll(ms <- fit(y ~ 0, cov_matern(nu = NULL))), 1e-3, "lower")
chk("g13", S, "smoothness estimated: variance, smoothness", c(1.1022114804, 0.4181996520), est(ms)[c("variance", "smoothness")], 2e-2)
r0 <- mean(dist(xy)) / 3
chk("g14", S, "range fixed: negative log-likelihood", 123.4853915, -ll(mf <- fit(y ~ 0, E_(range = r0))), 1e-5, "lower")
chk("g15", S, "range fixed: nugget, variance", c(0.10273152, 1.23337073), est(mf)[c("nugget", "variance")], 1e-4)
v0 <- var(d$y) / 2
chk("g16", S, "variance, range fixed: nugget, negative log-likelihood", c(0.4583440607, 127.7832271), { f <- fit(y ~ 0, E_(v0, r0)); c(est(f)["nugget"], -ll(f)) }, 1e-4)
nl <- function(t) -dense(d$y, matrix(0, n, 0), v0 * exp(-D / r0) + t * diag(n))$ll
chk("g16b", "own dense algebra", "the same: optimum over the nugget", { o <- optimize(nl, c(0.05, 2), tol = 1e-10); c(o$minimum, o$objective) }, { f <- fit(y ~ 0, E_(v0, r0)); c(est(f)["nugget"], -ll(f)) }, 1e-4, note = "theirs (0.4583440607, 127.7832271) is not the optimum at these held values")
chk("g17", S, "nugget, range fixed: variance, negative log-likelihood", c(0.6088800134, 127.9879294), { f <- fit(y ~ 0, E_(range = r0), v0); c(est(f)["variance"], -ll(f)) }, 1e-4)
chk("g18", S, "its standard error when it alone is estimated", 0.2602195062, se(fit(y ~ 0, E_(range = r0), v0))["variance"], 1e-4)
# predictions
held <- fit(y ~ 0, E_(1.2, 0.9), 0.02)
inf <- function(p, w) { V <- p[2] * exp(-D / p[3]) + p[1] * diag(n); Vi <- solve(V); G <- list(diag(n), exp(-D / p[3]), p[2] * exp(-D / p[3]) * D / p[3]^2)[w]; sqrt(diag(solve(outer(seq_along(G), seq_along(G), Vectorize(function(i, j) sum(diag(Vi %*% G[[i]] %*% Vi %*% G[[j]])) / 2))))) }
chk("g18b", "own dense algebra", "standard error from the information of all parameters, of the variance alone", c(0.2602195062, inf(c(v0, 0.6088800134, r0), 2)), c(inf(c(v0, 0.6088800134, r0), 1:3)[2], se(fit(y ~ 0, E_(range = r0), v0))["variance"]), 2e-4)
chk("g19", S, "prediction at (0.02, 1.2, 0.9): means", c(0.08704577, 1.63875604, 0.48513581), predict(held, new)$mean, 1e-7)
ecov <- c(1.189093e-01, 1.171632e-05, -4.172444e-07, 1.171632e-05, 7.427727e-02, 1.492859e-06, -4.172444e-07, 1.492859e-06, 8.107455e-02)
chk("g20", S, "variances of new observations", ecov[c(1, 5, 9)], predict(held, new)$sd^2, 1e-7)
chk("g21", S, "joint covariance matrix of observations", ecov, attr(predict(held, new, joint = TRUE), "covariance"), 1e-7)
chk("g22", S, "joint covariance matrix of the field", ecov - 0.02 * c(1, 0, 0, 0, 1, 0, 0, 0, 1), attr(predict(held, new, joint = TRUE, type = "link"), "covariance"), 1e-7)
chk("g23", S, "prediction from the ML fit: means", c(0.06960478, 1.61299381, 0.44053480), predict(m1, new)$mean, 1e-5)
chk("g24", S, "prediction from the ML fit: variances", c(0.6218737, 0.3535390, 0.4202154), predict(m1, new)$sd^2, 1e-4)
# weights (the expected values are computed here, by a dense formula as in GPBoost's test)
w <- data.frame(e = c(0.05, 0.18, 0.31, 0.52, 0.74, 0.91), n = c(0.12, 0.44, 0.27, 0.83, 0.35, 0.66), y = c(0.25, -0.40, 1.20, 0.75, -0.15, 1.45), w = c(1, 2, 3, 1.5, 0.7, 2.2))
Vw <- 1.2 * exp(-cross(w[, 1:2], w[, 1:2]) / 0.35) + 0.45 * diag(1 / w$w)
wn <- data.frame(e = c(0.16, 0.60, 0.88), n = c(0.20, 0.70, 0.40))
ow <- dense(w$y, matrix(0, 6, 0), Vw, 1.2 * exp(-cross(wn, w[, 1:2]) / 0.35), NULL, 1.2 * exp(-cross(wn, wn) / 0.35) + 0.45 * diag(3))
chk("g25", S, "weights: log-likelihood", ow$ll, ll(fw <- fit(y ~ 0, E_(1.2, 0.35), 0.45, data = w, weights = w)), 1e-8)
chk("g26", S, "weights: means, variances of new observations (weight 1)", c(ow$mean, diag(ow$cov)), { p <- predict(fw, wn); c(p$mean, p$sd^2) }, 1e-7)
w2 <- w; w2$e[2] <- w2$e[1]; w2$n[2] <- w2$n[1]; w2$e[5] <- w2$e[4]; w2$n[5] <- w2$n[4]; w2$e <- c(.05, .05, .31, .52, .52, .91); w2$n <- c(.12, .12, .27, .83, .83, .66)
Vd <- 1.2 * exp(-cross(w2[, 1:2], w2[, 1:2]) / 0.35) + 0.45 * diag(1 / w2$w)
chk("g27", S, "weights at duplicates: log-likelihood, exact and vecchia(k = 5)", rep(dense(w$y, matrix(0, 6, 0), Vd)$ll, 2), c(ll(fit(y ~ 0, E_(1.2, 0.35), 0.45, data = w2, weights = w)), ll(fit(y ~ 0, E_(1.2, 0.35), 0.45, data = w2, weights = w, method = vecchia(k = 5)))), 1e-8)
chk("g28", S, "weights with a trend: log-likelihood at GPBoost's estimates",
  dense(w$y, cbind(1, c(-1, -.5, .2, .7, 1.1, -.2)), 4.57441731777e-01 * exp(-cross(w[, 1:2], w[, 1:2]) / 1.09279322973e-03) + 6.86158387056e-06 * diag(1 / w$w))$ll,
  ll(fit(y ~ x, E_(), data = transform(w, x = c(-1, -.5, .2, .7, 1.1, -.2)), weights = w)), 1e-5, "higher")
# trend
chk("g29", S, "trend, ML: negative log-likelihood", 121.482402, -ll(mx <- fit(yx ~ x, E_())), 1e-4, "lower")
chk("g30", S, "trend, ML: nugget, variance, range", c(0.008461342, 1.001562822, 0.094656409), est(mx)[c("nugget", "variance", "range")], 2e-4)
chk("g31", S, "standard errors", c(0.069973492, 0.214358560, 0.029400407), se(mx)[c("nugget", "variance", "range")], 5e-4)
chk("g32", S, "coefficients, standard errors", c(2.30780026, 1.89951426, 0.21365770, 0.09484768), c(coef(mx), sqrt(diag(vcov(mx)))), 1e-4)
nx <- data.frame(e = c(0.1, 0.2, 0.201), n = c(0.9, 0.4, 0.401), x = c(-0.5, 0.2, 0.4))
chk("g33", S, "trend: predicted means", c(1.196952, 4.063324, 4.446861), predict(mx, nx)$mean, 1e-4)
xcov <- c(6.305383e-01, 1.358861e-05, 1.414550e-05, 1.358861e-05, 3.469270e-01, 3.282926e-01, 1.414550e-05, 3.282926e-01, 3.561731e-01)
pj <- NULL
chk("g34", S, "trend: joint covariance of predictions", xcov, attr(predict(mx, nx, joint = TRUE), "covariance"), 1e-4, note = "universal kriging here: g35 is the dense answer")
ox <- { p <- est(mx); V <- p["variance"] * exp(-D / p["range"]) + p["nugget"] * diag(n); dense(d$yx, cbind(1, x), V, p["variance"] * exp(-cross(nx[, 1:2], xy) / p["range"]), cbind(1, nx$x), p["variance"] * exp(-cross(nx[, 1:2], nx[, 1:2]) / p["range"]) + p["nugget"] * diag(3)) }
chk("g35", "own dense algebra", "trend: joint covariance with unknown coefficients", ox$cov, attr(predict(mx, nx, joint = TRUE), "covariance"), 1e-8)
chk("g36", S, "own dense algebra with known coefficients equals theirs", xcov, ox$simple, 2e-4)
# coefficients that vary
svc <- E_(1, 0.1) + E_(0.8, 0.15, by = ~ z1) + E_(1.1, 0.08, by = ~ z2)
chk("g37", S, "two random-coefficient GPs: negative log-likelihood at given parameters", 149.4422184, -ll(ms3 <- fit(ysvc ~ 0, svc, 0.1)), 1e-6)
ns <- cbind(new, z1 = c(0.1, 0.3, 0.7), z2 = c(0.5, 0.2, 0.4))
chk("g38", S, "means", c(-0.1669209, 1.6166381, 0.2861320), predict(ms3, ns)$mean, 1e-6)
scov <- c(9.643323e-01, 3.536846e-04, -1.783557e-04, 3.536846e-04, 5.155009e-01, 4.554321e-07, -1.783557e-04, 4.554321e-07, 7.701614e-01)
chk("g39", S, "covariance", scov, attr(predict(ms3, ns, joint = TRUE), "covariance"), 1e-6)
th <- c(9.948069e-06, 1.398126, 0.1535385, 1.758062, 0.03919317, 0.3140238, 2.657551)
Vs <- th[2] * exp(-D / th[3]) + outer(Z[, 1], Z[, 1]) * th[4] * exp(-D / th[5]) + outer(Z[, 2], Z[, 2]) * th[6] * exp(-D / th[7]) + th[1] * diag(n)
chk("g40", S, "ML of all seven: log-likelihood not below that at their estimates (5 Fisher steps)", dense(d$ysvc, matrix(0, n, 0), Vs)$ll,
  ll(fit(ysvc ~ 0, E_() + E_(by = ~ z1) + E_(by = ~ z2))), 1e-4, "higher")
# independent realisations (cluster_ids): a factor among the coordinates with a range that leaves no correlation
d$cl <- factor(rep(1:2, c(40, 60)))
chk("g41", S, "independent clusters by a factor coordinate of range 1e-4: estimates", c(0.05414149, 1.05789166, 0.12702368),
  est(fit(y ~ 0, E_(range = c(NA, 1e-4)), coords = ~ e + n + cl))[c("nugget", "variance", "range")], 1e-3)
d$cl3 <- factor(rep(1:2, c(40, 60)), levels = 1:3)
chk("g41b", S, "prediction in clusters 1, 3 (without a row), 1 at (0.1, 1, 0.15): means, variances", c(-0.01437506, 0, 0.93112902, 0.743055189, 1.1, 0.565243468), { p <- predict(fit(y ~ 0, E_(1, c(0.15, 1e-4)), 0.1, coords = ~ e + n + cl3), data.frame(new, cl3 = factor(c(1, 3, 1), levels = 1:3))); c(p$mean, p$sd^2) }, 1e-6)
# four rows at each of 25 locations
c4 <- matrix(lcg(50, 0.1), ncol = 2); c4 <- rbind(c4, c4, c4, c4)
d4 <- data.frame(e = c4[, 1], n = c4[, 2]); D4 <- cross(c4, c4)
d4$y <- drop(t(chol(exp(-D4 / 0.1) + diag(1e-10, n))) %*% qnorm(lcg(n, 0.8))) + noise
th4 <- c(0.037136462, 1.153630335, 0.192080613)
n4 <- -dense(d4$y, matrix(0, n, 0), th4[2] * exp(-D4 / th4[3]) + th4[1] * diag(n))$ll
chk("g42", S, "repeats, ML: negative log-likelihood at their Fisher estimates", n4, -ll(m4 <- fit(y ~ 0, E_(), data = d4)), 1e-4, "lower")
chk("g43", S, "repeats: nugget, variance, range", th4, est(m4)[c("nugget", "variance", "range")], 2e-3)
chk("g44", S, "repeats: standard errors", c(0.006064181, 0.435788570, 0.102631006), se(m4)[c("nugget", "variance", "range")], 2e-3)
chk("g45", S, "repeats: means, variances at (0.1, 1, 0.15)", c(-0.1460550, 1.0042814, 0.7840301, 0.6739502109, 0.6060039551, 0.7851787946),
  { p <- predict(fit(y ~ 0, E_(1, 0.15), 0.1, data = d4), new); c(p$mean, p$sd^2) }, 1e-6)
chk("g46", S, "the same by vecchia(), default k and predictions", c(-0.1460550, 1.0042814, 0.7840301, 0.6739502109, 0.6060039551, 0.7851787946),
  { p <- predict(fit(y ~ 0, E_(1, 0.15), 0.1, data = d4, method = vecchia()), new); c(p$mean, p$sd^2) }, 2e-2)
# Vecchia
V_ <- function(k) vecchia(k = k, ordering = "given")
chk("g47", S, "Vecchia, order given, 99 neighbours", 124.2549533, -ll(fit(y ~ 0, E_(1.6, 0.2), 0.1, method = V_(99))), 1e-6)
chk("g48", S, "Vecchia, order given, 30 neighbours", 124.2252524, -ll(fit(y ~ 0, E_(1.6, 0.2), 0.1, method = V_(30))), 1e-6)
chk("g49", S, "Vecchia 30, ML: negative log-likelihood", 122.7680889, -ll(mv <- fit(y ~ 0, E_(), method = V_(30))), 1e-4, "lower")
chk("g50", S, "Vecchia 30, ML: nugget, variance, range", c(0.03297349, 1.07691542, 0.11378505), est(mv)[c("nugget", "variance", "range")], 1e-3)
chk("g51", S, "Vecchia 30: standard errors (theirs stochastic, 1e-2)", c(0.07545639, 0.24785457, 0.03493878), se(mv)[c("nugget", "variance", "range")], 1e-2)
nv <- data.frame(e = c(0.1, 0.10001, 0.7), n = c(0.9, 0.90001, 0.55))
chk("g52", S, "Vecchia 30: means, variances from 30 nearest observations", c(0.06968068, 0.06967750, 0.44208925, 0.6214955, 0.6215069, 0.4199531),
  { p <- predict(mv, nv, k = 30, sectors = 0, local_mean = FALSE); c(p$mean, p$sd^2) }, 1e-3)
# space and time, metric
tm <- 1:n; u <- lcg(n, 0.6418); for (i in 1:20) tm[u < i / 20 & u >= (i - 1) / 20] <- i
Ds <- cross(cbind(tm / 2, xy / 0.1), cbind(tm / 2, xy / 0.1))
d$tm <- tm
d$yst <- drop(t(chol(exp(-Ds) + diag(1e-20, n))) %*% qnorm(lcg(n, 0.688))) + 2 + 2 * x + noise
ft <- function(f, cov, nug = NULL, ...) neargp(f, d, coords = ~ e + n, time = ~ tm, covariance = cov, nugget = nug, method = exact_gp(), control = neargp_control(tolerance = 1e-8), ...)
chk("g53", S, "space-time, exponential, (0.1, 1.6, time 1, space 0.2)", 272.1497719, -ll(ft(yst ~ 0, E_(1.6, c(0.2, 1)), 0.1)), 1e-6)
chk("g54", S, "space-time, Matern 1.5", 288.6072086, -ll(ft(yst ~ 0, cov_matern(1.5, 1.6, c(0.2, 1) / sqrt(3)), 0.1)), 1e-6)
chk("g55", S, "space-time, Matern 2.5", 296.7149408, -ll(ft(yst ~ 0, cov_matern(2.5, 1.6, c(0.2, 1) / sqrt(5)), 0.1)), 1e-6)
chk("g56", S, "space-time, trend, ML: negative log-likelihood", 138.1879339, -ll(mt <- ft(yst ~ x, E_())), 1e-4, "lower")
chk("g57", S, "space-time: variance, range time, range space", c(1.0181004094, 1.3496061932, 0.1157315018), est(mt)[c("variance", "range_time", "range")], 5e-3)
chk("g58", S, "space-time: coefficients, standard errors", c(1.9593121521, 2.1693074509, 0.1479700951, 0.1392691184), c(coef(mt), sqrt(diag(vcov(mt)))), 2e-3)
chk("g59", S, "space-time, Matern 1.5, ML: negative log-likelihood", 138.6349682, -ll(mt15 <- ft(yst ~ x, cov_matern(1.5))), 1e-4, "lower")
# a range for each coordinate
rh <- c(0.2, 0.4, 0.3); ca <- matrix(lcg(3 * n, 0.981), ncol = 3); cs <- sweep(ca, 2, rh, "/")
d$a1 <- ca[, 1]; d$a2 <- ca[, 2]; d$a3 <- ca[, 3]
d$ya <- drop(t(chol(exp(-cross(cs, cs)) + diag(1e-20, n))) %*% qnorm(lcg(n, 0.978688))) + 2 + 2 * x + noise
fa <- function(f, cov, nug = NULL, ...) fit(f, cov, nug, coords = ~ a1 + a2 + a3, ...)
chk("g60", S, "ARD, exponential, at (0.1, 1.6, half the ranges)", 249.4821103, -ll(fa(ya ~ 0, E_(1.6, rh / 2, ard = TRUE), 0.1)), 1e-6)
chk("g61", S, "ARD, Matern 1.5", 276.2341252, -ll(fa(ya ~ 0, cov_matern(1.5, 1.6, rh / 2 / sqrt(3), ard = TRUE), 0.1)), 1e-6)
chk("g62", S, "ARD, Gaussian", 322.3104221, -ll(fa(ya ~ 0, cov_gaussian(1.6, rh / 2, ard = TRUE), 0.1)), 1e-6)
chk("g63", S, "ARD, exponential, ML: negative log-likelihood", 111.19846, -ll(ma <- fa(ya ~ x, E_(ard = TRUE))), 1e-4, "lower")
chk("g64", S, "ARD, exponential: ranges", c(0.35227030, 0.55749636, 0.33151485), est(ma)[c("range_a1", "range_a2", "range_a3")], 5e-3)
chk("g65", S, "ARD, Matern 1.5, ML: negative log-likelihood", 107.83105, -ll(ma15 <- fa(ya ~ x, cov_matern(1.5, ard = TRUE))), 1e-4, "lower")
chk("g66", S, "ARD, Matern 1.5: nugget, variance, ranges", c(0.052223946, 1.135354760, 0.238321185, 0.318967024, 0.200689095), c(est(ma15)[c("nugget", "variance")], est(ma15)[c("range_a1", "range_a2", "range_a3")] * sqrt(3)), 2e-3)
chk("g67", S, "ARD, Matern 1.5: standard errors of nugget, variance, ranges", c(0.041194469, 0.300760025, 0.059517930, 0.081431654, 0.049796063), c(se(ma15)[c("nugget", "variance")], se(ma15)[c("range_a1", "range_a2", "range_a3")] * sqrt(3)), 2e-3)
chk("g68", S, "ARD, Gaussian, ML: negative log-likelihood", 106.56845, -ll(mag <- fa(ya ~ x, cov_gaussian(ard = TRUE))), 1e-4, "lower")
chk("g69", S, "ARD, Gaussian: nugget, variance, ranges", c(0.066978015, 1.049395096, 0.238649844, 0.307654564, 0.218393133), est(mag)[c("nugget", "variance", "range_a1", "range_a2", "range_a3")], 2e-3)
