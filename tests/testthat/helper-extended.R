# Tests of more than some tenths of a second: the others are a minute together, and have each
# property on a small case.
is_extended <- function() nzchar(Sys.getenv("NEARGP_EXTENDED_TESTS"))

# A test_that() of the extended tier. Elsewhere it is not even skipped, which takes milliseconds.
test_extended <- function(desc, code) {
  if (!is_extended()) return(invisible())
  eval(bquote(testthat::test_that(.(desc), .(substitute(code)))), parent.frame())
}

# For the rest of a test, or one of snapshots, which testthat deletes unless their test is skipped.
skip_unless_extended <- function() {
  skip_if_not(is_extended(), "it takes longer: set NEARGP_EXTENDED_TESTS=true")
}
