# A hurdle model whose two parts share fields. Let a and b be the linear predictors of presence and
# of the amount, jointly normal with covariance c. Where the response is present, a is weighted by
# the probability p(a). Let m1 and m2 be the weighted moments of a in standard units. Then
#
#   E[b | present] = E b + c m1 / sd(a),   var[b | present] = var b + c^2 (m2 - m1^2 - 1) / var a.
#
# A normal distribution with these moments stands for that of b.

joint_hurdle <- function(object) {
  if (!is.null(object$composition)) {
    abort_argument("presence", "a joint fit of presence and amount", "a composition")
  }
  if (length(object$outputs) != 2L) {
    abort_argument("presence", "a joint fit of two responses, presence and amount", object$outputs)
  }
  parts <- parts_of(object)
  hurdle <- neargp_hurdle(parts[[1L]], parts[[2L]])
  structure(c(unclass(hurdle), list(joint = object)), class = c("neargp_joint_hurdle",
    "neargp_hurdle"))
}

#' @export
hurdle_distribution.neargp_joint_hurdle <- function(object, newdata, threads = NULL) {
  at <- joint_predictors(object$joint, newdata, object$joint$outputs, threads)
  given <- moments_given_presence(at$mean, at$covariance, object$presence$family$linkinv)
  full <- spread_over_rows(given, at$complete)
  columns <- list(parameter_columns = scored_columns(object$positive, newdata))
  mean <- where_known(full$mean, columns$parameter_columns)
  new_inflated(full$p, new_mixture(mean, sqrt(full$variance), object$positive$family,
    response_parameters(object$positive, columns), 1, scored_weights(object$positive, newdata, 1)))
}

# Nodes in standard units of the linear predictor of presence, and their weights.
presence_nodes <- function() {
  rule <- legendre_rules[[3L]]
  z <- 6 * rule$nodes
  list(z = z, weight = 6 * rule$weights * stats::dnorm(z))
}

# Inverse links of R refuse to be evaluated at no numbers.
moments_given_presence <- function(mean, covariance, linkinv) {
  if (!nrow(mean)) return(list(p = double(0), mean = double(0), variance = double(0)))
  nodes <- presence_nodes()
  z <- nodes$z
  weight <- nodes$weight
  sd <- sqrt(covariance[, 1L, 1L])
  p <- matrix(linkinv(rep(mean[, 1L], each = length(z)) + outer(z, sd)), length(z))
  total <- colSums(weight * p)
  m1 <- colSums(weight * z * p) / total
  m2 <- colSums(weight * z^2 * p) / total
  slope <- covariance[, 1L, 2L] / sd
  list(p = total, mean = mean[, 2L] + slope * m1,
    variance = pmax(covariance[, 2L, 2L] + slope^2 * (m2 - m1^2 - 1), 0))
}

# E p(a) h(b), with h(b) the expected amount given its linear predictor, from the distribution of b
# given each node of a.
expected_product <- function(parts, mean, covariance) {
  nodes <- presence_nodes()
  linkinv <- parts[[1L]]$family$linkinv
  sd <- sqrt(covariance[, 1L, 1L])
  slope <- ifelse(sd > 0, covariance[, 1L, 2L] / sd, 0)
  rest <- pmax(covariance[, 2L, 2L] - slope^2, 0)
  Reduce(`+`, Map(function(z, weight) {
    weight * linkinv(mean[, 1L] + z * sd) * expected_responses(parts[[2L]],
      mean[, 2L] + z * slope, rest)
  }, nodes$z, nodes$weight))
}

#' @export
expected_limits.neargp_joint_hurdle <- function(object, ...) {
  abort_argument("interval", "\"none\" or \"prediction\" where both parts share fields",
    "confidence")
}

#' @export
simulate.neargp_joint_hurdle <- function(object, nsim = 1, seed = NULL, newdata, ...) {
  check_no_more_arguments()
  check_given(missing(newdata) || is.null(newdata), "newdata", "a data frame or sf points")
  if (is_foreign_map(newdata)) {
    return(with_known_newdata("simulate", match.call(expand.dots = FALSE)))
  }
  newdata <- grid_of_parts(object$joint, newdata)
  drawn <- stats::simulate(object$joint, nsim, seed = seed, newdata = newdata)
  draws <- draw_matrix(drawn)
  of_output <- function(output) {
    draws[, paste0("sim_", seq_len(nsim), "_", output), drop = FALSE]
  }
  outputs <- object$joint$outputs
  draws_of_product(of_output(outputs[1L]), of_output(outputs[2L]), newdata, attr(drawn, "seed"))
}

#' @export
sections.neargp_joint_hurdle <- function(x, digits, summary = NULL) {
  c(list(new_section("Hurdle model: a response that is 0 or positive", apart = FALSE)),
    sections(x$joint, digits, summary))
}

#' @export
summary.neargp_joint_hurdle <- function(object, ...) summary(object$joint, ...)

#' @export
logLik.neargp_joint_hurdle <- function(object, ...) stats::logLik(object$joint, ...)

# ---- what is of the joint fit --------------------------------------------------------------------

#' @export
coef.neargp_joint_hurdle <- function(object, ...) stats::coef(object$joint, ...)

#' @export
vcov.neargp_joint_hurdle <- function(object, ...) stats::vcov(object$joint, ...)

#' @export
formula.neargp_joint_hurdle <- function(x, ...) stats::formula(x$joint)

#' @export
family.neargp_joint_hurdle <- function(object, ...) stats::family(object$joint)

#' @export
model.frame.neargp_joint_hurdle <- function(formula, ...) stats::model.frame(formula$joint)

#' @export
ranef.neargp_joint_hurdle <- function(object, ...) nlme::ranef(object$joint)

#' @export
confint.neargp_joint_hurdle <- function(object, parm, level = 0.95, ...) {
  stats::confint(object$joint, parm, level, ...)
}

#' @export
tidy.neargp_joint_hurdle <- function(x, ...) generics::tidy(x$joint, ...)

#' @export
glance.neargp_joint_hurdle <- function(x, ...) generics::glance(x$joint, ...)

#' @export
plot.neargp_joint_hurdle <- function(x, ...) plot(x$joint, ...)

# The call that `update()` changes is in the frame of the user.
#' @export
update.neargp_joint_hurdle <- function(object, ...) {
  call <- match.call()
  call[[1L]] <- quote(stats::update)
  call$object <- object$joint
  updated <- eval(call, parent.frame())
  if (inherits(updated, "neargp_joint")) neargp_hurdle(updated) else updated
}

# ---- rows of the data ----------------------------------------------------------------------------

# Rows of a hurdle model that are left out are locations with both parts.
refuse_joint_rows <- function(what) {
  abort_neargp("argument",
    c(sprintf("%s is not available for the fitted rows of a hurdle model whose parts share fields.",
      what),
      i = "predict() and scores() take `newdata`. cross_validate() of the joint fit leaves locations out."))
}

#' @export
augment.neargp_joint_hurdle <- function(x, newdata = NULL, ...) {
  if (is.null(newdata)) refuse_joint_rows("augment()")
  NextMethod()
}

#' @export
scores.neargp_joint_hurdle <- function(object, newdata = NULL, observed = NULL, level = 0.95, ...) {
  if (is.null(newdata)) refuse_joint_rows("scores()")
  NextMethod()
}

#' @export
fitted.neargp_joint_hurdle <- function(object, ...) refuse_joint_rows("fitted()")

#' @export
residuals.neargp_joint_hurdle <- function(object, ...) refuse_joint_rows("residuals()")

#' @export
cross_validate.neargp_joint_hurdle <- function(object, ...) refuse_joint_rows("cross_validate()")
