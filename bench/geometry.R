# Orderings and neighbours against RANN, FNN and GpGp, in one run, on one thread; packages not installed are skipped.
#   Rscript bench/geometry.R [n] [k]          defaults: n = 50000, k = 30; uniform points in 2-D and 3-D
# Prints CPU seconds and, for each rival, how many times longer it takes.

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n <- if (length(arguments) >= 1) arguments[1] else 50000L
k <- if (length(arguments) >= 2) arguments[2] else 30L

core <- asNamespace("neargp")
cpu_seconds <- function(expression) system.time(expression)[["user.self"]]

report <- function(what, ours, rivals) {
  ratios <- if (length(rivals)) sprintf("%s %.3f (%.1fx)", names(rivals), rivals, rivals / ours)
  cat(sprintf("%-38s neargp %.3f   %s\n", what, ours, paste(ratios, collapse = "   ")))
}

installed <- Filter(function(package) requireNamespace(package, quietly = TRUE), c("RANN", "FNN", "GpGp"))
for (package in setdiff(c("RANN", "FNN", "GpGp"), installed)) cat(package, "is not installed: skipped\n")

others_by <- list(
  RANN = function(coords) RANN::nn2(coords, coords, k + 1L),
  FNN = function(coords) FNN::get.knn(coords, k)
)

for (dimension in 2:3) {
  set.seed(1)
  coords <- matrix(runif(n * dimension), n)
  label <- function(what) sprintf("%s, n = %d, d = %d, k = %d:", what, n, dimension, k)

  ours <- cpu_seconds(core$core_neighbors_others(coords, k, 1L))
  rivals <- vapply(others_by[intersect(names(others_by), installed)], function(f) cpu_seconds(f(coords)), 0)
  report(label("others"), ours, rivals)

  ordering <- cpu_seconds(order <- core$core_order(coords, "maxmin", 0, 1L))
  before <- cpu_seconds(core$core_neighbors_before(coords, order, k, 1L))
  rivals <- if ("GpGp" %in% installed) {
    c(GpGp = cpu_seconds(GpGp::find_ordered_nn(coords[GpGp::order_maxmin(coords), ], k)))
  }
  report(label("maxmin + before"), ordering + before, rivals)
}
