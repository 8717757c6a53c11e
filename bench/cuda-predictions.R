# Predictions, on paper, of times of the CUDA kernels: nothing here was measured on a GPU. Instructions and accesses to shared memory are
# those of bench/cuda-count.sh, which runs the compiler's intermediate code; they are compared with what a GPU can do in a clock.
# bench/notes/cuda.md says where the figures of the GPU are from; bench/cuda-speed.R measures, and bench/cuda-large.R counts for large matrices.
#
#   Rscript bench/cuda-predictions.R
source("bench/results.R")

# NVIDIA H200 SXM: multiprocessors, their shared memory in bytes, clock, instructions of a warp that a multiprocessor starts in a clock, those
# of them in double precision, accesses of a warp to shared memory (128 bytes), bytes per second of its memory, operations per second.
gpu <- list(multiprocessors = 132, shared_bytes = 228 * 1024, clock = 1.98e9, instructions = 4, double = 2, shared = 1, memory = 4.8e12,
  flops = c(double = 33.5e12, single = 67e12))

# GPUs for graphics do not differ in what matters here but in double precision: 2 operations a clock, one of a warp in 16.
graphics <- utils::modifyList(gpu, list(double = 1 / 16))

# What machine code has for one square root in single precision, and for the reciprocal of one, by estimate. In double precision
# the intermediate code has all of it.
root <- c(double = 0, single = 9)
inverse_root <- c(double = 0, single = 4)

# The value, gradient and information of one target with one range and a nugget: the arithmetic, in operations (a multiplication and an
# addition are two), that no way to compute it can do without. 70 for a pair's covariance.
least_operations <- function(k, d, columns, wanted) {
  n <- k + 1
  n * k / 2 * (66 + 2 * d) + n^3 / 3 + (columns + wanted - 1) * n^2 + n^2 + 2 * (wanted - 2) * n^2 + 2 * columns * wanted * n + wanted^2 * n
}

# Teams of a multiprocessor at one time, in blocks of one warp or two, or of one team, and 128 registers to a thread (src/core/conditional/gpu/plan.cpp).
resident_teams <- function(bytes, threads) {
  teams <- function(warps) {
    per_block <- pmax(1, (32 * warps) %/% threads)
    per_block * pmin(gpu$shared_bytes %/% (per_block * bytes + 1024), 512 %/% (per_block * threads))
  }
  pmax(teams(1), teams(2))
}

# Milliseconds for n targets if nothing but the one resource took time. Data are read from the GPU's memory about once, as rows that lie near
# each other are near in memory, and so are their neighbours: 4 k bytes of neighbours, coordinates, values and noise for each target.
bounds <- function(n, count, d, columns, wanted, precision, gpu) {
  count <- count[count$precision == precision, ]
  k <- count$k
  clocks <- n / gpu$multiprocessors / gpu$clock * 1e3
  roots <- root[[precision]] * count$square_roots + inverse_root[[precision]] * count$inverse_roots
  data.frame(
    k, threads = count$threads, kilobytes = count$bytes / 1e3,
    floor_arithmetic = n * least_operations(k, d, columns, wanted) / gpu$flops[[precision]] * 1e3,
    floor_memory = n * (4 * k + 16 * (d + columns + 1)) / gpu$memory * 1e3,
    instructions = (count$instructions + roots) / gpu$instructions * clocks,
    double = count$double / gpu$double * clocks,
    shared_memory = count$accesses / gpu$shared * clocks,
    teams = resident_teams(count$bytes, count$threads),
    waiting = count$clocks / resident_teams(count$bytes, count$threads) * clocks
  )
}

counts <- read_result("cuda-count")
for (precision in c("double", "single")) {
  cat("Value, gradient and information, n = 1,000,000, d = 2, response and constant, matrices in ", precision, " precision, milliseconds:\n",
    sep = "")
  print(bounds(1e6, counts, 2, 2, 3, precision, gpu), digits = 2, row.names = FALSE)
  on_graphics <- bounds(1e6, counts, 2, 2, 3, precision, graphics)
  cat("with the rate of GPUs for graphics in double precision, what that takes: ",
    paste0(round(on_graphics$double, 1), " (k = ", on_graphics$k, ")", collapse = ", "), "\n\n", sep = "")
}

# GpGpU (github.com/zjames12/GpGpU, version of 2024-06-10) has one thread to a target, whose matrices, 46 kB at k = 30 by the compiler's report,
# are in local memory, which is the GPU's: 46 kB for each of 1,024 threads to a multiprocessor leave caches nothing to keep. Read and written
# are, in doubles, with m = k + 1 rows, p columns of the trend, q parameters and covmat and dcovmat of its source: zeros and covariances,
# derivatives of both halves, the factor with two loads to a product, solves, and products of derivatives with a vector. Each evaluation sends
# data and neighbours, as doubles, and gets the terms of all targets back, through memory that is not pinned, at 10 GB/s where that goes well.
gpgpu <- function(n, k, d, p, q) {
  m <- k + 1
  accesses <- m^3 / 3 + m^2 * (2 + 4 + 6.5 + 0.5 + 1 + p + 1 + 3 * q)
  numbers <- m + d + 1 + p + 2 + p + p^2 + q * (p^2 + p + 2) + q^2
  c(kernel = 8e3 * n * accesses / gpu$memory, transfers = 8e3 * n * numbers / 1e10)
}
cat("\nGpGpU, exponential covariance, k = 30, d = 2, milliseconds:\n")
print(round(gpgpu(1e6, 30, 2, 1, 3)))

cat("\nNeighbours by all pairs, k = 30, milliseconds:\n")
for (case in list(c(25600, 8), c(1e5, 8), c(25600, 54), c(1e6, 2))) {
  operations <- case[1]^2 * (3 * case[2] + 10)
  cat(sprintf("n = %g, d = %g: %.0f\n", case[1], case[2], 1e3 * operations / (gpu$multiprocessors * 64 * gpu$clock)))
}
