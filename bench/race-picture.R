# Draws the picture of README.md from the table race: CPU seconds and peak memory of each contestant by track.

if (!exists("read_result")) source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
race_table <- read_result("race")
titles <- c(field = "50,000 locations, 5,000 predictions", satellite = "Satellite: 105,569 cells, 42,740 predictions",
  counts = "10,000 counts, 5,000 predictions", inputs = "10,000 rows, 8 inputs, 5,000 predictions")

# Text stands on the side of a point with more room.
draw_track <- function(track) {
  rows <- race_table[race_table$track == track & !is.na(race_table$seconds), ]
  rows <- rows[order(-rows$seconds), ]
  colour <- ifelse(startsWith(rows$contestant, "neargp"), "#B2182B", "black")
  at <- seq_along(colour)
  limits <- range(race_table$seconds, na.rm = TRUE) * c(0.7, 1.4)
  graphics::dotchart(rows$seconds, rows$contestant, log = "x", pch = ifelse(rows$level, 19, 1), pt.cex = 1.3, lcolor = "grey85", xaxt = "n",
    xlim = limits, xlab = "CPU seconds, one thread", color = colour)
  graphics::axis(1L, 10^(-1:3), c("0.1", "1", "10", "100", "1000"))
  graphics::segments(rows$lower, at, rows$upper, at, lwd = 2, col = colour)
  left <- rows$seconds > sqrt(prod(limits))
  graphics::text(rows$seconds * ifelse(left, 0.8, 1.25), at, sprintf("%.3g s, CRPS %.3f", rows$seconds, rows$crps), cex = 0.8,
    pos = ifelse(left, 2, 4), offset = 0)
  graphics::title(titles[[track]], cex.main = 1)
}

tracks <- intersect(names(titles), race_table$track)
grDevices::png(file.path(bench_folder(), "..", "man", "figures", "README-race.png"), 1400, 500 * ceiling(length(tracks) / 2), res = 130)
graphics::par(mfrow = c(ceiling(length(tracks) / 2), 2L), mar = c(4, 1, 2, 1), mgp = c(2, 0.6, 0))
for (track in tracks) draw_track(track)
grDevices::dev.off()
