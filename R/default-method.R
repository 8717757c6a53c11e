#' Choose a method
#'
#' @description
#' `neargp()` chooses a method by the response, or you name one.
#'
#' ```r
#' fit <- neargp(temperature ~ 1, land_temperature(), coords = ~ lon + lat, crs = 4326,
#'   method = vecchia(k = 20))
#' ```
#'
#' @details
#' | response | default method |
#' |---|---|
#' | numbers at up to 500 locations | [exact_gp()] |
#' | more, several responses, GPU, single precision | [vecchia()] |
#' | factor, text, logical | [loo_k()] with [stats::binomial()] or [categorical()] |
#' | another `family` | [vnngp()] |
#'
#' An ordered factor is categorical without `family = ordinal()`. [svgp()], [odvgp()], [ppgpr()],
#' [dspp()] and [dgp()] suit many predictors. [mll_k()] and [swsgp()] serve comparisons. See
#' the article "Which method?".
#'
#' @section Which method can do what:
#' `r ability_list()`
#' @seealso [neargp()], [cross_validate()] to compare methods on your data.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' exact <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' fits <- list(exact = exact, vecchia = update(exact, method = vecchia(k = 20)),
#'   loo_k = update(exact, method = loo_k()))
#' sapply(fits, function(fit) c(crps = scores(fit)$crps, coef(fit, what = "covariance")))
#' @name neargp_methods
NULL

# Defaults of neargp(): the family by the response, the method by the family and the number of rows,
# the number of neighbours by the number of rows. `settings$chosen` keeps the reason, which print()
# reports; what was chosen is the method, or what its name says.

# Dense computations of so few rows are exact and take a second at most: 0.4 to 1.1 s of one core
# for a fit to 500 rows.
exact_rows <- 500L

# The family is Gaussian until the response is known, see choose_by_response().
default_method <- function(family) {
  switch(family$family, gaussian = vecchia(), categorical = loo_k(), vnngp())
}

# The type of the response identifies classes; numbers are measurements unless a family says
# otherwise, as in glm(). `by_location`: whether observations of one location count as one; `most`:
# rows of exact_gp().
choose_by_response <- function(settings, frame, by_location, most = exact_rows) {
  response <- stats::model.response(frame)
  if (settings$family_open && is_class_vector(response)) {
    return(choose_classes(settings, response, names(frame)[1L]))
  }
  if (!settings$method_open) return(settings)
  if (is_gaussian(settings$family)) return(choose_gaussian(settings, frame, by_location, most))
  tell_choice(settings, sprintf("%s, the default for %s response", method_call(settings$method),
    with_article(settings$family)))
}

# Measurements are text if one word stands among them in the file, such as "<0.1".
check_text_response <- function(response, name, classes, most_codes = 10L) {
  if (classes <= most_codes || share_of_numbers(response) < 0.5) return(invisible())
  words <- response[!is.na(response) & is.na(suppressWarnings(as.numeric(response)))]
  abort_neargp("response", c(
    sprintf("The response `%s` is text, of which most reads as numbers.", name),
    x = if (length(words)) sprintf("Other texts are %s.",
      format_some(paste0("\"", unique(words), "\""))),
    i = sprintf("Convert it, as.numeric(%1$s), or if it names classes say so: factor(%1$s).", name)))
}

# The given method decides: one without a family for classes refuses the response.
choose_classes <- function(settings, response, name) {
  classes <- length(unique(response[!is.na(response)]))
  if (is.character(response)) check_text_response(response, name, classes)
  family <- if (classes > 2L) categorical() else stats::binomial()
  alone <- has_no_process(settings$covariance)
  if (alone && classes > 2L) refuse_none("for categories", "Name the locations: `coords`.")
  if (settings$method_open) settings$method <- if (alone) vnngp() else loo_k()
  if (!family$family %in% method_families(settings$method)) return(settings)
  settings$family <- family
  reason <- sprintf("family = %s, since `%s` has %d levels", family_call(family), name, classes)
  order <- if (classes == 2L) {
    if (settings$method_open && !alone)
      "For s(), (1 | group), tests and maps beyond the data: family = binomial()."
  } else if (is.ordered(response)) {
    sprintf("The order of the levels of `%s` does not count then. To use it: family = ordinal().",
      name)
  }
  if (settings$method_open) {
    chosen <- sprintf("%s with %s", method_call(settings$method), reason)
    return(tell_choice(settings, chosen, order))
  }
  settings$chosen <- c(Family = sub("family = ", "", reason))
  inform_neargp("method", c(sprintf("Fitted with %s.", reason),
    i = order, i = "Name `family` to choose another, see ?neargp."))
  settings
}

# exact_gp() is for one output, on the CPU, in double precision.
choose_gaussian <- function(settings, frame, by_location, most) {
  response <- stats::model.response(frame)
  possible <- is.null(dim(response)) && settings$device != "cuda" &&
    !identical(settings$control$precision, "single") && is.null(settings$control$shards) &&
    is.null(settings$cluster)
  if (!possible) return(settings)
  few <- if (NROW(response) <= most) "observations" else
    if (by_location && count_locations(frame[["(locations)"]], most + 1L) <= most) "locations"
  if (is.null(few)) return(settings)
  settings$method <- exact_gp()
  settings$device <- "cpu"
  settings$chosen <- sprintf("exact_gp(), the default for up to %d %s", most, few)
  settings
}

tell_choice <- function(settings, chosen, hint = NULL) {
  settings$chosen <- chosen
  inform_neargp("method",
    c(sprintf("Fitted by %s.", chosen), i = hint,
      i = "Name `method` to choose another, see ?neargp."))
  settings
}

# ---- number of neighbours ------------------------------------------------------------------------

# The method with the k of these data: the default, or as many neighbours as there are.
with_k <- function(method, data, family, covariance = NULL) {
  if (is.null(method$default_k)) return(method)
  if (has_no_process(covariance)) return(replace(method, "k", 1L))
  method$k <- max(1L, min(method$default_k, conditioned_on(method_for(method, family, data), data,
    family) - 1L))
  method
}

# Number of rows, of distinct locations or of inducing points among which neighbours are searched.
conditioned_on <- function(method, data, family) {
  UseMethod("conditioned_on")
}

#' @export
conditioned_on.default <- function(method, data, family) {
  if (takes_location_means(method, family, data) && !has_many_effects(method, data)) {
    return(count_locations(data$coords, method$default_k + 1L))
  }
  nrow(data$coords)
}

#' @export
conditioned_on.neargp_method_outputs <- function(method, data, family) {
  rows <- rows_by_output(data)
  if (!takes_location_means(method, family, data)) return(max(lengths(rows)))
  max(vapply(rows, function(own) count_locations(data$coords[own, , drop = FALSE]), 0L))
}

# Locations are distinguished only where that matters.
#' @export
conditioned_on.neargp_loo_k_families <- function(method, data, family) {
  if (has_gamma_variables(family)) nrow(data$coords) else max(location_index(data$coords))
}

#' @export
conditioned_on.neargp_loo_k_classes <- function(method, data, family) {
  max(location_index(data$coords))
}

inform_k <- function(method) {
  if (is.null(method$default_k) || method$k == method$default_k) return(invisible())
  inform_neargp("k",
    sprintf("k = %d, since the data contain no more neighbours. The default of %s is k = %d.",
      method$k, method_call(method), method$default_k))
}
