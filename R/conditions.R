# Every error of the package is a classed condition: "neargp_error_<what>" and "neargp_error". The
# message says what is wrong and where; its further elements (named "i") say how to fix it. The
# call of a condition is the function that the user called.

abort_neargp <- function(what, message, ...) {
  rlang::abort(message, class = c(paste0("neargp_error_", what), "neargp_error"),
    call = called_by_user(), ...)
}

warn_neargp <- function(what, message, ...) {
  rlang::warn(message, class = c(paste0("neargp_warning_", what), "neargp_warning"),
    call = called_by_user(), ...)
}

inform_neargp <- function(what, message, ...) {
  rlang::inform(message, class = c(paste0("neargp_message_", what), "neargp_message"),
    call = called_by_user(), ...)
}

# `neargp()`: the last function of the package on the way from here to the user's code. The parents
# of an argument that is evaluated late are those of the code that wrote it, so that an error in
# `neargp(covariance = cov_matern(range = -1))` is that of cov_matern().
called_by_user <- function() {
  parents <- sys.parents()
  frame <- parents[sys.nframe()]
  found <- NULL
  while (frame > 0L) {
    if (identical(environment(sys.function(frame)), topenv())) found <- frame
    # a call by do.call() can be its own parent
    frame <- min(parents[frame], frame - 1L)
  }
  name <- if (!is.null(found)) rlang::call_name(sys.call(found))
  # The call of a method shows the method's name, and users know that of the generic.
  if (!is.null(name)) call(sub("\\.(summary\\.)?neargp.*", "", name))
}

capitalised <- function(text) paste0(toupper(substr(text, 1L, 1L)), substring(text, 2L))

# "1, 5 and 9", or the first five and how many more: rows and columns are named, but never by the
# thousand.
format_some <- function(x, at_most = 5L) {
  shown <- as.character(utils::head(x, at_most))
  if (length(x) > at_most) {
    return(paste0(paste(shown, collapse = ", "), " and ", length(x) - at_most, " more"))
  }
  if (length(shown) < 2L) return(shown)
  paste(paste(shown[-length(shown)], collapse = ", "), "and", shown[length(shown)])
}

format_rows <- function(rows, at_most = 5L) {
  paste(if (length(rows) == 1L) "row" else "rows", format_some(rows, at_most))
}

# The mark of thousands is a comma, so that the decimal mark is a point whatever options("OutDec").
format_count <- function(n) format(n, big.mark = ",", decimal.mark = ".", scientific = FALSE,
  trim = TRUE)

# "1 area", "1,200 areas"; also of nouns of several words that end with the one that is counted.
counted <- function(n, noun) paste0(format_count(n), " ", noun, if (n == 1L) "" else "s")

# For names of columns, which depend on numbers alone and on no options of how these are printed.
format_for_name <- function(x, digits) {
  old <- options(OutDec = ".", scipen = 0L)
  on.exit(options(old))
  format(x, digits = digits, trim = TRUE)
}

#' Errors, warnings and messages
#'
#' @description
#' All conditions of the package are classed, so that you can handle them by name.
#'
#' ```r
#' tryCatch(neargp(z ~ 1, data.frame(z = 1:9), coords = ~ x + y),
#'   neargp_error_columns = function(e) conditionMessage(e))
#' ```
#'
#' @details
#' An error is of class `neargp_error` and `neargp_error_<name>`, a warning of class
#' `neargp_warning` and `neargp_warning_<name>`, and a message of class `neargp_message` and
#' `neargp_message_<name>`. The text states what is wrong, where, and how to fix it. To silence one
#' kind of message, use `withCallingHandlers()` as in the examples.
#'
#' @section Errors:
#' | `neargp_error_` | when | what to do |
#' |---|---|---|
#' | `argument` | an argument is of the wrong type, length or value | read the help of the argument |
#' | `barrier` | a barrier grid without passable cells, or locations outside | check the raster of [barrier_embedding()] |
#' | `blas` | R's BLAS is not known to be fast | `options(neargp.blas = "auto")`, see [neargp_sitrep()] |
#' | `checkpoint` | a checkpoint cannot be read, or belongs to another call | see [checkpoints] |
#' | `cholesky` | a covariance matrix is numerically singular | estimate the nugget, or use a rougher covariance |
#' | `classes` | the data do not determine the trend of a category with the link `"robust-max"` | use the softmax, `categorical()` |
#' | `cluster` | no cluster, workers without neargp, or a fit that shards do not support | see [clusters] |
#' | `columns` | `data` lacks a column | check the names in `formula` and `coords` |
#' | `comparison` | likelihoods of different data or methods, or restricted likelihoods of different trends | fit the same data, with `estimation = "ML"` |
#' | `constant_response` | all responses are equal | nothing can be estimated |
#' | `convergence` | a fold, a profile or a mean did not converge | refit from `start`, or simplify the model |
#' | `coordinates` | coordinates are missing, dependent or not numbers | check `coords` |
#' | `core` | the fit is incomplete or from an incompatible version | refit |
#' | `covariance` | a covariance that the method does not support | see [dspp()], [covariance] |
#' | `crs` | another coordinate reference system than the data's | `sf::st_transform()` |
#' | `device` | no GPU, or a computation that it does not support | `device = "cpu"`, see [neargp_sitrep()] |
#' | `draws` | a matrix of draws of the wrong size | one row for each observation |
#' | `duplicates` | repeated locations with `nugget = 0` | estimate the nugget |
#' | `empty` | no rows, or no value of a response | check `subset` and missing values |
#' | `factor_level` | a level or category that the fit does not know | use the levels of the data |
#' | `family` | a family, link or formula of a parameter that the method does not support | see [neargp_methods], [family_formula()] |
#' | `file` | a file cannot be written | check path, format and `overwrite` |
#' | `fits` | fits that cannot be compared | fit the same response and rows |
#' | `folds` | folds that do not match the rows | see [folds] |
#' | `formula` | a term that cannot be used | see [neargp()], [random_effects] |
#' | `geometry` | neither points nor polygons, or empty ones | `sf::st_is_valid()`, `sf::st_make_valid()` |
#' | `inducing` | inducing points with missing or wrong coordinates, or too many | check their number and columns |
#' | `instruction_set` | this processor cannot run the requested instructions | unset `NEARGP_INSTRUCTION_SET` |
#' | `k` | not more rows than neighbours | use a smaller `k` |
#' | `last` | no interrupted fit | see [neargp_last()] |
#' | `learner` | a learner that cannot be trained, or a task that it does not support | see [learner()] |
#' | `length` | arguments of different lengths | one value for each row |
#' | `levels` | unknown, single or too many levels | `allow.new.levels = TRUE`, or merge levels |
#' | `local` | local `sd`, `range`, `warp` or `by` that cannot be used | see [covariance] |
#' | `loo` | no row can be predicted from the others | use a shorter formula |
#' | `memory` | the computation exceeds the memory | lower `k`, rows or `chunk_size` |
#' | `method` | a task that the method does not support | see [neargp_methods] |
#' | `missing`, `missing_values` | NA, NaN or Inf that remain | `na.rm = TRUE`, `na.action`, or complete the data |
#' | `neighbor_search` | FAISS is not available | `neighbor_search = "auto"` in [neargp_control()] |
#' | `newdata` | new data without needed columns, or lost data of a fit | give all covariates |
#' | `noise` | a noise model or variances that cannot be used | see [noise] |
#' | `not_likelihood` | AIC and tests of an objective that is no likelihood | [cross_validate()] |
#' | `nugget` | a nugget that the method cannot fix or omit | `nugget = NULL` |
#' | `offset` | an offset that overflows | use the logarithm of the exposure |
#' | `overflow` | results beyond the range of numbers | check variance and range |
#' | `package` | a suggested package is missing | `install.packages()` |
#' | `parameters` | parameters cannot be integrated | see [integrated_parameters] |
#' | `plot` | a plot that the fit does not support | see [plot.neargp()] |
#' | `posterior` | the trend is not identified | use fewer coefficients |
#' | `precision` | no single precision here | see [neargp_control()] |
#' | `prior` | a prior of an unknown or fixed parameter | see [pc_priors()] |
#' | `probability` | probabilities below 0, or a sum other than 1 | check the columns |
#' | `quadrature`, `quantile` | a density or quantile cannot be computed | check the response and the parameters |
#' | `rank` | linearly dependent columns of the trend | remove one of them |
#' | `recalibration` | no draws or maps of recalibrated fits | see [recalibrate()] |
#' | `response` | responses that the family does not allow | check the rows, or choose another [family][response_family] |
#' | `rows` | a single row | supply at least two rows |
#' | `scale` | values too large or too small to compute with | change the unit |
#' | `sd` | negative standard deviations | check the column |
#' | `size` | more rows, locations or columns than the limit | use another method or smaller parts |
#' | `source` | a row source that cannot be read, or rows that the fit does not contain | see [row_source()] |
#' | `space_time` | [cov_spacetime()] without time or with another method | give `time` |
#' | `support` | areas that cannot be used | see [block_support()] |
#' | `transform` | a transformation that does not fit the response | see [box_cox()] |
#' | `variogram` | no variogram of this fit | see [empirical_variogram()] |
#' | `version` | a fit by a newer version, or an altered fit | install that version; earlier fits can be read |
#' | `weights` | weights that are not positive numbers | check the column |
#' | `window` | a window that is not an area | see [point_pattern_data()] |
#'
#' @section Warnings:
#' | `neargp_warning_` | when |
#' |---|---|
#' | `boundary` | the Box-Cox power is at the end of its range |
#' | `checkpoint` | a checkpoint cannot be written |
#' | `classes` | categories with fewer than five observations |
#' | `comparison` | fits to different data, or with different neighbours, are compared |
#' | `convergence` | the optimisation stopped early; the fit stays usable |
#' | `curvature` | the search of [joint_models] ended where the objective still curves upwards |
#' | `deep` | few rows, overfitting or noise at its bound in [dspp()] and [dgp()] |
#' | `few_rows` | no more observations than parameters |
#' | `inducing` | many inducing points in [swsgp()] |
#' | `leverage` | an observation alone determines a coefficient |
#' | `memory` | the fit may exceed the memory |
#' | `newdata` | covariates that depend on the other rows of `newdata` |
#' | `outputs` | one response determines another, as shares of a whole do |
#' | `overflow` | predictions or residuals beyond the range of numbers |
#' | `parameters` | draws of the covariance parameters that allow no predictions are left out |
#' | `smooth` | a smooth of the coordinates competes with the process |
#' | `units` | coordinates with different units share a range |
#' | `weights` | repeated observations predict each other in [loo_k()] |
#'
#' @section Messages:
#' | `neargp_message_` | what it reports |
#' |---|---|
#' | `alpha` | a fixed parameter of [cov_spacetime()] |
#' | `appended` | rows that came after the estimation, see [update.neargp()] |
#' | `barrier` | locations that were moved out of a barrier |
#' | `by` | a column `by = ~` of few whole numbers, which could be groups |
#' | `coordinates` | coordinates that do not vary and are left out |
#' | `checkpoint`, `last` | where an interrupted fit is kept |
#' | `copies`, `refit` | scores of [cross_validate()] that may be optimistic |
#' | `coverage`, `spacing`, `support` | the points that represent areas |
#' | `degrees` | Euclidean distances in degrees |
#' | `estimation` | maximum likelihood with few observations |
#' | `factor`, `jitter` | a numerical remedy |
#' | `family` | a family for zeros that do not occur |
#' | `fits` | parts of [neargp_hurdle()] with different rows |
#' | `method` | a method or family that the response chose |
#' | `k` | fewer neighbours than requested or by default |
#' | `far` | all locations of `newdata` are far from the data |
#' | `inducing` | fewer inducing points than requested |
#' | `neighbors` | draws or likelihoods that depend on neighbours |
#' | `loss` | the loss from using few neighbours, see [neighbor_loss()] |
#' | `maxdist` | rows without neighbours within `maxdist` of [predict()][predict.neargp] |
#' | `noise`, `weights` | new data without measurement variances or weights |
#' | `overlap` | differences between shards |
#' | `parameters` | draws that represent the posterior of the covariance parameters poorly |
#' | `parts` | parts of a prediction that existed already |
#' | `plot` | plain plots without ggplot2 |
#' | `process` | a model without a process, since there are no `coords`, see [cov_none()] |
#' | `profile` | open ends of profile intervals |
#' | `recalibration` | an update drops the recalibration |
#' | `samples` | samples of [multinomial()] without a count are left out |
#' | `start` | starting values that cannot be reused |
#' | `trend` | small slopes of `posterior = "laplace"` |
#' @seealso [neargp()]
#' @examples
#' # Handle one kind of error
#' d <- data.frame(x = 1:20, y = (1:20)^2 %% 7, z = sin(1:20))
#' tryCatch(neargp(z ~ depth, d, coords = ~ x + y), neargp_error_columns = conditionMessage)
#' tryCatch(neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(k = 30)),
#'   neargp_error_k = conditionMessage)
#'
#' # Silence one kind of message
#' fit <- withCallingHandlers(
#'   neargp(z ~ 1, d, coords = ~ x + y),
#'   neargp_message_estimation = function(m) invokeRestart("muffleMessage")
#' )
#' coef(fit, what = "covariance")
#' @name neargp_conditions
NULL
