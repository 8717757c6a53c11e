# Computes what the help of barrier_embedding() reports, in less than a minute. How much longer than straight lines are paths over a grid
# without barriers, for cells of several shapes? This is computed from the angles between steps, and by Dijkstra's algorithm itself. How
# long do 10,000 cells and 100 landmarks take? How large is the stress of a bay behind a wall, by the number of coordinates?
#
#   Rscript bench/barrier.R

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))
if (!has_rival("igraph")) quit("no")
describe_run()

open_grid <- function(across, length = 1) {
  list(x = seq_len(across), y = length * seq_len(across), z = matrix(TRUE, across, across))
}

# ---- paths beside straight lines --------------------------------------------------------------------------------------------------

# Let t be the angle of a location from one step, and g the angle between this step and the next. The path to the location covers lengths
# of sin(g - t) / sin(g) and sin(t) / sin(g) along these steps. Its length is at most 1 / cos(g / 2), in the middle. On average over t its
# length is tan(g / 2) / (g / 2).
stretch_of_angles <- function(length) {
  steps <- neargp:::barrier_steps()
  angles <- sort(atan2(length * steps$j, steps$i))
  gaps <- diff(c(angles, angles[1L] + pi))
  c(most = max(1 / cos(gaps / 2)), mean = sum(2 * tan(gaps / 2)) / sum(gaps))
}

# From the middle of a grid to all cells within a circle, whose directions are spread evenly; near cells lie along steps.
stretch_of_paths <- function(length, reach = 60L) {
  grid <- neargp:::passable_grid(open_grid(2L * reach + 1L, length))
  place <- expand.grid(x = grid$x, y = grid$y)
  middle <- grid$node[reach + 1L, reach + 1L]
  straight <- sqrt((place$x - place$x[middle])^2 + (place$y - place$y[middle])^2)
  path <- drop(igraph::distances(neargp:::grid_graph(grid), middle))
  within <- straight > reach / 2 & straight <= reach
  c(most = max(path[within] / straight[within]), mean = mean(path[within] / straight[within]))
}

cat("\nPaths longer than straight lines by (%), where nothing is between\n")
lengths <- c(1, 1.5, 2, 4)
print(data.frame(length_of_cells = lengths,
  angles = round(100 * (t(vapply(lengths, stretch_of_angles, c(0, 0))) - 1), 2),
  paths = round(100 * (t(vapply(lengths, stretch_of_paths, c(0, 0))) - 1), 2), check.names = FALSE))

# ---- time and stress --------------------------------------------------------------------------------------------------------------

walled <- open_grid(100L)
walled$z[50L, 1:80] <- FALSE
took <- timed(barrier_embedding(walled, landmarks = 100L))
cat(sprintf("\n%d cells, 100 landmarks: %.1f s of CPU time\n\nStress by the number of coordinates\n", sum(walled$z), took$cpu))
dimensions <- 1:6
print(data.frame(dimensions, stress = vapply(dimensions, function(d) barrier_embedding(walled, d, 100L)$stress, 0)), digits = 2L)
