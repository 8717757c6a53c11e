# Few observations, many predictors: the data sets of LimeSoDa (Schmidinger et al. 2025) by their 10 folds. The members are features(), the
# same with integrated parameters, and its stack with a random forest. The member one_range takes one range for all predictors in their
# units. For each target, the results are R2 of the pooled predictions, and the mean log density in units of the target's standard
# deviation. The coverage of 95% intervals and CPU seconds a fold are results as well. R2 is compared with the published R2 of four
# learners.
#
#   OMP_NUM_THREADS=1 Rscript bench/limesoda.R [sets: all] [members: process,integrated,stack]
#
# Keeps table limesoda, a row for each target and member, in which rows of sets that are not named stay as they are.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
stop_unless_one_thread()
options(neargp.threads = 1L)

folder <- file.path(Sys.getenv("NEARGP_DATA", file.path(bench_folder(), "..", "..", "shared", "data")), "limesoda")
known <- sub("[.]csv[.]gz$", "", list.files(folder, "csv.gz$"))
if (!length(known)) {
  message("Skipped: limesoda/ is neither in NEARGP_DATA nor in ../shared/data.")
  quit("no")
}
members <- argument(2L, c("process", "integrated", "stack"))
if ("stack" %in% members && !has_rival("ranger")) members <- setdiff(members, "stack")

formulas <- list(one_range = "1", process = "features(.)", integrated = "features(.)", stack = c("features(.)", "learner(ranger::ranger)"))

# Other targets of the same rows are no predictors, and neither are the coordinates.
rows_of <- function(data, target) {
  others <- setdiff(grep("_target$", names(data), value = TRUE), target)
  data[setdiff(names(data), c(others, "fold", if (anyNA(data$x)) c("x", "y")))]
}

predicted_fold <- function(member, rows, target, held) {
  coords <- if (member == "one_range") ~ . else if (!is.null(rows$x)) ~ x + y
  covariance <- if (member == "one_range") cov_exponential()
  fit <- suppressWarnings(suppressMessages(neargp(stats::reformulate(formulas[[member]], target), rows[!held, ], coords = coords,
    covariance = covariance, method = exact_gp())))
  parameters <- if (member != "stack") list(parameters = if (member == "integrated") "integrated" else "plug-in")
  predicted <- do.call(predict, c(list(fit, rows[held, ], interval = "prediction"), parameters))
  cbind(predicted, observed = rows[[target]][held],
    log_density = -log_score_of(fit, rows[held, ], target, predicted, member))
}

# The log score of a mixture is the one by scores() of each row.
log_score_of <- function(fit, held, target, predicted, member) {
  if (member != "stack") return(-stats::dnorm(held[[target]], predicted$mean, predicted$sd, log = TRUE))
  vapply(seq_len(nrow(held)), function(i) scores(fit, held[i, ])$log_score, 0)
}

score_target <- function(set, data, target, member) {
  rows <- rows_of(data, target)
  set.seed(1)
  began <- sum(proc.time()[1:2])
  parts <- do.call(rbind, lapply(sort(unique(data$fold)), function(fold) predicted_fold(member, rows, target, data$fold == fold)))
  y <- parts$observed
  data.frame(set = set, target = sub("_target$", "", target), rows = nrow(data), predictors = sum(!grepl("_target$|^fold$|^x$|^y$", names(data))),
    member = member, r2 = 1 - sum((y - parts$mean)^2) / sum((y - mean(y))^2), log_score = mean(parts$log_density) + log(stats::sd(y)),
    coverage = mean(y >= parts$lower & y <= parts$upper), cpu_s = (sum(proc.time()[1:2]) - began) / length(unique(data$fold)))
}

result <- NULL
for (set in argument(1L, known)) {
  data <- utils::read.csv(gzfile(file.path(folder, paste0(set, ".csv.gz"))))
  for (member in members) for (target in grep("_target$", names(data), value = TRUE)) {
    result <- rbind(result, score_target(set, data, target, member))
    print(utils::tail(result, 1L), digits = 3, row.names = FALSE)
  }
}
describe_run("ranger")
print(stats::aggregate(cbind(r2, log_score, coverage, cpu_s) ~ member, result, mean), digits = 4)
before <- read_result("limesoda")
key <- function(table) paste(table$set, table$target, table$member)
if (!is.null(before)) result <- rbind(before[!key(before) %in% key(result), ], result)
save_table(result[order(result$set, result$target, result$member), ], "limesoda", digits = 4L)
