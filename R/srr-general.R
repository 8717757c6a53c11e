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
#' @srrstats {G1.5} *A script in `bench/` checks each claim about speed or accuracy.
#'   `bench/README.md` lists claims, scripts and results. The package comes without a paper so far.*
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
#'   and dates in the place of numbers are errors, and a message reports coordinates that
#'   are degrees by name alone. Only help says that a character covariate becomes a factor, and
#'   that predictions of a response with units are plain numbers.*
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
#' @srrstatsTODO {G5.2} *Tests expect errors and warnings by class, in the test file of the function
#'   that signals them. The package does not meet G5.2a and G5.2b to the letter.*
#' @srrstatsTODO {G5.2a} *Two messages appear twice in the code, once for the usual case and once
#'   for several outputs or inducing points: rows of data given to augment(), columns of inducing
#'   points (`R/classes-methods.R` and `outputs.R`, `inducing-start.R` and `latent-inducing.R`).*
#' @srrstatsTODO {G5.2b} *Tests expect conditions of every class but `_package` (sf or terra are
#'   missing) and `_quantile`; no list shows that each single message has its test.*
#' @srrstats {G5.3} *`tests/fuzz/checks.R` takes any number of a result that is not finite for a
#'   defect; `tests/testthat/test-response-mixture.R`, `test-covariance.R` and
#'   `test-start-values.R` test it where numbers are extreme.*
#' @srrstats {G5.4} *Everything is compared with dense matrices, quadrature or differences:
#'   `tests/testthat/helper-dense.R`, `helper-mixture.R`, `tests/cpp/dense_reference.cpp`,
#'   `tests/cpp/latent_reference.cpp`.*
#' @srrstats {G5.4a} *The same files compute the references independently, in plain R or C++.
#'   Conditioning on all other rows is the exact model, see `tests/testthat/test-neargp.R`.*
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
#' @srrstats {G5.7} *Approximations converge to the exact model with more neighbours or inducing
#'   points: `tests/testthat/test-inducing-svgp.R`, `test-neighbours-vecchia-inducing.R`,
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
#'   `tests/testthat/test-adam.R`, `test-inducing-natural.R`, `test-inducing-adam.R`; tests in
#'   `test-start-values.R` and `test-neargp.R` change the order of rows and the start of a fit.*
#' @srrstats {G5.10} *`NEARGP_EXTENDED_TESTS=true` (`tests/testthat/helper-extended.R`,
#'   `tests/cpp/extended.h`), which `.ci/run` sets.*
#' @srrstatsNA {G5.11} *Tests need no data beyond those of the package and of R.*
#' @srrstatsNA {G5.11a} *Nothing is downloaded.*
#' @srrstats {G5.12} *CONTRIBUTING.md says what the extended tests are, how long they take and
#'   what is skipped without a GPU, FAISS or a suggested package; the heads of `tools/test.sh` and
#'   `tools/fuzz.sh` have the variables.*
#' @noRd
NULL
