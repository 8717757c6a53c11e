# Questions about a family: its name, its entry in the table (response-families.R), its parameters.

# The name of the core, and of the table response_families, for a family object; NULL for a family
# or link that there is not.
family_core_name <- function(family) {
  name <- switch(family$family, binomial = , ordinal = paste(family$family, family$link,
    sep = "_"), Gamma = "gamma", family$family)
  entry <- response_families[[name]]
  if (!is.null(entry) && entry$link == family$link) name
}

response_family <- function(family) response_families[[family_core_name(family)]]

# Whether its entry of the table has that mark.
has_mark <- function(family, mark) {
  name <- family_core_name(family)
  !is.null(name) && isTRUE(response_families[[name]][[mark]])
}

# Says whether a response of it is a number of successes among trials.
has_trials <- function(family) has_mark(family, "has_trials")

response_link <- function(family) stats::make.link(family$link)

# The links with which there is a family of that name, none for one that is not in the table.
family_links <- function(name) {
  in_table <- switch(name, binomial = paste0("binomial_", names(binomial_log_probability)),
    ordinal = c("ordinal_logit", "ordinal_probit"), Gamma = "gamma", name)
  vapply(response_families[intersect(in_table, names(response_families))],
    function(entry) entry$link, "")
}

# Names of parameters; of ordered categories those of the response's levels.
family_parameter_names <- function(family) {
  if (has_thresholds(family)) gap_names(family$levels) else response_family(family)$parameters
}

# Parameters that are estimated or fixed by the constructor of the family: a data frame of name,
# lower, upper, fixed (NA: estimated) on the natural scale. `spread` is the standard deviation of
# the response, the unit of scales.
family_parameters <- function(family, spread = 1) {
  entry <- response_family(family)
  names <- family_parameter_names(family)
  scaling <- if (length(names)) spread^entry$unit else numeric(0)
  fixed <- stats::setNames(rep(NA_real_, length(names)), names)
  if (!is.numeric(family$fixed %||% 0) ||
      length(intersect(names(family$fixed), names)) != length(family$fixed)) {
    abort_argument("family$fixed", sprintf("as %s() makes it", family$family), family$fixed)
  }
  fixed[names(family$fixed)] <- family$fixed
  data.frame(name = names, lower = as.numeric(entry$lower) * scaling,
    upper = as.numeric(entry$upper) * scaling, fixed = unname(fixed), stringsAsFactors = FALSE)
}
