# Measures the time of the table of neighbours before vnngp() fits (section 3.3 of its paper). The setting is k = 256,
# an inducing point at each training row, and random order. On an RTX2080 GPU the paper needs less than 30 s for
# protein, which it prints as 25,600 rows. It needs about 12 minutes for covtype (372,000 rows, 54 inputs). This
# script uses one thread of the CPU.
#
# The script searches protein in full, and estimates the time of covtype. At each of eight ranks, 256 queries are
# searched among the rows before them. The time to build the tree or the index is subtracted. The estimate is the mean
# over the ranks times the number of rows.
#
# Expected: protein takes less than 30 s and covtype more than 12 minutes. A millisecond for each of 372,000 rows is 6
# minutes with 32 neighbours.
#
#   OMP_NUM_THREADS=1 Rscript bench/vnngp-tables.R [sets: protein,covtype] [k: 256]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "vnngp-uci-sets.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))
stop_unless_one_thread()

printed_seconds <- c(protein = 30, covtype = 720)

# The training rows of seed 1 in random order. For covtype these are drawn from all rows, scaled as for the fits.
ordered_rows <- function(set) {
  data <- if (set == "covtype") prepared("covtype", 581012L) else prepared(set)
  train <- data[train_and_test_rows(nrow(data), 1L)$train, names(data) != "y"]
  unname(as.matrix(train[vapply(train, function(x) length(unique(x)) > 1L, NA)]))
}

whole_table <- function(points, k, search) {
  cpu_seconds(neargp:::core_neighbors_before(points, seq_len(nrow(points)), k, neargp:::new_context(1L, search = search)))
}

table_by_sample <- function(points, k, search, ranks = 8L, queries = 256L) {
  at <- round((seq_len(ranks) - 0.5) / ranks * nrow(points))
  searched <- function(n, rows) {
    cpu_seconds(neargp:::core_neighbors_to(points[seq_len(n), ], points[rows, , drop = FALSE], k, neargp:::new_context(1L, search = search)))
  }
  each <- vapply(at, function(n) (searched(n, n + seq_len(queries)) - searched(n, n + 1L)) / (queries - 1L), 0)
  mean(each) * nrow(points)
}

measure <- function(set, k) {
  points <- ordered_rows(set)
  sampled <- nrow(points) > 1e5
  time <- if (sampled) table_by_sample else whole_table
  seconds <- vapply(c(tree = "kd-tree", faiss = "faiss"), function(search) time(points, k, search), 0)
  data.frame(set = set, n = nrow(points), inputs = ncol(points), k = k, sampled = sampled, tree_s = seconds[["tree"]], faiss_s = seconds[["faiss"]],
    printed_s = printed_seconds[[set]], ratio = min(seconds) / printed_seconds[[set]])
}

describe_run()
cat("BLAS of R:", utils::sessionInfo()$BLAS, "\n")
save_table(do.call(rbind, lapply(argument(1L, names(printed_seconds)), measure, k = as.integer(argument(2L, "256")))), "vnngp-tables")
