# The fields read or written as `<object>$<field>` anywhere in the package. `object`: such as
# "problem", or "problem$loo".
fields_of <- function(object) {
  object <- str2lang(object)
  found <- character(0)
  walk <- function(code) {
    if (is.call(code)) {
      if (identical(code[[1L]], quote(`$`)) && identical(code[[2L]], object)) {
        found <<- c(found, as.character(code[[3L]]))
      }
      walk(as.list(code))
    } else if (is.pairlist(code) || is.list(code)) {
      for (part in code) if (!missing(part)) walk(part)
    }
  }
  for (f in as.list(asNamespace("neargp"))) if (is.function(f)) walk(list(formals(f), body(f)))
  unique(found)
}

# The names of the elements of the list that a constructor ends with.
listed_fields <- function(constructor) {
  code <- body(constructor)
  code <- code[[length(code)]]
  while (!identical(code[[1L]], quote(list))) code <- code[[2L]]
  setdiff(names(code), "")
}
