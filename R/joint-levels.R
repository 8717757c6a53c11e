# Predictions of a joint fit at levels of groups that it does not know. Their effects are new
# coefficients after those of the fit, with mean 0 and the covariance matrix of a level. No field
# responds to them.

# The joint fit for predictions at newdata, see for_effects_of(). Its fields are those of `known`.
joint_for_effects_of <- function(object, newdata, re_form, allow_new_levels, pooled) {
  if (!any(lengths(lapply(object$parts, `[[`, "effects")))) return(object)
  changed <- object
  changed$known <- object
  for (m in seq_along(object$parts)) {
    part <- for_effects_of(object$parts[[m]], newdata, re_form, allow_new_levels, pooled)
    changed <- with_new_coefficients(changed, m, part)
    changed$parts[[m]] <- part
    changed$parts[[m]]$joint$columns <- changed$columns
  }
  changed$columns <- NULL
  changed
}

# `part`: response m with further levels. Adds their coefficients to those of all responses, and
# the element `columns`, the places of the response's coefficients among these.
with_new_coefficients <- function(object, m, part) {
  columns <- object$parts[[m]]$joint$columns
  from <- places_of_coefficients(object$parts[[m]], part)
  new <- is.na(from)
  last <- length(object$core_trend$beta)
  added <- last + seq_len(sum(new))
  object$columns <- replace(columns[from], new, added)
  if (!any(new)) return(object)
  vcov <- diagonal_blocks(list(object$core_trend$beta_vcov, part$core_trend$beta_vcov[new, new,
    drop = FALSE]))
  object$core_trend <- list(beta = c(object$core_trend$beta, double(sum(new))), beta_vcov = vcov)
  object$spread$shifted <- lapply(object$spread$shifted, function(shift) {
    shift$beta <- c(shift$beta, double(sum(new)))
    shift
  })
  object
}

# For each coefficient of a part with further levels, its number in the fitted part. NA for new
# ones.
places_of_coefficients <- function(fitted, part) {
  p <- length(fitted$beta)
  effects <- Map(function(old, new) {
    c(p + old$columns, rep(NA, length(new$columns) - length(old$columns)))
  }, fitted$data$effects$blocks, part$data$effects$blocks)
  c(seq_len(p), unlist(effects))
}

# A matrix with columns of zeros for new coefficients.
with_columns_of_new <- function(response, count) {
  cbind(response, matrix(0, nrow(response), count - ncol(response)))
}
