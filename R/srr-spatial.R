# See srr-general.R.

#' Spatial software
#'
#' @srrstats {SP1.0} *`?neargp`, "Locations": Euclidean distance in the plane and beyond, or
#'   chordal distance through the sphere for longitude and latitude.*
#' @srrstats {SP1.1} *`?neargp`: any number of coordinates, and time; anisotropy is of the first
#'   two (`?covariance`), maps are of two (`?plot.neargp`).
#'   `vignettes/articles/which-method.Rmd` lists the methods for many.*
#' @srrstatsTODO {SP2.0} *Deliberately not met: beside sf points data frames with named
#'   coordinates are accepted, since coordinates may be any number of inputs, which no spatial
#'   class has.*
#' @srrstatsNA {SP2.0a} *No class of spatial data is introduced; results are of the class of
#'   newdata.*
#' @srrstats {SP2.0b} *Longitude and latitude out of range, chordal distance of a projected CRS,
#'   newdata in another CRS and geometries that are not points are errors (`R/locations.R`,
#'   `R/pkg-sf.R`; `tests/testthat/test-pkg-sf.R`). Columns of a data frame that are degrees by
#'   name alone are told by a message.*
#' @srrstats {SP2.1} *sf is used, sp is not; sp objects are refused with the conversion
#'   (`R/checks.R`).*
#' @srrstats {SP2.2} *As in SP2.2a and SP2.2b.*
#' @srrstats {SP2.2a} *`vignettes/articles/fill-gaps.Rmd`: "Data with known truth", "Rasters and
#'   points", maps by ggplot2.*
#' @srrstats {SP2.2b} *`tests/testthat/test-pkg-sf.R`, `test-pkg-terra.R`, `test-plot-map.R`,
#'   `test-folds.R`.*
#' @srrstats {SP2.3} *The example of `?neargp` and `tests/testthat/test-pkg-sf.R` read points from
#'   GeoPackage files.*
#' @srrstats {SP2.4} *A CRS is an object of sf::st_crs(), compared by sf (`R/pkg-sf.R`), rasters
#'   by their WKT (`R/pkg-terra.R`), grids of stars by their own (`R/pkg-stars.R`).*
#' @srrstats {SP2.4a} *What is kept and compared is WKT2: a PROJ string that is given as `crs` is
#'   read by sf::st_crs(), which makes it so (`crs_of()` of `R/pkg-sf.R`).*
#' @srrstats {SP2.5} *`fit$locations$crs` (`R/locations.R`); sf data without CRS are an error
#'   unless a distance is named (`R/pkg-sf.R`).*
#' @srrstatsNA {SP2.5a} *No class of input data is introduced.*
#' @srrstats {SP2.6} *`?neargp` (`data`, `coords`, `crs`), `?predict.neargp` (`newdata`),
#'   `?folds`, `?plot_map`, `?empirical_variogram`.*
#' @srrstats {SP2.7} *`check_points()` and `check_same_crs()` of `R/pkg-sf.R`, `check_raster()` of
#'   `R/pkg-terra.R`, `check_longlat()` of `R/degrees.R`.*
#' @srrstats {SP2.8} *`new_locations()`, `raw_coordinates()` and `embed_coordinates()` of
#'   `R/locations.R`, for data and newdata alike.*
#' @srrstats {SP2.9} *Names, CRS, metric, unit and the class and time zone of times are kept in
#'   `fit$locations` (`R/locations.R`).*
#' @srrstats {SP3.0} *As in SP3.0b, and by the ranges of the covariance, in whose metric
#'   neighbours are searched.*
#' @srrstatsNA {SP3.0a} *Neighbours are the nearest locations, on grids, too; there are no
#'   adjacencies.*
#' @srrstats {SP3.0b} *`k` of each method and of predict(), `sectors` of predict() (`?vecchia`,
#'   `?predict.neargp`), `buffer` of `?folds`.*
#' @srrstats {SP3.1} *Weights of neighbours are those of kriging, from the covariance of their
#'   distances (`dev/primitive.md`, "The primitive").*
#' @srrstats {SP3.2} *Inducing points may follow the density of the rows (`"kmeans"`, `"random"`)
#'   or fill the space (the first of the maxmin ordering): `?svgp`, `?inducing_points`;
#'   `?empirical_variogram` samples pairs at every scale.*
#' @srrstats {SP3.3} *Trend, process and noise are told apart in `?neargp`, in coef() and
#'   summary(), by predict(type = "process") and `"trend"`, and by `R2_trend` of `?r2.neargp`.*
#' @srrstatsNA {SP3.4} *There is no clustering of data; k-means blocks of `?folds` are of
#'   coordinates alone.*
#' @srrstats {SP3.5} *Nothing is broadcast: lengths that differ are errors (`R/model-frame.R`,
#'   `R/scores.R`); where one value may stand for all rows, as `trials`, help says so.*
#' @srrstats {SP3.6} *`?folds` and `?cross_validate` say what random folds and blocks measure,
#'   `vignettes/articles/fill-gaps.Rmd` ("Choose by gaps") shows it;
#'   `tests/testthat/test-cross-validate.R` tests it.*
#' @srrstats {SP4.0} *As in SP4.0a.*
#' @srrstats {SP4.0a} *Predictions and draws are of the class of newdata: data frame, tibble, sf
#'   or SpatRaster (`R/newdata.R`, `R/pkg-sf.R`, `R/pkg-terra.R`).*
#' @srrstats {SP4.0b} *Fits, variograms and folds have classes of their own (`?neargp`,
#'   `?empirical_variogram`, `?folds`).*
#' @srrstatsTODO {SP4.1} *The CRS is kept, and print(), variograms and maps tell the unit of
#'   distances. A response of the package units is predicted in plain numbers, and coordinates
#'   with units are not compared with those of the fit (`?neargp`, "Columns with units").*
#' @srrstats {SP4.2} *"Value" of each help page.*
#' @srrstats {SP5.0} *`?plot.neargp`, `?plot.neargp_variogram`, `?plot.neargp_cv`, `?folds`;
#'   predictions by `?plot_map`.*
#' @srrstats {SP5.1} *`plot_map()` draws the first coordinate, longitude, along x, with the aspect
#'   ratio of degrees or of the plane (`R/plot-map.R`; `tests/testthat/test-plot-map.R`).*
#' @srrstats {SP5.2} *Degrees are labelled by hemisphere, and distances carry their unit
#'   (`R/plot-map.R`, `R/plot-variogram.R` and their tests).*
#' @srrstatsTODO {SP5.3} *Plots are static. Predictions are sf points or rasters, which packages
#'   such as mapview show, but no help page says so.*
#' @srrstats {SP6.0} *`tests/testthat/test-plot-grid.R`, "original coordinates are those that were
#'   given", across the date line.*
#' @srrstatsTODO {SP6.1} *Fits, predictions, neighbours in sectors, folds, variograms, maps and
#'   inducing points are tested in the plane and on the sphere (`tests/testthat/test-locations.R`,
#'   `test-predict-neighbors.R`, `test-folds.R`, `test-variogram.R`, `test-inducing-svgp.R`,
#'   `test-latent-vnngp.R`), but not each method and generic.*
#' @srrstats {SP6.1a} *`tests/testthat/test-locations.R`, "longitude and latitude say what a
#'   projection of them says, and degrees taken as a plane say less".*
#' @srrstats {SP6.1b} *The same test compares with a projection.*
#' @srrstats {SP6.2} *Poles and the date line: `tests/testthat/test-locations.R`, `test-folds.R`,
#'   `tests/cpp/test_longlat.cpp`, `tests/cpp/test_neighbors.cpp`.*
#' @srrstats {SP6.3} *`tests/testthat/test-neighbors.R`, `test-neighbor-search.R`,
#'   `test-predict-neighbors.R` and `tests/cpp/test_neighbors.cpp` test orderings, searches,
#'   sectors and k; `test-cross-validate.R` compares scores by few and many neighbours,
#'   `bench/defaults.R` those of sectors and local means.*
#' @srrstats {SP6.4} *All covariances, from which the weights come, are compared with dense
#'   matrices in `tests/testthat/test-neargp.R` and `tests/cpp/test_kriging.cpp`.*
#' @srrstatsNA {SP6.5} *There is no unsupervised learning.*
#' @srrstats {SP6.6} *`tests/testthat/test-cross-validate.R`, "random folds promise smaller errors
#'   than gaps have, which blocks tell".*
#' @noRd
NULL
