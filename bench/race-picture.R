# Draws the picture of README.md from the table race: CPU seconds and peak memory of each contestant by track.

if (!exists("read_result")) source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
race_table <- read_result("race")
titles <- c(field = "50,000 locations, 5,000 predictions", satellite = "Satellite: 105,569 cells, 42,740 predictions",
  counts = "10,000 counts, 5,000 predictions", inputs = "10,000 rows, 8 inputs, 5,000 predictions")

draw_track <- function(track) {
  rows <- race_table[race_table$track == track & !is.na(race_table$seconds), ]
  rows <- rows[order(-rows$seconds), ]
  own <- startsWith(rows$contestant, "neargp")
  graphics::dotchart(rows$seconds, rows$contestant, log = "x", pch = ifelse(rows$level, 19, 1), pt.cex = 1.5, lcolor = "grey85",
    xlim = range(race_table$seconds, na.rm = TRUE) * c(0.7, 4), xlab = "CPU seconds, one thread", color = ifelse(own, "#B2182B", "black"))
  graphics::segments(rows$lower, seq_along(own), rows$upper, seq_along(own), lwd = 2, col = ifelse(own, "#B2182B", "black"))
  graphics::text(rows$seconds, seq_along(own), sprintf("  %.3g s, CRPS %.3g", rows$seconds, rows$crps), adj = c(0, 0.5), cex = 0.8)
  graphics::title(titles[[track]], cex.main = 1)
}

grDevices::png(file.path(bench_folder(), "..", "man", "figures", "README-race.png"), 1400, 1000, res = 130)
graphics::par(mfrow = c(2L, 2L), mar = c(4, 1, 2, 1), mgp = c(2, 0.6, 0))
for (track in intersect(names(titles), race_table$track)) draw_track(track)
grDevices::dev.off()
