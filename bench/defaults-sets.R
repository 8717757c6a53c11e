# The data sets of defaults.R and how each is split. A set is a function that reads it: list(data, response, formula, coords, time, kind,
# splits), `kind` being "plane", "sphere" or "inputs" (several inputs, standardised).

new_set <- function(data, response, coords, kind = "plane", time = NULL, splits = c("random", "blocks", "blocks 2", "discs"), formula = NULL) {
  list(data = data, response = response, coords = coords, time = time, kind = kind, splits = splits, train_rows = train_rows,
    formula = formula %||% stats::reformulate("1", response))
}

# As if fewer rows had been observed.
thinned_set <- function(set, rows) {
  set$train_rows <- rows
  set$splits <- c("random", "blocks", "blocks 2")
  set
}

# A sample of rows, the same in every run.
some_rows <- function(data, count) {
  set.seed(1)
  if (nrow(data) > count) data[sort(sample.int(nrow(data), count)), ] else data
}

largest <- function() train_rows + test_rows

contest <- function(name) {
  cells <- bench_data(name)
  new_set(cells, "temp", ~ lon + lat, splits = c("gap", "random", "blocks", "blocks 2"))
}

inputs_set <- function(name, response = "y", rows = 5000L, drop = "fold") {
  data <- some_rows(bench_data(name), rows)
  data <- data[setdiff(names(data), drop)]
  data <- data[vapply(data, stats::var, 0) > 1e-10]
  data[] <- lapply(data, function(x) (x - mean(x)) / stats::sd(x))
  new_set(data, response, stats::reformulate(setdiff(names(data), response)), "inputs", splits = "random")
}

stations_of <- function(year, month) {
  rows <- bench_data("co_ppt_monthly")
  rows <- rows[rows$year == year & rows$month == month, ]
  rows$root <- sqrt(rows$ppt)
  rows[!duplicated(rows[c("lon", "lat")]), ]
}

sets <- list(
  satellite = function() contest("heaton_satellite"),
  simulated = function() contest("heaton_simulated"),
  bcef = function() new_set(some_rows(bench_data("bcef"), largest()), "fch", ~ x + y),
  cru_plane = function() {
    rows <- bench_data("cru_precip_dec")
    rows <- rows[rows$lon > -20 & rows$lon < 60 & rows$lat > -40 & rows$lat < 70, ]
    rows$root <- sqrt(rows$precip)
    new_set(some_rows(rows, largest()), "root", ~ lon + lat)
  },
  cru_sphere = function() {
    rows <- bench_data("cru_precip_dec")
    rows$root <- sqrt(rows$precip)
    new_set(some_rows(rows, largest()), "root", ~ lon + lat, "sphere")
  },
  stations_1990_7 = function() new_set(stations_of(1990, 7), "root", ~ lon + lat),
  stations_1970_1 = function() new_set(stations_of(1970, 1), "root", ~ lon + lat),
  tsca_wip = function() new_set(some_rows(bench_data("mi_tsca"), largest()), "wip", ~ long + lat),
  tsca_max = function() new_set(some_rows(bench_data("mi_tsca"), largest()), "max", ~ long + lat),
  argo = function() {
    rows <- bench_data("argo2016")
    new_set(rows[rows$day < min(rows$day) + 60, ], "temp100", ~ lon + lat, "sphere")
  },
  argo_time = function() {
    new_set(some_rows(bench_data("argo2016"), largest()), "temp150", ~ lon + lat, "sphere", time = ~ day, splits = c("random", "discs", "last"))
  },
  jason3_time = function() {
    rows <- bench_data("jason3")
    new_set(some_rows(rows, largest()), "windspeed", ~ lon + lat, "sphere", time = ~ time, splits = c("random", "discs", "last"))
  },
  us_rain = function() {
    rows <- bench_data("us_precip_daily_jan2010")
    rows <- rows[rows$day == 21, ]
    rows$root <- sqrt(rows$prcp)
    new_set(rows[!duplicated(rows[c("lon", "lat")]), ], "root", ~ lon + lat, "sphere")
  },
  pcod = function() {
    rows <- bench_data("pcod")
    rows$log_density <- log1p(rows$density)
    new_set(rows, "log_density", ~ X + Y)
  },
  yelloweye = function() {
    rows <- bench_data("yelloweye")
    rows$log_rate <- log1p(rows$catch_count / rows$hook_count * 100)
    new_set(rows, "log_rate", ~ X + Y)
  },
  powerplant = function() inputs_set("powerplant"),
  concrete = function() inputs_set("concrete"),
  energy = function() inputs_set("energy"),
  kin40k = function() inputs_set("kin40k"),
  protein = function() inputs_set("protein"),
  landsat = function() {
    data <- bench_data("landsat")
    inputs_set("landsat", drop = setdiff(names(data), c("x1", "x2", "x3", "x4", "y")))
  }
)

# Fewer rows: from how many on are smoothness and anisotropy worth estimating?
for (rows in c(300L, 1000L)) for (name in c("satellite", "simulated", "bcef", "cru_plane", "tsca_wip", "pcod")) {
  sets[[paste0(name, "_", rows)]] <- local({
    whole <- sets[[name]]
    fewer <- rows
    function() thinned_set(whole(), fewer)
  })
}

# ---- splits -----------------------------------------------------------------------------------------------------------------------

# Rows of training and test. The gap of a contest is its own. The other splits are drawn from a sample of its training cells. A number after
# the kind of a split is its seed.
split_of <- function(set, split) {
  kind <- sub(" .*", "", split)
  seed <- if (grepl(" ", split)) as.integer(sub(".* ", "", split)) else 1L
  if (kind == "gap") return(thinned(set, which(set$data$train == 1), which(set$data$train == 0)))
  rows <- if (is.null(set$data$train)) seq_len(nrow(set$data)) else which(set$data$train == 1)
  set.seed(seed)
  if (length(rows) > largest()) rows <- sort(sample(rows, largest()))
  places <- as.matrix(set$data[rows, all.vars(set$coords)])
  held <- switch(kind,
    random = sample.int(length(rows), round(0.2 * length(rows))),
    blocks = rows_in_blocks(places[, 1:2]),
    discs = rows_in_discs(places[, 1:2]),
    last = order(set$data[[all.vars(set$time)]][rows])[seq(round(0.85 * length(rows)), length(rows))])
  thinned(set, rows[-held], rows[held])
}

thinned <- function(set, train, test) {
  set.seed(3)
  few <- function(rows, most) if (length(rows) > most) sort(sample(rows, most)) else sort(rows)
  list(train = few(train, set$train_rows), test = few(test, test_rows))
}

# A fifth of 8 x 8 blocks, 5 x 5 where there are fewer than 500 rows.
rows_in_blocks <- function(places) {
  across <- if (nrow(places) < 500L) 5L else 8L
  cell <- function(x) pmin(floor((x - min(x)) / diff(range(x)) * across), across - 1L)
  block <- cell(places[, 1L]) * across + cell(places[, 2L])
  known <- unique(block)
  which(block %in% sample(known, round(length(known) / 5)))
}

# The rows nearest to three of them, a twentieth of all around each.
rows_in_discs <- function(places) {
  around <- function(middle) {
    distance2 <- (places[, 1L] - places[middle, 1L])^2 + (places[, 2L] - places[middle, 2L])^2
    order(distance2)[seq_len(round(nrow(places) / 20))]
  }
  unique(unlist(lapply(sample.int(nrow(places), 3L), around)))
}
