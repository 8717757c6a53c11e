#' Compositions: counts of several categories
#'
#' @description
#' `family = multinomial()` fits the counts of two or more categories in each sample, for example
#' pollen, land cover or votes. Experimental.
#'
#' ```r
#' neargp(cbind(oak, beech, pine) ~ elevation, pollen, coords = ~ x + y, family = multinomial())
#' ```
#'
#' @details
#' The probability of category m is `exp(eta_m)` divided by the sum over all categories. The first
#' category is the reference with `eta = 0`, as in nnet::multinom() and brms. Each further category
#' takes a trend, and all share Gaussian processes as in [joint models][joint_models]. The order of
#' the categories changes coefficients, but neither probabilities nor the ELBO. Two exceptions:
#' the prior of random effects depends on the reference, and a search with `own` processes can end
#' at another optimum.
#'
#' * **Response**: `cbind()` of counts, a matrix of counts with column names, or a factor with one
#'   category for each row. Samples without counts are left out, with a message.
#' * **Processes**: two factors with one range, or one factor for two categories.
#'   [cov_coregionalisation()] chooses other ranks, up to the number of categories less 1, and `own`
#'   processes.
#' * **Weights** are frequencies. An offset cancels and is an error.
#' * **Random effects** belong to the logarithms of ratios to the reference.
#'
#' The counts are Poisson given an unknown constant for each sample (Baker 1994), with a normal
#' prior of standard deviation 100. [vnngp()] maximises the ELBO of the multinomial density.
#'
#' Use [categorical()] for many predictors, where [svgp()] or [loo_k()] classify.
#'
#' @return An object of class `family` for [neargp()], whose fit is of class `neargp_composition`.
#' @seealso [predict.neargp_composition()], [joint_models], [response_family]
#' @references Baker, S. G. (1994). The multinomial-Poisson transformation. *The Statistician* 43,
#'   495–504.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(80), y = runif(80), elevation = rnorm(80))
#' oak <- exp(sin(5 * d$x))
#' beech <- exp(0.5 * d$elevation)
#' d$taxa <- t(mapply(function(a, b) rmultinom(1, 50, c(a, b, 1)), oak, beech))
#' colnames(d$taxa) <- c("oak", "beech", "other")
#' fit <- neargp(taxa ~ elevation, d, coords = ~ x + y, family = multinomial(),
#'   method = vnngp(k = 8))
#' fit
#' predict(fit, data.frame(x = 0.5, y = 0.5, elevation = 0:1), interval = "confidence")
#' @export
multinomial <- function() {
  structure(list(family = "multinomial", link = "softmax"), class = c("neargp_family", "family"))
}

# Whether the argument `family` of neargp() is this one.
is_multinomial <- function(family) {
  if (is.null(family) || (is.list(family) && !inherits(family, "family"))) return(FALSE)
  as_family(family)$family == "multinomial"
}
