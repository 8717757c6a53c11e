# Checks that DESCRIPTION names every package that code, tests or articles call, and none that they do not.
#
#   Rscript tools/check-dependencies.R
#
# Imports and Suggests contain the packages that users need or may want. Enhances and Config/Needs/check contain the
# companions that tests alone compare with, or whose generics get methods. R CMD check takes Enhances as stated, and
# repositories do not install it. Continuous integration installs Config/Needs/check. Exit status 1 where something is
# missing, or too much.

lines_of <- function(files) unlist(lapply(files, readLines, warn = FALSE, encoding = "UTF-8"))

# Names of packages in lines of R code, by `::` outside of strings or as a string that a function takes for one.
called_in <- function(text) {
  text <- c(gsub('"[^"]*"', '""', text), grep("::", text, fixed = TRUE, invert = TRUE, value = TRUE))
  patterns <- c("(?<![\\w.:])[A-Za-z][A-Za-z0-9.]+(?=:::?[A-Za-z_`.(])", "library\\(\\K[A-Za-z0-9.]+",
    paste0("(?:getExportedValue|requireNamespace|check_installed|is_installed|skip_if_not_installed|",
      "need_package|loadNamespace|package <-|package =)\\(? ?\"\\K[A-Za-z][A-Za-z0-9.]+(?=\")"))
  unique(unlist(lapply(patterns, function(pattern) {
    unlist(regmatches(text, gregexpr(pattern, text, perl = TRUE)))
  })))
}

named_in <- function(description, fields) {
  entries <- unlist(strsplit(description[1L, intersect(fields, colnames(description))], ","))
  setdiff(trimws(sub("\\(.*", "", entries)), c("R", ""))
}

files_of <- function(folder) list.files(folder, "\\.(R|Rmd)$", full.names = TRUE)

description <- read.dcf("DESCRIPTION")
base <- c("base", "methods", "splines", "tools", "neargp", "std")
code <- lines_of(files_of("R"))
help <- grepl("^ *#", code)
of_code <- setdiff(called_in(c(code[!help], lines_of(files_of("vignettes")))), base)
of_help <- setdiff(called_in(code[help]), base)  # methods for generics of others, links, examples
of_tests <- setdiff(called_in(lines_of(c(files_of("tests"), files_of("tests/testthat")))), base)
used <- named_in(description, c("Imports", "LinkingTo", "Suggests"))
companions <- named_in(description, "Enhances")
checked <- named_in(description, "Config/Needs/check")

faults <- list(
  "called, but in neither Imports nor Suggests" = setdiff(of_code, used),
  "called by tests or help, but not named" = setdiff(c(of_tests, of_help), c(used, companions)),
  "named, but not called" = setdiff(c(used, companions), c(of_code, of_tests, of_help, "testthat", "RcppEigen")),
  "in Enhances, but not in Config/Needs/check" = setdiff(companions, checked),
  "in Config/Needs/check, but not in Enhances" = setdiff(checked, companions))
for (fault in names(faults)) {
  for (name in sort(unique(faults[[fault]]))) cat("DESCRIPTION: ", name, " is ", fault, ".\n", sep = "")
}
quit(status = as.integer(length(unlist(faults)) > 0L))
