# Covariances of space and time that are no function of one distance. The element `space_time` of a
# component contains its settings: the model, the family in time of models that use one, and values
# that are fixed or begin the search. Its other elements are those of the covariance in space.

#' Covariances of space and time
#'
#' @description
#' Covariances for fits with `time`, with separate ranges in space and time.
#'
#' ```r
#' set.seed(1)
#' d <- data.frame(x = runif(200), y = runif(200), day = sample(10, 200, TRUE))
#' d$z <- sin(5 * d$x) + cos(d$day) + rnorm(200, sd = 0.1)
#' neargp(z ~ 1, d, coords = ~ x + y, time = ~ day, covariance = cov_spacetime())
#' ```
#'
#' @details
#' Use these models for observations with a location and a time, for example daily values at
#' stations. Other covariances measure one distance of space and time (the metric model), and their
#' forecasts are often too certain.
#'
#' For two observations at distance `d` and time lag `t`, the table uses `u = t / range_time` and
#' the ratio `d / range`, called `r`. `M` is the correlation of `space` and `N` that of `time`, see
#' [covariance].
#'
#' | model | covariance | parameters |
#' |---|---|---|
#' | `"gneiting"` | `variance / g * M(r / g^(beta / 2))`, `g = 1 + u^(2 alpha)` | `alpha`, `beta` |
#' | `"separable"` | `variance * M(r) * N(u)` | |
#' | `"product_sum"` | `variance * (a * M(r) * N(u) + b * M(r) + c * N(u))`, `a + b + c = 1` | shares |
#' | `"metric"` | `variance * M(sqrt(r^2 + u^2))` | |
#'
#' * `"gneiting"` (Gneiting 2002, equation 14) is the default of [neargp()] for a Gaussian response
#'   with `time`. At one location, the correlation is 1/2 at the lag `range_time`. `alpha` is the
#'   smoothness in time: 0.5 is as rough as an exponential, and 1 is smooth. `beta` is the
#'   interaction of space and time, and 0 is a separable model. It is at most 1, or 2/3 on the
#'   sphere and in three coordinates. Data often say little about `beta`, so an estimate at its
#'   limit is no failure. With fewer than five distinct times, a message says that `alpha` is 1/2.
#' * `"separable"` with an exponential in `time` is an autoregression of order 1. `print()` reports
#'   `phi = exp(-step / range_time)`, the correlation after one step. Gaps and unequal steps are
#'   allowed.
#' * `"product_sum"` (De Iaco, Myers and Posa 2001) adds a process that does not change in time,
#'   with the share `b`. Another one, with the share `c`, is the same everywhere. The parameters are
#'   `share_product`, which is `a`, and `share_space`, which is `b / (b + c)`. Forecasts keep the
#'   differences between locations.
#'
#' You can add components with `+`. For example, `cov_spacetime(model = "product_sum") +
#' cov_exponential()` adds a metric part. All spatial distances then use the anisotropy of the
#' component with the largest variance.
#'
#' With [vecchia()] you should increase `k` to 60 or 100 before you compare models, or use
#' [exact_gp()] for a few thousand observations. Forecasts tend to the trend at lags beyond
#' `range_time`, so you should avoid trends that extrapolate badly, such as polynomials of time.
#'
#' @param space the covariance in space: [cov_matern()] or another single component, also with `ard`
#'   or `anisotropy`. Its `variance` is that of the whole component. The last number of its `range`
#'   can be the range in time. Default: `cov_matern(nu = NULL)`.
#' @param time the covariance in time of `"separable"` and `"product_sum"`, which gives its family,
#'   shape and range. Default `NULL`: [cov_exponential()]. Leave it `NULL` for the other models.
#' @param model `"gneiting"` (default), `"separable"`, `"product_sum"` or `"metric"`, see the table.
#' @param alpha,beta numbers that fix the parameters of the Gneiting model. Default `NULL`:
#'   estimated.
#' @param shares fixed shares of the product-sum, `c(product = , space = , time = )` with the sum 1.
#'   Default `NULL`: estimated.
#' @return An object of class `neargp_covariance` for the argument `covariance` of [neargp()].
#' @section Methods:
#' [vecchia()], [exact_gp()], [loo_k()] and [mll_k()] support these models for Gaussian responses,
#' and [vnngp()] for all families, on the CPU. They do not support Adam, inducing points, several
#' responses and [row_source()].
#' @section Processes that change in space:
#' `space` accepts the formulas of [nonstationary_covariance] and [varying_coefficients]:
#'
#' * `cov_spacetime(cov_matern(sd = ~ elevation))` is a local standard deviation.
#' * `cov_spacetime(cov_matern(by = ~ effort))` is a coefficient of `effort` that varies in space
#'   and time. A factor is an error.
#' * `cov_spacetime(cov_matern(range = ~ elevation), model = "separable")` is a local range in
#'   space. The range in time stays the same everywhere. The Gneiting model needs `beta = 0`. Other
#'   values are an error, since the function is then not positive definite. With `"metric"`, the
#'   ratio `r` alone changes: `cov_matern(range = ~ elevation)` without [cov_spacetime()] varies the
#'   range in time by the same factor.
#' * `cov_spacetime(cov_matern(warp = monotone(~ depth), ard = TRUE))` warps coordinates of space,
#'   and [expand()] adds learned ones. `beta` is then at most 2 divided by the number of coordinates
#'   of space, learned ones included. You cannot warp the time, or use [mlp()].
#'
#' Neighbours are those of the covariance without these formulas.
#' @references Gneiting, T. (2002). Nonseparable, stationary covariance functions for space-time
#'   data. *Journal of the American Statistical Association* 97, 590–600. De Iaco, S., Myers, D. E.
#'   and Posa, D. (2001). Space-time analysis using a general product-sum model. *Statistics and
#'   Probability Letters* 52, 21–28.
#' @seealso [covariance], [covariance_value()] for the covariance at distances and lags, the article
#'   "Space and time".
#' @examples
#' cov_spacetime()
#' cov_spacetime(cov_exponential(), time = cov_matern(nu = 1.5), model = "separable")
#'
#' # Twenty stations on sixty days. Each day keeps 0.8 of the day before
#' set.seed(1)
#' stations <- data.frame(station = 1:20, x = runif(20), y = runif(20))
#' pattern <- t(chol(exp(-as.matrix(dist(stations[c("x", "y")])) / 0.5)))
#' days <- merge(stations, data.frame(day = 1:60))
#' shocks <- pattern %*% matrix(rnorm(20 * 60), 20)
#' field <- shocks
#' for (day in 2:60) field[, day] <- 0.8 * field[, day - 1] + 0.6 * shocks[, day]
#' days$z <- field[cbind(days$station, days$day)] + rnorm(nrow(days), sd = 0.2)
#'
#' autoregression <- cov_spacetime(cov_exponential(), model = "separable")
#' fit <- neargp(z ~ 1, days, coords = ~ x + y, time = ~ day, covariance = autoregression,
#'   method = vecchia(k = 15))
#' fit  # phi is exp(-1 / range_time)
#' covariance_value(fit, distance = c(0, 0.5), time = c(1, 5))
#'
#' # A process whose standard deviation depends on x
#' scaled <- update(fit, covariance = cov_spacetime(cov_exponential(sd = ~ x), model = "separable"))
#' coef(scaled, what = "covariance")
#'
#' # A process whose range in space depends on x
#' ranged <- update(fit, covariance = cov_spacetime(cov_exponential(range = ~ x),
#'   model = "separable"))
#' local_scales(ranged, data.frame(x = c(0, 1), y = 0.5, day = 1))
#'
#' # Forecasts for a station
#' later <- data.frame(x = stations$x[1], y = stations$y[1], day = c(61, 65, 80))
#' predict(fit, later, interval = "prediction")
#' @export
cov_spacetime <- function(space = cov_matern(nu = NULL), time = NULL,
                          model = c("gneiting", "separable", "product_sum", "metric"), alpha = NULL,
                          beta = NULL, shares = NULL) {
  model <- check_choice(model, "model", c("gneiting", "separable", "product_sum", "metric"))
  check_margin(space, "space")
  check_space_margin(space)
  has_family <- model %in% c("separable", "product_sum")
  refuse_of_model(time, "time", has_family, model, "a family in time")
  refuse_of_model(alpha, "alpha", model == "gneiting", model, "an `alpha`")
  refuse_of_model(beta, "beta", model == "gneiting", model, "a `beta`")
  refuse_of_model(shares, "shares", model == "product_sum", model, "shares")
  component <- space$components[[1L]]
  # Without a local range it is the covariance of one distance that all methods know.
  if (model == "metric" && is.null(component$local$log_range)) return(space)
  if (model == "gneiting") check_gneiting(component, beta)
  component$space_time <- c(list(model = model,
    alpha = check_number(alpha, "alpha", 0, 1, null_ok = TRUE, open = TRUE),
    beta = check_number(beta, "beta", 0, 1, null_ok = TRUE)),
    check_shares(shares), if (has_family) time_margin(time %||% cov_exponential()))
  structure(list(components = list(component)), class = "neargp_covariance")
}

# Whether a setting that only some models have was given to one of these.
refuse_of_model <- function(value, name, has, model, what) {
  if (has || is.null(value)) return(invisible())
  abort_neargp("argument", c(sprintf("The model \"%s\" does not use %s.", model, what),
    i = sprintf("Leave `%s` out.", name)))
}

# One component, without the parts that change in space.
check_margin <- function(covariance, name) {
  check_class(covariance, name, "neargp_covariance", "a covariance, such as cov_matern()")
  components <- covariance$components
  if (has_zonal(covariance)) {
    abort_neargp("argument", c(sprintf("`range` of `%s` must be finite.", name),
      i = "Add a component instead: cov_spacetime() + cov_matern(range = c(10, Inf))."))
  }
  refused <- if (name == "space") "mlp" else c(column_kinds, "mlp")
  local <- Filter(Negate(is.null), components[[1L]]$local[refused])
  if (length(components) != 1L || !is.null(components[[1L]]$space_time) ||
      length(local) || has_linear(covariance)) {
    abort_neargp("argument",
      c(sprintf("`%s` must be one component other than cov_linear(), without %s.", name,
        if (name == "space") "mlp()" else "sd = ~, range = ~, warp = and by = ~"),
        i = "Sums are those of cov_spacetime() with other covariances."))
  }
}

check_space_margin <- function(space) {
  if (!has_periodic(space)) return(invisible())
  abort_neargp("argument", c("`space` cannot be cov_periodic(), which is for one coordinate.",
    i = "Use it as `time`, with model = \"separable\"."))
}

# The parts of a covariance in time.
time_margin <- function(time) {
  check_margin(time, "time")
  margin <- time$components[[1L]]
  if (!is.null(margin$variance) || !is.null(margin$start$variance) || margin$ard ||
      !isFALSE(margin$anisotropy) || length(margin$range) > 1L ||
      length(margin$start$range) > 1L) {
    abort_neargp("argument", c("`time` takes a family, its shape and one range, and nothing else.",
      i = "The variance is that of `space`."))
  }
  list(time_family = margin$family, time_shape = margin$shape, time_range = margin$range,
    start = list(time_shape = margin$start$shape, time_range = margin$start$range))
}

# Shares in the form of the core: that of the product, and that of space in the rest.
check_shares <- function(shares) {
  if (is.null(shares)) return(NULL)
  if (!is.numeric(shares) || !setequal(names(shares), c("product", "space", "time")) ||
      length(shares) != 3L || !all(is.finite(shares)) || any(shares < 0) ||
      abs(sum(shares) - 1) > 1e-8) {
    abort_argument("shares", "c(product = , space = , time = ), of at least 0 and with a sum of 1",
      shares)
  }
  rest <- shares[["space"]] + shares[["time"]]
  list(product = 1 - rest, space = if (rest > 0) shares[["space"]] / rest else 0.5)
}

# ---- what cannot carry them ----------------------------------------------------------------------

# Why settings of neargp() do not support cov_spacetime(): NULL where they do.
space_time_obstacle <- function(settings, streamed = FALSE, outputs = FALSE) {
  method <- settings$method
  able <- has_ability(method, "local_fields", settings$family)
  if (!able) return(sprintf("by %s of %s response", method$label, with_article(settings$family)))
  if (identical(method$optimizer, "adam")) return("with optimizer = \"adam\"")
  if (has_latent_low_rank(method)) return("with a low-rank part")
  if (!is.null(method$inducing)) return("with inducing points")
  if (outputs) return("for several responses")
  if (streamed) return("for rows that are read in pieces")
  if (identical(settings$device, "cuda")) return("on a GPU")
  NULL
}

# The covariance of a fit with `time`: checked, and with alpha fixed if times are few.
settle_space_time <- function(settings, data, locations, streamed = FALSE) {
  covariance <- settings$covariance
  if (!has_space_time(covariance)) return(covariance)
  if (is.null(locations$time)) {
    abort_neargp("space_time", c("cov_spacetime() needs a time of each row.",
      i = "Name its column, time = ~ day, or use a covariance of space alone, such as cov_matern()."))
  }
  obstacle <- space_time_obstacle(settings, streamed, !is.null(data$output))
  if (!is.null(obstacle)) {
    abort_neargp("space_time", c(sprintf("cov_spacetime() is not supported %s.", obstacle),
      i = sprintf("It is for %s, on the CPU. Other covariances combine space and time into one distance.",
        able_methods("local_fields"))))
  }
  few <- length(unique(data$coords[, length(locations$embedded_names)])) < distinct_times
  gneiting <- vapply(covariance$components, is_gneiting, NA)
  covariance$components[gneiting] <- lapply(covariance$components[gneiting], function(component) {
    check_beta(component$space_time$beta,
      greatest_beta(locations, component$local$expand$q))
    if (few && is.null(component$space_time$alpha)) component$space_time$alpha <- 0.5
    component
  })
  if (few && !identical(covariance, settings$covariance)) {
    inform_neargp("alpha", c(
      sprintf("`alpha` of cov_spacetime() is 1/2, since there are fewer than %d distinct times.",
        distinct_times), i = "To fix another value use cov_spacetime(alpha = )."))
  }
  covariance
}

# Fewer times do not distinguish the smoothness in time from a nugget.
distinct_times <- 5L

is_gneiting <- function(component) identical(component$space_time$model, "gneiting")

# `further`: the number of further coordinates of space by expand().
greatest_beta <- function(locations, further = NULL) {
  core_greatest_beta(length(locations$embedded_names) - 1L + as.integer(further %||% 0L))
}

check_beta <- function(beta, bound) {
  if (is.null(beta) || beta <= bound) return(invisible())
  abort_neargp("space_time",
    c(sprintf("`beta` must be at most %s here, 2 / d in d coordinates of space, not %s.",
      format(bound, digits = 4L), format(beta)),
      i = "Longitude and latitude count as three coordinates, and those of expand() count too. Above this limit the function is not a valid covariance."))
}
