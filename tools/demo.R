# The main job from end to end: fits land surface temperature seen by satellite,
# fills the gaps that clouds left, scores that against the truth, draws the map.
# Run by tools/demo.sh.

library(neargp)

# Cells in kilometres east and north of the middle of the window. A plane will do for 70 km, and in a plane the
# covariance may depend on direction.
cells <- land_temperature()
degree <- pi / 180 * 6371.0088
cells$east <- degree * cos(mean(cells$lat) * pi / 180) * (cells$lon - mean(cells$lon))
cells$north <- degree * (cells$lat - mean(cells$lat))
seen <- cells[!cells$held_out, ]
hidden <- cells[cells$held_out, ]

cat(sprintf("Fitting %d cells; %d under clouds are to be predicted.\n\n", nrow(seen), nrow(hidden)))
fit <- neargp(temperature ~ 1,
  data = seen, coords = ~ east + north,
  method = vecchia(k = 30),
  covariance = cov_matern(nu = NULL, anisotropy = TRUE)
)
print(summary(fit))

prediction <- predict(fit, hidden, interval = "prediction")

cat("\nHeld-out cells, predicted from the others:\n")
print(scores(prediction, hidden$temperature))
plain <- predict(lm(temperature ~ lon + lat, seen), hidden)
cat(sprintf(
  "For comparison, RMSE of a plane through the data: %.2f\n",
  sqrt(mean((plain - hidden$temperature)^2))
))

everywhere <- predict(fit, cells)
limits <- range(seen$temperature, everywhere$mean)
file <- "demo-map.png"
png(file, width = 1950, height = 700, res = 130)
par(mfrow = c(1, 3))
plot_map(seen, "temperature", coords = ~ lon + lat, limits = limits, main = "Observed", title = "°C")
plot_map(everywhere, "mean", coords = cells[c("lon", "lat")], limits = limits, longlat = TRUE, main = "Predicted mean", title = "°C")
plot_map(everywhere, "sd", coords = cells[c("lon", "lat")], longlat = TRUE, main = "Standard deviation", title = "°C")
invisible(dev.off())
cat(sprintf("\nThe map is in %s\n", normalizePath(file)))
