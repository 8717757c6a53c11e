# All code for DHARMa, which compares each observation with draws of it. Draws of a process that has
# seen the observation would lie too close to it. The draws here are therefore from the distribution
# given the other observations. Their residuals are uniform under the model.

#' @exportS3Method DHARMa::getSimulations
getSimulations.neargp <- function(object, nsim = 1, simulateREs = c("conditional", "unconditional",
                                  "user-specified"), type = c("normal", "refit"), ...) {
  check_one_response(object, "DHARMa")
  type <- check_choice(type, "type", c("normal", "refit"))
  if (type == "refit") abort_argument("refit", "FALSE for fits by neargp()", TRUE)
  choices <- c("conditional", "unconditional", "user-specified")
  nsim <- check_count(nsim, "nsim")
  switch(check_choice(simulateREs, "simulateREs", choices),
    conditional = draws_left_out(object, nsim),
    unconditional = as.matrix(stats::simulate(object, nsim, conditional = FALSE)),
    as.matrix(stats::simulate(object, nsim, ...)))
}

# Rows x draws, each row from its distribution given the other rows.
draws_left_out <- function(object, nsim) {
  if (is_streamed(object)) refuse_rows("DHARMa")
  left <- left_out_by(NULL, object)
  y <- observed_response(object$data)
  known <- at_all_rows(object, left, 0)
  complete_predictions(y, list(mean = known), na.rm = FALSE, object$row_names %||% seq_along(y))
  predictive_draws(nsim, left$distribution)[order(left$rows), , drop = FALSE]
}

#' @exportS3Method DHARMa::getObservedResponse
getObservedResponse.neargp <- function(object, ...) {
  check_one_response(object, "DHARMa")
  observed_response(object$data)
}

# Predictions from the other rows: residuals against fitted values that have seen the observation
# show a slope.
#' @exportS3Method DHARMa::getFitted
getFitted.neargp <- function(object, ...) left_moments(object)$mean

left_moments <- function(object) moments_of_left_out(object, left_out_by(NULL, object))

#' @exportS3Method DHARMa::getResiduals
getResiduals.neargp <- function(object, ...) {
  observed_response(object$data) - getFitted.neargp(object)
}

#' @exportS3Method DHARMa::getPearsonResiduals
getPearsonResiduals.neargp <- function(object, ...) {
  getResiduals.neargp(object) / left_moments(object)$sd
}

#' @exportS3Method DHARMa::getFixedEffects
getFixedEffects.neargp <- function(object, ...) stats::coef(object)

# DHARMa knows counts by the name of their family.
#' @exportS3Method DHARMa::getFamily
getFamily.neargp <- function(object, ...) {
  family <- object$family
  own <- c("binomial", "poisson", "betabinomial")
  if (isTRUE(response_family(family)$discrete) && !family$family %in% own) {
    family$family <- "integer-valued"
  }
  family
}
