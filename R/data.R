read_extdata <- function(name) {
  utils::read.csv(system.file("extdata", name, package = "neargp", mustWork = TRUE))
}

#' Land surface temperature with cloud gaps
#'
#' Daytime land surface temperature on 4 August 2016 in a window of 67 by 72 km
#' in northern Arkansas, on a regular grid of 0.84 by 1.03 km. The clouds of another
#' day hide the cells marked as held out. The gaps are therefore realistic, and you
#' can score predictions there, because the temperature is known.
#'
#' The same temperatures ship as a GeoTIFF, where the held-out cells are missing:
#' `system.file("extdata/land_temperature.tif", package = "neargp")`.
#'
#' @return A data frame with 5,600 rows, one for each cell, and the columns
#'   * `lon`, `lat`: longitude and latitude in degrees (WGS 84);
#'   * `temperature`: land surface temperature in degrees Celsius;
#'   * `held_out`: `TRUE` for the 1,213 cells to be predicted, `FALSE` for the
#'     4,387 cells to be fitted;
#'   * `east`, `north`: kilometres from 92.2 degrees W and 35.9 degrees N. You can use
#'     them as coordinates in a plane, where the cells form a grid.
#'
#' @source The MODIS instrument on NASA's Terra satellite, level-3 daily land
#'   surface temperature; NASA's data are in the public domain. The grid and the
#'   held-out cells are those of the comparison by Heaton et al. (2019), of whose
#'   500 by 300 cells this is the window of columns 361 to 440 and rows 91 to 160,
#'   chosen for having many separate gaps and no cell without a known temperature.
#' @references
#' Heaton, M. J., Datta, A., Finley, A. O. et al. (2019). A case study
#' competition among methods for analyzing large spatial data. *Journal of
#' Agricultural, Biological and Environmental Statistics* 24, 398--425.
#' \doi{10.1007/s13253-018-00348-w}
#' @seealso [colorado_precipitation()] for data with a covariate.
#' @examples
#' cells <- land_temperature()
#' summary(cells)
#' plot_map(cells[!cells$held_out, ], "temperature", main = "Temperature (Celsius)")
#' @export
land_temperature <- function() {
  read_extdata("land_temperature.csv.gz")
}

#' Growing-season precipitation at stations in Colorado
#'
#' Mean total precipitation from April to September, over the years 1961 to
#' 1990, at weather stations in and around Colorado.
#'
#' A year counts where all six months were observed, and a station is here where
#' ten years or more count. The fewer the years, the less certain the mean: give
#' `weights = years` to [neargp()] to say so.
#'
#' @return A data frame with 281 rows, one for each station, and the columns
#'   * `station`: an arbitrary number;
#'   * `lon`, `lat`: longitude and latitude in degrees;
#'   * `elevation`: metres above sea level;
#'   * `precipitation`: mean total from April to September in millimetres;
#'   * `years`: number of years that the mean is taken over;
#'   * `east`, `north`: the same locations in kilometres (UTM zone 13 north, EPSG 32613).
#'
#' @source The cooperative observer network of the United States, whose records
#'   are in the public domain; the monthly totals from 1895 to 1997 were compiled
#'   at the National Center for Atmospheric Research and distributed as `CO.ppt`
#'   with the R package fields. That package's help page gives the unit as
#'   millimetres; the numbers are centimetres (the annual mean at Denver's
#'   airport comes to 39.8, its published normal is 391 mm), and were multiplied
#'   by ten.
#' @seealso [land_temperature()] for data on a grid with gaps, [wet_days()] for counts.
#' @examples
#' stations <- colorado_precipitation()
#' summary(stations)
#' plot(precipitation ~ elevation, stations)
#' @export
colorado_precipitation <- function() {
  read_extdata("colorado_precipitation.csv.gz")
}

#' Wet days of January 2010 in the United States
#'
#' On how many days of January 2010 it was wet, at rain gauges of the 48 contiguous states: counts,
#' presence or absence (was it wet on the 21st?) and amounts.
#'
#' A day is wet with at least 2.5 mm (0.1 inch, the resolution of most of these gauges). The archive
#' contains no dry days: they were filled in as long as a gauge was not reported missing. A gauge
#' that was out of order without a report therefore looks dry. Some gauges without a wet day among
#' wet neighbours can be of this kind.
#'
#' @return A data frame with 1,944 rows, one for each gauge, and the columns
#'   * `station`: number in the cooperative network;
#'   * `lon`, `lat`: longitude and latitude in degrees;
#'   * `observed`: number of days observed, at most 31;
#'   * `wet`: number of these that were wet;
#'   * `precipitation`: total over the days observed in millimetres;
#'   * `on_21st`: precipitation on 21 January in millimetres, `NA` for the 181 gauges without an
#'     observation that day;
#'   * `east`, `north`: the same locations in kilometres (Albers equal area, EPSG 5070).
#'
#' @source The hourly precipitation data (DSI-3240) of the National Climatic Data Center of the
#'   United States, now part of NOAA, whose records, as those of all federal agencies, are in
#'   the public domain (17 U.S.C. 105). The daily totals of January 2010, in hundredths of an inch,
#'   were found in the public repository `kd383/GPML_SLD` of D. Eriksson and others, which names no
#'   licence; these tables are counted and added from its numbers.
#' @seealso the article "Presence, counts and abundance"
#' @examples
#' gauges <- wet_days()
#' summary(gauges)
#' plot_map(gauges, "wet", coords = ~ lon + lat, longlat = TRUE, main = "Wet days")
#' @export
wet_days <- function() {
  read_extdata("wet_days.csv.gz")
}

take_data_rows <- function(data, rows) {
  c(list(y = data$y[rows], untransformed = data$untransformed[rows],
    X = data$X[rows, , drop = FALSE], offset = data$offset[rows], weights = data$weights[rows],
    trials = data$trials[rows], limits = data$limits[rows, , drop = FALSE],
    coords = data$coords[rows, , drop = FALSE], response_name = data$response_name,
    levels = data$levels, binomial = data$binomial, basis = data$basis),
    if (has_effects(data)) list(effects = list(Z = data$effects$Z[rows, , drop = FALSE],
      blocks = data$effects$blocks, compressed = data$effects$compressed)),
    if (!is.null(data$noise)) list(noise = take_noise_rows(data$noise, rows)),
    if (!is.null(data$parameter_models))
      list(parameter_models = take_parameter_models(data$parameter_models, rows)),
    if (length(data$by)) list(by = data$by),
    if (!is.null(data$inputs)) list(inputs = data$inputs[rows, , drop = FALSE]),
    if (!is.null(data$within)) list(within = take_within(data$within, rows)),
    if (!is.null(data$output)) list(output = data$output[rows], place = data$place[rows],
      outputs = data$outputs, places = data$places))
}

# The part of `within` at the locations `at`.
take_within <- function(within, at) {
  if (is_moving(within)) return(take_moving(within, at))
  rows <- sequence(within$count[at], within$first[at])
  count <- within$count[at]
  list(columns = within$columns[rows, , drop = FALSE], first = cumsum(count) - count + 1L,
    count = count, contrasts = within$contrasts[at], log_weights = within$log_weights[at],
    output = within$output[at], outputs = within$outputs)
}

take_moving <- function(within, at) {
  kept <- which(within$index %in% at)
  list(rows = take_data_rows(within$rows, kept), index = match(within$index[kept], at),
    contrasts = within$contrasts[at])
}

# The models of family parameters (R/family-rows.R) at these rows; NULL for no models.
take_parameter_models <- function(models, rows) {
  if (is.null(models)) return(NULL)
  lapply(models, function(model) {
    model$columns <- model$columns[rows, , drop = FALSE]
    model
  })
}

take_noise_rows <- function(noise, rows) {
  for (name in c("known", "weights")) noise[name] <- list(noise[[name]][rows])
  if (!is.null(noise$columns)) noise$columns <- noise$columns[rows, , drop = FALSE]
  noise
}

# Vectors of a value for each complete row get one for each row, NA for rows that are not complete.
spread_over_rows <- function(moments, complete) {
  lapply(moments, function(x) replace(rep(NA_real_, length(complete)), complete, x))
}

take_rows <- function(value, rows) {
  if (is.matrix(value)) value[rows, , drop = FALSE] else value[rows]
}

# The responses as the user has them.
observed_response <- function(data) data$untransformed %||% data$y
