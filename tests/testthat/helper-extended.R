# Tests of more than some tenths of a second: the others are five minutes together, and have each
# property on a small case.
is_extended <- function() nzchar(Sys.getenv("NEARGP_EXTENDED_TESTS"))

# Whether this test is among those of NEARGP_EXTENDED_TESTS: all, or one part of them, such as 1/2.
is_chosen <- function(desc) {
  asked <- Sys.getenv("NEARGP_EXTENDED_TESTS")
  if (!grepl("^[0-9]+/[0-9]+$", asked)) return(TRUE)
  part <- as.integer(strsplit(asked, "/", fixed = TRUE)[[1L]])
  sum(utf8ToInt(desc)) %% part[2L] == part[1L] - 1L
}

# A test_that() of the extended tier. Elsewhere it is not even skipped, which takes milliseconds.
test_extended <- function(desc, code) {
  if (!is_extended() || !is_chosen(desc)) return(invisible())
  eval(bquote(testthat::test_that(.(desc), .(substitute(code)))), parent.frame())
}

# For the rest of a test, or one of snapshots, which testthat deletes unless their test is skipped.
skip_unless_extended <- function() {
  skip_if_not(is_extended(), "it takes longer: set NEARGP_EXTENDED_TESTS=true")
}
