# Methods by response. A method handles responses other than one Gaussian one by S3 methods for
# separate classes. new_problem() adds these classes once the response is known, before those of the
# settings object. For example, "neargp_loo_k_families" then precedes "neargp_loo_k", and
# "neargp_method_families", for what all methods share, precedes "neargp_method".

# The kinds of responses, the more special first. A Gaussian response of one output is of no kind,
# unless it is transformed or recalibrated.
response_kinds <- c("polya_gamma", "classes", "outputs", "families", "transformed")

method_kinds <- function(method, family, data) {
  UseMethod("method_kinds")
}

#' @export
method_kinds.default <- function(method, family, data) {
  if (!is.null(data$output)) "outputs" else if (is_class_data(data)) "classes" else
    if (!is_gaussian(family)) "families" else if (has_transform(family)) "transformed"
}

# The method as that of such a response, whichever it was of before.
method_for <- function(method, family, data) {
  kinds <- method_kinds(method, family, data)
  class(method) <- unlist(lapply(plain_class(method),
    function(name) c(sprintf("%s_%s", name, kinds), name)))
  method
}

# The class of the settings object as the user has made it.
plain_class <- function(method) {
  grep(sprintf("_(%s)$", paste(response_kinds, collapse = "|")), class(method), value = TRUE,
    invert = TRUE)
}

method_call <- function(method) paste0(method_name(method), "()")

# The name of the constructor, which glance() returns.
method_name <- function(method) {
  name <- sub("^neargp_", "", plain_class(method)[1L])
  if (name %in% names(made_by)) made_by[[name]] else name
}

# The constructors of classes that are not named after them.
made_by <- c(vecchia_inducing = "vecchia", vecchia_field = "vecchia", exact_gp_cg = "exact_gp",
  ppgpr_diagonal = "ppgpr", shared_field = "vnngp")

# A family as family_call() writes it, with its article: an ordinal(), a poisson().
with_article <- function(family) {
  called <- family_call(family)
  paste(if (grepl("^[aeio]", called)) "an" else "a", called)
}

# The family as a user writes it.
family_call <- function(family) {
  name <- if (is.character(family)) family else family$family
  paste0(ifelse(name == "beta", "beta_response", name), "()")
}
