# Counts, on paper, what large matrices cost a GPU in the mini-batch objective of vnngp(). With k = 256 they exceed shared memory. Nothing
# here was measured. The loops are those of TeamTriangle (src/core/conditional/gpu/triangle.h), with a block of 256 threads for a matrix
# that lies in the GPU's memory. The figures of the GPU are those of cuda-predictions.R. Their sources, and those of the library's figures,
# are in bench/notes/cuda.md.
#
#   Rscript bench/cuda-large.R
gpu <- list(multiprocessors = 132, clock = 1.98e9, double = 2, shared = 1, memory = 4.8e12, cache = 5.5e12, flops = 33.5e12, teams = 264)

# Counts for one factorisation by blocks of `block` columns. `multiplications` are those of a warp. `accesses` are those of a warp to the
# cache next to the multiprocessor. A thread's own double takes two accesses, two of its doubles take four, and four doubles that a warp
# shares take two. `bytes` come from the cache that all multiprocessors share, if each block of columns reads what it needs once. `rounds`
# lie between barriers.
count_factor <- function(k, block) {
  padded <- 4 * ceiling(k / 4)
  warps <- function(items) ceiling(items / 32)
  panels <- seq(0, padded - 4, 4)
  starts <- seq(0, padded - 4, block)
  from <- starts[findInterval(panels, starts)]
  columns <- pmin(block, padded - starts)
  squares <- warps(ceiling(columns / 8) * (padded - starts) / 2)
  panel_steps <- sum(warps(padded - panels) * (panels - from))
  block_steps <- sum(squares * starts)
  c(
    multiplications = 4 * panel_steps + 16 * block_steps,
    accesses = 4 * panel_steps + 8 * block_steps + sum(16 * warps(padded - panels)),
    bytes = 8 * (sum((padded - panels) * (panels - from)) + sum((padded - starts) * starts)),
    rounds = 3 * length(panels) + length(starts)
  )
}

milliseconds <- function(count, targets) {
  clocks <- targets / gpu$multiprocessors / gpu$clock * 1e3
  c(
    arithmetic = count[["multiplications"]] / gpu$double * clocks,
    loads = count[["accesses"]] / gpu$shared * clocks,
    cache = 1e3 * targets * count[["bytes"]] / gpu$cache,
    waiting = 1e3 * targets / gpu$teams * count[["rounds"]] * 500 / gpu$clock   # 500 clocks for a load and a barrier
  )
}

k <- 256
targets <- 25600
cat("One factorisation, k = 256, 25,600 targets, milliseconds; the floor is", round(1e3 * targets * k^3 / 3 / gpu$flops, 1), "\n")
factors <- t(sapply(c("panels of 4" = Inf, "blocks of 16" = 16, "blocks of 32" = 32, "blocks of 64" = 64),
  function(block) milliseconds(count_factor(k, min(block, k)), targets)))
print(round(factors, 1))

pairs <- k * (k + 1) / 2
clocks <- targets / gpu$multiprocessors / gpu$clock * 1e3
solve_rounds <- 4 * 2 * k / 4   # forward and backward, for two vectors
cat("\nThe rest of an epoch, d = 8, ten parameters, milliseconds:\n")
print(round(c(
  covariances = 2 * pairs / 32 * (45 + 2 * 8) / gpu$double * clocks,
  gradients = (ceiling(10 / 4) * 18 + 10 * 12) * pairs / 32 / gpu$shared * clocks,   # a pass for four parameters; each takes two coordinates
  factors_kept = 3 * 1e3 * targets * 8 * pairs / gpu$memory,   # written by the moments, read and written on the way back
  solves_loads = 4 * pairs / 32 * 2 / gpu$shared * clocks,
  solves_waiting = 1e3 * targets / gpu$teams * solve_rounds * 500 / gpu$clock
), 1))

# A batched library: squares in the GPU's memory, written by one kernel, factorised and solved with by others, and read again by the one that
# contracts. Whatever the library does inside comes on top.
square <- 8 * k^2
passes <- c(assembly = 0.5, factor = 1, solves = 4 * 0.5)
cat("\nA library's passes over the squares, milliseconds:", round(1e3 * targets * square * sum(passes) / gpu$memory, 1), "\n")
cat("Tflop/s at 11.9 us for a matrix of 256 rows (single precision, published):", round(256^3 / 3 / 11.9e-6 / 1e12, 2), "\n")
