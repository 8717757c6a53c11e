# Few observations, many predictors: features() and its stack with a random forest on the data sets of
# LimeSoDa (Schmidinger et al. 2025), by their 10 folds. Of each target: R2 of the pooled predictions,
# the mean log density in units of the target's standard deviation, the coverage of 95% intervals and
# the seconds a fit.
#
#   NEARGP_DATA=... Rscript bench/limesoda.R [sets separated by commas] [process,integrated,stack]
#
# The tables go to bench/results/limesoda.txt.
source("bench/common.R")
library(neargp)

arguments <- commandArgs(TRUE)
folder <- file.path(data_folder(), "limesoda")
sets <- if (length(arguments)) strsplit(arguments[1L], ",")[[1L]] else
  sub("[.]csv[.]gz$", "", list.files(folder, "csv.gz$"))
members <- if (length(arguments) > 1L) strsplit(arguments[2L], ",")[[1L]] else
  c("process", "integrated", "stack")

read_set <- function(set) utils::read.csv(gzfile(file.path(folder, paste0(set, ".csv.gz"))))

# A fit to the rows outside of a fold, and the predictions of those inside: mean, sd and interval.
predict_fold <- function(member, data, target, fold) {
  others <- grep("_target$", setdiff(names(data), target), value = TRUE)
  coords <- if (!anyNA(data$x)) ~ x + y
  used <- data[setdiff(names(data), c(others, "fold", if (is.null(coords)) c("x", "y")))]
  formula <- stats::reformulate(c("features(.)", if (member == "stack") "learner(ranger::ranger)"),
    target)
  began <- proc.time()[["elapsed"]]
  fit <- suppressWarnings(neargp(formula, used[data$fold != fold, ], coords = coords, threads = 1,
    verbose = FALSE))
  held <- used[data$fold == fold, ]
  parameters <- if (member == "integrated") "integrated" else "plug-in"
  predicted <- if (member == "stack") predict(fit, held, interval = "prediction") else
    predict(fit, held, interval = "prediction", parameters = parameters)
  score <- scores(fit, held, parameters = if (member == "integrated") "integrated")
  cbind(predicted, observed = held[[target]], log_density = NA,
    seconds = proc.time()[["elapsed"]] - began)
}
