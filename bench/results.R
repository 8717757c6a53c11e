# Where scripts keep their tables and read them again. A table is a section of results/<topic>.txt: a line "## name", then csv.

bench_folder <- function() {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
  if (length(script)) dirname(normalizePath(script)) else "bench"
}

result_file <- function(name) {
  folder <- file.path(bench_folder(), "results")
  dir.create(folder, showWarnings = FALSE)
  file.path(folder, name)
}

# Maps beginnings of names to topics. The longest beginning that fits a name counts. notes/ contains a note on nearly every topic, under the same
# name.
result_topics <- c(
  areal = "areas", areas = "areas",
  checkpoint = "scale", cluster = "cluster", conditioning = "conditioning", "covtype-vnngp" = "vnngp",
  cuda = "cuda", "one-kernel-source" = "cuda",
  "deep-few-rows" = "deep", "deep-kernel" = "deep", dspp = "deep",
  defaults = "defaults", "which-method" = "which-method",
  factors = "classification", "loo-k-classification" = "classification", "loo-k-polya-gamma" = "classification",
  "loo-k-steps" = "classification", "svgp-classes" = "classification", "two-levels" = "classification",
  coverage = "small-samples",
  forecast = "space-time", "space-time" = "space-time",
  fuzz = "fuzz", limesoda = "limesoda",
  joint = "joint",
  "exact-gp" = "speed", geometry = "speed", kernels = "speed", likelihoods = "speed", "mean-field" = "speed", "neighbors-high-dimension" = "speed",
  "table-fits" = "speed", "table-verbs" = "speed", "repeated-predictions" = "speed", speed = "speed", threads = "speed",
  "gpgp-agreement" = "accuracy", heaton = "accuracy", "simulate-smooth" = "accuracy", "smooth-maps" = "accuracy",
  "integrated-coverage" = "small-samples", "integrated-lattice" = "small-samples", "small-samples" = "small-samples",
  "loo-k-coverage" = "responses", "loo-k-degenerate" = "responses", "loo-k-misspecified" = "responses",
  "loo-k-responses" = "responses", response = "responses",
  "loo-k-outputs" = "outputs", "svgp-outputs" = "outputs",
  "loo-k-neighbors" = "paper-tables", "loo-k-objectives" = "paper-tables", "loo-k-protein" = "paper-tables", "loo-k-ranks" = "paper-tables",
  "loo-k-beside-svgp" = "paper-tables", "loo-k-abalone" = "classification", pgvi = "classification",
  "loo-k-uci" = "paper-tables", odvgp = "paper-tables", "paper-tables" = "paper-tables", ppgpr = "paper-tables", scoreboard = "paper-tables", swsgp = "paper-tables",
  "swsgp-paper" = "swsgp",
  "many-inputs" = "many-inputs", "tabular-times" = "many-inputs", "presence-inputs" = "many-inputs", "repeated-rows" = "many-inputs",
  "noisy-tables" = "speed", "memory-need" = "scale", "prediction-files" = "scale", "row-source" = "scale", soak = "scale", "ten-million" = "scale",
  noise = "noise", "varying-coefficients" = "noise",
  "non-stationary" = "non-stationary", "random-effects" = "random-effects",
  race = "race", svgp = "svgp", "svgp-loo-k-classes" = "classification", "vecchia-blocks" = "speed", "vecchia-inducing" = "vecchia-inducing", vnngp = "vnngp",
  "vnngp-shards" = "cluster"
)

topic_file <- function(name) {
  fitting <- names(result_topics)[startsWith(name, names(result_topics))]
  if (!length(fitting)) stop("The table ", name, " has no topic: add one to result_topics in bench/results.R.", call. = FALSE)
  result_file(paste0(result_topics[[fitting[which.max(nchar(fitting))]]], ".txt"))
}

# The lines of csv of each table of a file, by name.
read_sections <- function(file) {
  lines <- if (file.exists(file)) Filter(nzchar, readLines(file)) else character(0)
  is_title <- startsWith(lines, "## ")
  section <- factor(cumsum(is_title)[!is_title], seq_len(sum(is_title)))
  stats::setNames(split(lines[!is_title], section), substring(lines[is_title], 4L))
}

# Puts lines of csv into the place of a table, or at its end. Other tables of the topic stay, also where two scripts keep theirs at
# one time: only one process can make the directory. After ten seconds it is taken for one that a killed process has left.
save_lines <- function(csv, name, append = FALSE) {
  file <- topic_file(name)
  lock <- paste0(file, ".lock")
  for (attempt in 1:100) if (dir.create(lock, showWarnings = FALSE)) break else Sys.sleep(0.1)
  on.exit(unlink(lock, recursive = TRUE))
  sections <- read_sections(file)
  known <- if (append) sections[[name]]
  if (!is.null(known) && known[1L] != csv[1L]) stop("The table ", name, " has other columns.", call. = FALSE)
  sections[[name]] <- c(known, if (is.null(known)) csv else csv[-1L])
  written <- tempfile("results", dirname(file))
  writeLines(unlist(Map(function(title, csv) c(paste("##", title), csv, ""), names(sections), sections)), written)
  invisible(file.rename(written, file))
}

save_result <- function(table, name, append = FALSE, quote = TRUE) {
  save_lines(utils::capture.output(utils::write.csv(table, row.names = FALSE, quote = quote)), name, append)
}

# NULL where there is no such table.
read_result <- function(name) {
  csv <- read_sections(topic_file(name))[[name]]
  if (!is.null(csv)) utils::read.csv(text = csv)
}
