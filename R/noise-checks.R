# Checks of the arguments that say how noise differs between rows, and what cannot carry it.

# A formula in place of a number, of the noise or of a parameter of a family.
check_row_formula <- function(formula, name) {
  if (!rlang::is_formula(formula) || length(formula) != 2L || "." %in% all.vars(formula)) {
    abort_argument(name, "NULL, a number, or a one-sided formula of covariates such as ~ depth",
      formula)
  }
  if (any(c("|", "||", "s", "t2") %in% all.names(formula[[2L]]))) {
    abort_neargp("argument", c(
      sprintf("The formula of `%s` supports neither random effects nor smooths.", name),
      i = "Use covariates, or a basis such as poly(depth, 2)."))
  }
  formula
}

check_row_recipe <- function(recipe, table, what, class) {
  found <- qr(cbind(1, local_design(recipe, table)))
  if (found$rank == length(recipe$names) + 1L) return(invisible())
  abort_neargp(class, c(sprintf("The covariates of %s are linearly dependent.", what),
    x = sprintf("Given the others, %s is redundant.",
      format_some(recipe$names[found$pivot[-seq_len(found$rank)] - 1L])),
    i = sprintf("Leave that covariate out of %s.", what)))
}

check_measurement_variance <- function(known, frame) {
  if (is.null(known)) return(NULL)
  if (!is_bare_number(known) || NCOL(known) > 1L) {
    abort_neargp("noise", c("`measurement_variance` must be numbers, one or one for each row.",
      x = paste0("It is ", if (NCOL(known) > 1L) "a matrix" else paste("of class",
        class(known)[1L]), ".")))
  }
  known <- as.double(known)
  bad <- which(!is.finite(known) | known < 0)
  if (length(bad)) {
    abort_neargp("noise", c(sprintf("`measurement_variance` is negative or not finite in %s.",
      format_rows(original_rows(frame, bad))),
      i = "It is the variance of a measurement's error: the square of its standard error."))
  }
  if (all(known == 0)) {
    abort_neargp("noise", c("`measurement_variance` is 0 in all rows.",
      i = "Leave `measurement_variance` out where no error is known."))
  }
  known
}

# ---- what cannot carry it ------------------------------------------------------------------------

refuse_noise <- function(what, hint) {
  abort_neargp("noise",
    c(sprintf("`nugget = ~` and `measurement_variance` are not supported %s.", what), i = hint))
}

check_noise_model <- function(settings, has_known, source) {
  if (!is_noise_formula(settings$nugget) && !has_known) return(invisible())
  method <- settings$method
  check_gaussian(settings$family,
    refuse_noise(sprintf("for %s response", with_article(settings$family)),
      "They model the nugget of a Gaussian response. Other families describe scatter by their own parameters."))
  if (!has_ability(method, "noise_model")) {
    refuse_noise(sprintf("by %s", method$label),
      sprintf("They are available for %s.", able_methods("noise_model")))
  }
  if (any(method$optimizer %in% c("adam", "natural"))) {
    refuse_noise(sprintf("with optimizer = \"%s\"", method$optimizer),
      "The default optimiser of the method finds them.")
  }
  if (!is.null(source)) {
    refuse_noise("for rows that are read in pieces", "Fit them to a sample of the rows in memory.")
  }
  if (identical(settings$device, "cuda")) {
    refuse_noise("on a GPU", "Use device = \"cpu\" or \"auto\".")
  }
}

check_noise_outputs <- function(noise, data) {
  if (is.null(noise) || is.null(data$output)) return(invisible())
  refuse_noise("for several responses", "Fit the responses one by one.")
}
