#' Factors among the coordinates
#'
#' @description
#' A factor, text or logical column in `coords` of [neargp()] is a coordinate without distances.
#'
#' ```r
#' chicks <- ChickWeight[seq(1, 578, 3), ]
#' fit <- neargp(weight ~ 1, chicks, coords = ~ Time + Diet, covariance = cov_matern())
#' coef(fit, what = "covariance")
#' ```
#'
#' @details
#' Two rows share a level or not. Their squared scaled distance is `(d / range)^2` of the numeric
#' coordinates, plus `1 / range_colour^2` if they differ in the factor `colour`. Each factor uses a
#' range of its own, and a long range means that its levels are similar. Successive levels of
#' ordered factors are at distance 1, and `warp = monotone(~ size)` of a [covariance] learns the
#' spacing.
#'
#' Internally, a factor of `L` levels is `L - 1` coordinates, the corners of a regular simplex, and
#' time and memory grow with them. A matrix of inducing points contains the numbers of the levels.
#'
#' Predictions accept levels of a factor that no row of the fit contains. More than 50 levels, or
#' one for each row, are an error, and so are levels of `newdata` that are unknown to the fit. For
#' effects of levels, use the formula: `y ~ soil` or `y ~ (1 | soil)`.
#' @seealso [neargp_coordinates], [random_effects]
#' @examples
#' # Yields on three similar soils
#' set.seed(1)
#' fields <- data.frame(x = runif(150), y = runif(150),
#'   soil = factor(sample(c("clay", "loam", "sand"), 150, TRUE)))
#' fields$yield <- with(fields, sin(5 * x + as.integer(soil) / 2) + rnorm(150, sd = 0.1))
#' fit <- neargp(yield ~ 1, fields, coords = ~ x + y + soil, covariance = cov_matern())
#' coef(fit, what = "covariance")
#' summary(fit)$level_correlation
#' predict(fit, data.frame(x = 0.5, y = 0.5, soil = c("clay", "sand")))
#' @name factor_coordinates
NULL

# Factors among the coordinates. Raw coordinates contain the numbers of their levels. Embedded ones
# contain the corners of a regular simplex with edges of length 1: L - 1 columns for a factor of L
# levels. Any two levels are then at distance 1, and neighbours, covariances and their derivatives
# need no rule for factors. With the range r of the factor, two rows with different levels add
# 1 / r^2 to the squared distance in their other coordinates. An ordered factor is one column, the
# numbers of its levels.

# With more levels, each contains few rows, whose locations rarely distinguish it from the others.
# Each level also adds a column.
most_levels <- 50L

# Factors among the columns that terms make of the data.
coordinate_factors <- function(terms, data, replicates) {
  names <- attr(terms, "term.labels")
  columns <- coordinate_columns(data, list(terms = terms, names = names), "data")
  check_text_coordinates(columns, names, replicates)
  factors_among(columns, names)
}

# Factors among columns, by the names of these: their levels, and whether these are ordered. A
# column of nothing but NA is logical.
factors_among <- function(columns, names) {
  stats::setNames(lapply(columns, new_coordinate_levels), names)[vapply(columns, is_levelled, NA)]
}

is_levelled <- function(x) {
  is.null(dim(x)) && (is.factor(x) || is.character(x) || (is.logical(x) && !all(is.na(x))))
}

new_coordinate_levels <- function(x) {
  if (!is_levelled(x)) return(NULL)
  list(levels = if (is.factor(x)) levels(x) else as.character(sort(unique(x))),
    ordered = is.ordered(x))
}

# Numbers that became levels would be equally far from each other. One word among numbers turns a
# column of a file into text. No distance is between levels of `replicates`.
check_text_coordinates <- function(columns, names, replicates = NULL) {
  for (i in which(vapply(columns, is.character, NA))) check_encoding(columns[[i]], names[i], "data")
  text <- names[vapply(columns, function(x) is.character(x) && share_of_numbers(x) >= 0.5, NA)]
  text <- setdiff(text, replicates)
  if (!length(text)) return(invisible())
  values <- unique(columns[[match(text[1L], names)]])
  words <- values[!is.na(values) & is.na(suppressWarnings(as.numeric(values)))]
  abort_neargp("coordinates", c(
    sprintf("Coordinates are text that reads as numbers: %s.", format_some(text)),
    x = if (length(words)) sprintf("Not numbers in %s: %s.", text[1L],
      format_some(dQuote(words, FALSE))),
    i = sprintf("Convert them: data$%1$s <- as.numeric(data$%1$s).", text[1L]),
    i = sprintf("If they are names of groups, say so: factor(data$%s).", text[1L])))
}

check_coordinate_levels <- function(factors, rows) {
  for (name in names(factors)) {
    count <- length(factors[[name]]$levels)
    if (factors[[name]]$ordered || (count <= most_levels && count < max(rows, 3L))) next
    abort_neargp("levels", c(
      sprintf("The coordinate %s is a factor of %s levels%s: too many to be distinguished by their locations.",
        name, format_count(count), if (count >= rows) ", one for each row" else ""),
      i = sprintf("Leave `%s` out of `coords`, or merge rare levels. Levels that no row has are dropped by droplevels().",
        name),
      i = "Groups can enter the trend, as a factor or by (1 | group); levels with an order are ordered()."))
  }
}

has_factors <- function(locations) length(locations$factors) > 0L

# Coordinates of space that are numbers: they come first.
numeric_names <- function(locations) setdiff(locations$raw_names, names(locations$factors))

# ---- replicates ----------------------------------------------------------------------------------

# Marks the factors whose levels get independent copies of a component. Their coordinate is the
# number of the level, as for ordered factors.
mark_replicates <- function(factors, replicates) {
  for (name in intersect(replicates, names(factors))) {
    factors[[name]][c("ordered", "replicate")] <- list(TRUE, TRUE)
  }
  factors
}

replicates_among <- function(locations) {
  names(Filter(function(known) isTRUE(known$replicate), locations$factors))
}

without_replicates <- function(locations) {
  gone <- replicates_among(locations)
  locations$factors <- locations$factors[setdiff(names(locations$factors), gone)]
  locations$raw_names <- setdiff(locations$raw_names, gone)
  describe_embedding(locations)
}

# ---- codes ---------------------------------------------------------------------------------------

# A column in numbers, as the fit has them.
coordinate_numbers <- function(x, name, locations, argument) {
  levels <- locations$factors[[name]]$levels
  if (is.null(levels)) return(as.double(x))
  values <- as.character(x)
  codes <- match(values, levels)
  unknown <- which(is.na(codes) & !is.na(values))
  if (length(unknown)) {
    new <- unique(values[unknown])
    abort_neargp("levels", c(
      sprintf("The coordinate %s has %s in `%s` that the fit does not know: %s.", name,
        if (length(new) == 1L) "a level" else "levels", argument, format_some(new)),
      x = paste0("In ", format_rows(unknown), "."),
      i = paste0("Known levels: ", format_some(levels, 12L), "."),
      i = "Give the factor all levels when you fit the model, even those without a row."))
  }
  as.double(codes)
}

# Raw coordinates as a data frame, factors as such.
with_levels <- function(raw, locations) {
  frame <- as.data.frame(raw)
  for (name in names(locations$factors)) {
    known <- locations$factors[[name]]
    frame[[name]] <- factor(known$levels[raw[, name]], known$levels, exclude = NULL,
      ordered = known$ordered)
  }
  frame
}

# ---- embedding -----------------------------------------------------------------------------------

# The kinds of coordinates that are levels of a factor. A component with a replicate consists of an
# independent copy for each of its levels (replicates.R).
level_kinds <- c("factor", "ordered", "replicate")

kind_of_factor <- function(known) {
  if (isTRUE(known$replicate)) "replicate" else if (known$ordered) "ordered" else "factor"
}

simplex_columns <- function(known) if (known$ordered) 1L else max(length(known$levels) - 1L, 1L)

# Corners in rows. Each lies above the centre of the m corners before it, at distance 1 from them.
# Its height h is `sqrt(1 - R^2)`, with `R^2 = (m - 1) / (2 m)`. Two levels are 0 and 1.
simplex_corners <- function(count) {
  corners <- matrix(0, count, max(count - 1L, 1L))
  for (m in seq_len(count - 1L)) {
    before <- corners[seq_len(m), , drop = FALSE]
    corners[m + 1L, ] <- colMeans(before)
    corners[m + 1L, m] <- sqrt((m + 1) / (2 * m))
  }
  corners
}

# Coordinates from raw columns of factors; rows with missing codes stay missing.
embed_factors <- function(raw, factors, argument) {
  columns <- lapply(names(factors), function(name) {
    codes <- raw[, name]
    known <- factors[[name]]
    check_codes(codes, name, known, argument)
    if (known$ordered) codes else simplex_corners(length(known$levels))[codes, , drop = FALSE]
  })
  do.call(cbind, columns)
}

check_codes <- function(codes, name, known, argument) {
  count <- length(known$levels)
  wrong <- which(codes < 1 | codes > count | (!known$ordered & codes != round(codes)))
  if (!length(wrong)) return(invisible())
  abort_neargp("levels", c(
    sprintf("`%s` contains numbers of levels of %s outside 1 to %d (%s).", argument, name, count,
      format_rows(wrong)), i = paste0("Its levels: ", format_some(known$levels, 12L), ".")))
}

# The number of the level at each row of embedded columns; of a location between levels, such as a
# centre of rows, the nearest one.
level_numbers <- function(embedded, known) {
  if (known$ordered) return(pmin(pmax(round(embedded[, 1L]), 1), length(known$levels)))
  corners <- simplex_corners(length(known$levels))
  # |x - c|^2 without |x|^2, which is the same for all corners
  nearest <- max.col(2 * tcrossprod(embedded, corners) -
    rep(rowSums(corners^2), each = nrow(embedded)), "first")
  as.double(nearest)
}

# ---- print() -------------------------------------------------------------------------------------

describe_factors <- function(locations) {
  if (!has_factors(locations)) return(NULL)
  sizes <- vapply(locations$factors, function(known) sprintf("%s%d levels",
    c(factor = "", ordered = "ordered, ", replicate = "independent, ")[[kind_of_factor(known)]],
    length(known$levels)), "")
  paste0(if (length(sizes) == 1L) "factor: " else "factors: ",
    format_some(sprintf("%s (%s)", names(sizes), sizes), 8L))
}
