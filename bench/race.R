# One race of all packages that are installed: fit and predict the same files, a process for each run, on one thread.
#
#   OMP_NUM_THREADS=1 NEARGP_RIVALS=<library> NEARGP_PYTHON=<interpreter> Rscript bench/race.R [TRACKS] [ROUNDS] [CONTESTANTS]
#
# TRACKS: field, satellite, counts, inputs, separated by commas; default: all. ROUNDS: runs of each contestant, by default 3. In each round the
# contestants take turns. CONTESTANTS: separated by semicolons; default: all. The rows of others stay in the table. A run may take RACE_MINUTES
# (default 20), then it is stopped, and it is not run again.
#
# `field`: 50,000 rows with an exponential covariance and noise; 5,000 to predict. `satellite`: the contest of Heaton et al. (2019), 105,569 cells,
# 42,740 to predict, linear trend. `counts`: 10,000 Poisson counts; the linear predictor at 5,000 locations. `inputs`: kin40k, 10,000 rows with
# eight inputs, 5,000 to predict.
#
# Saves the table race: median and quartiles of CPU seconds from data to predictions, peak memory of the process, and scores of the last
# round. Draws the picture of README.md. `crps` and `coverage` are those of the observations, and of the linear predictor
# for counts. A contestant is level where its CRPS is at most 2% above the best.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
source(file.path(bench_folder(), "field.R"))
source(file.path(bench_folder(), "race-jobs.R"))
stop_unless_one_thread()

# ---- a run: its own process -------------------------------------------------------------------------------------------------------

read_rows <- function(folder, name) {
  columns <- scan(file.path(folder, "shape.txt"), quiet = TRUE)
  file <- file.path(folder, paste0(name, ".bin"))
  values <- matrix(readBin(file, "double", file.size(file) / 8), ncol = columns)
  stats::setNames(as.data.frame(values), c(paste0("x", seq_len(columns - 1L)), "y"))
}

peak_megabytes <- function() {
  line <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

if (identical(commandArgs(TRUE)[1L], "job")) {
  job <- as.list(stats::setNames(commandArgs(TRUE)[-1L], c("name", "track", "folder")))
  contestant <- race_contestants[[job$name]]
  loadNamespace(contestant$package)
  train <- read_rows(job$folder, "train")
  test <- read_rows(job$folder, "test")
  set.seed(1)
  run <- timed(contestant$run(train, test, job$track))
  writeBin(as.double(c(run$value$mean, run$value$sd)), file.path(job$folder, "moments.bin"))
  cat("\n", jsonlite::toJSON(list(seconds = run$cpu, peak_mb = peak_megabytes(), version = as.character(utils::packageVersion(contestant$package))),
    auto_unbox = TRUE, digits = NA), "\n", sep = "")
  quit("no")
}

# ---- tracks -----------------------------------------------------------------------------------------------------------------------

# Training and test rows, the response last. `truth`: what is predicted, where it is not the response.
as_track <- function(frame, inputs, response, test, truth = frame[[response]]) {
  rows <- stats::setNames(frame[c(inputs, response)], c(paste0("x", seq_along(inputs)), "y"))
  list(train = rows[-test, ], test = rows[test, ], truth = truth[test])
}

race_tracks <- list(
  field = function() {
    set.seed(1)
    frame <- simulate_field(55000L)$frame
    as_track(frame, c("x", "y"), "z", sort(sample.int(55000L, 5000L)))
  },
  satellite = function() {
    cells <- bench_data("heaton_satellite")
    as_track(cells, c("lon", "lat"), "temp", which(cells$train == 0))
  },
  counts = function() {
    set.seed(2)
    frame <- simulate_field(15000L, nugget = 0)$frame
    frame$eta <- 0.5 + 0.8 * frame$z
    frame$count <- stats::rpois(15000L, exp(frame$eta))
    as_track(frame, c("x", "y"), "count", sort(sample.int(15000L, 5000L)), frame$eta)
  },
  inputs = function() {
    set.seed(3)
    frame <- bench_data("kin40k")
    frame <- frame[sample.int(nrow(frame), 15000L), ]
    as_track(frame, setdiff(names(frame), c("y", "fold")), "y", 10001:15000)
  }
)

write_track <- function(track, folder) {
  dir.create(folder, recursive = TRUE)
  for (name in c("train", "test")) writeBin(as.double(unlist(track[[name]])), file.path(folder, paste0(name, ".bin")))
  writeLines(as.character(ncol(track$train)), file.path(folder, "shape.txt"))
}

# ---- contestants ------------------------------------------------------------------------------------------------------------------

python <- Sys.getenv("NEARGP_PYTHON", "python3")
has_python <- function(module) {
  found <- nzchar(Sys.which(python)) && system2(python, c("-c", shQuote(paste("import", module))), stdout = FALSE, stderr = FALSE) == 0L
  if (!found) message("Skipped: ", python, " (NEARGP_PYTHON) does not have ", module, ".")
  found
}

present <- Filter(function(contestant) has_rival(contestant$package), race_contestants)
commands <- lapply(stats::setNames(nm = names(present)), function(name) list(tracks = present[[name]]$tracks, program = file.path(R.home("bin"), "Rscript"),
  arguments = c(file.path(bench_folder(), "race.R"), "job", shQuote(name))))
for (name in c("GPBoost", "GPyTorch")) if (has_python(tolower(name))) {
  commands[[name]] <- list(tracks = if (name == "GPBoost") names(race_tracks) else c("field", "satellite", "inputs"), program = python,
    arguments = c(file.path(bench_folder(), "race_python.py"), name))
}

# Seconds, peak memory and moments of a run, or NULL where it failed or was stopped.
run_once <- function(command, track, folder) {
  limit <- 60 * as.numeric(Sys.getenv("RACE_MINUTES", "20"))
  unlink(file.path(folder, "moments.bin"))
  printed <- suppressWarnings(system2(command$program, c(command$arguments, track, shQuote(folder)), stdout = TRUE, stderr = FALSE, timeout = limit))
  if (!file.exists(file.path(folder, "moments.bin"))) return(NULL)
  moments <- matrix(readBin(file.path(folder, "moments.bin"), "double", 1e6), ncol = 2L)
  c(jsonlite::fromJSON(printed[length(printed)]), list(mean = moments[, 1L], sd = moments[, 2L]))
}

race_row <- function(track, name, runs, truth) {
  if (!length(runs)) return(data.frame(track, contestant = name, version = NA, runs = 0L, seconds = NA, lower = NA, upper = NA, peak_mb = NA, rmse = NA,
    crps = NA, coverage = NA))
  seconds <- stats::quantile(vapply(runs, `[[`, 0, "seconds"), c(0.5, 0.25, 0.75), names = FALSE)
  found <- runs[[length(runs)]]
  z <- (truth - found$mean) / found$sd
  # The CRPS of a normal distribution (Gneiting and Raftery 2007, equation 21).
  crps <- mean(found$sd * (z * (2 * stats::pnorm(z) - 1) + 2 * stats::dnorm(z) - 1 / sqrt(pi)))
  data.frame(track, contestant = name, version = found$version, runs = length(runs), seconds = seconds[1L], lower = seconds[2L], upper = seconds[3L],
    peak_mb = max(vapply(runs, `[[`, 0, "peak_mb")), rmse = sqrt(mean((truth - found$mean)^2)), crps = crps, coverage = mean(abs(z) < stats::qnorm(0.975)))
}

race <- function(track, rounds, chosen) {
  data <- race_tracks[[track]]()
  folder <- file.path(tempfile("race"), track)
  write_track(data, folder)
  on.exit(unlink(dirname(folder), recursive = TRUE))
  racing <- Filter(function(command) track %in% command$tracks, commands[intersect(chosen, names(commands))])
  runs <- lapply(racing, function(command) list())
  for (round in seq_len(rounds)) for (name in names(racing)) {
    if (length(runs[[name]]) < round - 1L) next
    found <- run_once(racing[[name]], track, folder)
    message(sprintf("%s, round %d, %s: %s", track, round, name, if (is.null(found)) "failed or stopped" else sprintf("%.3g s", found$seconds)))
    runs[[name]] <- c(runs[[name]], if (!is.null(found)) list(found))
  }
  do.call(rbind, Map(race_row, track, names(runs), runs, list(data$truth)))
}

# The table with new rows in place of those of the same track and contestants.
with_rows <- function(results, rows) {
  if (!is.null(results)) {
    kept <- !paste(results$track, results$contestant) %in% paste(rows$track, rows$contestant)
    rows <- rbind(results[kept, names(rows)], rows)
  }
  rows$level <- rows$crps <= 1.02 * stats::ave(rows$crps, rows$track, FUN = function(crps) min(crps, na.rm = TRUE))
  rows[order(rows$track, rows$seconds), ]
}

# ---- table and picture ------------------------------------------------------------------------------------------------------------

describe_run()
chosen_tracks <- argument(1L, names(race_tracks))
rounds <- as.integer(argument(2L, "3"))
chosen <- if (length(commandArgs(TRUE)) < 3L) names(commands) else strsplit(commandArgs(TRUE)[[3L]], ";")[[1L]]
results <- tryCatch(read_result("race"), error = function(e) NULL)
for (track in chosen_tracks) {
  results <- with_rows(results, race(track, rounds, chosen))
  save_table(results, "race", 4L)
}
source(file.path(bench_folder(), "race-picture.R"))
