# How well rows that came after the estimation are predicted, and when to estimate again. Under the
# model a standardised error z is standard normal. Its log score differs from the expected one by
# (1 - z^2) / 2.

# The field `appended` of a fit.
none_since <- function(estimated, total = 0L) {
  list(total = total,         # rows that the data of the call do not contain,
    rows = 0L,                # and of these since the estimation
    estimated = estimated,    # rows of the estimation
    n = 0L,                   # errors z, their
    squares = 0,              # sum of squares
    fourths = 0,              # and of fourth powers,
    expected = 1)             # and the mean square that the fit expects
}

count_appended <- function(fit, added) {
  appended <- fit$appended %||% none_since(length(fit$data$y))
  for (name in c("total", "rows")) appended[[name]] <- appended[[name]] + added
  appended
}

# With the errors z of further rows, each predicted from earlier ones.
with_errors <- function(appended, z) {
  z <- z[is.finite(z)]
  appended$n <- appended$n + length(z)
  appended$squares <- appended$squares + sum(z^2)
  appended$fourths <- appended$fourths + sum(z^4)
  appended
}

# From leave-one-out predictions of all rows, where earlier rows do not give independent errors. The
# mean square of the rows of the estimation is the expected one.
score_by_left_out <- function(fit) {
  left <- left_out(fit$method, fit)
  pit <- predictive_pit(observed_response(fit$data)[left$rows], left$distribution)
  z <- stats::qnorm(pmin(pmax((pit$lower + pit$upper) / 2, 1e-12), 1 - 1e-12))
  is_new <- left$rows > length(fit$data$y) - fit$appended$rows
  appended <- fit$appended
  appended[c("n", "squares", "fourths")] <- list(0L, 0, 0)
  appended$expected <- max(mean(z[!is_new]^2, na.rm = TRUE), 0.1, na.rm = TRUE)
  fit$appended <- with_errors(appended, z[is_new])
  fit
}

# ---- advice --------------------------------------------------------------------------------------

# Beyond `share`, appended rows per row of the estimation, standard errors of parameters would fall
# by a fifth. Fewer than `rows` errors say too little, and `z` is the 1% limit of a normal mean.
estimate_again_at <- list(share = 0.5, rows = 10L, z = stats::qnorm(0.99))

# Why the parameters should be estimated again, NULL where they need not.
reason_to_estimate <- function(appended) {
  if (is.null(appended) || appended$rows == 0L) return(NULL)
  worse <- excess_of_squares(appended)
  if (worse > estimate_again_at$z) {
    return(sprintf("their errors are %.1f times as large as the fit expects",
      sqrt(appended$squares / appended$n / appended$expected)))
  }
  share <- appended$rows / appended$estimated
  if (share > estimate_again_at$share) {
    sprintf("they are %.0f%% of the rows of the estimation", 100 * share)
  }
}

# The excess of the mean square over the expected one, in its standard errors. With heavy tails the
# standard error is larger than that of squares of normal numbers.
excess_of_squares <- function(appended) {
  if (appended$n < estimate_again_at$rows) return(0)
  mean <- appended$squares / appended$n
  variance <- max(2 * appended$expected^2, appended$fourths / appended$n - mean^2)
  (mean - appended$expected) / sqrt(variance / appended$n)
}

say_rows <- function(n) paste(format_count(n), if (n == 1L) "row" else "rows")

describe_appended <- function(appended) {
  if (is.null(appended) || appended$rows == 0L) return(NULL)
  reason <- reason_to_estimate(appended)
  text <- sprintf("%s since the parameters were estimated", say_rows(appended$rows))
  if (is.null(reason)) return(text)
  on_lines(paste0(text, "."), sprintf("Estimate again, since %s:", reason),
    "update(fit, refit = TRUE)")
}

# The first time that the advice holds.
inform_estimate_again <- function(before, appended) {
  reason <- reason_to_estimate(appended)
  if (is.null(reason) || !is.null(reason_to_estimate(before))) return(invisible())
  inform_neargp("appended", c(
    sprintf("%s %s appended since the parameters were estimated, and %s.",
      say_rows(appended$rows), if (appended$rows == 1L) "was" else "were", reason),
    i = "update(fit, refit = TRUE) estimates the parameters again."))
}
