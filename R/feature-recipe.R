# Predictors as coordinates, see ?cov_features. The locations of a fit keep the recipe. It turns the
# predictors of a row into scores or standardised columns z. Their principal scores are
#
#   t_g = U S^g at rows of the fit,   t_g = z'Z'U S^(g-2) at a new row,   Z = U S V'.
#
# Each power g makes two blocks of coordinates. The first is t_g / d_g, where d_g is the root mean
# square distance of two rows. The second is the direction t_g / (sqrt(2) |t_g|), in which a cosine
# covariance is the cosine of the angle between two rows. Multiplied by |t_g|^2 / c_g, where c_g is
# its mean, this is the linear covariance. Components are multiplied by its root, a column
# |t_g| / sqrt(c_g).

# Eigenvalues of Z Z' below this share of the largest are rounding.
least_eigenvalue <- 1e-7

# More predictors than this, and than a third of the rows, are a spectrum or the like.
most_scored <- 40L

# `predictors`: of feature_predictors(). Those that are constant among the rows drop out.
new_feature_recipe <- function(predictors, power, scores) {
  kept <- varying_columns(predictors)
  scores <- scores %||% (length(kept) <= max(most_scored, nrow(predictors) / 3))
  columns <- lapply(kept, function(j) {
    x <- predictors[, j]
    if (scores && !attr(predictors, "indicator")[j]) return(c(list(column = j), normal_scores(x)))
    list(column = j, center = mean(x), scale = stats::sd(x))
  })
  Z <- scored_predictors(predictors, columns)
  parts <- eigen(tcrossprod(Z), symmetric = TRUE)
  kept <- which(parts$values > least_eigenvalue * parts$values[1L])
  U <- parts$vectors[, kept, drop = FALSE]
  squares <- parts$values[kept]
  directions <- crossprod(Z, U)
  list(columns = columns, scores = scores, powers = lapply(power, function(g) {
    t <- sweep(U, 2L, squares^(g / 2), "*")
    list(power = g, rotation = sweep(directions, 2L, squares^((g - 2) / 2), "*"),
      distance = sqrt(2 * sum(apply(t, 2L, stats::var))), size = sqrt(mean(rowSums(t^2))))
  }))
}

varying_columns <- function(predictors) {
  spread <- apply(predictors, 2L, stats::sd)
  kept <- which(spread > 1e-10 * pmax(apply(abs(predictors), 2L, max), 1e-300))
  if (length(kept)) return(kept)
  abort_neargp("formula", c("The predictors of features() are the same in all rows.",
    i = "Leave features() out, or name others."))
}

# Equal values get their mean rank.
normal_scores <- function(x) {
  rank <- rank(x)
  known <- !duplicated(x)
  sorted <- order(x[known])
  list(x = x[known][sorted], score = stats::qnorm((rank[known][sorted] - 0.5) / length(x)))
}

scored_predictors <- function(predictors, columns) {
  scored <- vapply(columns, function(column) {
    x <- predictors[, column$column]
    if (is.null(column$x)) return((x - column$center) / column$scale)
    stats::approx(column$x, column$score, x, rule = 2)$y
  }, double(nrow(predictors)))
  matrix(scored, nrow(predictors), length(columns))
}

# The blocks of coordinates of all powers, and after them the column of each power that linear terms
# are multiplied by.
feature_coordinates <- function(predictors, recipe) {
  Z <- scored_predictors(predictors, recipe$columns)
  blocks <- lapply(recipe$powers, function(one) {
    t <- Z %*% one$rotation
    size <- sqrt(rowSums(t^2))
    list(places = cbind(t / one$distance, t / (sqrt(2) * ifelse(size > 0, size, 1))),
      size = size / one$size)
  })
  list(places = do.call(cbind, lapply(blocks, `[[`, "places")),
    sizes = do.call(cbind, lapply(blocks, `[[`, "size")))
}

# The number of coordinates in each block: scores and directions of each power.
feature_sizes <- function(locations) {
  powers <- locations$features$recipe$powers
  stats::setNames(rep(vapply(powers, function(one) ncol(one$rotation), 0L), each = 2L),
    rep(vapply(powers, function(one) feature_label(one$power), ""), each = 2L))
}

feature_label <- function(power) sprintf("features_%.3g", power)

count_feature_columns <- function(locations) length(locations$features$recipe$powers)

# ---- no space ------------------------------------------------------------------------------------

# Without coordinates all rows share one location. In a model without a process the number of the
# row is its location, so that no row counts as a repeated measurement of another.
no_locations <- function() {
  list(names = character(0), terms = stats::terms(~ 1), crs = NULL, metric = "planar", unit = "",
    raw_names = "nowhere", factors = NULL, dot = FALSE)
}

is_nowhere <- function(locations) {
  identical(locations$names, character(0)) && all(locations$raw_names %in% c("nowhere", "row"))
}

nowhere_coordinates <- function(locations, rows) {
  matrix(if (locations$raw_names == "row") as.double(seq_len(rows)) else 0, rows, 1L)
}
