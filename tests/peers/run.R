# Compares neargp with other packages: each script compares results with numbers that another package prints, tests for, or
# computes here. reasons.csv explains every row that is not equal. A difference without a reason there makes the run fail.
#
#   R_LIBS=_build/library Rscript tests/peers/run.R        # prints the table
#   R_LIBS=_build/library Rscript tests/peers/run.R save   # and writes bench/results/peers.csv, which the article Validation shows
#
# Packages: sp, sf, gstat, fields, spatial, nlme, mgcv, MASS.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
folder <- dirname(normalizePath(script))
root <- dirname(dirname(folder))
Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
setwd(folder)
results <- tempfile()
dir.create(results)
Sys.setenv(PEERS_OUT = results)
for (name in c("gpboost", "nlme", "nlme-groups", "gstat", "fields-spatial", "migration")) {
  status <- system2(file.path(R.home("bin"), "Rscript"), paste0(name, ".R"), stdout = NULL)
  if (status != 0) stop(name, ".R ended with an error.")
}
rows <- do.call(rbind, lapply(list.files(results, full.names = TRUE), utils::read.csv))
reasons <- utils::read.csv("reasons.csv")
at <- match(rows$id, reasons$id)
different <- rows$verdict != "equal"
rows$kind <- ifelse(different, reasons$kind[at], "equal")
rows$reason <- ifelse(different, reasons$reason[at], "")
unexplained <- different & is.na(at)
cat(sprintf("%d rows, %d equal, %d different with a reason, %d without\n", nrow(rows), sum(!different),
  sum(different & !unexplained), sum(unexplained)))
print(rows[unexplained, c("script", "id", "what", "expected", "got")], row.names = FALSE)
if ("save" %in% commandArgs(TRUE)) {
  kept <- c("script", "id", "source", "what", "expected", "got", "difference", "tol", "kind", "reason")
  utils::write.csv(rows[kept], file.path(root, "bench/results/peers.csv"), row.names = FALSE)
}
quit(status = if (any(unexplained)) 1L else 0L)
