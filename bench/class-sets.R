# Sets of classes of the LOO-k paper (Jankowiak and Pleiss 2022, Table 8), their splits, and the paper's figures.

# Means over the paper's five splits: negative log likelihood and error of LOO-k and SVGP. "Molec" may be another set than splice.
paper_classes <- read.csv(text = "set,loo_nll,loo_error,svgp_nll,svgp_error
pine,0.060,0.024,0.381,0.174
fir,0.057,0.023,0.377,0.171
covtype,0.089,0.032,0.560,0.238
titanic,0.485,0.210,0.482,0.210
bank,0.234,0.101,0.241,0.098
spambase,0.222,0.076,0.213,0.067
musk2,0.111,0.034,0.126,0.036
winewhite,0.945,0.355,0.996,0.414
page_blocks,0.129,0.035,0.147,0.045
landsat,0.199,0.075,0.197,0.078
thyroid,0.068,0.019,0.099,0.044
pendigits,0.032,0.006,0.026,0.005
optdigits,0.098,0.014,0.080,0.020
shuttle,0.010,0.002,0.015,0.005
abalone3,0.668,0.289,0.691,0.314
splice,0.025,0.000,0.030,0.001")

# Standardised inputs, and the classes y. The set covtype is used by the names pine, fir and covtype. "pine/8" is every eighth row of pine.
class_data <- function(set) {
  every <- as.integer(c(strsplit(set, "/", fixed = TRUE)[[1L]][-1L], "1")[1L])
  set <- sub("/.*", "", set)
  from_covtype <- c(pine = "pine", fir = "fir", covtype = "cover")
  rows <- bench_data(if (set %in% names(from_covtype)) "covtype" else set)
  rows <- rows[seq(1L, nrow(rows), by = every), ]
  response <- if (set %in% names(from_covtype)) from_covtype[[set]] else "y"
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", from_covtype))]))
  varies <- apply(inputs, 2L, function(x) all(is.finite(x)))
  data.frame(inputs[, varies], y = factor(rows[[response]]))
}

# Splits as split_rows() does, but keeps at most 10,000 test and 10,000 validation rows, the first in random order.
split_class_rows <- function(n, split) {
  rows <- split_rows(n, split, sorted = FALSE)
  lapply(c(rows["training"], lapply(rows[c("test", "validation")], utils::head, 10000L)), sort)
}

# Drops inputs that do not vary among the training rows, since their ranges cannot be estimated.
varying_inputs <- function(data, training) data[vapply(data[training, ], function(x) length(unique(x)) > 1L, NA)]
