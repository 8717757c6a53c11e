# cran/nlme: printed in tests/extras/scripts.Rout.save (Pinheiro & Bates, chapter 5); more digits and other models by nlme itself
source("lib.R"); suppressPackageStartupMessages(library(nlme))
S <- "cran/nlme tests/extras/scripts.Rout.save"
w <- as.data.frame(Wheat2); w$variety <- factor(as.character(w$variety))
f <- function(cov, e = "REML", nug = NULL, form = yield ~ variety - 1) neargp(form, w, coords = ~ latitude + longitude, covariance = cov, nugget = nug, method = exact_gp(estimation = e), distance = "euclidean")
m <- NULL
chk("n01", S, "Wheat2, corRatio with nugget = Cauchy with shape 1, REML: log-likelihood (printed -533)", -533, ll(m <- f(cov_cauchy(shape = 1))), 0.5)
g <- gls(yield ~ variety - 1, w, corr = corRatio(c(12.5, 0.2), form = ~ latitude + longitude, nugget = TRUE))
chk("n02", "nlme 3.1-162 run here", "the same: log-likelihood", as.numeric(logLik(g)), ll(m), 1e-4, "higher")
chk("n03", S, "range, nugget share, sigma", c(13.461, 0.194, 8.85), { p <- est(m); c(p["range"], p["nugget"] / (p["nugget"] + p["variance"]), sqrt(p["nugget"] + p["variance"])) }, 6e-3)
chk("n04", S, "coefficients of five varieties", c(26.5, 26.3, 35.0, 24.9, 26.7), coef(m)[1:5], 6e-2)
chk("n05", "nlme 3.1-162 run here", "all standard errors of coefficients", sqrt(diag(vcov(g))), sqrt(diag(vcov(m))), 2e-3)
chk("n06", S, "F of BUCKSKIN - ARAPAHOE", 7.7, { b <- coef(m); V <- vcov(m); unname((b[3] - b[1])^2 / (V[1, 1] + V[3, 3] - 2 * V[1, 3])) }, 6e-2)
chk("n07", S, "F of variety (55 df)", 1.85, { m4 <- f(cov_cauchy(shape = 1), form = yield ~ variety); drop(coef(m4)[-1] %*% solve(vcov(m4)[-1, -1], coef(m4)[-1])) / 55 }, 6e-3)
for (k in list(list("corExp", corExp, cov_exponential()), list("corGaus", corGaus, cov_gaussian())))
  for (e in c("ML", "REML")) for (nug in c(TRUE, FALSE)) {
    gg <- tryCatch(gls(yield ~ variety, w, corr = k[[2]](if (nug) c(12, 0.2) else 5, form = ~ latitude + longitude, nugget = nug), method = e), error = function(e) NULL)
    if (is.null(gg)) next
    chk(paste0("n", k[[1]], e, nug), "nlme 3.1-162 run here", paste("Wheat2,", k[[1]], e, if (nug) "nugget" else "no nugget", ": log-likelihood"), as.numeric(logLik(gg)),
      ll(f(k[[3]], e, if (nug) NULL else 0, yield ~ variety)), 1e-3, "higher")
  }
# spherical: printed log-likelihood -534; no such covariance in neargp
# corGaus without nugget, ML: nlme stops at range 22.8, where the correlation matrix is singular (rcond 1e-21)
DD <- cross(w[c("latitude", "longitude")], w[c("latitude", "longitude")]); XX <- model.matrix(~ variety, w)
pr <- function(r) { K <- exp(-(DD / r)^2); U <- chol(K); e <- qr.resid(qr(backsolve(U, XX, transpose = TRUE)), backsolve(U, w$yield, transpose = TRUE)); s2 <- sum(e^2) / 224; -112 * log(2 * pi * s2) - sum(log(diag(U))) - 112 }
chk("n08", "own dense algebra", "corGaus, ML, no nugget: profile log-likelihood maximised over ranges where the matrix is regular", optimize(pr, c(0.5, 4.5), maximum = TRUE)$objective, ll(f(cov_gaussian(), "ML", 0, yield ~ variety)), 1e-3)
chk("n10", "own dense algebra", "corExp, REML, nugget: range", { e <- exp(coef(gls(yield ~ variety, w, corr = corExp(c(12, 0.2), form = ~ latitude + longitude, nugget = TRUE))$modelStruct$corStruct)); unname(e[1]) }, est(f(cov_exponential(), "REML", NULL, yield ~ variety))["range"], 10)
chk("n09", S, "Wheat2, corSpher with nugget", -534, stop("no spherical covariance"), 1)
