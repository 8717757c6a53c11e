# Makes the example data in inst/extdata from larger public files, which
# are looked for in the folder NEARGP_DATA, else in ../shared/data.
# Run from the repository root: Rscript tools/make-extdata.R

source_folder <- Sys.getenv("NEARGP_DATA", file.path("..", "shared", "data"))

read_source <- function(name) {
  utils::read.csv(file.path(source_folder, name))
}

write_extdata <- function(data, name) {
  connection <- gzfile(file.path("inst", "extdata", name), "w", compression = 9)
  on.exit(close(connection))
  utils::write.csv(data, connection, row.names = FALSE, quote = FALSE)
}

# Adds projected coordinates in kilometres, `east` and `north`, so that examples need no projection.
with_kilometres <- function(data, epsg) {
  points <- sf::st_as_sf(data[c("lon", "lat")], coords = c("lon", "lat"), crs = 4326)
  projected <- sf::st_coordinates(sf::st_transform(points, epsg)) / 1000
  data$east <- round(projected[, 1], 3)
  data$north <- round(projected[, 2], 3)
  data
}

# Land surface temperature: the cells run along longitude first, 500 to a row, from north to south. Among the windows of
# 80 by 70 cells without a missing one, this window contains the most separate gaps for its share of held-out cells.
satellite <- read_source("heaton_satellite.csv.gz")
column <- (satellite$cell - 1) %% 500 + 1
row <- (satellite$cell - 1) %/% 500 + 1
window <- column %in% 361:440 & row %in% 91:160
land_temperature <- with(satellite[window, ], data.frame(
  lon = round(lon, 6),
  lat = round(lat, 6),
  temperature = round(temp, 2),
  held_out = train == 0
))
# Its grid stays one in kilometres from the centre of the window, with the parallel at 35.9 degrees in its true length.
kilometres <- pi / 180 * 6371
land_temperature$east <- round(kilometres * cos(35.9 * pi / 180) * (land_temperature$lon + 92.2), 4)
land_temperature$north <- round(kilometres * (land_temperature$lat - 35.9), 4)
write_extdata(land_temperature, "land_temperature.csv.gz")

# Precipitation of the growing season, April to September: total of each year
# whose six months are all there, then the mean over the years of each station.
# The source gives centimetres (Denver: 39.8 a year, against a published normal
# of 391 mm), though its documentation says millimetres.
monthly <- read_source("co_ppt_monthly.csv.gz")
monthly <- monthly[monthly$year %in% 1961:1990 & monthly$month %in% 4:9, ]
monthly$precipitation <- 10 * monthly$ppt

season <- aggregate(
  cbind(precipitation, months = 1) ~ station + lon + lat + elev + year,
  monthly, sum
)
season <- season[season$months == 6, ]

station <- aggregate(
  cbind(precipitation, years = 1) ~ station + lon + lat + elev,
  season, sum
)
station$precipitation <- round(station$precipitation / station$years, 1)
station <- station[station$years >= 10, ]
station <- station[order(station$station), ]
names(station)[names(station) == "elev"] <- "elevation"
write_extdata(with_kilometres(station, 32613), "colorado_precipitation.csv.gz") # UTM zone 13

# Wet days of January 2010: daily totals at rain gauges, in hundredths of an inch. Most gauges weigh in tenths of an inch, so that
# is the least a wet day has.
daily <- read_source("us_precip_daily_jan2010.csv.gz")
gauge <- aggregate(
  cbind(observed = 1, wet = prcp >= 10, precipitation = 0.254 * prcp) ~ station + lon + lat,
  daily, sum
)
gauge[c("lon", "lat")] <- round(gauge[c("lon", "lat")], 4)
gauge$precipitation <- round(gauge$precipitation, 1)
on_21st <- daily[daily$day == 21, ]
gauge$on_21st <- round(0.254 * on_21st$prcp[match(gauge$station, on_21st$station)], 1)
# Albers equal area for the contiguous states
write_extdata(with_kilometres(gauge[order(gauge$station), ], 5070), "wet_days.csv.gz")

# The temperatures once more as a GeoTIFF, with gaps in the held-out cells, for examples that begin with a file.
image <- land_temperature[c("lon", "lat", "temperature")]
image$temperature[land_temperature$held_out] <- NA
terra::writeRaster(terra::rast(image, crs = "EPSG:4326", digits = 3),
  file.path("inst/extdata", "land_temperature.tif"),
  overwrite = TRUE, gdal = "COMPRESS=DEFLATE"
)
