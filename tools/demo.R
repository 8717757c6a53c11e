# The main job from end to end: fits land surface temperature seen by satellite,
# fills the gaps that clouds left, scores that against the truth, draws the map.
# Run by tools/demo.sh.

library(neargp)

# Cells in kilometres east and north of the middle of the window: a plane will do
# for 70 km, and in a plane the covariance may have a direction.
cells <- land_temperature()
degree <- pi / 180 * 6371.0088
cells$east <- degree * cos(mean(cells$lat) * pi / 180) * (cells$lon - mean(cells$lon))
cells$north <- degree * (cells$lat - mean(cells$lat))
seen <- cells[!cells$held_out, ]
hidden <- cells[cells$held_out, ]

cat(sprintf("Fitting %d cells; %d under clouds are to be predicted.\n\n", nrow(seen), nrow(hidden)))
fit <- neargp(temperature ~ east + north,
  data = seen, coords = ~ east + north,
  method = vecchia(k = 30),
  covariance = cov_exponential(anisotropy = TRUE)
)
print(summary(fit))

# Inside a gap the nearest cells all lie on one side: more of them, and a mean
# that is known only locally, serve better than the few that sufficed to fit.
predict_cells <- function(newdata) {
  predict(fit, newdata, interval = "prediction", k = 100, local_mean = TRUE)
}
prediction <- predict_cells(hidden)

cat("\nHeld-out cells, predicted from the others:\n")
print(scores(prediction, hidden$temperature))
plain <- predict(lm(temperature ~ lon + lat, seen), hidden)
cat(sprintf(
  "For comparison, RMSE of a plane through the data: %.2f\n",
  sqrt(mean((plain - hidden$temperature)^2))
))

# Values of cells as a matrix for image(), west to east and south to north.
as_grid <- function(cells, values) {
  lon <- sort(unique(cells$lon))
  lat <- sort(unique(cells$lat))
  z <- matrix(NA_real_, length(lon), length(lat))
  z[cbind(match(cells$lon, lon), match(cells$lat, lat))] <- values
  list(x = lon, y = lat, z = z)
}

draw_panel <- function(grid, limits, palette, title) {
  colours <- hcl.colors(64, palette)
  image(grid, zlim = limits, col = colours, main = title,
    xlab = "Longitude", ylab = "Latitude", asp = 1 / cos(mean(grid$y) * pi / 180))
  shown <- pretty(limits, 4)
  shown <- shown[shown >= limits[1] & shown <= limits[2]]
  legend("bottom", horiz = TRUE, inset = c(0, -0.32), xpd = TRUE, bty = "n",
    legend = shown, fill = colours[1 + round(63 * (shown - limits[1]) / diff(limits))])
}

everywhere <- predict_cells(cells)
limits <- range(seen$temperature, everywhere$mean)
file <- "demo-map.png"
png(file, width = 1800, height = 760, res = 130)
par(mfrow = c(1, 3), mar = c(7, 4, 3, 1))
draw_panel(
  as_grid(cells, ifelse(cells$held_out, NA, cells$temperature)),
  limits, "Inferno", "Observed (°C)"
)
draw_panel(as_grid(cells, everywhere$mean), limits, "Inferno", "Predicted mean (°C)")
draw_panel(as_grid(cells, everywhere$sd), range(everywhere$sd), "Mako", "Standard deviation (°C)")
invisible(dev.off())
cat(sprintf("\nThe map is in %s\n", normalizePath(file)))
