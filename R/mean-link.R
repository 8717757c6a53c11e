# The mean of a response as a function of its linear predictor, where it is not the inverse of the
# family's link. This concerns counts with more zeros, counts without zeros, and ordered categories.
# Packages that go from the trend to the response use it as a link.

# A link as stats::make.link() returns it, NULL if the mean is that of the family's link.
mean_link <- function(object) {
  family <- object$family
  entry <- response_family(family)
  if (is.null(entry$predictor_of_mean) || isTRUE(entry$has_trials)) return(NULL)
  link_of_mean(entry, family, as.list(response_parameters(object)))
}

# `parameters` are evaluated where a mean is wanted: those that depend on covariates are an error,
# and the linear predictor does not need them.
link_of_mean <- function(entry, family, parameters) {
  mean <- function(eta) unname(entry$mean(eta, parameters, 1))
  list(name = paste("linear predictor of", family_call(family)),
    linkfun = function(mu) entry$predictor_of_mean(mu, parameters), linkinv = mean,
    # by central differences, whose rounding and truncation are alike at this step
    mu.eta = function(eta, step = 6e-6) (mean(eta + step) - mean(eta - step)) / (2 * step),
    valideta = function(eta) TRUE)
}

# The function from the linear predictor to the mean, of any family.
mean_at_predictor <- function(object) mean_link(object)$linkinv %||% object$family$linkinv
