# Sections: the parts in which print() and summary() show a fit. A section consists of a title,
# values and remarks, each of which may be missing. The method of sections() for a kind of fits
# returns its list, and the printer below is the only one.

# `summary`: that of the fit, for the tables of summary(), or NULL for the lines of print().
sections <- function(x, digits, summary = NULL) {
  UseMethod("sections")
}

# `show` prints the values. `apart`: an empty line goes before the section. A remark is a sentence.
new_section <- function(title = NULL, values = NULL, remarks = NULL, show = show_named,
                        apart = TRUE) {
  list(title = title, values = values, remarks = remarks, show = show, apart = apart)
}

print_sections <- function(sections, digits) {
  for (section in Filter(Negate(is.null), sections)) {
    writeLines(c(character(0), if (section$apart) "", section$title))
    if (length(section$values)) section$show(section$values, digits)
    writeLines(as.character(strwrap(section$remarks, getOption("width") + 1L, indent = 2L,
      exdent = 4L)))
  }
}

# ---- values --------------------------------------------------------------------------------------

# "Formula:      z ~ 1" for each named string.
fact_width <- 13L

show_facts <- function(values, digits) {
  writeLines(sprintf("%-*s %s", fact_width, paste0(names(values), ":"), values))
}

show_named <- function(values, digits) cat(paste_named(values, digits), "\n", sep = "")

# Names above values, in as many pairs of lines as the width of the console asks for.
paste_named <- function(values, digits) {
  formatted <- vapply(values, function(v) format(signif(v, digits), digits = digits), "")
  width <- pmax(nchar(names(values)), nchar(formatted))
  aligned <- function(x) mapply(formatC, x, width = width)
  used <- Reduce(function(before, own) if (before + own > getOption("width")) own else before + own,
    width + 2L, accumulate = TRUE)
  pairs <- vapply(split(seq_along(values), cumsum(used == width + 2L)), function(own) {
    paste0("  ", paste(aligned(names(values))[own], collapse = "  "), "\n  ",
      paste(aligned(formatted)[own], collapse = "  "))
  }, "")
  paste(pairs, collapse = "\n")
}

# Coefficients with their errors and tests.
show_coefficients <- function(values, digits) {
  stats::printCoefmat(values, digits = digits, signif.legend = FALSE)
}

# Each number for itself: a tiny nugget would put all of them in scientific notation.
show_numbers <- function(values, digits) {
  shown <- apply(values, c(1L, 2L), function(v) format(signif(v, digits), digits = digits))
  print(shown, quote = FALSE, right = TRUE)
}

# Estimates and standard errors. Inf stands for the error of a parameter that is fixed.
show_estimates <- function(values, digits) {
  shown <- apply(values, c(1L, 2L), function(v) {
    if (is.na(v)) "" else if (is.finite(v)) format(signif(v, digits), digits = digits) else "fixed"
  })
  shown <- matrix(shown, nrow(values), dimnames = dimnames(values))
  print(shown, quote = FALSE, right = TRUE)
}

# Named numbers above a table of ranges with its own remark.
show_with_ranges <- function(values, digits, most = 20L) {
  if (length(values$values)) show_named(values$values, digits)
  ranges <- values$ranges
  rows <- utils::head(ranges, most)
  shown <- function(x, digits) vapply(signif(x, digits), format, "", digits = digits)
  table <- cbind(coordinate = rows$coordinate, range = shown(rows$range, digits),
    if (!anyNA(rows$in_sd)) cbind(`range / sd` = shown(rows$in_sd, 3L)))
  writeLines("  Ranges, from the coordinate with the most effect to the least:")
  rownames(table) <- rep("  ", nrow(table))
  print(table, quote = FALSE, right = TRUE)
  if (nrow(ranges) > most) {
    writeLines(sprintf("  and %d more: coef(fit, what = \"covariance\")", nrow(ranges) - most))
  }
}

show_rounded <- function(values, digits) print(signif(values, digits))

show_strings <- function(values, digits) {
  rownames(values) <- rep("", nrow(values))
  print(values, quote = FALSE, right = FALSE)
}

show_rows <- function(values, digits) {
  numbers <- vapply(values, is.double, NA)
  values[numbers] <- lapply(values[numbers], signif, digits)
  print.data.frame(values, row.names = FALSE)
}

show_as_printed <- function(values, digits) print(values)
