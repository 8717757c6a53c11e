# The contest of spatial methods of Heaton et al. (2019): MODIS land temperature, 105,569 cells to fit, 42,740 cells under clouds to predict.
# Covariance, then trend and prediction settings, are those of the least CRPS in cross-validation on the training cells alone, in blocks
# shaped like the gaps. The test cells are used at the end, for the chosen setting and for the first one that was ever tried.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
cells <- bench_data("heaton_satellite")
train <- cells[cells$train == 1, ]
test <- cells[cells$train == 0, ]
grid <- c(500L, 300L)
describe_run()

# ---- held-out clouds --------------------------------------------------------------------------------------------------------------

# Blocks shaped like the gaps: the clouds themselves, laid over the training cells after turning the image. A model is fitted without the cells
# under a turned cloud, trend included, and predicts them.
turned_clouds <- function(train) {
  cloud <- matrix(TRUE, grid[1L], grid[2L])
  cloud[train$cell] <- FALSE
  turned <- list("left to right" = cloud[grid[1L]:1, ], "upside down" = cloud[, grid[2L]:1], both = cloud[grid[1L]:1, grid[2L]:1])
  lapply(turned, function(mask) mask[train$cell])
}
clouds <- turned_clouds(train)

# Distance from hidden cells to the nearest known one: held-out clouds should be as hard as the real ones.
gap_distance <- function(known, hidden) {
  nearest <- as.matrix(neargp:::core_neighbors_to(as.matrix(known[c("lon", "lat")]), as.matrix(hidden[c("lon", "lat")]), 1L, neargp:::plain_context(2L)))
  stats::quantile(sqrt((hidden$lon - known$lon[nearest])^2 + (hidden$lat - known$lat[nearest])^2), c(0.25, 0.5, 0.75, 0.9, 0.95, 1))
}
distances <- rbind(test = gap_distance(train, test), t(vapply(clouds, function(held) gap_distance(train[!held, ], train[held, ]), double(6))))
save_table(data.frame(cloud = rownames(distances), distances, check.names = FALSE), "heaton-satellite-clouds")

score_names <- c("mae", "rmse", "crps", "interval_score", "coverage")

# Scores of each setting under each cloud, and over the cells of all clouds ("all").
validate <- function(fits, settings) {
  predicted <- lapply(settings, function(setting) Map(function(fit, held) {
    arguments <- list(fit, train[held, ], threads = bench_threads(), verbose = FALSE)
    data.frame(do.call(predict, c(arguments, setting))[c("mean", "sd")], observed = train$temp[held])
  }, fits, clouds))
  rows <- lapply(names(settings), function(setting) {
    pieces <- c(list(all = do.call(rbind, predicted[[setting]])), predicted[[setting]])
    scored <- lapply(pieces, function(p) scores(p, observed = p$observed)[score_names])
    wide <- vapply(scored[-1L], function(x) x$crps, 0)
    data.frame(setting = setting, scored$all, t(stats::setNames(wide, paste("crps,", names(wide)))), check.names = FALSE)
  })
  do.call(rbind, rows)
}

fit_rows <- function(candidate, rows) {
  if (is.null(candidate$method)) candidate$method <- vecchia(k = 30)
  do.call(neargp, c(candidate, list(data = train[rows, ], coords = ~ lon + lat, threads = bench_threads(), verbose = FALSE)))
}

# ---- choice of the covariance -----------------------------------------------------------------------------------------------------

linear <- temp ~ lon + lat
rotated <- function(constructor, ...) constructor(..., anisotropy = TRUE)
candidates <- list(
  "exponential, isotropic" = list(linear, covariance = cov_exponential()),
  "exponential" = list(linear, covariance = rotated(cov_exponential)),
  "exponential, by LOO-k" = list(linear, covariance = rotated(cov_exponential), method = loo_k(k = 30)),
  "Matern 3/2" = list(linear, covariance = rotated(cov_matern, nu = 1.5)),
  "powered exponential" = list(linear, covariance = rotated(cov_powered_exponential)),
  "Cauchy" = list(linear, covariance = rotated(cov_cauchy)),
  "exponential + exponential" = list(linear, covariance = rotated(cov_exponential) + rotated(cov_exponential)),
  "Matern 3/2 + Matern 3/2" = list(linear, covariance = rotated(cov_matern, nu = 1.5) + rotated(cov_matern, nu = 1.5)))

# A table of validate() for several candidates.
compare <- function(candidates, settings) {
  do.call(rbind, lapply(names(candidates), function(name) {
    fits <- lapply(clouds, function(held) fit_rows(candidates[[name]], !held))
    data.frame(model = name, validate(fits, settings), check.names = FALSE)
  }))
}

first <- compare(candidates, list("60 nearest" = list(k = 60), "60 nearest, local mean" = list(k = 60, local_mean = TRUE)))
save_table(first, "heaton-satellite-cv-covariance", digits = 4L)
chosen_covariance <- candidates[[first$model[which.min(first$crps)]]]

# ---- choice of trend and prediction settings --------------------------------------------------------------------------------------

with_trend <- function(formula) replace(chosen_covariance, 1L, list(formula))
trends <- list(constant = with_trend(temp ~ 1), linear = with_trend(linear), quadratic = with_trend(temp ~ poly(lon, lat, degree = 2)))
settings <- list("60 nearest" = list(k = 60), "100 nearest" = list(k = 100), "200 nearest" = list(k = 200),
  "8 sectors of 8" = list(k = 64, sectors = 8), "60 nearest, local mean" = list(k = 60, local_mean = TRUE),
  "100 nearest, local mean" = list(k = 100, local_mean = TRUE), "200 nearest, local mean" = list(k = 200, local_mean = TRUE),
  "8 sectors of 8, local mean" = list(k = 64, sectors = 8, local_mean = TRUE))
second <- compare(trends, settings)

save_table(second, "heaton-satellite-cv-trend", digits = 4L)
best <- second[which.min(second$crps), ]

# ---- the test cells ---------------------------------------------------------------------------------------------------------------

contest_row <- function(label, candidate, setting) {
  fitted <- timed(fit_rows(candidate, TRUE))
  predicted <- timed(do.call(predict, c(list(fitted$value, test, threads = bench_threads(), verbose = FALSE), setting)))
  row <- scores(predicted$value, observed = test$temp)[score_names]
  list(row = data.frame(method = label, row, fit_cpu = fitted$cpu, predict_cpu = predicted$cpu), predicted = predicted$value, fit = fitted$value)
}
final <- contest_row(paste0("chosen: ", first$model[which.min(first$crps)], ", ", best$model, " trend, ", best$setting), trends[[best$model]],
  settings[[best$setting]])
trial <- contest_row("first trial: exponential, linear trend, 100 nearest, local mean", candidates$exponential, list(k = 100, local_mean = TRUE))
save_table(rbind(final$row, trial$row), "heaton-satellite-test")
print(summary(final$fit))

# ---- map --------------------------------------------------------------------------------------------------------------------------

as_image <- function(values, cell) {
  image <- matrix(NA_real_, grid[1L], grid[2L])
  image[cell] <- values
  image[, grid[2L]:1]
}

draw <- function(values, cell, title, limits, colours) {
  along <- function(x, n) seq(min(x), max(x), length.out = n)
  shown <- as_image(pmin(pmax(values, limits[1L]), limits[2L]), cell)
  graphics::image(along(cells$lon, grid[1L]), along(cells$lat, grid[2L]), shown, zlim = limits, col = colours, xlab = "longitude",
    ylab = "latitude", main = title, asp = 1 / cos(35.7 * pi / 180), useRaster = TRUE)
  key <- seq(limits[1L], limits[2L], length.out = 6L)
  graphics::legend("right", legend = signif(rev(key), 2L), fill = rev(colours[round(seq(1, length(colours), length.out = 6L))]),
    bty = "n", inset = -0.14, xpd = NA, border = NA)
}

grDevices::png(result_file("heaton-satellite.png"), width = 800, height = 1500, res = 110)
graphics::par(mfrow = c(3, 1), mar = c(4, 4, 2, 6))
temperatures <- range(train$temp)
warm <- grDevices::hcl.colors(64L, "Lajolla", rev = TRUE)
draw(train$temp, train$cell, "Observed land temperature (degrees C)", temperatures, warm)
draw(c(train$temp, final$predicted$mean), c(train$cell, test$cell), "Gaps filled: mean", temperatures, warm)
draw(final$predicted$sd, test$cell, "Standard deviation of the predictions", c(0, max(final$predicted$sd)), grDevices::hcl.colors(64L, "Viridis"))
invisible(grDevices::dev.off())
