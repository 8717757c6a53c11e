#' neargp and other packages
#'
#' What functions of other packages do with a fit, beyond the generics of \pkg{stats}. None of these
#' packages need be installed for the rest of this one.
#'
#' @section Data:
#' * \pkg{sf} points, \pkg{stars} grids and \pkg{terra} SpatRasters are data and `newdata`;
#'   predictions come back in their class, with a `filename` in windows ([predict.neargp()]). A grid
#'   of stars may have a dimension of time. Bands with the names of predictors are taken as
#'   attributes, and other dimensions that the model does not name are `neargp_error_geometry`. One
#'   in another coordinate reference system than the data, or with one where the data have none, is
#'   `neargp_error_crs`.
#' * Tibbles and \pkg{data.table}s are data frames: predictions, simulations and
#'   [augment()][tidiers] return the class that they were given.
#' * Splits of \pkg{rsample} are folds of [cross_validate()].
#'
#' @section Trends:
#' What is said of a trend's coefficients is by their Wald tests: by `coef()`, `vcov()` and the
#' normal distribution, as [summary()][summary.neargp] has them. There are no residual degrees of
#' freedom of a field to correct them by; `df.residual()` is the number of rows less the
#' coefficients, and used by effects, whose intervals are by Student's t, and by
#' `car::Anova(test.statistic = "F")`. For gaussian responses the covariance parameters are held at
#' their estimates, so that with few rows standard errors are a little too small; `vcov()` of
#' other responses includes their uncertainty, see [coef()][coef.neargp].
#' * \pkg{emmeans}: `emmeans()`, `emtrends()`, contrasts and the rest, of the trend with the field
#'   at its mean 0; of other families than gaussian on the scale of the link, unless `type =
#'   "response"`: that is the mean of [response_family], such as `(1 - zi) exp(eta)` of
#'   [zi_poisson()], and the expected number of the category of [ordinal()]; of trials it is the
#'   probability of one. Where that mean is not the inverse of the link, contrasts stay on the scale
#'   of the linear predictor; `regrid()` of the means has differences of them. With a `transform`
#'   `type = "response"` gives medians of the response, where [predict()][predict.neargp] has means.
#'   Of several outputs a factor `output` says whose mean it is: `emmeans(fit, ~ soil | output)`.
#'   \pkg{ggeffects}: `ggpredict()` and `ggemmeans()` of the same.
#' * \pkg{effects}: `Effect()`, `allEffects()`, with all offsets at their mean. Tables and plots
#'   have the mean of the family as the response, as emmeans; with a `transform` they are on its
#'   scale.
#' * \pkg{car}: `Anova()` (types II and III), `vif()`, `linearHypothesis()`, `deltaMethod()`.
#' * \pkg{parameters}: `model_parameters()`. \pkg{broom}: [tidy()][tidiers], `glance()`,
#'   `augment()`.
#' * [stats::step()] and its like compare fits by AIC, see [anova.neargp()].
#'
#' `Effect()`, `ggpredict()` and `insight::get_data()` need the data of the fit where its call named
#' them; where they are no longer found, as in another session, or have changed, the error
#' `neargp_error_newdata` says so.
#'
#' They are for fits to one response (emmeans: or several) that are not classes, and not for those
#' by [dspp()] and [dgp()], which have no covariance matrix of their coefficients; else an error
#' says so.
#'
#' @section Judging a fit:
#' * \pkg{performance}: [r2()][r2.neargp], `model_performance()` by leave-one-out predictions,
#'   `check_collinearity()`, `check_outliers()`, `check_predictions()`, `check_convergence()`. The
#'   tests of `check_heteroscedasticity()`, for residuals without a field, and
#'   `check_autocorrelation()`, for rows that are a series, are refused with `neargp_error_method`.
#'   `check_zeroinflation()` counts zeros among draws by `simulate()` where it is a generic of
#'   performance; in versions before it takes counts for Poisson counts with the fitted means, which
#'   have too few zeros beside a field, and refuses [zi_poisson()] and the like: there compare
#'   `mean(y == 0)` with `mean(simulate(fit, 250) == 0)`.
#'   `compare_performance()` and `performance_roc()` know the models of a list of its own only:
#'   [cross_validate()] compares fits, and `performance_roc(observed, predictions =
#'   loo_predict(fit)$mean)` is the curve of leave-one-out predictions.
#' * \pkg{insight}: `get_predicted()` of rows that have places is that of
#'   [predict()][predict.neargp], of covariates alone that of the trend, as for fixed effects;
#'   `include_random` overrules that. `find_statistic()` and `get_datagrid()` are for the models of
#'   insight's list.
#' * \pkg{loo}: `elpd()`, and `loo()`, which is the same, sum the log densities of leave-one-out
#'   predictions ([loo_predict()]; of classes the log probabilities), for `loo_compare()`. They are
#'   in closed form: there are no Pareto shapes, and no effective number of parameters; the sum of
#'   [hatvalues()][hatvalues.neargp] is one.
#' * \pkg{posterior}: `as_draws(fit, nsim = , newdata = )` and, with the same arguments,
#'   `as_draws_matrix()`, `as_draws_array()`, `as_draws_df()`, `as_draws_list()` and
#'   `as_draws_rvars()` are draws of [simulate()][simulate.neargp], each place a variable
#'   `<response>[<row>]`. Hand it the fit: of a table that `simulate()` has returned, which has a
#'   row for each place, posterior would take the places for draws.
#'
#' @return What those functions return.
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
#' if (has("effects")) effects::Effect("soil", fit)
#' if (has("car")) car::Anova(fit)
#' if (has("ggeffects")) ggeffects::ggpredict(fit, "height [-1, 0, 1]")
#' if (has("parameters")) parameters::model_parameters(fit)
#' if (has("performance")) performance::model_performance(fit)
#' if (has("insight")) insight::get_predicted(fit, data.frame(height = 0, soil = "sand"))
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
