# The default fit of inputs most of which are repeated (keggundirected). How much does each search for neighbours change the log-likelihood
# at the same parameters, and how much does the optimiser then gain? The fit is continued twice.
#
#   OMP_NUM_THREADS=1 Rscript bench/repeated-rows.R [rows: 6000]      keeps table repeated-rows
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
stop_unless_one_thread()
describe_run()

rows <- bench_data("keggundirected")
rows$fold <- NULL
set.seed(1)
rows <- rows[sample.int(nrow(rows), as.integer(argument(1L, "6000"))), ]
data <- as.data.frame(scale(rows[vapply(rows, stats::sd, 0) > 0]))
cat(nrow(data), "rows in", ncol(data) - 1L, "inputs,", sum(duplicated(data[names(data) != "y"])), "of them repeat others\n")

rounds <- list()
note_round <- function(state) rounds[[length(rounds) + 1L]] <<- data.frame(log_likelihood = state$evaluated$value, gain = state$gain)
invisible(suppressMessages(trace("fisher_scoring", exit = quote(note_round(returnValue())), where = asNamespace("neargp"), print = FALSE)))

fit <- NULL
for (call in 1:3) {
  took <- timed(fit <- suppressMessages(neargp(y ~ 1, data, coords = ~ ., start = fit, threads = 1L, verbose = FALSE)))
  cat(fit$convergence$message, "|", round(took$cpu, 1), "CPU seconds\n")
}
table <- do.call(rbind, rounds)
table$by_neighbors <- c(NA, utils::head(-table$log_likelihood, -1L) + (table$log_likelihood - table$gain)[-1L])
save_table(table, "repeated-rows", digits = 7L)
