# Predicts times of the CUDA kernels on paper. Nothing here was measured on a GPU. Instructions and accesses to shared memory are those of
# bench/cuda-count.sh, which runs the compiler's intermediate code. They are compared with what a GPU can do in a clock. The sources of the
# GPU's figures are in bench/notes/cuda.md. Measurements are made by bench/cuda-speed.R, and large matrices are counted by
# bench/cuda-large.R.
#
#   Rscript bench/cuda-predictions.R
source("bench/results.R")

# NVIDIA H200 SXM. The first figures are the number of multiprocessors, the bytes of their shared memory, and the clock. The next three
# count for one multiprocessor in a clock. They are instructions of a warp that it starts, those of them in double precision, and accesses
# of a warp to shared memory. An access is one of 128 bytes. The last are bytes per second of the GPU's memory, and operations per second.
gpu <- list(multiprocessors = 132, shared_bytes = 228 * 1024, clock = 1.98e9, instructions = 4, double = 2, shared = 1, memory = 4.8e12,
  flops = c(double = 33.5e12, single = 67e12))

# GPUs for graphics differ, in what matters here, only in double precision: 2 operations a clock, one instruction of a warp in 16 clocks.
graphics <- utils::modifyList(gpu, list(double = 1 / 16))

# Estimates of the instructions that machine code takes for one square root in single precision, and for the reciprocal of one. In double
# precision the intermediate code contains all of these instructions.
root <- c(double = 0, single = 9)
inverse_root <- c(double = 0, single = 4)

# The arithmetic that every way to compute value, gradient and information of one target needs, with one range and a nugget. The unit is an
# operation, and a multiplication with an addition counts as two. A pair's covariance takes 66 + 2 d operations, which is 70 in the plane.
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

# Milliseconds for n targets if only this one resource took time. Data are read from the GPU's memory about once, because rows that lie near
# each other are near in memory, and so are their neighbours. Each target reads 4 k bytes of neighbours, and its coordinates, values and
# noise.
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

# GpGpU (github.com/zjames12/GpGpU, version of 2024-06-10) assigns one thread to a target. The thread's matrices take 46 kB at k = 30, by
# the compiler's report. They are in local memory, which lies in the GPU's memory. With 1,024 threads on a multiprocessor, 46 kB each leave
# caches nothing to keep.
#
# The doubles read and written are counted from covmat and dcovmat of its source. There are m = k + 1 rows, p columns of the trend and q
# parameters. The parts are zeros and covariances, derivatives of both halves, the factor with two loads to a product, solves, and products
# of derivatives with a vector. Each evaluation sends data and neighbours as doubles, and gets the terms of all targets back. The host's
# memory is not pinned, and transfers run at 10 GB/s at best.
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
