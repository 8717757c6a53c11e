# Where rOpenSci's standards for statistical software are met, version of 27 March 2026.
#   `https://stats-devguide.ropensci.org/standards.html`
# The tags are those of the package srr, for which tools/document.R makes roxygen2 write no help.
#   `@srrstats`: met, and where.
#   `@srrstatsNA`: does not apply, and why.
#   `@srrstatsTODO`: not met, or in part, and what is missing; "deliberately" where it will stay so.
# Files without a folder are in that of the file named before them.

#' General standards
#'
#' @srrstats {G1.0} *The help page of each method names its paper (`?vecchia`, `?loo_k`, `?vnngp`,
#'   `?svgp`, `?odvgp`, `?ppgpr`, `?swsgp`, `?dspp`), and so do `DESCRIPTION` and
#'   `inst/CITATION`.*
#' @srrstats {G1.1} *`vignettes/articles/features.Rmd`, "Other software": published methods in
#'   one interface, some for the first time in R to our knowledge; comparable software is named
#'   there, in README.md and in `bench/README.md`.*
#' @srrstats {G1.2} *The article "All features", "Life cycle".*
#' @srrstats {G1.3} *Help defines its terms where it uses them: what is predicted and what either
#'   interval holds (`?predict.neargp`), kinds of residuals (`?residuals.neargp`), what is and is
#'   no likelihood (`?coef.neargp`), each score (`?scores`, `?scoring_rules`);
#'   `vignettes/neargp.Rmd` explains printed fits, and `dev/recipes.md` has a table of
#'   words.*
#' @srrstats {G1.4} *All exported functions and methods are documented by roxygen2, which
#'   `tools/document.R` runs.*
#' @srrstatsTODO {G1.4a} *Internal functions have plain comments, not roxygen2 blocks with @noRd,
#'   by the rules of the project: a comment gives a reason or a derivation, and short functions
#'   with telling names have none.*
#' @srrstats {G1.5} *`bench/` has the script of each claim about speed or accuracy, and
#'   `bench/README.md` a table of claims, scripts and what was reached; no paper goes with the
#'   package so far.*
#' @srrstats {G1.6} *`bench/speed-gpgp.R`, `bench/speed-rivals.R`, `bench/geometry.R`,
#'   `bench/vecchia-inducing.R` and `bench/loo-k-outputs.R` run GpGp, BRISC, GPBoost, RANN, FNN
#'   and gstat in the same run, `bench/svgp-gpytorch.R` and `bench/vnngp-gpytorch.R` GPyTorch.*
#' @srrstats {G2.0} *`check_number()`, `check_count()`, `check_flag()` and `check_choice()` of
#'   `R/checks.R` ask for length one, `check_one_for_each_row()` of `R/model-frame.R` for one
#'   value a row; `tests/testthat/test-checks.R` and `test-model-frame.R`.*
#' @srrstats {G2.0a} *`?neargp-package`, "Arguments", says what the default is, and help of each
#'   argument where it has another length.*
#' @srrstats {G2.1} *The same functions check types; `check_response()`, `check_weights()` and
#'   `check_numeric_offset()` of `R/model-frame.R`, `R/response.R` and `frame_coordinates()` of
#'   `R/locations.R` those of columns.*
#' @srrstats {G2.1a} *Help says the type of each argument and column (`?neargp`,
#'   `?response_family`, `?scores`, `?folds`).*
#' @srrstats {G2.2} *Matrices as a single response, weights or offset are errors that say so
#'   (`R/model-frame.R`), tested in `tests/testthat/test-model-frame.R`; several outputs are asked
#'   for by `cbind()`.*
#' @srrstats {G2.3} *As in G2.3a and G2.3b.*
#' @srrstats {G2.3a} *`check_choice()` and `check_choices()` of `R/checks.R`, whose error lists
#'   the choices.*
#' @srrstats {G2.3b} *`?neargp-package`, "Arguments", says that choices are matched as they are
#'   written, upper and lower case apart.*
#' @srrstats {G2.4} *As in G2.4a to G2.4e.*
#' @srrstats {G2.4a} *`check_count()` of `R/checks.R` returns integers, after it has refused what
#'   is not whole.*
#' @srrstats {G2.4b} *`check_number()` of `R/checks.R`, `strip_design()` of `R/model-frame.R`,
#'   `raw_coordinates()` of `R/locations.R` and `time_numbers()` of `R/time.R` return doubles.*
#' @srrstats {G2.4c} *Levels are compared as characters: `apply_training_levels()` of
#'   `R/newdata-design.R`, `R/classes-response.R`, `R/classes-scores.R`.*
#' @srrstats {G2.4d} *Characters and logical values that are classes become factors in
#'   `R/response.R` and `R/classes-response.R`, characters among covariates by the levels of the
#'   fit in `R/newdata-design.R`, both among coordinates in `R/factor-coordinates.R`.*
#' @srrstats {G2.4e} *Factors become numbers of classes in `R/classes-response.R` and
#'   `R/response.R`, covariates the columns of their contrasts in `R/model-frame.R`,
#'   coordinates the corners of a simplex in `R/factor-coordinates.R`.*
#' @srrstats {G2.5} *`?categorical` and `?response_family`: the order of levels plays no part, of
#'   two the second is the success; covariates are coded by their contrasts as in lm(), ordered
#'   ones, too; of coordinates (`?neargp`, "Factors among the coordinates") only ordered levels have
#'   an order. A factor as a gaussian response is an error, see
#'   `tests/testthat/test-model-frame.R`.*
#' @srrstats {G2.6} *Dates, date-times, durations and columns of the package units are numbers of
#'   a known unit: `time_numbers()` of `R/time.R`, `with_training_units()` of
#'   `R/newdata-columns.R`; `?neargp`, "Columns with units"; `tests/testthat/test-newdata.R` and
#'   `test-locations.R`.*
#' @srrstats {G2.7} *Data frames, tibbles, data.tables, sf points and grids of stars, by files or
#'   chunks `?row_source`, and for predictions a SpatRaster of terra (`R/pkg-sf.R`,
#'   `R/pkg-stars.R`, `R/pkg-terra.R`; `tests/testthat/test-augment-newdata.R`). A matrix or an
#'   object of sp is an error that says how to convert it (`R/checks.R`).*
#' @srrstats {G2.8} *`drop_geometry()`, `raw_coordinates()` and `new_model_data()` (`R/pkg-sf.R`,
#'   `R/locations.R`, `R/model-frame.R`) turn data into plain matrices and vectors, `new_target()`
#'   of `R/newdata.R` new rows; nothing else sees the user's classes.*
#' @srrstatsTODO {G2.9} *A third dimension of points, levels that the fit has not seen, durations
#'   and dates in the place of numbers are errors, and coordinates that are degrees by name alone
#'   are told. But that a character covariate becomes a factor, and that a response with units is
#'   predicted in plain numbers, is in help alone: no message tells it.*
#' @srrstats {G2.10} *`drop_geometry()` of `R/pkg-sf.R` makes a plain data frame first; columns
#'   are taken by `[[` or with `drop = FALSE`; tibbles are tested in
#'   `tests/testthat/test-newdata.R`.*
#' @srrstats {G2.11} *Columns of the package units, dates and durations are tested in
#'   `tests/testthat/test-newdata.R`, complex ones are an error in `test-model-frame.R`.
#'   Coordinates with units are numbers in the unit of the fit, as `?neargp` says.*
#' @srrstats {G2.12} *Columns that are lists are classed errors where the model needs them:
#'   `check_column_classes()` of `R/column-classes.R`; tests in `test-column-classes.R`,
#'   `test-model-frame.R` and `test-newdata.R` of `tests/testthat/`.*
#' @srrstats {G2.13} *`na.action` in `rows_frame()` and then `check_finite_data()`, both of
#'   `R/model-frame.R`, before anything is computed.*
#' @srrstatsTODO {G2.14} *G2.14a and G2.14c are met, G2.14b in part.*
#' @srrstats {G2.14a} *`na.action = na.fail`, a classed error;
#'   `tests/testthat/test-model-frame.R`.*
#' @srrstatsTODO {G2.14b} *na.omit and na.exclude leave rows out, and `print()` says how many and
#'   by which; as in lm() there is no message when they are left out.*
#' @srrstats {G2.14c} *`na.action` may be a function that imputes, see the example of `?neargp`;
#'   the package has no imputation of its own.*
#' @srrstats {G2.15} *No data reach `mean()`, `sd()` and the like before `check_finite_data()`;
#'   `scores()` has `na.rm`, and an error without it (`?scores`); `new_target()` of `R/newdata.R`
#'   takes the complete rows.*
#' @srrstats {G2.16} *NaN goes by `na.action`, as NA does; infinite values are errors that name
#'   rows and columns, to be left out by `subset` or set to NA (`check_finite_data()`,
#'   `check_newdata_finite()`); `tests/testthat/test-model-frame.R`.*
#' @srrstatsTODO {G3.0} *Optimisers and tests go by tolerances. Exact comparison stands where
#'   equal copies are meant: rows at one location (`duplicated_locations()`), constant columns,
#'   whole numbers; nearby locations are distinct on purpose. No review of each such place in
#'   `src/core/` was made.*
#' @srrstats {G3.1} *No sample covariance is computed. The covariance of the process is the user's
#'   choice: `?covariance` with five families, sums, anisotropy, local ranges, and
#'   `?cov_coregionalisation`.*
#' @srrstatsTODO {G3.1a} *Choosing, adding and fixing covariances is documented in `?covariance`
#'   and `vignettes/articles/defaults.Rmd`, but a covariance is one of the families of
#'   `src/core/covariance/families.h`: a function of the user is not accepted (`dev/recipes.md`
#'   says how to add one).*
#' @srrstatsNA {G4.0} *The package writes no files; fits are plain data for saveRDS().*
#' @srrstats {G5.0} *`tests/testthat/test-inducing-classes.R` has iris, `test-deep-dspp.R` and
#'   `test-threads.R` the precipitation of Colorado (`CO.ppt` of the package fields),
#'   `bench/heaton-satellite.R` the data of Heaton et al. (2019) and `bench/published.csv` the
#'   figures of papers. Most tests simulate fields whose parameters are known.*
#' @srrstats {G5.1} *`?land_temperature`, `?colorado_precipitation` and `?wet_days` are exported;
#'   simulated data are made by `tests/testthat/helper-simulate.R`.*
#' @srrstatsTODO {G5.2} *Errors and warnings have classes and are tested beside what they are of;
#'   G5.2a and G5.2b are not met to the letter.*
#' @srrstatsTODO {G5.2a} *Two messages stand twice, for several outputs or inducing points beside
#'   the usual case: rows of data given to augment(), columns of inducing points
#'   (`R/classes-methods.R` and `outputs.R`, `inducing-start.R` and `latent-inducing.R`).*
#' @srrstatsTODO {G5.2b} *Tests expect conditions of every class but `_package` (sf or terra are
#'   missing) and `_quantile`; no list shows that each single message has its test.*
#' @srrstats {G5.3} *`tests/fuzz/checks.R` takes any number of a result that is not finite for a
#'   defect; `tests/testthat/test-response-mixture.R`, `test-covariance.R` and
#'   `test-start-values.R` test it where numbers are extreme.*
#' @srrstats {G5.4} *Everything is compared with dense matrices, quadrature or differences:
#'   `tests/testthat/helper-dense.R`, `helper-mixture.R`, `tests/cpp/dense_reference.cpp`,
#'   `tests/cpp/latent_reference.cpp`.*
#' @srrstats {G5.4a} *The references are written anew in plain R or C++ (the same files);
#'   conditioning on all other rows is the exact model, see `tests/testthat/test-neargp.R`.*
#' @srrstats {G5.4b} *Scores are those of the package scoringRules in
#'   `tests/testthat/test-scoring-rules.R`; log-likelihoods are GpGp's to 1e-14 in
#'   `bench/gpgp-agreement.R`, fits those of GPyTorch in `bench/svgp-gpytorch.R` and
#'   `bench/vnngp-gpytorch.R`, outside of the tests.*
#' @srrstats {G5.4c} *`bench/published.csv` has the papers' tables, which `bench/paper-tables.R`
#'   and `bench/loo-k-uci.R` compare with; tests have no stored values.*
#' @srrstats {G5.5} *`tests/testthat/helper-simulate.R` and the tests set seeds; `tests/cpp/` has
#'   counter-based numbers with fixed keys.*
#' @srrstats {G5.6} *`tests/testthat/test-neargp.R`, "known parameters are recovered, by every
#'   method", and `test-outputs-fit.R`, "a fit recovers a known model and its predictions cover".*
#' @srrstats {G5.6a} *The same tests: tolerances in units of standard errors or logarithms.*
#' @srrstats {G5.6b} *`tests/testthat/test-neargp.R`, "confidence intervals of Fisher scoring
#'   cover the truth at several seeds", among the extended tests; `bench/vnngp-coverage.R` for
#'   latent fields.*
#' @srrstats {G5.7} *Approximations come to the exact model as they are told to take more:
#'   `tests/testthat/test-inducing-svgp.R`, `test-neighbours-vecchia-inducing.R`,
#'   `test-inducing-families.R`,
#'   `test-latent-inducing.R`; a tolerance decides the end in `test-inducing-odvgp.R`.*
#' @srrstats {G5.8} *As in G5.8a to G5.8d, and `tests/fuzz/`, which calls with random and hostile
#'   data.*
#' @srrstats {G5.8a} *No rows in the data, after `subset` or na.action, or in newdata:
#'   `tests/testthat/test-model-frame.R`, `test-newdata.R`.*
#' @srrstats {G5.8b} *Factors, characters, complex numbers and lists where numbers are needed:
#'   `tests/testthat/test-model-frame.R`, `test-locations.R`, `test-response.R`.*
#' @srrstats {G5.8c} *Columns of NA, constant responses, covariates and coordinates:
#'   `tests/testthat/test-model-frame.R`, `test-locations.R`, `test-response.R`.*
#' @srrstats {G5.8d} *More coefficients than rows in `tests/testthat/test-model-frame.R`, not more
#'   than k rows in `test-method.R`, one row in `test-default-method.R`, sizes beyond memory in
#'   `test-latent-fit.R`.*
#' @srrstats {G5.9} *As in G5.9a and G5.9b.*
#' @srrstats {G5.9a} *`tests/testthat/test-neargp.R`, "noise of the size of rounding in the data
#'   changes nothing beyond rounding"; `test-trend-basis.R` with responses and covariates far from
#'   0.*
#' @srrstats {G5.9b} *Stochastic optimisers come near the optimum of the others in
#'   `tests/testthat/test-adam.R`, `test-inducing-natural.R`, `test-inducing-adam.R`; the order of
#'   rows and the start of a fit hardly matter in `test-start-values.R` and `test-neargp.R`.*
#' @srrstats {G5.10} *`NEARGP_EXTENDED_TESTS=true` (`tests/testthat/helper-extended.R`,
#'   `tests/cpp/extended.h`), which `.ci/run` sets.*
#' @srrstatsNA {G5.11} *Tests need no data beyond those of the package and of R.*
#' @srrstatsNA {G5.11a} *Nothing is downloaded.*
#' @srrstats {G5.12} *CONTRIBUTING.md says what the extended tests are, how long they take and
#'   what is skipped without a GPU, FAISS or a suggested package; the heads of `tools/test.sh` and
#'   `tools/fuzz.sh` have the variables.*
#' @noRd
NULL

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
#'   "Locations" which coordinates share a range; wrong ones are told and tested: units that are
#'   unlike in `tests/testthat/test-coordinate-units.R`, outliers in
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
#' @srrstats {RE2.4b} *`check_trend()` of `R/trend-checks.R`: a response that is an exact function
#'   of the trend is refused; separation is told for other families (`R/latent-fit.R`).*
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

#' Spatial software
#'
#' @srrstats {SP1.0} *`?neargp`, "Locations": Euclidean distance in the plane and beyond, or
#'   chordal distance through the sphere for longitude and latitude.*
#' @srrstats {SP1.1} *`?neargp`: any number of coordinates, and time; anisotropy is of the first
#'   two (`?covariance`), maps are of two (`?plot.neargp`).
#'   `vignettes/articles/which-method.Rmd` lists the methods for many.*
#' @srrstatsTODO {SP2.0} *Deliberately not met: beside sf points data frames with named
#'   coordinates are accepted, since coordinates may be any number of inputs, which no spatial
#'   class has.*
#' @srrstatsNA {SP2.0a} *No class of spatial data is introduced; results are of the class of
#'   newdata.*
#' @srrstats {SP2.0b} *Longitude and latitude out of range, chordal distance of a projected CRS,
#'   newdata in another CRS and geometries that are not points are errors (`R/locations.R`,
#'   `R/pkg-sf.R`; `tests/testthat/test-pkg-sf.R`). Columns of a data frame that are degrees by
#'   name alone are told by a message.*
#' @srrstats {SP2.1} *sf is used, sp is not; sp objects are refused with the conversion
#'   (`R/checks.R`).*
#' @srrstats {SP2.2} *As in SP2.2a and SP2.2b.*
#' @srrstats {SP2.2a} *`vignettes/articles/fill-gaps.Rmd`: "Data with known truth", "Rasters and
#'   points", maps by ggplot2.*
#' @srrstats {SP2.2b} *`tests/testthat/test-pkg-sf.R`, `test-pkg-terra.R`, `test-plot-map.R`,
#'   `test-folds.R`.*
#' @srrstats {SP2.3} *The example of `?neargp` and `tests/testthat/test-pkg-sf.R` read points from
#'   GeoPackage files.*
#' @srrstats {SP2.4} *A CRS is an object of sf::st_crs(), compared by sf (`R/pkg-sf.R`), rasters
#'   by their WKT (`R/pkg-terra.R`), grids of stars by their own (`R/pkg-stars.R`).*
#' @srrstats {SP2.4a} *What is kept and compared is WKT2: a PROJ string that is given as `crs` is
#'   read by sf::st_crs(), which makes it so (`crs_of()` of `R/pkg-sf.R`).*
#' @srrstats {SP2.5} *`fit$locations$crs` (`R/locations.R`); sf data without CRS are an error
#'   unless a distance is named (`R/pkg-sf.R`).*
#' @srrstatsNA {SP2.5a} *No class of input data is introduced.*
#' @srrstats {SP2.6} *`?neargp` (`data`, `coords`, `crs`), `?predict.neargp` (`newdata`),
#'   `?folds`, `?plot_map`, `?empirical_variogram`.*
#' @srrstats {SP2.7} *`check_points()` and `check_same_crs()` of `R/pkg-sf.R`, `check_raster()` of
#'   `R/pkg-terra.R`, `check_longlat()` of `R/degrees.R`.*
#' @srrstats {SP2.8} *`new_locations()`, `raw_coordinates()` and `embed_coordinates()` of
#'   `R/locations.R`, for data and newdata alike.*
#' @srrstats {SP2.9} *Names, CRS, metric, unit and the class and time zone of times are kept in
#'   `fit$locations` (`R/locations.R`).*
#' @srrstats {SP3.0} *As in SP3.0b, and by the ranges of the covariance, in whose metric
#'   neighbours are searched.*
#' @srrstatsNA {SP3.0a} *Neighbours are the nearest locations, on grids, too; there are no
#'   adjacencies.*
#' @srrstats {SP3.0b} *`k` of each method and of predict(), `sectors` of predict() (`?vecchia`,
#'   `?predict.neargp`), `buffer` of `?folds`.*
#' @srrstats {SP3.1} *Weights of neighbours are those of kriging, from the covariance of their
#'   distances (`dev/primitive.md`, "The primitive").*
#' @srrstats {SP3.2} *Inducing points may follow the density of the rows (`"kmeans"`, `"random"`)
#'   or fill the space (the first of the maxmin ordering): `?svgp`, `?inducing_points`;
#'   `?empirical_variogram` samples pairs at every scale.*
#' @srrstats {SP3.3} *Trend, process and noise are told apart in `?neargp`, in coef() and
#'   summary(), by predict(type = "process") and `"trend"`, and by `R2_trend` of `?r2.neargp`.*
#' @srrstatsNA {SP3.4} *There is no clustering of data; k-means blocks of `?folds` are of
#'   coordinates alone.*
#' @srrstats {SP3.5} *Nothing is broadcast: lengths that differ are errors (`R/model-frame.R`,
#'   `R/scores.R`); where one value may stand for all rows, as `trials`, help says so.*
#' @srrstats {SP3.6} *`?folds` and `?cross_validate` say what random folds and blocks measure,
#'   `vignettes/articles/fill-gaps.Rmd` ("Choose by gaps") shows it;
#'   `tests/testthat/test-cross-validate.R` tests it.*
#' @srrstats {SP4.0} *As in SP4.0a.*
#' @srrstats {SP4.0a} *Predictions and draws are of the class of newdata: data frame, tibble, sf
#'   or SpatRaster (`R/newdata.R`, `R/pkg-sf.R`, `R/pkg-terra.R`).*
#' @srrstats {SP4.0b} *Fits, variograms and folds have classes of their own (`?neargp`,
#'   `?empirical_variogram`, `?folds`).*
#' @srrstatsTODO {SP4.1} *The CRS is kept, and print(), variograms and maps tell the unit of
#'   distances. A response of the package units is predicted in plain numbers, and coordinates
#'   with units are not compared with those of the fit (`?neargp`, "Columns with units").*
#' @srrstats {SP4.2} *"Value" of each help page.*
#' @srrstats {SP5.0} *`?plot.neargp`, `?plot.neargp_variogram`, `?plot.neargp_cv`, `?folds`;
#'   predictions by `?plot_map`.*
#' @srrstats {SP5.1} *`plot_map()` draws the first coordinate, longitude, along x, with the aspect
#'   ratio of degrees or of the plane (`R/plot-map.R`; `tests/testthat/test-plot-map.R`).*
#' @srrstats {SP5.2} *Degrees are labelled by hemisphere, and distances carry their unit
#'   (`R/plot-map.R`, `R/plot-variogram.R` and their tests).*
#' @srrstatsTODO {SP5.3} *Plots are static. Predictions are sf points or rasters, which packages
#'   such as mapview show, but no help page says so.*
#' @srrstats {SP6.0} *`tests/testthat/test-plot-grid.R`, "original coordinates are those that were
#'   given", across the date line.*
#' @srrstatsTODO {SP6.1} *Fits, predictions, neighbours in sectors, folds, variograms, maps and
#'   inducing points are tested in the plane and on the sphere (`tests/testthat/test-locations.R`,
#'   `test-predict-neighbors.R`, `test-folds.R`, `test-variogram.R`, `test-inducing-svgp.R`,
#'   `test-latent-vnngp.R`), but not each method and generic.*
#' @srrstats {SP6.1a} *`tests/testthat/test-locations.R`, "longitude and latitude say what a
#'   projection of them says, and degrees taken as a plane say less".*
#' @srrstats {SP6.1b} *The same test compares with a projection.*
#' @srrstats {SP6.2} *Poles and the date line: `tests/testthat/test-locations.R`, `test-folds.R`,
#'   `tests/cpp/test_longlat.cpp`, `tests/cpp/test_neighbors.cpp`.*
#' @srrstats {SP6.3} *`tests/testthat/test-neighbors.R`, `test-neighbor-search.R`,
#'   `test-predict-neighbors.R` and `tests/cpp/test_neighbors.cpp` test orderings, searches,
#'   sectors and k; `test-cross-validate.R` compares scores by few and many neighbours,
#'   `bench/defaults.R` those of sectors and local means.*
#' @srrstats {SP6.4} *All covariances, from which the weights come, are compared with dense
#'   matrices in `tests/testthat/test-neargp.R` and `tests/cpp/test_kriging.cpp`.*
#' @srrstatsNA {SP6.5} *There is no unsupervised learning.*
#' @srrstats {SP6.6} *`tests/testthat/test-cross-validate.R`, "random folds promise smaller errors
#'   than gaps have, which blocks tell".*
#' @noRd
NULL

#' Machine learning software
#'
#' @srrstats {ML1.0} *`?cross_validate`, `?scores` and `vignettes/neargp.Rmd` tell the rows that
#'   are fitted from those that are held out; `?land_temperature` has both, marked by a column.*
#' @srrstats {ML1.0a} *Help says "training rows", and "new rows" or "held out" for those of a
#'   test, since predictions are mostly wanted where no truth is known.*
#' @srrstatsNA {ML1.1} *Training data are the argument `data` of neargp(), test data `newdata` of
#'   predict() and scores(), as for lm(): roles come from the call, not from labels.*
#' @srrstatsNA {ML1.1a} *There are no labels, see ML1.1.*
#' @srrstatsNA {ML1.1b} *There are no labels, see ML1.1.*
#' @srrstats {ML1.2} *One table serves by `subset = !held_out` of neargp(), and by `folds` of
#'   cross_validate(), in which NA are rows that are never held out (`?neargp`,
#'   `?cross_validate`).*
#' @srrstats {ML1.3} *`data` and `newdata` are separate arguments (`?neargp`, `?predict.neargp`);
#'   the rows that deep fits hold out are in `fit$deep$validation` (`?dspp`).*
#' @srrstatsNA {ML1.4} *Files of a `?row_source` are training data alone; test data are given to
#'   predict().*
#' @srrstatsTODO {ML1.5} *print() tells rows and what was dropped, print() of folds their sizes,
#'   scores() how many were scored, but no one function summarises training and test data.*
#' @srrstats {ML1.6} *`check_finite_data()` of `R/model-frame.R` and `check_newdata_finite()` of
#'   `R/newdata.R`; missing values are left to `na.action`, see ML1.7.*
#' @srrstatsNA {ML1.6a} *Missing values are admitted, see ML1.7.*
#' @srrstats {ML1.6b} *The example of `?neargp` imputes by `na.action`.*
#' @srrstats {ML1.7} *`?neargp` (`na.action`), `?predict.neargp`, `?scores` (`na.rm`),
#'   `vignettes/articles/faq.Rmd` ("Data").*
#' @srrstatsNA {ML1.7a} *The package does not impute; `na.action` takes any function that does.*
#' @srrstatsNA {ML1.7b} *The package does not impute.*
#' @srrstatsTODO {ML1.8} *Training rows go by `na.action`; rows of newdata keep their place and
#'   get NA, whatever it was. An imputation has to be applied to newdata by the user.*
#' @srrstatsTODO {ML2.0} *Deliberately not met: pre-processing is in the formula, whose scale(),
#'   poly() and splines are kept with the fit and applied to new rows; there is no function of its
#'   own.*
#' @srrstatsNA {ML2.0a} *See ML2.0.*
#' @srrstatsNA {ML2.0b} *See ML2.0.*
#' @srrstatsNA {ML2.1} *Nothing is broadcast.*
#' @srrstatsNA {ML2.2} *Scaling is the user's, by the formula, with any values that scale() takes.
#'   What a method scales for itself is given back in the user's units and has no target to choose
#'   (`R/response-unit.R`, `R/trend-basis.R`, `?dspp`).*
#' @srrstatsNA {ML2.2a} *See ML2.2.*
#' @srrstatsNA {ML2.2b} *See ML2.2.*
#' @srrstats {ML2.3} *`terms(fit)`, `fit$xlevels`, `fit$contrasts` and `fit$locations` keep what
#'   new rows need (`R/model-frame.R`, `R/newdata-design.R`).*
#' @srrstats {ML2.4} *`?dspp` ("Coordinates and response are standardised"), `?neargp`
#'   ("Locations"), `?loo_k` (inputs in many dimensions should be standardised by the user).*
#' @srrstatsTODO {ML2.5} *`distance = "euclidean"` avoids the embedding of longitude and latitude;
#'   the standardisation of `?dspp` and `?dgp` cannot be switched off.*
#' @srrstatsTODO {ML2.6} *`bumps()` is exported, and scale(), poly() and splines are R's; the
#'   embedding of longitude and latitude (`core_embed_longlat()`) is internal.*
#' @srrstats {ML2.7} *Nothing has to be reversed: predictions are in the units of the response,
#'   `family(fit)$linkinv` inverts the link (`?predict.neargp`, `?response_family`, `?dspp`).*
#' @srrstats {ML3.0} *As in ML3.0a to ML3.0d.*
#' @srrstats {ML3.0a} *Methods, covariances and settings of the optimiser are made apart from
#'   data: `?vecchia`, `?svgp`, `?dspp`, `?covariance`, `?neargp_control`.*
#' @srrstatsNA {ML3.0b} *There are no objects of pre-processing, see ML2.0.*
#' @srrstats {ML3.0c} *They are arguments of neargp(), which fits them to data.*
#' @srrstats {ML3.0d} *Classes `neargp_method`, `neargp_covariance` and `neargp_control` with
#'   print methods (`R/method.R`, `R/covariance.R`, `R/control.R`;
#'   `tests/testthat/test-print.R`).*
#' @srrstats {ML3.1} *`start = fit` goes on from an earlier fit, `predict()` works with one that
#'   was read from a file (`?neargp`, `?neargp_last`).*
#' @srrstats {ML3.2} *`update(fit, method = )`, `update(fit, covariance = )`
#'   (`vignettes/neargp.Rmd`).*
#' @srrstatsTODO {ML3.3} *`bench/` compares results and times with other software, but no article
#'   compares the classes of fits with those of other packages.*
#' @srrstatsTODO {ML3.4} *`?loo_k`, `?svgp`, `?vnngp`, `?swsgp` and `?dspp` say what the rate is
#'   of and how it falls, but not how much results depend on it.*
#' @srrstatsTODO {ML3.4a} *No routine determines a rate. Defaults need none where there is another
#'   way (Fisher scoring, quasi-Newton, natural gradients: `?neargp_control`, `?svgp`, `?vnngp`),
#'   Adam cuts its rate by a schedule, and deep fits keep the epoch that is best by rows held out
#'   (`?dspp`).*
#' @srrstatsTODO {ML3.4b} *Defaults are given in units of scatter and ranges, so that scales do
#'   not matter (`?vnngp`, `?svgp`); for which data they fail is not said.*
#' @srrstats {ML3.5} *As in ML3.5a and ML3.5b.*
#' @srrstats {ML3.5a} *`optimizer` of `?loo_k`, `?svgp`, `?vnngp`; settings by `?neargp_control`.*
#' @srrstats {ML3.5b} *The method names what is maximised: likelihood, bound, leave-one-out or
#'   predictive score (`vignettes/articles/features.Rmd`); `objective` of `?dgp`, `bound` of
#'   `?svgp`.*
#' @srrstats {ML3.6} *As in ML3.6a and ML3.6b.*
#' @srrstats {ML3.6a} *Fisher scoring, quasi-Newton, natural gradients and Adam
#'   (`R/fisher-scoring.R`, `R/quasi-newton.R`, `R/inducing-natural.R`, `R/adam.R`).*
#' @srrstats {ML3.6b} *Eleven methods, and families of `?response_family`.*
#' @srrstatsTODO {ML3.7} *`device = "cpu"`, `"cuda"` or `"auto"` is the user's choice (`?neargp`).
#'   Deliberately without libcudacxx: kernels are the package's own, with cuBLAS and cuSOLVER
#'   (`src/cuda/`); `bench/notes/one-kernel-source.md` tells whether one source could serve CPU and
#'   GPU.*
#' @srrstats {ML4.0} *`neargp()` fits every method.*
#' @srrstatsTODO {ML4.1} *In part, see ML4.1a to ML4.1c.*
#' @srrstatsTODO {ML4.1a} *Parameters on the way are not kept; a fit that ended early leaves its
#'   last accepted ones to `?neargp_last`.*
#' @srrstatsTODO {ML4.1b} *`fit$deep$trace` of `?dspp` and `?dgp` and `fit$posterior$trace` of
#'   Adam in `?vnngp` have the objective by epoch; other optimisers report it with `verbose =
#'   TRUE` and keep the last value and the number of iterations.*
#' @srrstatsTODO {ML4.1c} *The rate is in `fit$deep$trace`; gradients are not kept.*
#' @srrstatsTODO {ML4.2} *`?dspp` and `?vnngp` name the traces, and `?plot.neargp_deep_fit` draws
#'   one, without example code that extracts it.*
#' @srrstats {ML4.3} *Help defines them: epochs are passes over the rows, batch_size the rows in a
#'   batch, steps those of the optimiser (`?svgp`, `?vnngp`, `?loo_k`, `?swsgp`, `?dspp`).*
#' @srrstatsTODO {ML4.4} *`?svgp` says what fewer or more rows in a batch do and when `"auto"`
#'   takes batches, and `?neargp_last` to begin with few epochs; guidance on the trade between
#'   epochs and batches is missing for the other methods.*
#' @srrstatsNA {ML4.5} *Optional, and not offered; `bench/README.md` and
#'   `vignettes/articles/which-method.Rmd` have times.*
#' @srrstats {ML4.6} *`verbose` of neargp(), predict() and cross_validate(), on by default in
#'   interactive sessions (`?neargp`); GPUs are no exception.*
#' @srrstats {ML4.7} *`cross_validate(folds = v)` combines the scores of its folds
#'   (`?cross_validate`).*
#' @srrstats {ML4.8} *Every row is held out once: with `v` folds 1 in `v` is test data, in
#'   balanced folds (`?folds`).*
#' @srrstats {ML4.8a} *`v`, `block_folds()`, or folds of one's own, in which NA is never held out
#'   (`?cross_validate`).*
#' @srrstats {ML5.0} *`neargp()` returns one object.*
#' @srrstats {ML5.0a} *Class `neargp`.*
#' @srrstats {ML5.0b} *`print.neargp()` tells rows, locations, method, settings, estimates and how
#'   the fit ended (`R/print.R`).*
#' @srrstats {ML5.1} *`bench/README.md`, `bench/notes/speed.md`, `bench/notes/accuracy.md`,
#'   `bench/notes/paper-tables.md` and `bench/notes/classification.md` compare with other software
#'   and papers.*
#' @srrstats {ML5.2} *`?neargp`, "Value", and the pages that it names.*
#' @srrstats {ML5.2a} *`?neargp` links to the methods of fits, each with an example;
#'   `vignettes/articles/which-method.Rmd` says what which method's fits can do.*
#' @srrstats {ML5.2b} *The example of `?neargp` saves a fit and reads it again; so does
#'   `vignettes/neargp.Rmd`.*
#' @srrstatsNA {ML5.2c} *saveRDS() is appropriate: fits are plain data without pointers
#'   (`dev/words.md`; `tests/testthat/test-neargp.R`).*
#' @srrstats {ML5.3} *`scores()`, `cross_validate()`, `loo_predict()`, `calibration_curve()`,
#'   `confusion_table()`.*
#' @srrstats {ML5.4} *`?scores` has up to nine measures, `?classification_scores` those of
#'   classes.*
#' @srrstats {ML5.4a} *`?scores`, `?scoring_rules`, `?classification_scores`.*
#' @srrstatsTODO {ML5.4b} *cross_validate() and loo_predict() return every prediction beside its
#'   observation, from which any measure can be computed, but a function of the user cannot be
#'   given to them.*
#' @srrstats {ML6.0} *`vignettes/neargp.Rmd` fits the seen rows, chooses by cross-validation among
#'   these and scores the hidden rows once.*
#' @srrstatsNA {ML6.1} *The package covers fitting, prediction and assessment.*
#' @srrstatsNA {ML6.1a} *See ML6.1.*
#' @srrstatsNA {ML7.0} *There are no labels, see ML1.1.*
#' @srrstats {ML7.1} *Scaling of coordinates, covariates and responses:
#'   `tests/testthat/test-response-unit.R`, `test-trend-basis.R`, `test-neargp.R`,
#'   `test-inducing-svgp.R`,
#'   `test-deep-dspp.R`.*
#' @srrstatsNA {ML7.2} *The package does not impute.*
#' @srrstatsTODO {ML7.3} *In part, see ML7.3a and ML7.3b.*
#' @srrstatsTODO {ML7.3a} *No test compares with fits of other packages; what a method does not
#'   have is refused with what has it, and tested.*
#' @srrstatsTODO {ML7.3b} *As ML7.3a; `tests/testthat/test-tidiers.R` and `test-r2.R` test that
#'   generics of generics and performance work.*
#' @srrstatsTODO {ML7.4} *No test or article shows what too large a rate does.*
#' @srrstatsNA {ML7.5} *No routine determines an optimal rate.*
#' @srrstats {ML7.6} *`tests/testthat/test-deep-fit.R`, "training raises the objective, and the
#'   fit is that of the best epoch"; long runs end where closed forms do in
#'   `test-latent-mean-field.R` and `test-classes-polya-gamma.R`.*
#' @srrstats {ML7.7} *`tests/testthat/test-fisher-scoring.R`, `test-quasi-newton.R` (agreement of
#'   the two), `test-adam.R`, `test-inducing-natural.R`, `test-inducing-adam.R`,
#'   `test-latent-mean-field.R`.*
#' @srrstats {ML7.8} *Each objective is compared with dense matrices or quadrature:
#'   `tests/testthat/test-neargp.R`, `test-outputs-fit.R`, `test-inducing-svgp.R`,
#'   `test-inducing-ppgpr.R`,
#'   `test-deep-fit.R`, `test-classes-objective.R`.*
#' @srrstatsTODO {ML7.9} *`tests/fuzz/` draws methods, optimisers, families and covariances
#'   together at random, many of which agree with dense likelihoods; not all combinations are
#'   enumerated.*
#' @srrstatsTODO {ML7.9a} *`tools/record.R` crosses methods with covariances and with families by
#'   expand.grid(), to compare versions; tests do not.*
#' @srrstats {ML7.10} *Traces are tested where they are kept: `tests/testthat/test-deep-fit.R`,
#'   `test-deep-dspp.R`, `test-latent-mean-field.R`.*
#' @srrstats {ML7.11} *`tests/testthat/test-scores.R`, `test-scoring-rules.R`,
#'   `test-scores-response.R`, `test-classes-scores.R`.*
#' @srrstats {ML7.11a} *True distributions have the least proper scores among others in
#'   `tests/testthat/test-scoring-rules.R` and `test-scores-response.R`; what coverage and PIT
#'   tell beside them is in `?scores`.*
#' @noRd
NULL
