#' A model without a Gaussian process
#'
#' @description
#' `cov_none()` leaves the process out and fits trend, random effects, smooths and family alone. Use
#' it to measure what the process adds.
#'
#' ```r
#' stations <- colorado_precipitation()
#' with <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326)
#' without <- update(with, covariance = cov_none())
#' anova(without, with)
#' ```
#'
#' @details
#' A call without `coords` leaves the process out as well, and a message says so. With `coords`,
#' residual maps, [empirical_variogram()] and [block_folds()] keep the locations.
#'
#' All constants of the densities are part of the likelihood, so that you can compare fits:
#'
#' | response | without the process | with the process |
#' |---|---|---|
#' | Gaussian | likelihood of `lm()` or `lme4::lmer()` | likelihood |
#' | another family | likelihood of [stats::glm()] | ELBO or Laplace's approximation |
#' | the same with random effects or smooths | ELBO or Laplace's approximation | the same |
#'
#' An ELBO is a lower limit of the log-likelihood. `AIC()` accepts likelihoods only, and
#' [anova()][anova.neargp] accepts an ELBO as well. The range means nothing if the variance is 0, so
#' the p-value of a process is only a guide. [cross_validate()] compares predictions.
#'
#' Methods: [vecchia()], [exact_gp()] and [vnngp()] with the posterior `"sparse"` or `"laplace"`,
#' for one response in memory. Logical responses and factors of two levels are binomial.
#' @return A `neargp_covariance` for the argument `covariance` of [neargp()].
#' @seealso [covariance], [response_family], [random_effects]
#' @examples
#' # A mixed model without coordinates
#' neargp(weight ~ Time + (1 | Chick), ChickWeight, covariance = cov_none())
#'
#' # What does a process add to a model of counts?
#' set.seed(1)
#' d <- data.frame(x = runif(150), y = runif(150), z = rnorm(150))
#' d$count <- rpois(150, exp(1 + 0.3 * d$z + sin(6 * d$x)))
#' with <- neargp(count ~ z, d, coords = ~ x + y, family = poisson())
#' without <- update(with, covariance = cov_none())
#' anova(without, with)
#' cross_validate(list(without = without, with = with), folds = 5)
#' @export
cov_none <- function() {
  made <- new_covariance("exponential", NULL, variance_of_none, NULL, FALSE, FALSE, list())
  made$components[[1L]]$none <- TRUE
  made
}

# The engine needs a component. A variance that is lost in rounding next to that of any response
# leaves the likelihood of the trend, the effects and the family to the last bits. Its square and
# the square of its inverse are still numbers.
variance_of_none <- 1e-100

# `data`: a data frame, or a source of rows.
without_locations <- function(given, data) {
  locating <- unclass(given)[c("coords", "time", "features", "support", "covariance")]
  is_located <- !is.data.frame(data) || is_sf(data) || any(lengths(locating) > 0L)
  if (is_located || !rlang::is_formula(given$formula)) return(given)
  if (any(looks_like_coordinates(data))) return(given)
  inform_neargp("process", c("Fitted without a Gaussian process, since there are no `coords`.",
    i = "Name the columns with the locations, for example coords = ~ x + y, or confirm: covariance = cov_none()."))
  given$covariance <- cov_none()
  given
}

with_rows_apart <- function(locations) {
  if (is_nowhere(locations)) locations$raw_names <- "row"
  describe_embedding(locations)
}

looks_like_coordinates <- function(data) {
  vapply(coordinate_pairs, function(pair) all(pair %in% names(data)), NA)
}

# ---- checks --------------------------------------------------------------------------------------

# `has_kink`: whether the log density of the family is not smooth.
check_none_possible <- function(settings, rows, has_kink) {
  if (!has_no_process(settings$covariance)) return(invisible())
  if (!is.null(rows$features)) {
    refuse_none("with features(), which is a process", "Use the predictors in the formula.")
  }
  if (!is.null(rows$areal)) refuse_none("for areas")
  in_pieces <- !is.null(rows$source) || wants_shards(settings)
  if (in_pieces) refuse_none("for data that are read in pieces")
  if (is_output_response(stats::model.response(rows$frame), settings$family)) {
    refuse_none("for several responses")
  }
  if (identical(settings$control$precision, "single")) refuse_none("in single precision")
  if (is_categorical(settings$family)) {
    refuse_none("for categories", "Name the locations: `coords`.")
  }
  if (has_kink) {
    refuse_none(sprintf("for %s response, whose log density is not smooth",
      with_article(settings$family)), "Name the locations: `coords`.")
  }
  if (!has_ability(settings$method, "no_process", settings$family)) {
    refuse_none(sprintf("by %s", method_call(settings$method)))
  }
}

refuse_none <- function(what, hint = NULL) {
  hint <- hint %||% sprintf("It is available for one response of rows in memory, by %s.",
    able_methods("no_process"))
  abort_neargp("covariance", c(sprintf("A model without a process is not supported %s.", what),
    i = hint))
}
