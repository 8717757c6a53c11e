# All code for car. Its defaults take a model's terms for those of vcov(), which for several
# responses or classes returns those of each.

#' @exportS3Method car::Anova
Anova.neargp_outputs <- function(mod, ...) check_one_trend(mod, "Anova()")

#' @exportS3Method car::Anova
Anova.neargp_classifier <- Anova.neargp_outputs

#' @exportS3Method car::vif
vif.neargp_outputs <- function(mod, ...) check_one_trend(mod, "vif()")

#' @exportS3Method car::vif
vif.neargp_classifier <- vif.neargp_outputs

#' @exportS3Method car::linearHypothesis
linearHypothesis.neargp_outputs <- function(model, ...) check_one_trend(model, "linearHypothesis()")

#' @exportS3Method car::linearHypothesis
linearHypothesis.neargp_classifier <- linearHypothesis.neargp_outputs
