# Levels of groups that a joint fit does not know.

grouped_counts <- function() {
  set.seed(1)
  d <- data.frame(x = runif(100), y = runif(100), site = sample(letters[1:8], 100, TRUE))
  effect <- rnorm(8)[match(d$site, letters)]
  d$count <- rpois(100, exp(0.2 * sin(6 * d$x) + 1.2 * effect))
  d$level <- 2 * sin(6 * d$x) + rnorm(100, sd = 0.3)
  d
}

test_extended("a new level has mean 0 and the variance between levels", {
  d <- grouped_counts()
  fit <- neargp(list(count ~ 1 + (1 | site), level ~ 1), d, coords = ~ x + y,
    family = list(poisson(), gaussian()), method = vnngp(k = 8))
  at <- data.frame(x = c(0.5, 0.52, 0.5), y = 0.5, site = c("new", "new", "other"))
  expect_error(predict(fit, at), class = "neargp_error_levels")
  new <- predict(fit, at, type = "link", allow.new.levels = TRUE)
  without <- predict(fit, at, type = "link", re.form = NA)
  between <- coef(fit, what = "covariance")[["count:sd_(Intercept)|site"]]
  expect_equal(new$mean_count, without$mean_count)
  expect_equal(new$sd_count^2, without$sd_count^2 + between^2, tolerance = 1e-8)
  expect_equal(new[c("mean_level", "sd_level")], without[c("mean_level", "sd_level")])
  # known levels stay as they are
  expect_equal(predict(fit, rbind(d[1:2, names(at)], at), allow.new.levels = TRUE)[1:2, ],
    predict(fit, d[1:2, ]), ignore_attr = TRUE)
  # draws at one new level share its effect, and those at another do not
  drawn <- simulate(fit, 3000, seed = 1, newdata = at, allow.new.levels = TRUE)
  counts <- log1p(as.matrix(drawn[grepl("_count$", names(drawn))]))
  expect_gt(cor(counts[1L, ], counts[2L, ]), 2 * abs(cor(counts[1L, ], counts[3L, ])))
  # the group is not needed where it is left out
  expect_equal(predict(fit, at[1:2], type = "link", re.form = NA), without)
  observed <- predict(fit, transform(at, level = 1), outputs = "count", use_observed = TRUE,
    allow.new.levels = TRUE)
  expect_true(all(is.finite(unlist(observed))))
})
