# Predictions of the cells of a raster.

predict_raster <- function(object, newdata, settings) {
  require_package("terra", "for SpatRaster objects")
  if (settings$joint) abort_argument("joint", "FALSE for a SpatRaster", settings$joint)
  if (settings$part == "process") object <- without_trend(object)
  check_raster(object, newdata)
  if (settings$observed || settings$covariance) {
    abort_neargp("newdata", c("`use_observed` and `covariance` are not for rasters.",
      i = "Use the cells as a data frame: terra::as.data.frame(r, xy = TRUE)."))
  }
  moments_at <- part_predictor(object, settings)
  raster_by_blocks(newdata, settings, function(cells) {
    target <- raster_target(object, newdata, cells, settings$part)
    moments <- with_noise_of_targets(chunked_moments(object, target, settings, moments_at), target,
      settings, object)
    prediction_columns(object, moments, settings)
  })
}
