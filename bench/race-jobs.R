# The contestants of race.R that run in R: each is a function of `train`, `test` and `track` that returns mean and sd at the test rows. These are
# those of new observations, and those of the linear predictor for counts. Columns are x1, x2, ... and y. Each contestant uses one thread, and
# the settings that its authors recommend.

inputs_of <- function(frame) setdiff(names(frame), "y")
as_inputs <- function(frame) as.matrix(frame[inputs_of(frame)])
trend_matrix <- function(frame, track) unname(cbind(rep(1, nrow(frame)), if (track == "satellite") as_inputs(frame)))
trend_formula <- function(frame, track) if (track == "satellite") stats::reformulate(inputs_of(frame), "y") else y ~ 1

race_covariance <- function(track) {
  switch(track, inputs = neargp::cov_matern(nu = 1.5, ard = TRUE), counts = neargp::cov_matern(nu = 1.5), neargp::cov_exponential())
}

race_neargp <- function(train, test, track, ...) {
  family <- if (track == "counts") stats::poisson() else stats::gaussian()
  fit <- neargp::neargp(trend_formula(train, track), train, coords = stats::reformulate(inputs_of(train)), distance = "euclidean",
    family = family, threads = 1L, verbose = FALSE, ...)
  type <- if (track == "counts") "link" else "response"
  stats::predict(fit, test, type = type, threads = 1L, verbose = FALSE)[c("mean", "sd")]
}

# GpGp computes no variance. We take that of 30 conditional simulations, its default number, which contain the noise.
race_gpgp <- function(train, test, track) {
  name <- if (track == "inputs") "matern15_scaledim" else "exponential_isotropic"
  fit <- GpGp::fit_model(train$y, as_inputs(train), trend_matrix(train, track), covfun_name = name, m_seq = c(10, 30), silent = TRUE)
  draws <- GpGp::cond_sim(fit, as_inputs(test), trend_matrix(test, track), m = 30, nsims = 30L)
  list(mean = GpGp::predictions(fit, as_inputs(test), trend_matrix(test, track), m = 30),
    sd = sqrt(rowSums((draws - rowMeans(draws))^2) / 29))
}

# 15 neighbours, the default of BRISC. It takes 14 GB for the field, and would need twice that for the satellite.
race_brisc <- function(train, test, track) {
  fit <- suppressWarnings(BRISC::BRISC_estimation(as_inputs(train), train$y, trend_matrix(train, track), n.neighbors = 15, verbose = FALSE))
  found <- BRISC::BRISC_prediction(fit, as_inputs(test), trend_matrix(test, track), verbose = FALSE)
  list(mean = found$prediction, sd = (found$prediction.ci[, 2L] - found$prediction) / 1.96)
}

# The conjugate model, the fastest of spNNGP: 25 pairs of range and noise ratio are compared in five folds.
race_spnngp <- function(train, test, track) {
  extent <- max(apply(as_inputs(train), 2L, function(x) diff(range(x))))
  grid <- as.matrix(expand.grid(phi = 3 / (extent * c(0.03, 0.1, 0.3, 0.6, 1)), alpha = c(0.001, 0.01, 0.1, 0.5, 1)))
  found <- spNNGP::spConjNNGP(trend_formula(train, track), data = train, coords = inputs_of(train), cov.model = "exponential",
    sigma.sq.IG = c(2, stats::var(train$y)), n.neighbors = 15, theta.alpha = grid, k.fold = 5, score.rule = "crps",
    X.0 = trend_matrix(test, track), coords.0 = as_inputs(test), n.omp.threads = 1, verbose = FALSE)
  list(mean = drop(found$y.0.hat), sd = sqrt(drop(found$y.0.hat.var)))
}

# The variogram by weighted least squares, kriging from 30 neighbours.
race_gstat <- function(train, test, track) {
  formula <- trend_formula(train, track)
  at <- stats::reformulate(inputs_of(train))
  some <- train[sort(sample.int(nrow(train), min(nrow(train), 5000L))), ]
  empirical <- gstat::variogram(formula, at, data = some)
  model <- gstat::fit.variogram(empirical, gstat::vgm(stats::var(some$y), "Exp", max(empirical$dist) / 3, stats::var(some$y) / 10))
  found <- gstat::krige(formula, at, train, test, model = model, nmax = 30, debug.level = 0)
  list(mean = found$var1.pred, sd = sqrt(found$var1.var))
}

# A thin plate spline; bam() with discrete covariates is the package's way for large data.
race_mgcv <- function(train, test, track) {
  smooth <- sprintf("s(%s, k = %d)", paste(inputs_of(train), collapse = ", "), if (track == "counts") 300L else 500L)
  family <- if (track == "counts") stats::poisson() else stats::gaussian()
  fit <- mgcv::bam(stats::reformulate(smooth, "y"), family, train, discrete = TRUE, nthreads = 1L)
  found <- stats::predict(fit, test, se.fit = TRUE, type = "link")
  noise <- if (track == "counts") 0 else fit$sig2
  list(mean = found$fit, sd = sqrt(found$se.fit^2 + noise))
}

race_contestants <- list(
  "neargp, default" = list(package = "neargp", tracks = c("field", "satellite", "counts", "inputs"), run = race_neargp),
  "neargp, named method" = list(package = "neargp", tracks = c("field", "satellite", "counts", "inputs"),
    run = function(train, test, track) {
      method <- if (track == "counts") neargp::vnngp(k = 15) else neargp::vecchia(k = 30)
      race_neargp(train, test, track, method = method, covariance = race_covariance(track))
    }),
  GpGp = list(package = "GpGp", tracks = c("field", "satellite", "inputs"), run = race_gpgp),
  BRISC = list(package = "BRISC", tracks = "field", run = race_brisc),
  spNNGP = list(package = "spNNGP", tracks = c("field", "satellite"), run = race_spnngp),
  gstat = list(package = "gstat", tracks = c("field", "satellite"), run = race_gstat),
  mgcv = list(package = "mgcv", tracks = c("field", "satellite", "counts"), run = race_mgcv)
)
