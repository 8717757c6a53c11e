#' Where to measure next
#'
#' @description
#' Chooses candidates whose measurement reduces the uncertainty of a map, of locations or of areas
#' the most. Experimental.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' suggest_sites(fit, expand.grid(lon = -109:-102, lat = 37:41), n = 3)
#' ```
#'
#' @details
#' Variances depend on where you measure, not on the values, so you can plan before you measure. A
#' measurement at candidate c changes the covariance matrix C to `C - C_.c C_c. / (C_cc + nugget)`.
#' Each step takes the candidate with the least mean variance of the targets.
#'
#' `"exceedance"` locates the edge of the region above a `threshold`. It minimises the expected `p *
#' (1 - p)` of the targets, with the exceedance probability p (Chevalier et al. 2014). C is exact
#' for [exact_gp()] and up to 1,500 observations.
#'
#' @param object a fit by [neargp()] to a Gaussian response without transform, as for
#'   [predict_areas()].
#' @param candidates possible locations, a data frame or sf points with the covariates.
#' @param n the number of locations, an integer. Default: 1.
#' @param targets locations, or sf polygons for their means. Default `NULL`: the candidates.
#' @param criterion `"variance"` (default) or `"exceedance"`.
#' @param threshold a number in the unit of the response, for `"exceedance"`.
#' @param k,threads see [predict_areas()].
#' @return The chosen rows of `candidates` in order, with the columns `row`, `criterion`, its value
#'   after this measurement, and `reduction`, its relative reduction.
#' @references Chevalier, C., Bect, J., Ginsbourger, D., Vazquez, E., Picheny, V. and Richet, Y.
#'   (2014). Fast parallel kriging-based stepwise uncertainty reduction. *Technometrics* 56,
#'   455–465.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(60), y = runif(60)^2)
#' d$z <- sin(6 * d$x) + d$y + rnorm(60, sd = 0.1)
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, covariance = cov_exponential())
#' grid <- expand.grid(x = seq(0.05, 0.95, 0.1), y = seq(0.05, 0.95, 0.1))
#' suggest_sites(fit, grid, n = 3)
#' suggest_sites(fit, grid, n = 3, criterion = "exceedance", threshold = 1)
#' @export
suggest_sites <- function(object, candidates, n = 1L, targets = NULL,
                          criterion = c("variance", "exceedance"), threshold = NULL, k = NULL,
                          threads = NULL) {
  check_given(missing(object), "object", "a fit of neargp()")
  check_class(object, "object", "neargp", "a fit of neargp()")
  check_fit(object)
  check_predicts_areas(object)
  check_measured_field(object)
  check_given(missing(candidates), "candidates", "a data frame or sf points")
  criterion <- check_choice(criterion, "criterion", c("variance", "exceedance"))
  threshold <- check_number(threshold, "threshold", null_ok = criterion == "variance")
  settings <- list(fun = "mean", part = "field", joint = TRUE, k = check_count(k, "k",
    upper = most_neighbors_of_areas, null_ok = TRUE), context = new_context(threads))
  places <- point_support(object, candidates, "candidates")
  n <- check_count(n, "n", upper = max(length(places$area), 1L))
  wanted <- if (is.null(targets)) places else target_support(object, targets, settings)
  both <- if (is.null(targets)) places else joined_support(places, wanted)
  check_site_count(length(both$points))
  posterior <- area_posterior(object$method, object, both, settings)
  moments <- moments_of_areas(posterior, both, settings)
  at <- length(both$points) - length(wanted$points) + seq_along(wanted$points)
  uncertainty <- site_criterion(criterion, moments$mean[at], diag(moments$covariance)[at],
    threshold)
  noise <- rep_len(object$nugget / scored_weights(object, candidates, 1), length(places$points))
  chosen <- greedy_sites(moments$covariance, length(places$points), at, n, noise, uncertainty)
  result <- candidates[chosen$row, , drop = FALSE]
  result[c("row", "criterion", "reduction")] <- list(chosen$row, chosen$value,
    1 - chosen$value / uncertainty(diag(moments$covariance)[at]))
  result
}

check_measured_field <- function(object) {
  if (has_normal_response(object)) return(invisible())
  abort_neargp("family", c(
    "Sites are suggested for Gaussian responses without a transform, whose variances do not depend on what will be measured.",
    i = "For others fit the linear predictor that matters, or use the map of predict(type = \"link\")."))
}

check_site_count <- function(count, most = 5000L) {
  if (count <= most) return(invisible())
  abort_neargp("size", c(
    sprintf("Candidates and targets are %s together, more than %s.", format_count(count),
      format_count(most)), i = "Use every tenth of them, or a coarser grid."))
}

# Locations as areas of one point each.
point_support <- function(object, places, name) {
  target <- new_target(object, places)
  if (!all(target$complete)) {
    abort_neargp("missing_values", c(sprintf("`%s` cannot be predicted in %s.", name,
      format_rows(which(!target$complete))), i = "They lack coordinates or covariates."))
  }
  m <- length(target$complete)
  list(target = target[c("coords", "X", "offset")], area = seq_len(m), weight = rep(1, m),
    points = rep(1L, m), total = NULL)
}

target_support <- function(object, targets, settings) {
  if (!is_areas(targets)) return(point_support(object, targets, "targets"))
  support <- area_support(object, as_areas(targets, object), settings)
  unknown <- which(support$points == 0L)
  if (length(unknown)) {
    abort_neargp("missing_values",
      c(sprintf("`targets` cannot be predicted in %s.", format_rows(unknown)),
        i = "They lack covariates."))
  }
  support
}

joined_support <- function(first, second) {
  list(target = list(coords = rbind(first$target$coords, second$target$coords),
    X = rbind(first$target$X, second$target$X),
    offset = c(first$target$offset, second$target$offset)),
    area = c(first$area, length(first$points) + second$area),
    weight = c(first$weight, second$weight), points = c(first$points, second$points), total = NULL)
}

# The criterion as a function of the variances of the targets, given their means and present
# variances.
site_criterion <- function(criterion, mean, before, threshold) {
  if (criterion == "variance") return(function(variance) mean(variance))
  a <- (mean - threshold) / sqrt(before)
  function(variance) {
    share <- pmin(pmax(1 - variance / before, 0), 1)
    mean(2 * owen_t(a, sqrt((1 - share) / (1 + share))))
  }
}

# Owen's T(h, a) for 0 <= a <= 1, the integral over x from 0 to a of
#   `exp(-h^2 (1 + x^2) / 2) / (1 + x^2) / (2 pi)`.
owen_t <- function(h, a) {
  h <- pmin(abs(h), 40)
  sums <- 0
  for (i in seq_along(owen_rule$nodes)) {
    x <- a * (owen_rule$nodes[i] + 1) / 2
    sums <- sums + owen_rule$weights[i] * exp(-h^2 * (1 + x^2) / 2) / (1 + x^2)
  }
  sums * a / (4 * pi)
}

owen_rule <- gauss_legendre(40L)

# `covariance`: of the field at candidates, which are first, and targets, those of them at `at`;
# `noise`: variances of observations at the candidates.
greedy_sites <- function(covariance, candidates, at, n, noise, uncertainty) {
  row <- integer(n)
  value <- double(n)
  left <- seq_len(candidates)
  for (step in seq_len(n)) {
    variance <- diag(covariance)
    values <- vapply(left, function(site) {
      noisy <- variance[site] + noise[site]
      gain <- if (noisy > 0) covariance[at, site]^2 / noisy else 0
      uncertainty(pmax(variance[at] - gain, 0))
    }, 0)
    best <- which.min(values)
    row[step] <- left[best]
    value[step] <- values[best]
    noisy <- variance[row[step]] + noise[row[step]]
    if (noisy > 0) covariance <- covariance - tcrossprod(covariance[, row[step]]) / noisy
    left <- left[-best]
  }
  list(row = row, value = value)
}
