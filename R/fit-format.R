# Fits that were saved, and functions that read them. A fit records the version of the package that
# made it and the number of its format, which rises when fields change their meaning. Fits of all
# formats from the oldest to the present one are read without conversion. A field that an earlier
# format lacks is NULL, as in fits of methods that do not use it.

fit_format <- 1L

# The format of fits before formats had numbers.
oldest_fit_format <- 0L

check_fit_format <- function(fit) {
  format <- fit$format %||% 0L
  if (!is.numeric(format) || length(format) != 1L || is.na(format)) {
    abort_neargp("version", "The format of this fit is not a number: it has been altered.")
  }
  if (format >= oldest_fit_format && format <= fit_format) return(invisible(fit))
  older <- format < oldest_fit_format
  abort_neargp("version", c(
    sprintf("This fit was made by neargp %s, and this is %s.", fit$version %||% "of long ago",
      package_version_text()),
    x = sprintf("It has format %s, and formats %d to %d can be read.", format(format),
      oldest_fit_format, fit_format),
    i = if (older) "Fit the model again: its call is in `fit$call`." else
      "Install a version of neargp that is at least as new."))
}

package_version_text <- function() as.character(utils::packageVersion("neargp"))
