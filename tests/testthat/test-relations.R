# Relations that hold for any method and family, whatever the right numbers are: what says the same
# in other words gives the same predictions.

# In other units of coordinates and covariate, with an offset that the intercept takes back, and for
# methods without random batches with rows and levels in another order.
in_other_words <- function(data, reordered) {
  data <- transform(data, x = 1000 * x + 5e5, y = 1000 * y - 7e5, a = 10 * a + 3, o = 0.7)
  if (!reordered) return(data)
  data$g <- factor(as.character(data$g), levels = c("r", "p", "q"))
  withr::local_seed(11)
  data[sample(nrow(data)), ]
}

points_in_other_words <- function() sweep(1000 * relation_points(), 2L, c(5e5, -7e5), "+")

for (name in names(relation_methods())) test_extended(
  paste("data in other units and another order give the same predictions by two threads,", name), {
    data <- relation_data(60, 7)
    new <- relation_data(8, 99)
    reordered <- !isTRUE(relation_methods()[[name]]$steps)
    for (family in relation_families_of(name)) {
      fit <- relation_fit(name, family, data, threads = 1L)
      expected <- relation_moments(fit, new)
      other <- relation_fit(name, family, in_other_words(data, reordered), points_in_other_words(),
        threads = 2L)
      expect_lt(relation_distance(relation_moments(other, in_other_words(new, FALSE)), expected),
        if (reordered) 5e-3 else 1e-5, label = paste(name, family))
      rows <- c(5L, 2L, 2L)
      expect_lt(relation_distance(relation_moments(fit, new[rows, ]),
        expected[rows, , drop = FALSE]), 1e-9, label = paste(name, family, "in other new rows"))
    }
  })

# Two equal observations at one location are the square of a density. Searches begin elsewhere and
# end within their tolerances, some hundredths of a standard deviation.
test_extended("a weight of 2 is two rows", {
  data <- relation_data(50, 8)
  new <- relation_data(8, 99)
  data$w <- rep(1:2, 25)
  rows <- rep(seq_len(50), data$w)
  counts <- c("poisson", "negative_binomial", "truncated_poisson", "truncated_nbinom2",
    "zi_poisson", "zi_nbinom2", "ordinal", "betabinomial")
  for (name in c("vnngp", "vnngp_laplace", "svgp", "odvgp", "ppgpr")) for (family in counts) {
    weighted <- relation_fit(name, family, data, weights = w)
    repeated <- relation_fit(name, family, data[rows, ])
    expect_lt(relation_distance(relation_moments(weighted, new), relation_moments(repeated, new)),
      0.02, label = paste(name, family))
  }
  at_known <- function(data, ...) {
    neargp(gaussian ~ a, data, coords = ~ x + y, method = exact_gp(), nugget = 0.1,
      covariance = cov_matern(nu = 1.5, variance = 1, range = 0.3), ...)
  }
  expect_lt(relation_distance(relation_moments(at_known(data, weights = w), new),
    relation_moments(at_known(data[rows, ]), new)), 1e-8)
})

test_extended("a Gaussian response in another unit and with another sign has the same predictions", {
  data <- relation_data(60, 9)
  new <- relation_data(8, 99)
  for (name in setdiff(names(relation_methods()), "swsgp")) {
    expected <- relation_moments(relation_fit(name, "gaussian", data), new)
    for (unit in c(1000, -1)) {
      found <- relation_moments(relation_fit(name, "gaussian",
        transform(data, gaussian = unit * gaussian + 5)), new)
      found <- cbind(mean = (found[, "mean"] - 5) / unit, sd = found[, "sd"] / abs(unit))
      expect_lt(relation_distance(found, expected), 5e-3, label = paste(name, unit))
    }
  }
})
