#' Use with other packages
#'
#' @description
#' How fits work with emmeans, marginaleffects, DHARMa, performance, loo, posterior, broom, sf,
#' terra and others, none of which must be installed.
#'
#' ```r
#' fit <- neargp(precipitation ~ elevation, colorado_precipitation(), coords = ~ lon + lat,
#'   crs = 4326)
#' tidy(fit)
#' ```
#'
#' @section Data:
#' * sf points, stars grids (with a time), terra's SpatRasters and SpatVectors and layers of raster
#'   are data and `newdata`. Predictions return their class. Their coordinate reference system must
#'   be that of the data. `terra::interpolate(r, fit)` works for coordinates `x` and `y`.
#' * Tibbles and data.tables return their own class from predictions, simulations and
#'   [augment()][tidiers].
#' * `source_query()` reads rows from databases, see [row_source()].
#' * rsample splits are folds of [cross_validate()].
#'
#' @section Trends:
#' Tests of coefficients are Wald tests by `coef()` and `vcov()`, without residual degrees of
#' freedom. For Gaussian responses the covariance parameters are fixed at their estimates.
#'
#' * emmeans and ggeffects: `emmeans()`, `emtrends()`, `ggpredict()`, with the process at 0. `type =
#'   "response"` returns the mean of the family, and medians with a `transform`. For several
#'   responses use `~ soil | output`.
#' * marginaleffects: `predictions()`, `slopes()`, `comparisons()`, `hypotheses()`, with the process
#'   and groups at 0. `type` is `"response"` or `"link"`.
#' * effects: `Effect()`, `allEffects()`, with offsets at their mean.
#' * car: `Anova()`, `vif()`, `linearHypothesis()`, `deltaMethod()`.
#' * parameters: `model_parameters()`. broom: [tidy()][tidiers], `glance()`, `augment()`.
#' * [stats::step()] compares AIC, see [anova.neargp()].
#'
#' These need one response that is not categorical (emmeans: or several), and not [dspp()] or
#' [dgp()]. `Effect()`, `ggpredict()` and `insight::get_data()` need the unchanged data under the
#' name in the call.
#'
#' @section Model checks:
#' * performance: [r2()][r2.neargp], `model_performance()`, `check_collinearity()`,
#'   `check_outliers()`, `check_predictions()`, `check_convergence()`. `check_heteroscedasticity()`
#'   and `check_autocorrelation()` are errors. `check_zeroinflation()` needs a recent version; else
#'   compare `mean(y == 0)` with `mean(simulate(fit, 250) == 0)`. Replace `compare_performance()` by
#'   [cross_validate()], and use `performance_roc(observed, predictions = loo_predict(fit)$mean)`.
#' * DHARMa: `simulateResiduals()` draws each observation given the others. Its spatial test needs
#'   `simulateREs = "unconditional", rotation = "estimated"` and more draws than observations.
#' * insight: `get_predicted()` with locations is [predict()][predict.neargp], and with covariates
#'   alone the trend.
#' * mlr3: `lrn("regr.neargp", coords = ~ x + y)` and `"classif.neargp"` take the arguments of
#'   [neargp()]. parsnip: [gp_reg()].
#' * loo: `elpd()` and `loo()` sum leave-one-out log densities for `loo_compare()`, in closed form
#'   without Pareto shapes.
#' * posterior: `as_draws(fit, what = "covariance")` returns draws of the covariance parameters, see
#'   [integrated_parameters]. `as_draws(fit, nsim = , newdata = )` and its relatives return draws of
#'   [simulate()][simulate.neargp]. Pass the fit, not a table of draws.
#'
#' @return The results of those functions.
#' @seealso [coef()][coef.neargp], [summary()][summary.neargp], [predict()][predict.neargp],
#'   [hatvalues()][hatvalues.neargp], [tidiers]
#' @examples
#' set.seed(1)
#' stations <- data.frame(x = runif(150), y = runif(150), height = rnorm(150),
#'   soil = factor(sample(c("clay", "loam", "sand"), 150, replace = TRUE)))
#' stations$temp <- with(stations, 10 - height + (soil == "sand") + sin(5 * x) +
#'   rnorm(150, sd = 0.2))
#' fit <- neargp(temp ~ height + soil, stations, coords = ~ x + y)
#' has <- function(package) requireNamespace(package, quietly = TRUE)
#'
#' if (has("emmeans")) emmeans::emmeans(fit, pairwise ~ soil)
#' if (has("marginaleffects")) marginaleffects::avg_slopes(fit)
#' if (has("effects")) effects::Effect("soil", fit)
#' if (has("car")) car::Anova(fit)
#' if (has("ggeffects")) ggeffects::ggpredict(fit, "height [-1, 0, 1]")
#' if (has("parameters")) parameters::model_parameters(fit)
#' if (has("performance")) performance::model_performance(fit)
#' if (has("insight")) insight::get_predicted(fit, data.frame(height = 0, soil = "sand"))
#' if (has("DHARMa")) DHARMa::testDispersion(DHARMa::simulateResiduals(fit), plot = FALSE)
#' if (has("loo")) {
#'   loo::loo_compare(list(with = loo::elpd(fit), without = loo::elpd(update(fit, . ~ 1))))
#' }
#' if (has("posterior")) {
#'   posterior::summarise_draws(posterior::as_draws(fit, nsim = 100, newdata = stations[1:2, ]))
#' }
#' if (has("rsample")) cross_validate(fit, rsample::vfold_cv(stations, v = 5))
#' if (has("broom")) broom::augment(fit, newdata = stations[1:2, ], interval = "prediction")
#' if (has("data.table")) predict(fit, data.table::as.data.table(stations[1:2, ]))
#' if (has("stars") && has("sf")) {
#'   square <- sf::st_bbox(c(xmin = 0, xmax = 1, ymin = 0, ymax = 1))
#'   predict(fit, stars::st_as_stars(square, nx = 20, ny = 20), type = "process")
#' }
#' @name companions
#' @aliases neargp-companions
NULL
