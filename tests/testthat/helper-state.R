# The fields read or written as `<name>$<field>` anywhere in the package.
fields_of <- function(name) {
  found <- character(0)
  walk <- function(code) {
    if (is.call(code)) {
      if (identical(code[[1L]], quote(`$`)) && identical(code[[2L]], as.name(name))) {
        found <<- c(found, as.character(code[[3L]]))
      }
      walk(as.list(code))
    } else if (is.pairlist(code) || is.list(code)) {
      for (part in code) if (!missing(part)) walk(part)
    }
  }
  for (object in as.list(asNamespace("neargp"))) if (is.function(object))
    walk(list(formals(object), body(object)))
  unique(found)
}

# The names of the elements of the list that a constructor ends with.
listed_fields <- function(constructor) {
  code <- body(constructor)
  code <- code[[length(code)]]
  while (!identical(code[[1L]], quote(list))) code <- code[[2L]]
  setdiff(names(code), "")
}
