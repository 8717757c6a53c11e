# See srr-general.R.

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
#' @srrstatsNA {ML2.2} *Users scale columns in the formula, with any values that scale() takes.
#'   Methods that scale data internally return results in the user's units, without a target value
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
#' @srrstatsTODO {ML5.4b} *cross_validate() and loo_predict() return each prediction with its
#'   observation, from which users compute any measure. They accept no function of the user.*
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
#'   `tests/testthat/test-scoring-rules.R` and `test-scores-response.R`; `?scores` explains
#'   coverage and PIT.*
#' @noRd
NULL
