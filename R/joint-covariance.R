# The fields of several responses. A structure is a set of fields with one correlation function. Its
# loadings are a matrix with a row for each response and a column for each field.
#
# Within a structure the fields can be rotated without a change of the model. The loadings of shared
# fields are therefore zero above a triangle of the responses in some order, `pivots`. Fields of a
# response's own have loadings for this response alone.

# A list of structures. `component`: the correlation. `fields`: how many. `own`: the response of
# each field, NULL for shared fields. `of`: the response whose fit the search begins at, NULL for
# all. `loadings`: known ones, NULL for estimated ones. In compositions (composition.R),
# `reference` is a response without loadings, and `constant` marks the constants of samples.
joint_structures <- function(covariance, outputs, most_separate = 3L) {
  count <- length(outputs)
  if (is.null(covariance)) {
    matern <- cov_matern(nu = 1.5)$components[[1L]]
    if (count > most_separate) return(list(new_structure(matern, fields = 2L)))
    return(lapply(seq_len(count), function(of) new_structure(matern, fields = 1L, of = of)))
  }
  covariance <- as_coregionalisation(covariance)
  check_rank_of_outputs(covariance, outputs)
  shared <- lapply(seq_along(covariance$components), function(j) {
    known <- covariance$matrices[[j]]
    new_structure(covariance$components[[j]], fields = covariance$rank[j] %||% count,
      loadings = if (!is.null(known)) loadings_of(known, count))
  })
  structures <- c(shared, own_structures(covariance$own, outputs))
  for (structure in structures) check_joint_component(structure$component)
  check_own_identified(structures, count)
  structures
}

new_structure <- function(component, fields, own = NULL, of = NULL, loadings = NULL) {
  list(component = component, fields = if (is.null(loadings)) fields else ncol(loadings), own = own,
    of = of, loadings = loadings)
}

# `own`: a covariance for all responses, or a list of one for some of them.
own_structures <- function(own, outputs) {
  if (is.null(own)) return(NULL)
  if (inherits(own, "neargp_covariance")) {
    return(lapply(own$components, new_structure, fields = length(outputs),
      own = seq_along(outputs)))
  }
  unknown <- setdiff(names(own), outputs)
  if (length(unknown)) {
    abort_argument("own", sprintf("a list with names of responses (%s)%s", format_some(outputs),
      nearest_name_hint(unknown[1L], outputs)), unknown[1L])
  }
  unlist(lapply(names(own), function(name) {
    lapply(own[[name]]$components, new_structure, fields = 1L, own = match(name, outputs))
  }), recursive = FALSE)
}

# Shared fields of full rank already contain fields of single responses with the same correlation.
check_own_identified <- function(structures, count) {
  shared <- Filter(function(x) is.null(x$own) && x$fields >= count, structures)
  alike <- function(x, y) identical(unclass(x$component), unclass(y$component))
  for (own in Filter(function(x) !is.null(x$own), structures)) {
    if (!any(vapply(shared, alike, NA, own))) next
    abort_argument("own", "another covariance than the shared one of full rank, or `rank` lower",
      "the same covariance")
  }
}

check_joint_component <- function(component) {
  covariance <- structure(list(components = list(component)), class = "neargp_covariance")
  if (has_local_fields(covariance) || has_features(covariance) || has_linear(covariance) ||
      has_network(covariance)) {
    abort_argument("covariance",
      "stationary for several responses, without a column as `by`, formulas, warp and features",
      covariance)
  }
}

# Whether a structure is that of the constants of samples.
holds_constants <- function(structures) vapply(structures, function(x) isTRUE(x$constant), NA)

count_shared_fields <- function(structures) sum(vapply(structures, `[[`, 0L, "fields"))

structure_of_fields <- function(structures) {
  rep(seq_along(structures), vapply(structures, `[[`, 0L, "fields"))
}

# Which loadings of a structure are free, responses x fields. `pivots`: the order of the responses
# in which loadings of shared fields are a triangle.
free_loadings <- function(structure, count, pivots) {
  if (!is.null(structure$loadings)) return(matrix(FALSE, count, structure$fields))
  free <- matrix(FALSE, count, structure$fields)
  if (!is.null(structure$own)) {
    free[cbind(structure$own, seq_along(structure$own))] <- TRUE
    return(free)
  }
  pivots <- setdiff(pivots, structure$reference)
  for (field in seq_len(structure$fields)) free[pivots[field:length(pivots)], field] <- TRUE
  free
}

# ---- layout --------------------------------------------------------------------------------------

plain_layout_columns <- c("name", "component", "kind", "group", "transform", "value", "start",
  "penalty")

# The table of parameters, as of new_layout(), with two more columns. `output` is the response that
# a parameter belongs to, NA for those of the structures. `row` is its row in the layout of the
# response's part.
joint_layout <- function(structures, free, parts, locations) {
  outputs <- names(parts)
  constant <- holds_constants(structures)
  several <- sum(!constant) > 1L
  of_structures <- lapply(seq_along(structures), function(j) {
    layout <- rbind(joint_loading_layout(structures[[j]], free[[j]], outputs),
      component_layout(structures[[j]]$component, locations)[-1L, ])
    layout$component <- j
    if (several || constant[j]) {
      layout$name <- paste0(layout$name, "_", if (constant[j]) "constant" else j)
    }
    layout[c("output", "row")] <- list(NA_integer_, NA_integer_)
    layout
  })
  of_parts <- lapply(seq_along(parts), function(m) {
    layout <- parts[[m]]$layout
    rows <- which(of_family(parts[[m]]$family, layout) | layout$kind %in% effect_kinds)
    own <- layout[rows, plain_layout_columns]
    own$name <- sprintf("%s:%s", outputs[m], own$name)
    own$component <- rep(NA_integer_, length(rows))
    cbind(own, output = rep(m, length(rows)), row = rows)
  })
  layout <- do.call(rbind, c(of_structures, of_parts))
  rownames(layout) <- NULL
  layout$fixed <- !is.na(layout$value)
  with_scales_of_parts(layout, parts)
}

# Coefficients of family parameters keep the units of their covariates.
with_scales_of_parts <- function(layout, parts) {
  scale <- rep(1, nrow(layout))
  for (m in seq_along(parts)) {
    own <- layout$output %in% m
    scale[own] <- rep_len(covariate_scale(parts[[m]]$layout),
      nrow(parts[[m]]$layout))[layout$row[own]]
  }
  if (any(scale != 1)) layout$covariate_scale <- scale
  layout
}

joint_loading_layout <- function(structure, free, outputs) {
  value <- if (is.null(structure$loadings)) 0 * free else structure$loadings
  value[free] <- NA_real_
  names <- outer(outputs, seq_len(ncol(free)), function(output, field) paste0("loading_", output,
    "_f", field))
  layout_rows(as.vector(t(names)), "loading", "identity", value = as.vector(t(value)))
}

# The layout of one structure as the core has it: a field of variance 1.
structure_layout <- function(layout, j) {
  rows <- which(layout$component %in% j & layout$kind != "loading")
  plain <- c(plain_layout_columns, "fixed")
  own <- layout[rows, plain]
  own$component <- rep(1L, length(rows))
  unit <- layout_rows("variance", "variance", "log", value = 1)
  unit$component <- 1L
  nugget <- nugget_layout(0)
  unit$fixed <- nugget$fixed <- TRUE
  list(layout = rbind(unit[plain], own, nugget[plain]), rows = rows)
}

# The loadings of all fields, responses x fields, from values of the layout.
joint_loadings <- function(layout, values, count) {
  parts <- lapply(sort(unique(layout$component[layout$kind == "loading"])), function(j) {
    matrix(values[layout$kind == "loading" & layout$component %in% j], count, byrow = TRUE)
  })
  do.call(cbind, parts)
}

# The rows of the layout in the order of the elements of the loadings, by column.
loading_rows <- function(layout, count) {
  rows <- lapply(sort(unique(layout$component[layout$kind == "loading"])), function(j) {
    matrix(which(layout$kind == "loading" & layout$component %in% j), count, byrow = TRUE)
  })
  as.vector(do.call(cbind, rows))
}

# Whether a structure is the field of a single response.
is_of_one_response <- function(structure) length(structure$of) == 1L
