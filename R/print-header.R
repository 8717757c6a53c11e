# The header of print() and summary(): what is fitted to which rows, a fact a line.

header_section <- function(x) {
  facts <- unlist(lapply(header_facts, function(fact) fact(x)))
  title <- if (has_no_process(x$covariance)) "Fit without a Gaussian process" else
    paste0("Gaussian process fit", describe_outputs(x$outputs), ": ", describe_method(x))
  new_section(title,
    facts, show = show_facts, apart = FALSE)
}

# The lines of the header. A fact is a string, or NULL where a fit needs no such line. Details bring
# their own names.
header_facts <- list(
  Formula = function(x) deparse1(stats::formula(x)),
  Observations = function(x) {
    paste0(format_count(x$data$places %||% stats::nobs(x)), describe_rows(x), describe_dropped(x))
  },
  Appended = function(x) describe_appended(x$appended),
  Responses = function(x) describe_known(x$outputs, x$data$output),
  Shards = function(x) describe_shards(x),
  Predictors = function(x) describe_predictors(x),
  Coordinates = function(x) {
    if (!is_nowhere(x$locations)) describe_locations(input_locations(x$locations))
  },
  Features = function(x) {
    network <- x$locations$network
    if (!is.null(network)) {
      sprintf("%d, learned by %s", length(x$locations$block), describe_network(network))
    }
  },
  Response = function(x) {
    if (!is_gaussian(x$family)) {
      link <- paste0(family_call(x$family), " with ", x$family$link, " link")
      formulas <- x$family$formulas
      paste0(paste(c(link, if (!is.null(formulas)) formulas_in_words(formulas)), collapse = ", "),
        describe_successes(x))
    }
  },
  Transform = function(x) describe_transform(x$family$transform),
  Predicted = function(x) describe_recalibration(x$family$recalibration),
  function(x) {
    if (length(x$chosen)) stats::setNames(x$chosen, names(x$chosen) %||% "Method")
  },
  Offers = function(x) describe_offer(x),
  function(x) if (!has_no_process(x$covariance)) fit_details(x$method, x),
  Categories = function(x) if (!is.null(x$classifier)) describe_classes(x)
)

# neargp fits two models to a response of two levels. The scores of bench/two-levels.R put neither
# first.
describe_offer <- function(x) {
  if (!has_trials(x$family) || is_streamed(x)) return(NULL)
  if (!is.null(x$classifier)) {
    if (is.null(x$classifier$estimator)) return(NULL)
    return(on_lines("classification: accuracy and confusion.",
      "For s(), (1 | group), tests and maps beyond the data: family = binomial()"))
  }
  if (length(x$data$levels) == 2L && has_ability(x$method, "effects", x$family)) {
    on_lines("s(), (1 | group), tests and maps beyond the data.",
      "For accuracy and confusion, or many predictors: method = loo_k()")
  }
}

on_lines <- function(...) paste(c(...), collapse = paste0("\n", strrep(" ", fact_width + 1L)))

# Names the success of binomial responses. Convention decides which level is the success, so print()
# reports it.
describe_successes <- function(x) {
  data <- x$data
  if (is_streamed(x)) return("")
  if (!is.null(data$limits)) {
    return(sprintf("; %s of %s are censored", format_count(sum(data$limits[, 1L] !=
      data$limits[, 2L])), format_count(length(data$y))))
  }
  if (!has_trials(x$family) || !is.null(x$classifier)) return("")
  successes <- format_count(sum(data$y))
  if (!is.null(data$trials)) {
    return(sprintf("; %s successes in %s trials", successes, format_count(sum(data$trials))))
  }
  sprintf("; %s of %s are %s", successes, format_count(length(data$y)), data$levels[2L] %||% "1")
}

# Further lines of the header: named strings.
fit_details <- function(method, fit) {
  UseMethod("fit_details")
}

#' @export
fit_details.default <- function(method, fit) NULL

describe_method <- function(x) {
  paste0(x$method$label, if (!is.null(x$k)) sprintf(", %d neighbour%s", x$k,
    if (x$k == 1L) "" else "s"))
}

describe_dropped <- function(x) {
  if (x$n_dropped == 0L) return("")
  sprintf(" (%s dropped for missing values by %s)", format_count(x$n_dropped),
    paste0("na.", class(x$na_action)))
}

describe_locations <- function(locations) {
  unit <- if (nzchar(locations$unit)) paste(" in", locations$unit) else ""
  space <- if (locations$metric == "longlat") {
    further <- numeric_names(locations)[-(1:2)]
    paste0("longitude and latitude", if (length(further)) paste(" with", format_some(further)),
      ", chordal distance in km")
  } else {
    numbers <- numeric_names(locations)
    c(if (length(numbers)) paste0(format_some(numbers, 8L), ", Euclidean distance", unit))
  }
  space <- paste(c(space, describe_factors(locations)), collapse = "; ")
  space <- paste0(space, describe_support(locations))
  if (is.null(locations$time)) return(space)
  paste0(space, "; time: ", locations$time, if (nzchar(locations$time_unit)) paste(" in",
    locations$time_unit))
}

# " of 2 responses"
describe_outputs <- function(outputs) {
  if (length(outputs)) sprintf(" of %d responses", length(outputs))
}

# `zinc (155 observed) and lead (160 observed)`
describe_known <- function(outputs, output) {
  if (!length(outputs)) return(NULL)
  known <- vapply(tabulate(output, length(outputs)), format_count, "")
  format_some(sprintf("%s (%s observed)", outputs, known), 8L)
}

describe_classes <- function(x) {
  counts <- vapply(tabulate(class_numbers(x$data), length(x$classifier$levels)), format_count, "")
  format_some(sprintf("%s (%s)", x$classifier$levels, counts), 8L)
}

# The line of summary(); print() shows what it predicts.
describe_estimator <- function(classifier) {
  if (is.null(classifier$estimator)) return(NULL)
  paste0("Estimator: ", classifier$estimator, compared_estimators(classifier))
}

# Reports the scores by which the estimator was chosen: those of all rows, or where these barely
# differ those of held-out rows (fit_method.neargp_loo_k_classes()).
compared_estimators <- function(classifier) {
  if (!length(classifier$compared)) return(NULL)
  decisive <- classifier$held_out %||% classifier$compared
  sprintf(" (score %s%s)", if (length(classifier$held_out)) "of held-out rows " else "",
    paste(sprintf("%.1f by %s", decisive, names(classifier$compared)), collapse = ", "))
}
