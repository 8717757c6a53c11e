# Transforms of a Gaussian response: z = g(y), strictly increasing, is modelled. The family of a fit
# keeps its transform as an element, its data z as `y`, and y as `untransformed`.
# R/mixture-transformed.R computes all results for the response.

# Functions of each: z of y; y of z, constant below `floor` and infinite above `pole`; and the
# logarithm of the slope dz/dy. `t` is the transform.
response_transforms <- list(
  log = list(
    forward = function(y, t) log(y), inverse = function(z, t) exp(z),
    log_slope = function(y, t) -log(y), floor = function(t) -Inf, pole = function(t) Inf
  ),
  sqrt = list(
    forward = function(y, t) sqrt(y), inverse = function(z, t) pmax(z, 0)^2,
    log_slope = function(y, t) -log(2) - log(y) / 2, floor = function(t) 0,
    pole = function(t) Inf
  ),
  box_cox = list(
    forward = function(y, t) {
      if (t$lambda == 0) log(y) else expm1(t$lambda * log(y)) / t$lambda
    },
    inverse = function(z, t) {
      if (t$lambda == 0) exp(z) else exp(log1p(pmax(t$lambda * z, -1)) / t$lambda)
    },
    log_slope = function(y, t) (t$lambda - 1) * log(y),
    floor = function(t) if (t$lambda > 0) -1 / t$lambda else -Inf,
    pole = function(t) if (t$lambda < 0) -1 / t$lambda else Inf
  ),
  functions = list(
    forward = function(y, t) t$forward(y), inverse = function(z, t) t$inverse(z),
    log_slope = function(y, t) {
      if (is.null(t$derivative)) log_slope_of_inverse(y, t) else log(t$derivative(y))
    },
    floor = function(t) -Inf, pole = function(t) Inf
  )
)

# dz/dy is 1 / (dy/dz), the latter by differences of fourth order. With a thousandth of the standard
# deviation of z as `step`, their error is 1e-12 for functions that bend over a standard deviation.
log_slope_of_inverse <- function(y, t) {
  z <- t$forward(y)
  at <- function(steps) t$inverse(z + steps * t$step)
  -log((8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * t$step))
}

# Differences of numbers that vary little about a large one are rounded. A longer step then balances
# this error with that of the fourth order. It is a power of two, which keeps z + step exact.
difference_step <- function(y, z, short = 1e-3, noticed = 1e-10) {
  inside <- is.finite(y) & is.finite(z)
  sd <- stats::sd(z[inside])
  if (!isTRUE(sd > 0)) return(short)
  rounding <- function(x) .Machine$double.eps * max(abs(x)) / stats::sd(x)
  error <- max(rounding(y[inside]), rounding(z[inside]))
  if (!isTRUE(error > noticed)) return(short * sd)
  2^ceiling(log2(sd * max(short, error^(1 / 5))))
}

# Values outside of the domain are NaN, without a warning.
to_normal_scale <- function(y, transform) {
  suppressWarnings(response_transforms[[transform$name]]$forward(y, transform))
}

from_normal_scale <- function(z, transform) {
  suppressWarnings(response_transforms[[transform$name]]$inverse(z, transform))
}

transform_log_slope <- function(y, transform) {
  suppressWarnings(response_transforms[[transform$name]]$log_slope(y, transform))
}

transform_floor <- function(transform) response_transforms[[transform$name]]$floor(transform)

transform_pole <- function(transform) response_transforms[[transform$name]]$pole(transform)

# The fit of the transformed response as one of a Gaussian response.
normal_scale_fit <- function(object) {
  object$family[c("transform", "recalibration")] <- NULL
  object$method <- method_for(object$method, object$family, object$data)
  object
}

# ---- the argument --------------------------------------------------------------------------------

# `step`: of differences, see with_transform(). `estimated`: whether lambda is a parameter.
new_transform <- function(name, lambda = NULL, estimated = FALSE, forward = NULL, inverse = NULL,
                          derivative = NULL) {
  structure(list(name = name, lambda = lambda, estimated = estimated, forward = forward,
    inverse = inverse, derivative = derivative, step = NULL), class = "neargp_transform")
}

as_transform <- function(transform) {
  if (is.null(transform) || inherits(transform, "neargp_transform")) return(transform)
  if (rlang::is_string(transform) && transform %in% c("log", "sqrt")) {
    return(new_transform(transform))
  }
  if (rlang::is_string(transform, "box_cox") || identical(transform, box_cox)) return(box_cox())
  if (inherits(transform, c("trans", "transform"))) transform <- functions_of_scales(transform)
  pair <- if (is.list(transform)) transform_functions(transform)
  if (is.null(pair)) {
    abort_argument("transform",
      "\"log\", \"sqrt\", box_cox(), a transformer of scales, or list(forward = , inverse = )",
      transform)
  }
  new_transform("functions", forward = pair$forward, inverse = pair$inverse,
    derivative = pair$derivative)
}

# Transformers of package scales, of class "trans" before version 1.3. Derivatives came with 1.3.
functions_of_scales <- function(transformer) {
  Filter(Negate(is.null), list(forward = transformer$transform, inverse = transformer$inverse,
    derivative = transformer$d_transform))
}

# Names may be left out; NULL for a list that is none.
transform_functions <- function(functions) {
  known <- c("forward", "inverse", "derivative")
  if (is.null(names(functions))) names(functions) <- known[seq_along(functions)]
  valid <- all(c("forward", "inverse") %in% names(functions)) &&
    all(names(functions) %in% known) && !anyDuplicated(names(functions)) &&
    all(vapply(functions, is.function, NA))
  if (valid) functions
}

# The family of the settings with a transform of the response in the frame.
with_transform <- function(settings, transform, frame) {
  family <- settings$family
  if (is.null(transform)) return(family)
  y <- stats::model.response(frame)
  check_gaussian(family,
    abort_transform(sprintf("`transform` is for a Gaussian response; this one is %s.",
      family_call(family)), "Use the link of a family instead, such as Gamma(link = \"log\")."))
  if (is_output_response(y, family)) {
    abort_transform("`transform` is for one response, and the formula gives several.",
      "Transform them in the formula, cbind(log(y1), log(y2)); predictions are then of these.")
  }
  if (!has_ability(settings$method, "transform")) {
    abort_transform(
      sprintf("%s does not support a transformed response.", method_call(settings$method)),
      "Transform it in the formula; predictions are then on that scale.")
  }
  if (is.numeric(y)) {
    transform$step <- difference_step(as.double(y), to_normal_scale(as.double(y), transform))
  }
  family$transform <- transform
  family
}

abort_transform <- function(message, hint) abort_neargp("transform", c(message, i = hint))

# ---- of families and data ------------------------------------------------------------------------

# Data of the model frame with z as the response.
transformed_data <- function(data, family, frame) {
  transform <- family$transform
  if (is.null(transform)) return(data)
  z <- to_normal_scale(data$y, transform)
  if (length(z) != length(data$y) || !is.numeric(z)) {
    abort_transform("The function of `transform` must return a number for each response.",
      "It is called with the vector of all responses.")
  }
  check_inside(is.finite(z), transform, frame)
  if (transform$name == "functions") check_transform_pair(data$y, z, transform, frame)
  check_inside(is.finite(transform_log_slope(data$y, transform)), transform, frame)
  data$untransformed <- data$y
  data$y <- as.double(z)
  data
}

check_inside <- function(inside, transform, frame) {
  rows <- which(!inside)
  if (!length(rows)) return(invisible())
  positive <- transform$name != "functions"
  abort_neargp("response", c(
    sprintf("A response with transform = %s must be %s.", transform_call(transform),
      if (positive) "greater than 0" else "where the transform and its slope are finite"),
    x = sprintf("`%s` is not in %s.", names(frame)[1L], format_rows(original_rows(frame, rows))),
    i = if (positive)
      "At 0 its density would be infinite: a pair of functions may begin elsewhere, list(function(y) log(y + 1), expm1)."))
}

# The same of new observations.
check_domain_of <- function(observed, transform, rows) {
  outside <- !is.finite(to_normal_scale(observed, transform)) |
    !is.finite(transform_log_slope(observed, transform))
  if (!any(outside)) return(invisible())
  abort_neargp("response", sprintf("Observed values in %s are outside of the domain of transform = %s.",
    format_rows(rows[outside]), transform_call(transform)))
}

check_transform_pair <- function(y, z, transform, frame) {
  ordered <- order(y)
  falls <- which(diff(z[ordered]) < 0 | (diff(y[ordered]) > 0 & diff(z[ordered]) == 0))
  if (length(falls)) {
    abort_transform(sprintf("The function of `transform` does not increase between %s and %s.",
      format(y[ordered][falls[1L]]), format(y[ordered][falls[1L] + 1L])),
      "For a decreasing function, take the negative one.")
  }
  back <- from_normal_scale(z, transform)
  unlike <- which(!(abs(back - y) <= 1e-6 * max(abs(range(y)), diff(range(y)))))
  if (length(unlike)) {
    abort_transform(sprintf("`inverse` of `transform` does not undo `forward` in %s.",
      format_rows(original_rows(frame, unlike))), "They are z = forward(y) and y = inverse(z).")
  }
  check_inverse_increases(z, transform)
}

# Predictions use every z, including values that no response takes.
check_inverse_increases <- function(z, transform) {
  spread <- max(stats::sd(z), 1e-3 * max(abs(z), 1), na.rm = TRUE)
  at <- mean(z) + spread * seq(-12, 12, 0.1)
  back <- suppressWarnings(from_normal_scale(at, transform))
  if (anyNA(back)) {
    abort_transform(sprintf("`inverse` of `transform` is not a number at z = %s, which predictions reach.",
      format(at[is.na(back)][1L], digits = 4L)),
      "It must be defined for every z, as log() is not; or transform the response in the formula.")
  }
  falls <- which(diff(back) < 0)
  if (!length(falls)) return(invisible())
  abort_transform(sprintf("`inverse` of `transform` falls between z = %s and %s, which predictions reach.",
    format(at[falls[1L]], digits = 4L), format(at[falls[1L] + 1L], digits = 4L)),
    "It must not fall for any z, as function(z) pmax(z, 0)^2 does not; or use \"sqrt\" or box_cox().")
}

# The sum of log dz/dy over the rows: what a log density of z lacks of that of y. The score of
# mll_k() is none, as each row is in several of its densities.
with_jacobian <- function(fit) {
  if (is.null(fit$family$transform) || identical(method_name(fit$method), "mll_k")) return(fit)
  fit$log_likelihood <- fit$log_likelihood +
    sum(transform_log_slope(fit$data$untransformed, fit$family$transform))
  fit
}

# ---- texts ---------------------------------------------------------------------------------------

transform_call <- function(transform) {
  switch(transform$name, box_cox = sprintf("box_cox(%s)", format(transform$lambda, digits = 3L)),
    functions = "list(forward, inverse)", sprintf("\"%s\"", transform$name))
}

describe_transform <- function(transform) {
  if (is.null(transform)) return(NULL)
  switch(transform$name,
    box_cox = paste0(transform_call(transform), if (transform$estimated) ", lambda estimated"),
    functions = "a pair of functions", paste0(transform$name, "()"))
}

# The scale of type = "link".
describe_scale <- function(family) {
  if (is.null(family$transform)) "before its recalibration" else
    sprintf("that of transform = %s", transform_call(family$transform))
}

#' @export
print.neargp_transform <- function(x, ...) {
  cat("Transform of a response: ", if (is_open_transform(x))
    "box_cox(), lambda to be estimated" else describe_transform(x), "\n", sep = "")
  invisible(x)
}

# ---- a family by another name --------------------------------------------------------------------

is_lognormal <- function(family) {
  inherits(family, "neargp_lognormal") || identical(family, lognormal) ||
    identical(family, "lognormal")
}

transform_of_lognormal <- function(transform) {
  if (is.null(transform) || identical(transform, "log")) return("log")
  abort_argument("transform", "NULL for lognormal(), which takes logarithms", transform)
}
