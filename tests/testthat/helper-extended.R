# Tests of more than some tenths of a second: the others are a minute together, and have each
# property on a small case.
skip_unless_extended <- function() {
  skip_if_not(is_extended(), "it takes longer: set NEARGP_EXTENDED_TESTS=true")
}

is_extended <- function() nzchar(Sys.getenv("NEARGP_EXTENDED_TESTS"))
