# Arguments of other packages and their equivalents here, by the function of this package that
# receives them. The names are regular expressions, in lower case. %s stands for the value that was
# typed, <typed> for the name.

foreign_arguments <- list(
  neargp = c(
    "reml|estimation" = "Restricted maximum likelihood: method = exact_gp(estimation = \"REML\").",
    "corr|correlation|corstr|kernel|cov|cov.?model|cov.?function|cov.?fun.*|model|kern" =
      "The covariance function: covariance = cov_matern(nu = 1.5). See ?covariance.",
    "locations?|locs?|spatial|points|coordinates" = "Name the coordinates: coords = ~ x + y.",
    "nmax|k|m|m_?seq|n.?neighbou?rs|num_neighbou?rs|neighbou?rs" =
      "The number of neighbours belongs to the method: method = vecchia(k = %s).",
    "mesh|knots|spde" = "neargp needs no mesh: leave `<typed>` out, and name coords = ~ x + y.",
    "random|re|groups?" = "Random effects are terms of the formula: y ~ x + (1 | site).",
    "zi|zi.?formula|disp.?formula|dispersion|shape" =
      "Formulas of family parameters belong to the family: family = zi_poisson(zi = ~ depth). See ?family_formula.",
    "distribution|likelihood" = "The distribution of the response: family = poisson().",
    "exposure|population" = "An exposure is an offset: y ~ x + offset(log(exposure)).",
    "sill|psill|sigma2|sigmasq" = "The variance of the process: covariance = cov_matern(variance = %s).",
    "range|phi|rho|lengthscale|theta" = "The range: covariance = cov_matern(range = %s).",
    "tau2|tausq|noise|sigma_noise" = "The noise variance is the nugget: nugget = %s.",
    "x|newdata|y" = "Columns of a data frame go into the formula: neargp(y ~ x, data, coords = ~ x + y)."),
  predict = c(
    "se|se.?fit|std.?err.*" =
      "Column `sd` is that of a new observation. Standard errors of the linear predictor are column `sd` of predict(fit, newdata, type = \"link\").",
    "nmax|n.?neighbou?rs|m" = "The number of neighbours: predict(fit, newdata, k = %s).",
    "observed" = "Observed responses of new rows: predict(fit, newdata, use_observed = TRUE).",
    "nsim" = "Draws are those of simulate(fit, nsim = %s, newdata = newdata).",
    "block|areas|polygons" = "Means of areas: predict_areas(fit, areas)."),
  cov_matern = c(
    "smoothness|kappa|alpha" = "The smoothness is `nu`: cov_matern(nu = %s).",
    "sigma2|sigmasq|sill|psill" = "The variance: cov_matern(variance = %s).",
    "lengthscale|rho|phi|theta" = "The range: cov_matern(range = %s).",
    "nugget" = "The nugget is an argument of neargp(): neargp(nugget = %s)."),
  vecchia = c("nmax|m|n.?neighbou?rs|neighbou?rs" = "The number of neighbours: vecchia(k = %s)."))

# NULL where no package is known to use the name. Only numbers and names are quoted as values.
foreign_hint <- function(caller, name, value, default = "30") {
  hints <- foreign_arguments[[caller]]
  found <- Find(function(pattern) grepl(sprintf("^(%s)$", pattern), name, ignore.case = TRUE),
    names(hints))
  if (is.null(found)) return(NULL)
  typed <- if (is.numeric(value) || is.name(value)) deparse1(value) else default
  gsub("<typed>", name, gsub("%s", typed, hints[[found]], fixed = TRUE), fixed = TRUE)
}

# Covariances and methods of other packages by their names, and the closest ones here.
foreign_covariances <- c(
  "sph|spheric" = "covariance = cov_spherical()",
  "cir|circular|pen.*spherical" =
    "covariance = cov_spherical(), which falls as fast at short distances",
  "wav|wave|hol|hole|cardinal.?sine|sinc" = "covariance = cov_wave()",
  "askey|wendland.*" = "covariance = cov_wendland()",
  "per|periodic|exp.?sine.*|seasonal" = "covariance = cov_matern() + cov_periodic(period = 1)",
  "exp|ou" = "covariance = cov_exponential()",
  "gau|rbf|se|sqexp|sq_?exp|squared.?exponential|expquad|radial" = "covariance = cov_gaussian()",
  "mat|matern_?(5_?2|52|25|2\\.5)" = "covariance = cov_matern(nu = 2.5)",
  "matern_?(3_?2|32|15|1\\.5)" = "covariance = cov_matern(nu = 1.5)",
  "ste" = "covariance = cov_matern(nu = NULL)",
  "exc|pow|powexp|stable" = "covariance = cov_powered_exponential()",
  "rq|rational.?quadratic" = "covariance = cov_cauchy()",
  "nug|nugget" = "nugget = NULL, which estimates the noise variance")

foreign_methods <- c(
  "reml" = "method = exact_gp(estimation = \"REML\")",
  "ml" = "method = exact_gp(estimation = \"ML\")",
  "laplace" = "method = vnngp(posterior = \"laplace\")",
  "nngp|krig.*|ok|uk" = "method = vecchia()",
  "sgpr|sparse" = "method = svgp()")

# The covariance of this package for each model of gstat's vgm(), by range and shape. Both divide
# distances by the same range, with two exceptions. "Ste" also multiplies them by 2 sqrt(kappa), as
# Stein (1999) does, and "Wav" by pi.
variogram_models <- list(
  Exp = function(range, kappa) list(maker = "cov_exponential", range = range),
  Gau = function(range, kappa) list(maker = "cov_gaussian", range = range),
  Sph = function(range, kappa) list(maker = "cov_spherical", range = range),
  Mat = function(range, kappa) list(maker = "cov_matern", nu = kappa, range = range),
  Ste = function(range, kappa) {
    list(maker = "cov_matern", nu = kappa, range = range / (2 * sqrt(kappa)))
  },
  Exc = function(range, kappa) {
    list(maker = "cov_powered_exponential", power = kappa, range = range)
  },
  Hol = function(range, kappa) list(maker = "cov_wave", range = range),
  Wav = function(range, kappa) list(maker = "cov_wave", range = range / pi))

nugget_models <- c("Nug", "Err")

# The constructor and its arguments for one row of a model.
variogram_call <- function(part) {
  made <- variogram_models[[as.character(part$model)]](part$range, part$kappa)
  axes <- if (part$anis2 != 1 || part$ang2 != 0 || part$ang3 != 0) {
    c(angle = part$ang1, dip = part$ang2, plunge = part$ang3, ratio = part$anis1,
      ratio_third = part$anis2)
  } else if (part$anis1 != 1) c(angle = part$ang1, ratio = part$anis1)
  list(maker = made$maker, arguments = c(made[setdiff(names(made), "maker")],
    list(variance = part$psill), if (!is.null(axes)) list(anisotropy = axes)))
}

# The arguments to paste for a model of vgm().
variogram_hint <- function(x) {
  models <- as.character(x$model)
  parts <- x[!models %in% nugget_models, ]
  known <- nrow(parts) > 0L && all(as.character(parts$model) %in% names(variogram_models))
  if (!known) return(c(i = "See ?as_covariance for the models of vgm() that are supported."))
  shown <- function(value) {
    value <- signif(value, 6L)
    if (length(value) == 1L) format(value) else
      sprintf("c(%s)", paste(names(value), "=", value, collapse = ", "))
  }
  calls <- vapply(seq_len(nrow(parts)), function(i) {
    call <- variogram_call(parts[i, ])
    sprintf("%s(%s)", call$maker, paste(names(call$arguments), "=",
      vapply(call$arguments, shown, ""), collapse = ", "))
  }, "")
  c(i = sprintf("Use covariance = %s, nugget = %s.", paste(calls, collapse = " + "),
    sum(x$psill[models %in% nugget_models])),
    i = "Or convert it by as_covariance(). Leave `variance`, `range` and `nugget` out to estimate them.")
}
