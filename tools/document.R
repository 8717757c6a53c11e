# Regenerates what is derived from the sources: RcppExports, NAMESPACE and man/.
# Run from the repository root: Rscript tools/document.R

invisible(Sys.setlocale("LC_COLLATE", "C"))  # the order of topics is that of no machine's language

Rcpp::compileAttributes(".", verbose = FALSE)

# Tags of the package srr (R/srr-*.R) make no help, and need no srr.
for (tag in c("srrstats", "srrstatsNA", "srrstatsTODO")) {
  registerS3method("roxy_tag_parse", paste0("roxy_tag_", tag), identity, envir = asNamespace("roxygen2"))
}

# load_source() evaluates R/ alone, so that documenting needs no compilation.
suppressPackageStartupMessages(
  roxygen2::roxygenise(".", load_code = roxygen2::load_source)
)
