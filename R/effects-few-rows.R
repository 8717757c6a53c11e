# Where the search with all neighbours begins for thousands of levels of random effects.

# With few neighbours the field's variance and range end far from those with all of them. With all,
# a step with thousands of levels takes a hundred times as long as one of some terms of the
# likelihood of the field alone. The field is therefore fitted by these terms first, to what the
# effects of the round with few neighbours leave of the response. Effects that are taken for known
# absorb some of the noise. The nugget is fitted as well, but stays at that of the round.
with_field_of_few_rows <- function(problem, state, k) {
  if (!begins_with_few_terms(problem)) return(state)
  own <- problem$layout$kind %in% effect_kinds
  plain <- without_effects(problem, utils::tail(state$evaluated$beta,
    count_coefficients(problem$data)))
  plain$bounds <- lapply(plain$bounds, function(bound) bound[!own])
  working <- state$working[!own]
  found <- if_computable({
    objective <- terms_of_few_rows(plain)(component_at(plain, working), k)
    fisher_scoring(objective, working, plain$free, plain$bounds, plain$control, tolerance = 0.05)
  })
  if (is.null(found)) return(state)
  moved <- plain$layout$kind != "nugget"
  state$working[!own][moved] <- found$working[moved]
  add_counts(state, found)
}

begins_with_few_terms <- function(problem) {
  data <- problem$data
  has_effects_pass(problem) && count_coefficients(data)^3 / 3 > most_exact_work &&
    row_count(data) >= 4L * search_rows
}
