# The parts of print() about random effects and smooths.

# Effective degrees of freedom of each block, sum of 1 - (H^-1)_uu, and of a smooth with its columns
# without a penalty.
effect_edf <- function(object) {
  effects <- fitted_effects(object)
  variance <- effect_variances(object)
  vapply(seq_along(effects$blocks), function(k) {
    block <- effects$blocks[[k]]
    if (block$d > 1L) return(NA_real_)
    sum(1 - variance[block$columns] / drop(effects$factors[[k]])^2)
  }, 0)
}

# Variances of the errors of all effects.
effect_variances <- function(object) {
  if (!is_compressed(object$data)) return(diag(effect_vcov(object)))
  pass <- cached_effects_pass(object, plain_context(object$threads))
  through <- pass$answer %*% pass$trend
  errors <- core_effects_inverse(pass$effects, pass$levels$row, pass$levels$column) +
    rowSums(through[pass$levels$row, , drop = FALSE] *
      pass$answer[pass$levels$column, , drop = FALSE])
  unlist(lapply(seq_along(pass$blocks), function(k) {
    d <- pass$blocks[[k]]$d
    of_levels <- matrix(errors[pass$levels$block == k], d * d)
    # vec(L M L') = (L x L) vec(M)
    own <- kronecker(pass$factors[[k]], pass$factors[[k]]) %*% of_levels
    own[1L + (d + 1L) * (seq_len(d) - 1L), ]
  }))
}

# A row for each smooth: edf, and the standard deviation of each penalty.
smooth_table <- function(object) {
  blocks <- object$data$effects$blocks
  smooth <- which(vapply(object$effects, function(recipe) recipe$kind == "smooth", NA))
  edf <- effect_edf(object)
  term <- vapply(blocks, `[[`, 0L, "term")
  sds <- stats::setNames(object$parameters$estimate, object$layout$name)
  rows <- lapply(smooth, function(i) {
    recipe <- object$effects[[i]]
    own <- which(term == i)
    data.frame(term = recipe$label, edf = sum(edf[own]) + sum(recipe$penalty == 0),
      sd = I(list(unname(sds[parameter_names(recipe)]))))
  })
  do.call(rbind, rows)
}

effects_sections <- function(x, digits) {
  if (has_effects(x$data)) list(groups_section(x, digits), smooths_section(x, digits))
}

groups_section <- function(x, digits) {
  variances <- VarCorr(x)
  own <- attr(variances, "kind") == "group"
  if (!any(own)) return(NULL)
  levels <- attr(variances, "levels")[own]
  group <- vapply(x$data$effects$blocks, `[[`, "", "label")[own]
  first <- !duplicated(group)
  shown <- structure(unclass(variances)[own], sc = attr(variances, "sc"))
  new_section("Random effects:", variance_table(shown, digits),
    paste0("Levels: ", paste(sprintf("%s, %s", group[first], format_count(levels[first])),
      collapse = "; ")), show_strings)
}

smooths_section <- function(x, digits) {
  smooths <- smooth_table(x)
  if (is.null(smooths)) return(NULL)
  sd <- vapply(smooths$sd, function(sd) paste(format(signif(sd, digits), digits = digits),
    collapse = ", "), "")
  new_section("Smooth terms:", cbind(Smooth = smooths$term, edf = formatC(smooths$edf,
    digits = 2L, format = "f"), sd = sd), show = show_strings)
}

#' @rdname random_effects
#' @export
print.VarCorr.neargp <- function(x, digits = max(3L, getOption("digits") - 3L),
                                 comp = "Std.Dev.", ...) {
  check_choices(comp, "comp", c("Std.Dev.", "Variance"))
  show_strings(variance_table(x, digits, comp))
  invisible(x)
}

# A matrix of strings with a row for each standard deviation.
variance_table <- function(x, digits, comp = "Std.Dev.") {
  shown <- function(values) format(signif(values, digits), digits = digits)
  rows <- lapply(names(x), function(group) {
    sd <- attr(x[[group]], "stddev")
    correlation <- attr(x[[group]], "correlation")
    d <- length(sd)
    below <- vapply(seq_len(d), function(i) {
      paste(formatC(correlation[i, seq_len(i - 1L)], digits = 2L, format = "f", width = 5L),
        collapse = " ")
    }, "")
    cbind(Groups = c(group, rep("", d - 1L)), Name = if (is.null(names(sd))) "" else names(sd),
      Variance = shown(sd^2), Std.Dev. = shown(sd), Corr = below)
  })
  noise <- attr(x, "sc")
  if (!is.na(noise)) {
    rows <- c(rows, list(cbind("Residual", "", shown(noise^2), shown(noise), "")))
  }
  table <- do.call(rbind, rows)
  table <- table[, c("Groups", "Name", comp, if (any(nzchar(table[, "Corr"]))) "Corr"),
    drop = FALSE]
  table
}
