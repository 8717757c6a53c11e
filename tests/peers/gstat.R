# r-spatial/gstat tests/*.Rout.save (printed), and gstat itself run here
source("lib.R"); suppressPackageStartupMessages({library(sp); library(gstat); library(sf)})
data(meuse); data(meuse.grid)
S <- "r-spatial/gstat tests/variogram.Rout.save"
v <- c(0.1234479, 0.2162185, 0.3027859, 0.4121448, 0.4634128, 0.5646933, 0.5689683, 0.6186769, 0.6471479, 0.6915705, 0.7033984, 0.6038770, 0.6517158, 0.5665318, 0.5748227)
np <- c(57, 299, 419, 457, 547, 533, 574, 564, 589, 543, 500, 477, 452, 457, 415)
a <- NULL
chk("t01", S, "variogram of log(zinc): 15 semivariances", v, (a <- empirical_variogram(log(meuse$zinc), meuse[c("x", "y")]))$gamma, 1e-6, note = paste(names(a), collapse = " "))
chk("t02", S, "numbers of pairs", np, { a$n_pairs }, 0)
chk("t03", S, "mean distances", c(79.29244, 163.97367, 267.36483, 372.73542, 478.47670, 585.34058, 693.14526, 796.18365, 903.14650, 1011.29177, 1117.86235, 1221.32810, 1329.16407, 1437.25620, 1543.20248), a$distance, 1e-4)
S <- "r-spatial/gstat tests/cv3d.Rout.save"
set.seed(1131); d <- data.frame(x = runif(50), y = runif(50), z = runif(50), v = rnorm(50))
f3 <- neargp(v ~ 1, d, coords = ~ x + y + z, covariance = cov_exponential(1, 1), nugget = 0, method = exact_gp(), distance = "euclidean")
l <- loo_predict(f3)
chk("t04", S, "leave-one-out of 50 rows in 3 coordinates, Exp(1, 1): summary of predictions", c(-1.163, -0.571, -0.201, -0.165, 0.161, 1.085), summary(l$mean), 6e-4)
chk("t05", S, "summary of variances", c(0.116, 0.175, 0.192, 0.208, 0.240, 0.426), summary(l$sd^2), 6e-4)
chk("t06", S, "summary of residuals", c(-2.1755, -0.7881, 0.1175, 0.0233, 0.8508, 2.5224), summary(d$v - l$mean), 6e-5)
chk("t07", S, "summary of z-scores", c(-5.1678, -1.8749, 0.2453, 0.0167, 2.0201, 7.3541), summary((d$v - l$mean) / l$sd), 6e-5)
S <- "r-spatial/gstat tests/krige0.R, gstat run here"
E_ <- cov_exponential(1, 500); ex <- exact_gp()
M <- meuse; coordinates(M) <- ~ x + y; G <- meuse.grid[seq(1, 3103, 50), ]; GS <- G; coordinates(GS) <- ~ x + y
vm <- vgm(1, "Exp", 500)
kr <- function(...) { k <- krige(..., debug.level = 0); c(k$var1.pred, k$var1.var) }
nk <- function(fit, new = G, ...) { p <- predict(fit, new, type = "link", ...); c(p$mean, p$sd^2) }
fz <- function(f, nug = 0, cov = E_, method = ex, ...) neargp(f, meuse, coords = ~ x + y, covariance = cov, nugget = nug, method = method, distance = "euclidean", ...)
meuse$five <- 500; G$five <- 500
chk("t09", S, "simple kriging, offset a column", kr(zinc ~ 1, M, GS, vm, beta = 500), nk(fz(zinc ~ 0 + offset(five))), 1e-6)
chk("t10", S, "ordinary kriging", kr(zinc ~ 1, M, GS, vm), nk(fz(zinc ~ 1)), 1e-6)
chk("t11", S, "universal kriging, sqrt(dist)", kr(zinc ~ sqrt(dist), M, GS, vm), nk(fz(zinc ~ sqrt(dist))), 1e-6)
vn <- vgm(0.5, "Exp", 400, nugget = 0.05); fl <- fz(log(zinc) ~ sqrt(dist), 0.05, cov_exponential(0.5, 400))
chk("t12", S, "log(zinc) with nugget, universal: field", { k <- kr(log(zinc) ~ sqrt(dist), M, GS, vn); k[64:126] <- k[64:126] - 0.05; k }, nk(fl), 1e-6)
chk("t13", S, "BLUE of the trend and its variance", { k <- predict(gstat(formula = log(zinc) ~ sqrt(dist), data = M, model = vn), GS, BLUE = TRUE, debug.level = 0); c(k$var1.pred, k$var1.var) }, { p <- predict(fl, G, type = "trend"); c(p$mean, p$sd^2) }, 1e-6)
S <- "r-spatial/gstat tests/vdist.Rout.save"
fa <- fz(log(zinc) ~ 1, 0, cov_exponential(1, 300, anisotropy = c(angle = 0, ratio = 0.01)), method = vecchia())
chk("t14", S, "9 nearest in the anisotropic metric (vdist = TRUE), maxdist 1000", c(5.568531, 1.112945), { p <- predict(fa, meuse.grid[1500, ], k = 9, sectors = 0, local_mean = TRUE, type = "link"); c(p$mean, p$sd^2) }, 1e-5)
h <- sqrt((100 * (meuse$x - meuse.grid$x[1500]))^2 + (meuse$y - meuse.grid$y[1500])^2); i9 <- order(h)[1:9]; B9 <- cbind(100 * meuse$x, meuse$y)[i9, ]
o9 <- dense(log(meuse$zinc)[i9], matrix(1, 9, 1), exp(-cross(B9, B9) / 300), t(exp(-h[i9] / 300)), matrix(1), 1)
chk("t14b", "own dense algebra", "ordinary kriging from the 9 nearest in the metric", c(o9$mean, o9$cov), { p <- predict(fa, meuse.grid[1500, ], k = 9, sectors = 0, local_mean = TRUE, type = "link"); c(p$mean, p$sd^2) }, 1e-8)
chk("t15", S, "9 nearest by Euclidean distance (vdist = FALSE)", c(5.024413, 1.114475), stop("neighbours are nearest in the metric of the covariance; no maxdist either"), 1e-5)
S <- "r-spatial/gstat tests/blockkr.R with an exponential, gstat run here"
disc <- expand.grid(x = c(-15, -5, 5, 15), y = c(-15, -5, 5, 15)); P <- data.frame(x = 181170, y = 333250)
PS <- P; coordinates(PS) <- ~ x + y
kb <- krige(zinc ~ 1, M, PS, vgm(1.34e5, "Exp", 300, nugget = 2.42e4), block = disc, debug.level = 0)
fb <- fz(zinc ~ 1, 2.42e4, cov_exponential(1.34e5, 300))
sq <- st_sf(id = 1, geometry = st_sfc(st_polygon(list(cbind(P$x + c(-20, 20, 20, -20, -20), P$y + c(-20, -20, 20, 20, -20))))))
mz <- st_as_sf(meuse, coords = c("x", "y")); fs <- neargp(zinc ~ 1, mz, covariance = cov_exponential(1.34e5, 300), nugget = 2.42e4, method = ex, distance = "euclidean")
chk("t16", S, "block of 40 m: mean, standard deviation (relative), by predict() of a polygon", c(1, 1), { p <- st_drop_geometry(predict_areas(fs, sq, type = "link")); c(p$mean / kb$var1.pred, p$sd / sqrt(kb$var1.var)) }, 3e-2, note = paste("gstat", signif(kb$var1.pred, 7), signif(kb$var1.var, 7)))
chk("t17", S, "the same 16 points by predict(joint = TRUE), averaged by hand", c(kb$var1.pred, kb$var1.var) / c(kb$var1.pred, kb$var1.var), { p <- predict(fb, data.frame(x = P$x + disc$x, y = P$y + disc$y), joint = TRUE, type = "link"); c(mean(p$mean), mean(attr(p, "covariance"))) / c(kb$var1.pred, kb$var1.var) }, 1e-6)
chk("t18", S, "spherical model of blockkr.Rout.save: 268.7324, 19568.76", c(268.7324, 19568.76), stop("no spherical covariance"), 1)

S <- "gstat::variogramLine run here"
h <- c(1, 50, 300, 900, 2000)
vl <- function(m, ...) variogramLine(vgm(1, m, 300, ...), dist_vector = h, covariance = TRUE)$gamma
chk("t19", S, "Exp, Gau, Exc (power 1.4), Mat (kappa 0.7), Mat (kappa 2.5) at five distances", c(vl("Exp"), vl("Gau"), vl("Exc", kappa = 1.4), vl("Mat", kappa = 0.7), vl("Mat", kappa = 2.5)),
  c(covariance_value(cov_exponential(1, 300), distance = h), covariance_value(cov_gaussian(1, 300), distance = h), covariance_value(cov_powered_exponential(1.4, 1, 300), distance = h), covariance_value(cov_matern(0.7, 1, 300), distance = h), covariance_value(cov_matern(2.5, 1, 300), distance = h)), 1e-9)
chk("t20", S, "Stein's Matern (Ste, kappa 1.5: range / (2 sqrt(kappa)))", vl("Ste", kappa = 1.5), covariance_value(cov_matern(1.5, 1, 300 / (2 * sqrt(1.5))), distance = h), 1e-9)
# three directions
va <- variogram(log(zinc) ~ 1, M, alpha = c(0, 45, 90), cutoff = 1000, width = 200)
chk("t21", "gstat::variogram run here", "directions 0, 45, 90: semivariances", va$gamma[order(va$dir.hor, va$dist)], { e <- empirical_variogram(log(meuse$zinc), meuse[c("x", "y")], directions = c(0, 45, 90), tolerance = 60 / 2, cutoff = 1000, width = 200); e$gamma[order(e$direction, e$distance)] }, 1e-8)
