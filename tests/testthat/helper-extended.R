# Tests of more than some tenths of a second: the others are a minute together, and have each
# property on a small case.
skip_unless_extended <- function() {
  skip_if_not(nzchar(Sys.getenv("NEARGP_EXTENDED_TESTS")),
    "it takes longer: set NEARGP_EXTENDED_TESTS=true")
}
