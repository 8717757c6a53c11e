#' Where to measure next
#'
#' Chooses, one after the other, the candidates whose measurement lowers the uncertainty of a map,
#' of some places or of means over areas the most.
#'
#' @details
#' Variances of a Gaussian process depend on where is measured, not on what. With C the covariance
#' matrix of the field at candidates and targets given the data, trend coefficients included, a
#' measurement at candidate c, with the noise of the fit, makes of it `C - C_.c C_c. / (C_cc +
#' nugget)`: exactly, for the parameters of the fit. Of the candidates that are left each step takes
#' the one with the least mean variance of the targets. That is greedy: the best pair need not have
#' the best site in it, but comes close.
#'
#' `criterion = "exceedance"` is for the region where the field is above a `threshold`, at targets
#' with the mean m and variance v. Whether it is above is uncertain as p (1 - p) with p = P(field >
#' threshold). Measurements that will take away the share r of v leave, on average over what they
#' may say, `2 T(a, sqrt((1 - r) / (1 + r)))` of this, T being Owen's function and a = (m -
#' threshold) / sqrt(v) (Chevalier et al. 2014); the mean of it over the targets is made as small as
#' can be. So sites near the edge of that region count, those far above or below do not.
#'
#' C is that of [predict_areas()]: dense for [exact_gp()] and up to 1,500 rows, else from the sparse
#' posterior at data, candidates and targets.
#'
#' @param object a fit of [neargp()] to a gaussian response without transform, by a method that
#'   [predict_areas()] takes.
#' @param candidates places that can be measured, as `newdata` of [predict.neargp()]: sf points or a
#'   data frame, with the covariates of the trend.
#' @param n number of sites to choose.
#' @param targets where the field is to be known: places like the candidates, or sf polygons, of
#'   whose means the variance is then meant. `NULL` for the candidates.
#' @param criterion `"variance"`, the mean variance of the targets, or `"exceedance"`.
#' @param threshold for `criterion = "exceedance"`: a number, in the unit of the response.
#' @param k,threads as in [predict_areas()].
#' @return The chosen rows of `candidates`, in the order of choice, with the columns `row`, their
#'   number there, `criterion`, its value once this site and those before it are measured, and
#'   `reduction`, by which share it then is lower than without any.
#' @section Errors: `neargp_error_argument`, `neargp_error_method`, `neargp_error_family`,
#'   `neargp_error_missing_values` (candidates or targets that cannot be predicted),
#'   `neargp_error_size` (more than 5,000 candidates and targets together), and those of
#'   [predict_areas()].
#' @references Chevalier, C., Bect, J., Ginsbourger, D., Vazquez, E., Picheny, V. and Richet, Y.
#'   (2014). Fast parallel kriging-based stepwise uncertainty reduction with application to the
#'   identification of an excursion set. *Technometrics* 56, 455–465.
#' @seealso [predict()][predict.neargp] for the map itself.
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
    "Sites are suggested for gaussian responses without a transform, whose variances do not depend on what will be measured.",
    i = "For others fit the linear predictor that matters, or look at the map of predict(type = \"link\")."))
}

check_site_count <- function(count, most = 5000L) {
  if (count <= most) return(invisible())
  abort_neargp("size", c(
    sprintf("Candidates and targets are %s together, more than %s.", format_count(count),
      format_count(most)), i = "Take every tenth of them, or a coarser grid."))
}

# Places as areas of one point each.
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

# The criterion as a function of the variances of the targets, their means and present variances
# given.
site_criterion <- function(criterion, mean, before, threshold) {
  if (criterion == "variance") return(function(variance) mean(variance))
  a <- (mean - threshold) / sqrt(before)
  function(variance) {
    share <- pmin(pmax(1 - variance / before, 0), 1)
    mean(2 * owen_t(a, sqrt((1 - share) / (1 + share))))
  }
}

# Owen's T(h, a) for 0 <= a <= 1, the integral of exp(-h^2 (1 + x^2) / 2) / (1 + x^2) / (2 pi) over
# x from 0 to a.
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
