# Random rows: one to fifty coordinates of any kind, a trend's columns, weights, offsets and a response. In a `tame` case every column is of
# a kind that the help pages allow, though its scale may be extreme.

# Coordinates from n uniform numbers u; j says which coordinate it is.
coordinate_kinds <- list(
  uniform = function(u, j) u,
  normal = function(u, j) stats::qnorm(u),
  lattice = function(u, j) if (j == 1L) rep_len(seq_len(max(1L, ceiling(sqrt(length(u))))), length(u)) else ceiling(4 * u),
  whole = function(u, j) sample.int(50L, length(u), TRUE),
  same = function(u, j) rep(0.5, length(u)),
  ties = function(u, j) round(u, 1),
  clustered = function(u, j) ifelse(u < 0.9, 0.5 + 1e-6 * u, u),
  huge = function(u, j) u * 10^stats::runif(1L, 5, 29),
  tiny = function(u, j) u * 10^-stats::runif(1L, 5, 150),
  far_away = function(u, j) 1e8 + u,
  sorted = function(u, j) sort(u),
  degrees = function(u, j) if (j == 1L) u * 360 - 180 else u * 180 - 90
)

malformed_kinds <- list(
  missing = function(u, j) replace(u, sample.int(length(u), min(length(u), 2L)), NA),
  infinite = function(u, j) replace(u, sample.int(length(u), min(length(u), 1L)), Inf),
  nan = function(u, j) replace(u, sample.int(length(u), min(length(u), 1L)), NaN),
  text = function(u, j) as.character(u),
  factor = function(u, j) factor(round(u, 1)),
  date = function(u, j) as.Date("2020-01-01") + seq_along(u),
  logical = function(u, j) u > 0.5,
  list = function(u, j) as.list(u),
  complex = function(u, j) complex(real = u, imaginary = 1),
  matrix = function(u, j) matrix(u, length(u), 2L),
  beyond = function(u, j) u * 1e300,
  denormal = function(u, j) u * 1e-310,
  negative_zero = function(u, j) sample(c(-0, 0, 1), length(u), TRUE),
  duration = function(u, j) as.difftime(u, units = "hours")
)

coordinate_weights <- c(uniform = 14, normal = 3, lattice = 4, whole = 3, same = 0.5, ties = 2, clustered = 3, huge = 1.2, tiny = 1.2,
  far_away = 1, sorted = 1, degrees = 2)

random_coordinate <- function(n, j, tame) {
  u <- stats::runif(n)
  if (!tame && chance(0.08)) return(malformed_kinds[[sample.int(length(malformed_kinds), 1L)]](u, j))
  coordinate_kinds[[pick_name(coordinate_weights)]](u, j)
}

take_rows <- function(column, rows) if (is.null(dim(column))) column[rows] else column[rows, ]

# Collinear, duplicated and single locations are among them.
random_coordinates <- function(n, d, tame) {
  columns <- lapply(seq_len(d), function(j) random_coordinate(n, j, tame))
  if (d > 1L && chance(0.03)) columns[-1L] <- columns[1L]
  if (n > 3L && chance(0.08)) {
    rows <- sample.int(n, n, TRUE)
    columns <- lapply(columns, take_rows, rows)
  }
  # many rows at few locations
  if (n > 3L && chance(0.1)) {
    rows <- sample.int(pick(2L, 3L, max(2L, n %/% 10L)), n, TRUE)
    columns <- lapply(columns, take_rows, rows)
  }
  if (n > 1L && chance(0.01)) columns <- lapply(columns, take_rows, rep(1L, n))
  stats::setNames(columns, paste0("s", seq_len(d)))
}

# Whether a column may be a coordinate.
is_plain_number <- function(column) is.numeric(column) && is.null(dim(column)) && all(is.finite(column))

# A wave along the first coordinate that contains numbers.
wave_along <- function(columns, n) {
  numbers <- Filter(function(column) is_plain_number(column) && length(unique(column)) > 1L, columns)
  if (!length(numbers)) return(rep(0, n))
  x <- as.numeric(numbers[[1L]])
  spread <- diff(range(x))
  if (is.finite(spread)) sin(6 * (x - min(x)) / spread) else rep(0, n)
}

random_weights <- function(n, tame) {
  if (tame || chance(0.6)) return(stats::runif(n, 0.5, 2))
  pick(rep(1L, n), rep(0, n), -stats::runif(n), rep(NA_real_, n), as.character(seq_len(n)), stats::runif(n) * 1e300,
    stats::runif(n) * 1e-300, sample.int(5L, n, TRUE), 10^stats::runif(n, -8, 8), replace(rep(1, n), seq_len(min(1L, n)), Inf),
    factor(seq_len(n)), rep(TRUE, n))
}

random_rows <- function(tame) {
  n <- pick(0L, 1L, 2L, 3L, 4L, 5L, 8L, 10L, 15L, 20L, 30L, 30L, 40L, 40L, 60L, 60L, 80L, 100L, 150L, 200L, 350L, 500L)
  if (tame) n <- max(n, 8L)
  d <- if (chance(0.03)) 50L else sample.int(4L, 1L, prob = c(1, 6, 2, 1))
  columns <- random_coordinates(n, d, tame)
  data <- structure(columns, row.names = seq_len(n), class = "data.frame")
  data$a <- stats::rnorm(n)
  data$g <- factor(sample(c("u", "v", "w"), n, TRUE), levels = c("u", "v", "w", "unused"))
  data$text <- sample(c("p", "q"), n, TRUE)
  data$flag <- stats::runif(n) > 0.5
  data$flat <- rep(1, n)
  data$when <- as.Date("2020-01-01") + sample.int(100L, n, TRUE)
  data$t <- stats::runif(n)
  data$holes <- replace(stats::rnorm(n), sample.int(n, ceiling(n / 10)), NA)
  data$big <- stats::rnorm(n) * 1e200
  data$year <- 2e6 + stats::runif(n)
  data[["odd name"]] <- stats::rnorm(n)
  data$w <- random_weights(n, tame)
  data$e <- stats::runif(n, 0.5, 3)
  data$trials <- sample.int(5L, n, TRUE)
  list(data = data, d = d, n = n, eta = wave_along(columns, n) + 0.3 * data$a)
}
