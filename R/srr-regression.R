# See srr-general.R.

#' Regression and supervised learning
#'
#' @srrstats {RE1.0} *`neargp()` takes a formula, data, and `coords`.*
#' @srrstats {RE1.1} *`?neargp` says that the trend is any formula of lm(), and how coordinates
#'   become numbers; `dev/primitive.md`, "One datum, there and back", follows a row into
#'   the matrices, and `model.matrix()` of a fit gives the result.*
#' @srrstats {RE1.2} *`?neargp`: data frames or sf points, numeric coordinates, covariates as in
#'   lm(); "Errors" names what is refused, such as other geometries, classes and lists.*
#' @srrstats {RE1.3} *Predictions have class, order, row names, geometry and CRS of newdata,
#'   residuals and augment() the row names of the data: `R/newdata.R`, `R/residuals.R`,
#'   `R/tidiers.R`.*
#' @srrstats {RE1.3a} *`?predict.neargp`, "Value", names the columns that are returned, in which
#'   those of newdata are not repeated; `?neargp`, "Columns with units", says that units of the
#'   response are not kept.*
#' @srrstats {RE1.4} *`?neargp` states the model, `?response_family` distributions, `?neargp`
#'   "Locations" which coordinates share a range; tests check the messages about violations: unlike
#'   units in `tests/testthat/test-coordinate-units.R`, outliers in
#'   `test-neighbours-pseudo-observations-student-t.R`, degrees taken as a plane in
#'   `test-locations.R`; wrong
#'   models are measured in `bench/loo-k-misspecified.R`.*
#' @srrstats {RE2.0} *What is transformed is documented and given back in the user's units:
#'   longitude and latitude (`?neargp`; `distance = "euclidean"` avoids it), factors by contrasts,
#'   coordinates and response of `?dspp`. Trend and response are also scaled within the fit, which
#'   changes results by rounding alone (`R/trend-basis.R`, `R/response-unit.R` and their tests).*
#' @srrstats {RE2.1} *`na.action` for NA and NaN, `subset` for infinite values, which are errors
#'   (`?neargp`, `R/model-frame.R`).*
#' @srrstats {RE2.2} *Rows without response are left out of the fit and can be predicted; of
#'   several outputs those that are missing at a place are allowed (`?neargp`,
#'   `tests/testthat/test-outputs-data.R`); newdata needs no response.*
#' @srrstats {RE2.3} *By the formula: scale() and poly() keep the centre of the fit for new rows,
#'   offset() shifts (`?predict.neargp`; `tests/testthat/test-newdata.R`, `test-scores.R`,
#'   `test-neargp.R`).*
#' @srrstats {RE2.4} *As in RE2.4a and RE2.4b.*
#' @srrstats {RE2.4a} *`check_rank()` of `R/trend-checks.R`, an error that names the columns.*
#' @srrstats {RE2.4b} *`check_trend()` of `R/trend-checks.R` refuses a response that is an exact
#'   function of the trend. A warning reports separation for other families (`R/latent-fit.R`).*
#' @srrstats {RE3.0} *`warn_unless_converged()` of `R/neargp.R`, class
#'   `neargp_warning_convergence`, with what to do.*
#' @srrstats {RE3.1} *The class lets one suppress it; `fit$convergence`, the last line of print()
#'   and `glance()$converged` tell it all the same.*
#' @srrstats {RE3.2} *`?neargp_control`: tolerance and its meaning in units of log-likelihood.*
#' @srrstats {RE3.3} *`neargp_control(tolerance = , max_iterations = )`; `odvgp(tolerance = )`.*
#' @srrstats {RE4.0} *Class `neargp`, with subclasses for classes, several outputs and deep fits.*
#' @srrstats {RE4.1} *Method, covariance and settings are objects that are made without data
#'   (`?vecchia`, `?covariance`, `?neargp_control`); with all parameters fixed nothing is
#'   optimised, see `tests/testthat/test-neargp.R`.*
#' @srrstats {RE4.2} *`coef()`, for trend and covariance (`?coef.neargp`).*
#' @srrstats {RE4.3} *`confint()` (`?coef.neargp`).*
#' @srrstats {RE4.4} *`formula()` and `terms()` (`R/generics.R`).*
#' @srrstats {RE4.5} *`nobs()` (`R/generics.R`).*
#' @srrstats {RE4.6} *`vcov()`, for trend and covariance (`?coef.neargp`).*
#' @srrstats {RE4.7} *`fit$convergence` and `glance()` (`?neargp`, `?tidiers`).*
#' @srrstats {RE4.8} *`model.frame()` and `augment()` of a fit (`R/generics.R`, `R/tidiers.R`),
#'   with the names of the data.*
#' @srrstats {RE4.9} *`fitted()` (`?fitted.neargp`).*
#' @srrstats {RE4.10} *`residuals()` of five kinds and `loo_predict()` (`?residuals.neargp`).*
#' @srrstats {RE4.11} *`logLik()`, `AIC()`, `BIC()`, `deviance()`, `anova()`, `performance::r2()`,
#'   `summary()` with z and p values; scores of predictions by `scores()`.*
#' @srrstats {RE4.12} *`family(fit)` has the link and its inverse; transformations of the formula
#'   are in `terms(fit)`.*
#' @srrstats {RE4.13} *`model.frame()` and `model.matrix()` (`R/generics.R`).*
#' @srrstats {RE4.14} *`predict()` gives standard deviations and intervals wherever it is asked
#'   (`?predict.neargp`).*
#' @srrstats {RE4.15} *`?predict.neargp` says to what predictions far from data tend;
#'   `tests/testthat/test-predict.R`, "standard deviations of forecasts grow with their horizon",
#'   and `test-default-covariance.R` on the coverage of forecasts.*
#' @srrstatsTODO {RE4.16} *A level that the fit has not seen is an error of class
#'   `neargp_error_factor_level`, since its coefficient is not known; predict(type = "process")
#'   needs no covariates, but there is no prediction for a new group, nor are there random
#'   effects.*
#' @srrstats {RE4.17} *`print.neargp()`, `R/print.R`.*
#' @srrstats {RE4.18} *`summary.neargp()`, `R/print.R`, with its own print method.*
#' @srrstats {RE5.0} *`vignettes/articles/large-data.Rmd`, `vignettes/articles/tabular-data.Rmd` and
#'   the help of the methods describe how time grows with rows, neighbours and inducing points;
#'   `bench/README.md` and `bench/notes/speed.md` report measurements.*
#' @srrstats {RE6.0} *`plot.neargp()` and `autoplot()` (`?plot.neargp`).*
#' @srrstatsNA {RE6.1} *The default plot is the S3 method.*
#' @srrstats {RE6.2} *The first plot is the map of predictions, of one coordinate their curve with
#'   a band; `what = "sd"` maps their standard deviation (`?plot.neargp`).*
#' @srrstatsNA {RE6.3} *The default plot ends at the convex hull of the data (`R/plot-grid.R`) and
#'   does not show extrapolation; with `newdata` or `time` the user says where to draw, and the
#'   title tells the time.*
#' @srrstats {RE7.0} *`tests/testthat/test-model-frame.R`, a covariate that is twice another.*
#' @srrstats {RE7.0a} *The same test: it is refused.*
#' @srrstats {RE7.1} *`tests/testthat/test-model-frame.R` and `test-trend-basis.R`, a response
#'   that is an exact function of the trend.*
#' @srrstatsNA {RE7.1a} *Such data are refused before anything is fitted; no test of the project
#'   measures time (CONTRIBUTING.md).*
#' @srrstats {RE7.2} *`tests/testthat/test-tidiers.R` and `test-newdata.R` on row names and
#'   classes, `test-pkg-sf.R` on geometries.*
#' @srrstats {RE7.3} *`tests/testthat/test-generics.R` and `test-parameter-estimates.R`.*
#' @srrstats {RE7.4} *`tests/testthat/test-predict.R`, "standard deviations of forecasts grow with
#'   their horizon".*
#' @noRd
NULL
