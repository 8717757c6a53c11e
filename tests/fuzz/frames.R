# Frames as users hand them over, for fitting and for prediction.

has_package <- function(name) requireNamespace(name, quietly = TRUE)

can_be_points <- function(data, d) has_package("sf") && d == 2L && all(vapply(data[c("s1", "s2")], is_plain_number, NA))

as_points <- function(data, how) {
  if (how == "sf with height") data$z <- 1
  columns <- c("s1", "s2", if (how == "sf with height") "z")
  points <- sf::st_as_sf(data, coords = columns, crs = pick(NA, NA, 3857, 4326), dim = if (how == "sf with height") "XYZ" else "XY")
  if (how == "sf with an empty point" && nrow(points)) {
    geometry <- sf::st_geometry(points)
    geometry[[1L]] <- sf::st_point()
    sf::st_geometry(points) <- geometry
  }
  if (how == "sf areas") points <- around_points(points)
  points
}

# Squares about some of the points, which may overlap.
around_points <- function(points) {
  geometry <- sf::st_geometry(points)
  side <- pick(0.01, 0.1, 1e-6) * max(diff(sf::st_bbox(geometry)[c(1L, 3L)]), 1e-6)
  square <- function(xy) sf::st_polygon(list(cbind(xy[1L] + side * c(-1, 1, 1, -1, -1), xy[2L] + side * c(-1, -1, 1, 1, -1))))
  chosen <- which(stats::runif(length(geometry)) < pick(1, 0.7, 0.05))
  geometry[chosen] <- sf::st_sfc(lapply(geometry[chosen], square), crs = sf::st_crs(geometry))
  sf::st_set_geometry(points, geometry)
}

# The data in one of the classes that users have, and the `coords` that go with it.
dress <- function(data, d, tame) {
  odd <- if (tame) 0 else 1
  how <- pick_name(c(formula = 10, names = 2, dot = 0.5 * odd, tibble = 1, sf = 2, "sf with an empty point" = 0.3 * odd,
    "sf with height" = 0.3 * odd, "sf areas" = 0.5, "row names" = 0.5, "duplicated names" = 0.2 * odd, "odd column" = 2.5 * odd,
    "odd name" = 0.3 * odd, list = 0.1 * odd))
  coordinates <- c(paste0("s", seq_len(d)), if (chance(0.1)) pick("g", "flag", c("g", "flag"), if (!tame) "text", if (!tame) "ordered(g)"))
  coords <- switch(how, names = coordinates, dot = ~., stats::reformulate(coordinates))
  if (startsWith(how, "sf") && can_be_points(data, d)) {
    points <- tryCatch(as_points(data, how), error = function(e) NULL)
    if (!is.null(points)) return(list(data = points, coords = NULL))
  }
  if (how == "tibble" && has_package("tibble")) data <- tryCatch(tibble::as_tibble(data), error = function(e) data)
  if (how == "row names" && nrow(data)) rownames(data) <- paste0("row", seq_len(nrow(data)))
  if (how == "odd column") data <- with_odd_column(data)
  if (how == "odd name") data <- with_odd_name(data)
  if (how == "duplicated names") names(data)[ncol(data)] <- "a"
  if (how == "list") data <- as.list(data)
  list(data = data, coords = coords)
}

# Once vctrs is loaded, labelled numbers allow no arithmetic.
shift_coordinates <- function(new, change) {
  for (name in grep("^s[0-9]+$", names(new), value = TRUE)) {
    column <- new[[name]]
    if (!is.numeric(column)) next
    labelled <- inherits(column, "haven_labelled")
    value <- change(if (labelled) as.vector(unclass(column)) else column)
    if (labelled) attributes(value) <- attributes(column)
    new[[name]] <- value
  }
  new
}

as_text <- function(new, columns) {
  for (name in intersect(columns, names(new))) new[[name]] <- as.character(new[[name]])
  new
}

newdata_changes <- list(
  none = function(new) new,
  moved = function(new) shift_coordinates(new, function(x) x + stats::runif(length(x)) * pick(0.01, 1e-9, 0.3)),
  far = function(new) shift_coordinates(new, function(x) x * pick(1e3, 1e20, -1)),
  missing_value = function(new) {
    if (nrow(new)) new[[pick("a", "g", "s1", "t")]][1L] <- NA
    new
  },
  infinite = function(new) {
    if (nrow(new)) new$a[1L] <- Inf
    new
  },
  new_level = function(new) {
    new <- as_text(new, "g")
    if (nrow(new)) new$g[1L] <- "unseen"
    if (nrow(new)) new$text[1L] <- "new"
    new
  },
  missing_column = function(new) {
    new[[pick("a", "s1", "g", "text")]] <- NULL
    new
  },
  other_type = function(new) as_text(new, c("a", "s1")),
  other_class = function(new) pick(as.list(new), as.matrix(seq_len(3)), NULL, "new"),
  no_columns = function(new) new[, 0L],
  junk = function(new) junk(),
  odd_column = function(new) if (nrow(new)) with_odd_column(new) else new,
  odd_name = function(new) with_odd_name(new),
  row_names = function(new) {
    if (nrow(new)) rownames(new) <- paste0("r", seq_len(nrow(new)))
    new
  }
)

# Some of the rows again, moved or spoilt.
random_newdata <- function(data) {
  m <- pick(0L, 1L, 2L, 5L, 20L)
  n <- nrow(data)
  new <- data[if (n && m) sample.int(n, m, TRUE) else integer(0), , drop = FALSE]
  change <- pick_name(c(none = 6, moved = 8, far = 2, missing_value = 0.6, infinite = 0.6, new_level = 0.6, missing_column = 0.6,
    other_type = 0.6, other_class = 0.6, no_columns = 0.3, junk = 0.3, row_names = 0.5, odd_column = 0.8, odd_name = 0.2))
  newdata_changes[[change]](new)
}
