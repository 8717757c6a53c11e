# Predictions, on paper, of times of the CUDA kernels: nothing here was measured on a GPU. Instructions and accesses to shared memory are
# counted as the loops of src/core/team/ make them, and compared with what a GPU can do in a clock. bench/cuda.md says where the figures of
# the GPU are from; bench/cuda-speed.R measures, and bench/cuda-large.R counts for large matrices.
#
#   Rscript bench/cuda-predictions.R

# NVIDIA H200 SXM: multiprocessors, clock, warp instructions in double precision and accesses to shared memory (of a warp, 128 bytes) that a
# multiprocessor does in a clock, bytes per second of its memory.
gpu <- list(multiprocessors = 132, clock = 1.98e9, double = 2, shared = 1, memory = 4.8e12, flops = 33.5e12)

# Instructions in double precision for: a pair's covariance with Matern 3/2 and its slope (distance 2 d; square root, exponential and the
# rest by CUDA's own code), a pivot.
pair_instructions <- function(d) 45 + 2 * d
pivot_instructions <- 14

# The value, gradient and information of one target with one range and a nugget: the arithmetic, in operations (a multiplication and an
# addition are two), that no way to compute it can do without. 70 for a pair's covariance.
least_operations <- function(k, d, columns, wanted) {
  n <- k + 1
  n * k / 2 * (66 + 2 * d) + n^3 / 3 + (columns + wanted - 1) * n^2 + n^2 + 2 * (wanted - 2) * n^2 + 2 * columns * wanted * n + wanted^2 * n
}

# Warp instructions and accesses for one target by a team of `threads`, k small enough for shared memory. A warp has 32 / threads targets at
# a time, or a part of one.
count_target <- function(k, d, columns, wanted, threads) {
  n <- k + 1
  padded <- 4 * ceiling(n / 4)
  rounds <- function(items) ceiling(items / threads)
  first <- seq(0, padded - 4, 4)
  below <- padded - first - 4
  pairs <- rounds(n * k / 2)
  update <- sum(rounds(padded - first) * first)     # steps of four products each
  vectors <- columns + wanted - 1
  fp64 <- c(
    covariances = pairs * pair_instructions(d),
    products = 4 * update + 4 * sum(rounds(padded - first)),
    pivots = length(first) * (4 * pivot_instructions + 24),
    substitution = sum(rounds(below) * 10),
    forward = vectors * sum(rounds(below) * 4 + 14),
    backward = sum(rounds(first) * 4 + 14),
    derivatives = (wanted - 2) * rounds(n) * n + rounds(columns * wanted + wanted * (wanted + 1) / 2) * n
  )
  # A thread's own double takes two accesses of a warp, four doubles that all threads of a team share take two
  shared <- c(
    covariances = pairs * (4 * d + 4),
    products = 4 * update,
    pivots = length(first) * 20,
    substitution = sum(rounds(below) * 16),
    forward = sum(rounds(below) * (8 + vectors * 6)) + length(first) * vectors * 8,
    backward = sum(rounds(first) * 10) + length(first) * 14,
    derivatives = (wanted - 2) * rounds(n) * n * 3 + rounds(columns * wanted + wanted * (wanted + 1) / 2) * n * 4
  )
  share <- threads / 32
  list(fp64 = fp64 * share, shared = shared * share)
}

# Bounds for n targets, in milliseconds. Data are read from the GPU's memory about once, as rows that lie near each other are near in memory,
# and so are their neighbours: 4 k bytes of neighbours, coordinates, values and noise for each target.
bounds <- function(n, k, d, columns, wanted, threads) {
  count <- count_target(k, d, columns, wanted, threads)
  clocks <- n / gpu$multiprocessors / gpu$clock * 1e3
  c(
    floor_arithmetic = n * least_operations(k, d, columns, wanted) / gpu$flops * 1e3,
    floor_memory = n * (4 * k + 16 * (d + columns + 1)) / gpu$memory * 1e3,
    instructions = sum(count$fp64) / gpu$double * clocks,
    shared_memory = sum(count$shared) / gpu$shared * clocks,
    both_apart = sum(pmax(count$fp64 / gpu$double, count$shared / gpu$shared)) * clocks
  )
}

cat("Value, gradient and information, n = 1,000,000, d = 2, response and constant, milliseconds:\n")
cases <- data.frame(k = c(15, 30, 30, 30, 60, 100), threads = c(16, 8, 16, 32, 64, 128))
print(cbind(cases, round(t(mapply(function(k, threads) bounds(1e6, k, 2, 2, 3, threads), cases$k, cases$threads)), 2)), row.names = FALSE)

cat("\nPhases at k = 30 by teams of 16, clocks of a multiprocessor for each target:\n")
count <- count_target(30, 2, 2, 3, 16)
print(round(rbind(instructions = count$fp64 / gpu$double, shared_memory = count$shared / gpu$shared)))

cat("\nNeighbours by all pairs, k = 30, milliseconds:\n")
for (case in list(c(25600, 8), c(1e5, 8), c(25600, 54), c(1e6, 2))) {
  operations <- case[1]^2 * (3 * case[2] + 10)
  cat(sprintf("n = %g, d = %g: %.0f\n", case[1], case[2], 1e3 * operations / (gpu$multiprocessors * 64 * gpu$clock)))
}
