# Kills fits at random moments, lets them continue, kills them again, and compares the results with those of undisturbed
# fits. Both must agree to the last bit. The package is the one in R_LIBS.
#
#   R_LIBS=_build/library Rscript --vanilla tests/kill/run.R [KILLS [KINDS [TABLE.csv]]]

# The default is 100 kills in all. Fits of all kinds take turns: vecchia, loo_k, classes, adam, vnngp, svgp, counts,
# dspp, and counts by loo_k in shards. Half of the fits spend a good part of their time on writing when they are killed.
# The status is 1 where a fit differs from the undisturbed fit.
script <- normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L]))
suppressMessages(library(neargp))
source(file.path(dirname(script), "..", "testthat", "helper-kill.R"))

arguments <- commandArgs(TRUE)
wanted <- if (length(arguments)) as.integer(arguments[1L]) else 100L
kinds <- if (length(arguments) > 1L) strsplit(arguments[2L], ",")[[1L]] else
  c("vecchia", "loo_k", "classes", "adam", "vnngp", "svgp", "counts", "dspp", "shards")
# With these numbers of rows a fit takes some seconds.
rows <- c(vecchia = 80000, loo_k = 40000, classes = 3000, adam = 40000, vnngp = 15000, svgp = 6000, counts = 5000, dspp = 6000,
  shards = 15000)

set.seed(1)
folder <- tempfile("kills-")
dir.create(folder)
table <- data.frame(kind = kinds, rows = rows[kinds], seconds = NA_real_, fits = 0L, kills = 0L, resumed = 0L, same = 0L)
alone <- lapply(kinds, function(kind) undisturbed(kind, rows[[kind]], folder))
table$seconds <- round(vapply(alone, function(one) one$seconds, 0), 2)
while (sum(table$kills) < wanted) {
  for (i in seq_along(kinds)) {
    if (sum(table$kills) >= wanted) break
    writes <- if (table$fits[i] %% 2L == 0L) "often" else "seldom"
    killed <- killed_fit(kinds[i], rows[[kinds[i]]], 5L, alone[[i]]$seconds, folder, writes)
    same <- identical(killed$digest, alone[[i]]$digest)
    table$fits[i] <- table$fits[i] + 1L
    table$kills[i] <- table$kills[i] + length(killed$left)
    table$resumed[i] <- table$resumed[i] + sum(killed$left > 0L)
    table$same[i] <- table$same[i] + same
    cat(sprintf("%-8s %-6s kills %d, answers left %s: %s\n", kinds[i], writes, length(killed$left),
      paste(killed$left, collapse = " "), if (same) "the same bits" else "ANOTHER FIT"))
  }
}
unlink(folder, recursive = TRUE)
print(table, row.names = FALSE)
if (length(arguments) > 2L) utils::write.csv(table, arguments[3L], row.names = FALSE)
quit(status = as.integer(any(table$same < table$fits)))
