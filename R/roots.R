# Roots of functions of many numbers at once, by bisection.

# Where a rising function is `at`, by bisection between `low` and `high`; -Inf where it is at most
# that at `low`.
rising_root <- function(at, f, low, high) {
  low <- rep_len(low, length(at))
  found <- bisect(function(x) f(x) > at, low, rep_len(high, length(at)), steps = 40L)
  ifelse(f(low) >= at, -Inf, (found$low + found$high) / 2)
}

# Intervals, halved so many times, at whose upper ends `is_beyond` is TRUE if it is anywhere.
bisect <- function(is_beyond, low, high, steps) {
  for (step in seq_len(steps)) {
    middle <- (low + high) / 2
    beyond <- is_beyond(middle)
    low <- ifelse(beyond, low, middle)
    high <- ifelse(beyond, middle, high)
  }
  list(low = low, high = high)
}
