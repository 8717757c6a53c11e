# Pictures of vnngp-paper-figures.R, vnngp-noise-figures.R and vnngp-side-by-side.R.

out <- sub("^--out=", "", grep("^--out=", commandArgs(TRUE), value = TRUE))
if (!length(out)) out <- file.path(bench_folder(), "results")
dir.create(out, showWarnings = FALSE, recursive = TRUE)

# The paper's colours, and one for the sparse posterior.
colours <- c(exact = "#7b3294", svgp = "#2b6cb0", vnngp = "#2e8b57", swsgp = "#e08214", sparse = "#b2182b")

draw <- function(name, width, height, plot) {
  grDevices::png(file.path(out, name), width = width, height = height, res = 110, type = "cairo", antialias = "none")
  on.exit(grDevices::dev.off())
  plot()
}
