# The data sets of the VNNGP paper's Tables 1 and 2 and their splits, for vnngp-uci.R and vnngp-mean-field.R.

scaled_inputs <- function(X) {
  X <- X[, apply(X, 2L, stats::var) > 1e-10, drop = FALSE]
  apply(X, 2L, function(x) 2 * (x - min(x)) / (max(x) - min(x)) - 1)
}

prepared <- function(set, covtype_rows = NULL) {
  rows <- bench_data(set)
  if (set != "covtype") {
    return(data.frame(scaled_inputs(as.matrix(rows[setdiff(names(rows), c("y", "fold"))])), y = drop(scale(rows$y))))
  }
  set.seed(0)
  rows <- rows[sample.int(nrow(rows), covtype_rows), ]
  data.frame(scaled_inputs(as.matrix(rows[setdiff(names(rows), c("cover", "pine", "fir"))])), y = rows$pine)
}

train_and_test_rows <- function(n, seed) {
  set.seed(seed)
  rows <- sample.int(n)
  list(train = rows[seq_len(round(0.64 * n))], test = rows[seq(round(0.8 * n) + 1, n)])
}
