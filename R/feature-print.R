# features() in print() and summary().

# "17 by features(): 15 as normal scores, and 2 levels of factors"
describe_predictors <- function(fit) {
  features <- fit$locations$features
  if (is.null(features)) return(NULL)
  sprintf("%s, %s", format_some(features$names, 8L),
    if (features$recipe$scores) "as normal scores" else "standardised")
}

# Shares of the variance that the terms and the noise explain, by what they are of.
feature_shares <- function(fit) {
  variance <- fit$layout$kind == "variance"
  of <- vapply(fit$covariance$components,
    function(component) component$feature$term %||% "space", "")
  of <- factor(of, c("linear", "smooth", "space"))
  parts <- tapply(fit$parameters$estimate[variance], of, sum)
  noise <- fit$parameters$estimate[fit$layout$kind == "nugget"]
  parts <- c(parts[!is.na(parts)], noise = noise)
  shares <- parts / sum(parts)
  sprintf("Shares of the variance: %s", paste(sprintf("%s %.0f%%", names(shares), 100 * shares),
    collapse = ", "))
}

feature_remarks <- function(fit) {
  c(feature_shares(fit),
    "Ranges of predictors are in units of the root mean square distance between two rows.",
    "Variances and ranges have weak lognormal priors, see ?cov_features.")
}
