# Summarises table defaults for notes/defaults.md and the article. Over all splits, each combination of covariance and prediction is
# compared with the best combination on the same split. Keeps tables defaults-maps, defaults-inputs and defaults-rows.
#
#   Rscript defaults-table.R

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

rows <- read_result("defaults")
rows$case <- paste(rows$set, rows$split)
rows$random <- grepl("^random", rows$split)
rows$inputs <- rows$case %in% rows$case[grepl("R$", rows$covariance)]
rows$thinned <- grepl("_(300|1000)$", rows$set)
named <- rows[rows$covariance != "default", ]
called <- rows[rows$covariance == "default", ]

# One row for each combination and split. Anisotropy is estimated where it can be, in a plane of at least 1,000 rows; elsewhere a combination
# with it is the one without.
with_anisotropy <- function(rows) {
  plane <- rows$case %in% rows$case[grepl("A$", rows$covariance)] & rows$rows >= 1000
  estimated <- rows[grepl("A$", rows$covariance) & plane, ]
  without <- rows[!grepl("A$", rows$covariance) & !plane, ]
  without$covariance <- paste0(without$covariance, "A")
  rbind(rows[!grepl("A$", rows$covariance), ], estimated, without)
}

# `called`: the rows of calls that named nothing.
summarised <- function(rows, called) {
  rows <- rbind(rows, called)
  rank_of <- function(score) stats::ave(score, rows$case, FUN = rank)
  above <- function(score) 100 * (score / stats::ave(score, rows$case, FUN = min) - 1)
  crps <- above(rows$crps)
  per <- interaction(rows$covariance, rows$prediction, drop = TRUE, lex.order = TRUE)
  mean_where <- function(x, kept = rep(TRUE, length(x))) tapply(replace(x, !kept, NA), per, mean, na.rm = TRUE)
  table <- data.frame(covariance = tapply(rows$covariance, per, `[`, 1L), prediction = tapply(rows$prediction, per, `[`, 1L),
    splits = tapply(crps, per, length), rank_rmse = mean_where(rank_of(rows$rmse)), rank_crps = mean_where(rank_of(rows$crps)),
    rank_log_score = mean_where(rank_of(rows$log_score)), crps_above = mean_where(crps), crps_above_random = mean_where(crps, rows$random),
    crps_above_gaps = mean_where(crps, !rows$random), worst = tapply(crps, per, max),
    log_score_above = mean_where(rows$log_score - stats::ave(rows$log_score, rows$case, FUN = min)),
    coverage = mean_where(rows$coverage), fit_cpu = mean_where(rows$fit_cpu), predict_cpu = mean_where(rows$predict_cpu))
  table[order(table$crps_above), ]
}

maps <- with_anisotropy(named[!named$inputs & !named$thinned, ])
save_table(summarised(maps, called[called$case %in% maps$case, ]), "defaults-maps", 4L)
inputs <- named[named$inputs, ]
save_table(summarised(inputs, called[called$case %in% inputs$case, ]), "defaults-inputs", 4L)

# The change of the CRPS, in percent, when the anisotropy is estimated, by the number of rows.
plane <- named[named$case %in% named$case[grepl("A$", named$covariance)] & named$prediction == "S8k96L", ]
without <- plane[!grepl("A$", plane$covariance), ]
with_it <- plane[grepl("A$", plane$covariance), ]
with_it$covariance <- sub("A$", "", with_it$covariance)
both <- merge(without, with_it, by = c("case", "covariance"), suffixes = c("", "_with"))
both$change <- 100 * log(both$crps_with / both$crps)
both$size <- cut(both$rows, c(0, 500, 1500, Inf), c("176 to 300", "1,000 to 1,325", "1,632 to 10,000"))
gain <- stats::aggregate(change ~ size + random + covariance, both[both$covariance %in% c("exp", "nu"), ], mean)
save_table(gain, "defaults-rows", 3L)
