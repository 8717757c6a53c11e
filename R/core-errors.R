# Errors of the core as conditions of the package. The core's functions, those of RcppExports.R, are
# all wrapped here, and each of their errors gets a class. Two errors also get a remedy: memory ran
# out, or an object is not of the type expected.

in_core <- function(expr) withCallingHandlers(expr, error = abort_core_error)

abort_core_error <- function(condition) {
  if (inherits(condition, "neargp_error")) return(invisible())
  message <- conditionMessage(condition)
  if (is_memory_error(condition)) {
    abort_neargp("memory", c("The computation does not fit into memory.",
      x = if (inherits(condition, "neargp::MemoryError")) message
        else if (!inherits(condition, "C++Error")) paste0("R says: ", message, "."),
      i = paste("Use fewer neighbours (`k`) or fewer rows, or predict and simulate in parts, by a smaller `chunk_size` or fewer draws. exact_gp() is",
        "for a few thousand rows.")), parent = NA)
  }
  if (inherits(condition, "neargp::Error")) abort_neargp("core", message, parent = NA)
  abort_neargp("core", c("This fit is incomplete or was created by an incompatible version.", x = message,
    i = "Fit the model again."),
    parent = NA)
}

# Recognises errors of memory: of C++, and of R where it could not make a vector for a result.
is_memory_error <- function(condition) {
  inherits(condition, c("neargp::MemoryError", "std::bad_alloc", "std::length_error",
    "std::bad_array_new_length")) ||
    grepl("std::bad_alloc|annot allocate|vector memory", conditionMessage(condition))
}

local({
  package <- topenv()
  for (name in ls(package, pattern = "^core_")) {
    wrapped <- get(name, package)
    if (!is.function(wrapped) || !".Call" %in% all.names(body(wrapped))) next
    body(wrapped) <- call("in_core", body(wrapped))
    assign(name, wrapped, package)
  }
})

# The core's result with inducing points; aborts if a matrix was singular.
checked_bound <- function(found) if (nzchar(found$failure)) abort_bound(found$failure) else found

abort_bound <- function(failure) {
  what <- c(prior = "of the inducing points", posterior = "of the inducing points given the data",
    trend = "of the trend")
  abort_neargp("cholesky",
    c(sprintf("The covariance matrix %s is numerically singular.", what[[failure]]),
      i = if (failure == "trend")
      "Leave out covariates that are nearly combinations of others." else
        "Use fewer inducing points, a larger `jitter` of svgp(), or a rougher covariance such as cov_matern(nu = 1.5)."))
}
