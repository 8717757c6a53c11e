# Makes random calls of the installed package, valid and hostile, in child processes: see tools/fuzz.sh. The
# scripts need base R and neargp, and use sf and tibble where these are installed.
#
#   Rscript run.R campaign SEED CALLS LOG
#   Rscript run.R report LOG ... [TABLE.csv]
#   Rscript run.R oracle KIND=CASES ... [TABLE.csv]
#   Rscript run.R case CASE

# `campaign` makes at least CALLS calls of a seed and writes their outcomes to LOG. `report` tabulates logs and
# exits with status 1 where a call ended badly. `oracle` compares with dense formulas, and its kinds are
# `gaussian`, `outputs`, `latent` and `units`. `case` runs one case again in this process and prints every detail.

script <- normalizePath(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L]))
folder <- dirname(script)
for (file in c("values", "data", "responses", "settings", "frames", "checks", "odd", "operations", "case", "joint", "campaign", "report", "oracle",
  "oracle-gaussian", "oracle-outputs", "oracle-latent", "oracle-units")) {
  source(file.path(folder, paste0(file, ".R")))
}
for (helper in c("helper-dense.R", "helper-local-fields.R")) source(file.path(folder, "..", "testthat", helper))
suppressMessages(library(neargp))
options(neargp.threads = 1L)

run_oracles <- function(arguments) {
  is_table <- endsWith(arguments, ".csv")
  run <- list(gaussian = run_gaussian_oracle, outputs = run_outputs_oracle, latent = run_latent_oracle,
    units = run_units_oracle)
  tally <- new_tally()
  for (wanted in strsplit(arguments[!is_table], "=", fixed = TRUE)) run[[wanted[1L]]](seq_len(as.integer(wanted[2L])), tally)
  report_tally(tally, arguments[is_table][1L])
}

arguments <- commandArgs(trailingOnly = TRUE)
action <- if (length(arguments)) arguments[1L] else ""
arguments <- arguments[-1L]
switch(action,
  campaign = run_campaign(as.integer(arguments[1L]), as.integer(arguments[2L]), arguments[3L], script),
  child = run_child(seq(as.integer(arguments[1L]), as.integer(arguments[2L])), arguments[3L]),
  case = run_case(as.integer(arguments[1L]), console_log(), trace = TRUE),
  report = {
    is_table <- endsWith(arguments, ".csv")
    quit(status = as.integer(report_logs(arguments[!is_table], if (any(is_table)) arguments[is_table]) > 0L))
  },
  oracle = quit(status = as.integer(run_oracles(arguments) > 0L)),
  stop("The first argument is campaign, report, oracle or case; the head of this file says what follows it.", call. = FALSE)
)
