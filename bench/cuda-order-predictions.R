# Predicts times of the maxmin order and of the search of earlier neighbours on a GPU, on paper. Nothing here was measured on a GPU.
# Instructions and launches are those of bench/cuda-count-order.sh, for k = 30. Instructions for a row grow with the logarithm of the number of
# rows, and so do launches and the clocks of the slowest warps. A line through the counts extrapolates them. `kernels` and `waiting` are added, as if
# they did not overlap.
#
#   Rscript bench/cuda-order-predictions.R
source("bench/results.R")

# NVIDIA H200 SXM and its host, as in bench/cuda-predictions.R and bench/notes/cuda.md: multiprocessors, clock, instructions of a warp that a
# multiprocessor starts in a clock, and bytes per second of transfers. `slower` is the ratio of the measured to the counted time of Vecchia sums.
gpu <- list(multiprocessors = 132, clock = 1.98e9, instructions = 4, slower = 13 / 4.9, transfers = 6e9)

# Estimates in seconds: a launch, with the calls that set its shared memory, and a look of the host at a result.
launch <- 5e-6
look <- 2e-5

# CPU seconds for a row on one thread (2026-11-30, AMD EPYC): keys of Hilbert's curve and their sort; the centroid and the sort of distances.
curve <- 3.0e-7
centroid <- 3.6e-9
sort_of_distances <- 4.2e-8
threads <- 16

extrapolated <- function(n, values, wanted) {
  line <- stats::lm.fit(cbind(1, log(n)), values)
  drop(cbind(1, log(wanted)) %*% line$coefficients)
}

predicted <- function(counts, part, wanted) {
  mine <- counts[counts$part == part, ]
  n <- sort(unique(mine$n))
  sums <- function(column) as.numeric(tapply(mine[[column]], mine$n, sum))
  once <- function(column) as.numeric(tapply(mine[[column]], mine$n, max))
  instructions <- extrapolated(n, sums("instructions") / n, wanted) * wanted
  launches <- extrapolated(n, sums("launches"), wanted)
  slowest_warps <- extrapolated(n, sums("clocks"), wanted)
  bytes <- (once("sent") + once("received"))[length(n)] / n[length(n)] * wanted
  rounds <- if (part == "order") extrapolated(n, mine$launches[mine$task == "TeamChoose"], wanted) else 0
  milliseconds <- data.frame(
    kernels = instructions / (gpu$multiprocessors * gpu$clock * gpu$instructions) * gpu$slower,
    waiting = slowest_warps / gpu$clock,
    starts = launches * launch + rounds / 4 * look,
    transfers = bytes / gpu$transfers,
    host = wanted * ((curve + (part == "order") * sort_of_distances) / threads + (part == "order") * centroid)
  ) * 1e3
  data.frame(part, n = wanted, instructions_of_row = round(instructions / wanted), launches = round(launches),
    signif(cbind(milliseconds, sum = rowSums(milliseconds)), 2))
}

counts <- read_result("cuda-count-order")
print(do.call(rbind, lapply(c("order", "neighbors"), predicted, counts = counts, wanted = c(1e5, 1e6, 1e7))), row.names = FALSE)
