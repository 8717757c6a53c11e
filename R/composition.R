# Compositions: the response of multinomial(). Sample i contains n_im counts of category m, N_i in
# all, with probabilities p_im = exp(z_im) / sum_l exp(z_il). Let the counts be Poisson with mean
# exp(o_i + a_i + z_im), where o_i is known and a_i unknown. Samples of one location with the same
# trend share a = a_j. Let w_i be frequencies, N = sum w_i N_i and E = sum w_i exp(o_i). Let S be
# sum_l exp(z_l), and L the sum of w_i times N_i o_i + sum_m n_im z_m. With a flat prior of a,
#
#   integral exp(L + N a - E S exp(a)) da = exp(L) Gamma(N) / (E S)^N.
#
# This is the multinomial likelihood but for constants. The log of the ratio of both is
#
#   sum_i w_i (log N_i! - N_i o_i) + N log E - log Gamma(N).
#
# The prior of a is normal with standard deviation s. Its density is 1 / (s sqrt(2 pi)) where a is
# small next to s, which adds log(s sqrt(2 pi)) for each a. The constants a are one more field of
# the joint model, with the loading s for all categories and no correlation.

constant_sd <- 100

# A stand-in for zero, relative to the extents of the locations: the step between samples of one
# location, and the range of the constants.
sample_step <- 1e-8
constant_range <- 1e-12

# The responses of a joint fit, see joint_responses().
composition_responses <- function(call, formula, data, frame) {
  check_composition_formula(formula, call$offset)
  if (!is.data.frame(data)) {
    abort_argument("data", "one data frame or sf points for a composition", data)
  }
  check_for_all_categories(call, frame)
  if (!is.null(call$nugget)) refuse_nugget(eval(call$nugget, frame), multinomial())
  counts <- composition_counts(formula, data, "data")
  check_composition(counts)
  counts <- without_incomplete(counts, formula, data)
  inform_empty_samples(counts)
  counts[rowSums(counts) %in% 0, ] <- NA
  evaluated <- new.env(parent = environment(formula))
  evaluated$.counts <- counts
  formulas <- lapply(rlang::set_names(colnames(counts)), function(name) {
    formula[[2L]] <- call("[", quote(.counts), quote(expr = ), name)
    if (name == colnames(counts)[1L]) formula[[3L]] <- 0
    environment(formula) <- evaluated
    formula
  })
  frame <- new.env(parent = frame)
  frame$.composition_exposure <- sample_exposures(counts)
  call$offset <- quote(.composition_exposure)
  structure(list(call = call, frame = frame, formulas = formulas, formula = formula,
    families = lapply(formulas, function(formula) stats::poisson())),
  class = "neargp_composition_responses")
}

# The logarithm of the expected count of the reference. The constants are then near 0.
sample_exposures <- function(counts) {
  totals <- rowSums(counts)
  share <- sum(counts[, 1L], na.rm = TRUE) / sum(totals, na.rm = TRUE)
  ifelse(is.na(totals), 0, log(pmax(totals, 1) * share))
}

# ---- checks --------------------------------------------------------------------------------------

check_composition_formula <- function(formula, offset) {
  if (!rlang::is_formula(formula) || length(formula) != 3L) {
    abort_argument("formula", "one formula for a composition, cbind(a, b, c) ~ trend", formula)
  }
  if (formula_has_common(formula)) {
    abort_neargp("formula", c("common() is not for compositions.",
      i = "A coefficient that all categories share cancels from their probabilities."))
  }
  if ("." %in% all.names(formula[[3L]])) {
    abort_neargp("formula", c("The dot in the formula would contain the counts of the categories.",
      i = "Write the terms of the trend: cbind(a, b, c) ~ elevation + slope."))
  }
  if (!is.null(offset) || "offset" %in% all.names(formula[[3L]])) {
    abort_neargp("offset", c("An offset of all categories cancels from their probabilities.",
      i = "Leave the offset out: the total of each sample is known from its counts."))
  }
}

check_for_all_categories <- function(call, frame) {
  for (name in c("weights", "subset")) {
    # expressions of columns of the data cannot be evaluated here
    value <- tryCatch(eval(call[[name]], frame), error = function(e) NULL)
    if (is.list(value)) {
      abort_argument(name, "one value for each sample of a composition, not a list", value)
    }
  }
}

# A matrix with a column for each category.
composition_counts <- function(formula, data, argument) {
  plain <- drop_geometry(data)
  response <- in_data("the response", eval(formula[[2L]], plain, environment(formula)))
  if (is_class_vector(response)) return(counts_of_labels(response))
  names <- colnames(response)
  if (!is.matrix(response) || !is.numeric(response)) {
    abort_neargp("response", c("The response of multinomial() must be counts of several categories.",
      x = sprintf("`%s` is %s.", deparse1(formula[[2L]]), describe_value(response)),
      i = "Use cbind(a, b, c), a matrix with column names, or a factor."))
  }
  if (is.null(names) || !all(nzchar(names)) || anyDuplicated(names)) {
    abort_neargp("response", c("Each category needs a name of its own.",
      i = "Write cbind(oak = y1, beech = y2), or name the columns of the matrix."))
  }
  if (nrow(response) != nrow(plain)) {
    abort_neargp("length", sprintf("There are %d samples for the %d rows of `%s`.", nrow(response),
      nrow(plain), argument))
  }
  storage.mode(response) <- "double"
  response
}

# One count for each row.
counts_of_labels <- function(labels) {
  levels <- if (is.factor(labels)) levels(droplevels(labels)) else
    sort(as.character(unique(labels)))
  counts <- outer(as.character(labels), levels, "==") * 1
  colnames(counts) <- levels
  counts
}

check_composition <- function(counts) {
  if (ncol(counts) < 2L) {
    abort_neargp("response", c(sprintf("The composition consists of one category only, %s.",
      format_some(colnames(counts))), i = "Add the counts of the others: cbind(oak, other)."))
  }
  check_whole_counts(counts)
  empty <- colnames(counts)[colSums(counts, na.rm = TRUE) == 0]
  if (length(empty)) {
    abort_neargp("response", c(sprintf("No sample contains %s.", format_some(empty)),
      i = "Leave this category out, since the data do not determine its probability."))
  }
}

check_whole_counts <- function(counts) {
  wrong <- which(rowSums(is.na(counts) | (is.finite(counts) & counts >= 0 &
    counts == round(counts))) < ncol(counts))
  if (length(wrong)) {
    abort_neargp("response", c(sprintf("Counts of a composition must be whole numbers of at least 0, which they are not in %s.",
      format_rows(wrong)), i = "Give counts, not proportions."))
  }
}

# All categories need the same rows: missing ones of a sample leave it out. The reference is without
# the trend, so its rows would not miss a predictor.
without_incomplete <- function(counts, formula, data) {
  used <- intersect(all.vars(formula[[3L]]), names(data))
  known <- stats::complete.cases(counts)
  if (length(used)) known <- known & stats::complete.cases(drop_geometry(data)[used])
  counts[!known, ] <- NA
  counts
}

inform_empty_samples <- function(counts) {
  empty <- which(rowSums(counts) %in% 0)
  if (!length(empty)) return(invisible())
  inform_neargp("samples", sprintf("Left out %s, whose counts are all 0 and contain no information on proportions.",
    format_rows(empty)))
}

# ---- fields and locations ------------------------------------------------------------------------

# The processes of the logarithms of ratios, without loadings of the reference, and the constants.
#' @export
joint_fields.neargp_composition_responses <- function(responses, covariance) {
  categories <- names(responses$formulas)
  most <- length(categories) - 1L
  given <- as_coregionalisation(covariance %||% cov_coregionalisation(cov_matern(nu = 1.5),
    rank = min(2L, most)))
  if (any(lengths(given$matrices))) {
    abort_argument("matrices", "NULL for a composition, whose loadings are estimated", given$matrices)
  }
  given$rank <- given$rank %||% rep(most, length(given$components))
  if (any(given$rank > most)) {
    abort_argument("rank", sprintf("at most %d for %d categories", most, most + 1L),
      max(given$rank))
  }
  structures <- joint_structures(given, categories)
  check_own_identified(structures, most)
  structures <- lapply(structures, function(structure) {
    if (is.null(structure$own)) structure$reference <- 1L
    structure
  })
  constants <- new_structure(cov_exponential(range = 1)$components[[1L]], fields = 1L,
    loadings = matrix(constant_sd, length(categories), 1L))
  constants$constant <- TRUE
  replicated <- unlist(lapply(structures, function(structure) structure$component$replicate))
  constants$component <- as_replicated(constants$component, c(replicated, "")[1L])
  c(structures, list(constants))
}

# Samples of one location share a constant if their trends are the same. Others move by a step that
# processes do not notice, and the constants do.
#' @export
located_parts.neargp_composition_responses <- function(responses, parts) {
  data <- parts[[2L]]$data
  if (length(unique(lapply(parts, rows_of_part))) > 1L) {
    abort_neargp("missing_values", c("The trend is missing or infinite in some of the samples.",
      i = "Remove these rows from `data`."))
  }
  moved <- apart_by_trend(data$coords, designs_of_samples(data))
  location <- location_index(data$coords)
  lapply(parts, function(part) {
    part$data$coords <- moved
    part$data$location <- location
    part["offset_argument"] <- list(NULL)
    part
  })
}

# Columns that differ between samples of one location.
designs_of_samples <- function(data) {
  cbind(data$X, if (has_effects(data)) as.matrix(data$effects$Z))
}

apart_by_trend <- function(coords, design) {
  place <- location_index(coords)
  group <- location_index(cbind(place, design))
  first <- !duplicated(group)
  place_of_group <- place[first]
  number <- stats::ave(seq_along(place_of_group), place_of_group, FUN = seq_along) - 1
  extents <- coordinate_extents(coords)
  along <- which.max(extents)
  coords[, along] <- coords[, along] + sample_step * extents[along] * number[group]
  coords
}

coordinate_extents <- function(coords) apply(coords, 2L, function(x) diff(range(x)))

#' @export
located_fields.neargp_composition_responses <- function(responses, structures, parts) {
  last <- length(structures)
  extents <- coordinate_extents(parts[[1L]]$data$coords)
  component <- structures[[last]]$component
  count <- length(range_groups(component, parts[[1L]]$locations)$names) -
    is_replicated(component)
  structures[[last]]$component$range <- rep(constant_range * min(extents[extents > 0], 1), count)
  structures
}

# ---- the result ----------------------------------------------------------------------------------

#' @export
finished_joint_fit.neargp_composition_responses <- function(responses, object) {
  counts <- vapply(object$parts, function(part) part$data$y, object$parts[[1L]]$data$y)
  counts <- matrix(counts, ncol = length(object$outputs), dimnames = list(NULL, object$outputs))
  data <- object$parts[[1L]]$data
  place <- object$posterior$place[seq_len(nrow(counts))]
  object$composition <- list(counts = counts, weights = data$weights %||% rep(1, nrow(counts)),
    place = place, location = data$location[match(seq_len(max(place)), place)],
    constants = ncol(object$loadings))
  object$all_loadings <- object$loadings
  object$log_likelihood <- object$log_likelihood + multinomial_constant(object$composition,
    data$offset)
  object$formulas <- responses$formula
  object["separate"] <- list(NULL)
  class(object) <- c("neargp_composition", class(object))
  object$loadings <- shared_loadings(object)  # which stats::loadings() returns
  object
}

# See the formulas above.
multinomial_constant <- function(composition, offset) {
  weights <- composition$weights
  totals <- rowSums(composition$counts)
  by_place <- function(values) as.vector(rowsum(values, composition$place))
  N <- by_place(weights * totals)
  E <- by_place(weights * exp(offset))
  sum(weights * (lfactorial(totals) - totals * offset)) + sum(N * log(E) - lgamma(N)) +
    length(N) * log(constant_sd * sqrt(2 * pi))
}
