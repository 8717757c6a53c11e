# Finds words of help, articles, README, NEWS and DESCRIPTION that neither British English nor inst/WORDLIST contains.
#
#   Rscript tools/check-spelling.R          prints them. The exit status is 1 where there are any.
#   Rscript tools/check-spelling.R accept   makes inst/WORDLIST of those that there are.
if (!requireNamespace("spelling", quietly = TRUE) || !"en_GB" %in% hunspell::list_dictionaries()) {
  cat("spelling: skipped, there is no package spelling with a dictionary of British English.\n")
  quit(status = 0L)
}
accept <- "accept" %in% commandArgs(TRUE)
# Commands and indices of the equations in articles.
in_equations <- c("diag", "frac", "tfrac", "qquad", "mathcal", "mathrm", "leftarrow", "lVert", "rVert", "nabla", "sim", "tr",
  "ij", "il", "ilh", "iz", "jj", "jl", "lh", "ss", "sz", "zi", "zs", "zz")
found <- spelling::spell_check_package(".", vignettes = TRUE, use_wordlist = !accept)
found <- found[!found$word %in% in_equations, ]
if (accept) {
  writeLines(sort(found$word, method = "radix"), "inst/WORDLIST")
} else if (nrow(found)) {
  print(found)
  quit(status = 1L)
}
