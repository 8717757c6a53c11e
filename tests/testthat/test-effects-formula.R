parsed <- function(formula) {
  found <- effect_terms(formula)
  list(trend = deparse1(found$trend),
    bars = vapply(found$bars, function(bar) sprintf("%s | %s", deparse1(bar$lhs), bar$label), ""),
    smooths = vapply(found$smooths, deparse1, ""))
}

test_that("bars and smooths are cut out, and what is left is the trend", {
  expect_identical(parsed(y ~ x + (1 | g) + z), list(trend = "y ~ x + z", bars = "1 | g",
    smooths = character(0)))
  expect_identical(parsed(y ~ (1 | g))$trend, "y ~ 1")
  expect_identical(parsed(y ~ (1 | g) - 1)$trend, "y ~ -1")
  expect_identical(parsed(y ~ 0 + (x | g))$trend, "y ~ 0")
  expect_identical(parsed(log(y) ~ s(x, k = 5) + offset(o) + a:b + mgcv::t2(x, z)),
    list(trend = "log(y) ~ offset(o) + a:b", bars = character(0),
      smooths = c("s(x, k = 5)", "mgcv::t2(x, z)")))
  expect_identical(parsed(y ~ (x + s(z)))$trend, "y ~ x")
  expect_identical(parsed(y ~ x + I(a | b))$trend, "y ~ x + I(a | b)")
})

test_extended("groups and terms are expanded as lme4 does", {
  expect_identical(parsed(y ~ (1 | a/b/c))$bars, c("1 | a", "1 | a:b", "1 | a:b:c"))
  expect_identical(parsed(y ~ (x + z || g))$bars, c("1 | g", "0 + x | g", "0 + z | g"))
  expect_identical(parsed(y ~ (0 + x || a/b))$bars, c("0 + x | a", "0 + x | a:b"))
  expect_identical(parsed(y ~ (1 | factor(g)))$bars, "1 | factor(g)")
  skip_if_not_installed("lme4")
  for (formula in list(y ~ (1 | a/b), y ~ (x || g) + (1 | h), y ~ (x | a:b))) {
    expect_length(parsed(formula)$bars, length(lme4::findbars(formula)))
  }
})

test_that("what cannot be read is an error, and functions of the user are theirs", {
  expect_error(effect_terms(y ~ x * (1 | g)), "sum", class = "neargp_error_formula")
  expect_error(effect_terms(y ~ x:s(z)), "sum", class = "neargp_error_formula")
  expect_error(effect_terms(y ~ x - (1 | g)), "sum", class = "neargp_error_formula")
  expect_error(effect_terms(y ~ te(x, z)), "t2", class = "neargp_error_formula")
  s <- function(x) x^2
  expect_identical(parsed(y ~ s(x))$trend, "y ~ s(x)")
})

test_extended("a dot does not stand for groups, and missing groups leave rows out", {
  data <- transform(simulated_data(60), site = rep(1:6, 10))
  data$site[3] <- NA
  fit <- neargp(z ~ . - group + (1 | site), data[c("x", "y", "z", "height", "group", "site")],
    coords = ~ x + y, covariance = cov_exponential(range = 0.2), threads = 1L)
  expect_identical(names(coef(fit)), c("(Intercept)", "height"))
  expect_identical(nobs(fit), 59L)
  expect_identical(fit$n_dropped, 1L)
})

test_that("terms without a variance, and methods without terms, are refused", {
  data <- transform(simulated_data(40), one = "a", row = seq_len(40), g = rep(1:4, 10))
  fit <- function(formula, ...) neargp(formula, data, coords = ~ x + y, threads = 1L, ...)
  expect_error(fit(z ~ (1 | one)), "same in all rows", class = "neargp_error_formula")
  expect_error(fit(z ~ (1 | row)), "nugget", class = "neargp_error_formula")
  expect_error(fit(z ~ (1 | g) + (height | g)), "twice", class = "neargp_error_formula")
  expect_error(fit(z ~ (1 | missing)), "Column missing", class = "neargp_error_columns")
  others <- list(loo_k(5, optimizer = "adam"), mll_k(5), swsgp(10), vecchia(5, inducing = 5))
  for (method in others) {
    expect_error(fit(z ~ (1 | g), method = method), "vecchia\\(\\)", class = "neargp_error_method")
  }
  expect_error(fit(cbind(z, height) ~ (1 | g), method = vecchia(5)), "several responses",
    class = "neargp_error_method")
})

test_extended("a bar without parentheses is a logical or of flags, and else an error", {
  data <- transform(simulated_data(60), site = factor(rep(1:6, 10)), number = rep(1:6, 10))
  data$high <- data$height > 0
  data$east <- data$x > 0.5
  fit <- function(formula) neargp(formula, data, coords = ~ x + y, threads = 1L)
  data$either <- data$high | data$east
  expect_equal(unname(coef(fit(z ~ high | east))), unname(coef(fit(z ~ either))))
  for (formula in list(z ~ height | site, z ~ height + 1 | site, z ~ 1 | number)) {
    expect_error(expect_no_warning(fit(formula)), paste0("(", deparse1(formula[[3L]]), ")"),
      fixed = TRUE, class = "neargp_error_formula")
  }
})

test_extended("smooths of levels are an error that names random effects, but for bases of levels", {
  skip_if_not_installed("mgcv")
  data <- transform(simulated_data(60), site = factor(rep(letters[1:6], 10)))
  data$text <- as.character(data$site)
  data$high <- data$height > 0
  fit <- function(formula) neargp(formula, data, coords = ~ x + y, threads = 1L)
  for (formula in list(z ~ s(site), z ~ s(text), z ~ s(high), z ~ s(height, site),
      z ~ t2(height, text))) {
    expect_error(expect_no_warning(fit(formula)), "\\(1 \\| (site|text|high)\\)",
      class = "neargp_error_formula")
  }
  expect_equal(logLik(fit(z ~ s(text, bs = "re"))), logLik(fit(z ~ (1 | site))))
})

test_extended("a smooth beside its own covariate is said to contain it", {
  skip_if_not_installed("mgcv")
  data <- simulated_data(60)
  fit <- function(formula) neargp(formula, data, coords = ~ x + y, threads = 1L)
  expect_error(fit(z ~ s(height) + height), "contains the linear effect of height: remove",
    class = "neargp_error_rank")
  expect_error(fit(z ~ s(height) + I(2 * height)), "s\\(height\\) contains .* leave one",
    class = "neargp_error_rank")
  expect_error(fit(z ~ height + I(2 * height)), "Remove I\\(2 \\* height\\)",
    class = "neargp_error_rank")
})

test_that("more columns than can be fitted are an error that names the term", {
  set.seed(1)
  data <- data.frame(x = stats::runif(1300), y = stats::runif(1300), z = stats::rnorm(1300),
    many = c(1:1100, 1:200))
  expect_error(neargp(z ~ (1 | many), data, coords = ~ x + y, method = exact_gp()),
    "many: 1,100.*CPU fits 10,000", class = "neargp_error_size")
  expect_error(neargp(round(abs(z)) ~ (1 | many), data, coords = ~ x + y, method = vnngp(),
    family = poisson()), "many: 1,100.*No method fits more of this family",
    class = "neargp_error_size")
})

test_extended("smooths of the coordinates compete with the field, which a warning says", {
  skip_if_not_installed("mgcv")
  expect_warning(neargp(z ~ s(x, y, k = 6), effects_data(), coords = ~ x + y, method = vecchia(5),
    covariance = cov_exponential(range = 0.2), threads = 1L), "compete",
    class = "neargp_warning_smooth")
})

test_extended("a smooth may differ by a column of text, also in new rows", {
  skip_if_not_installed("mgcv")
  d <- withr::with_seed(5, data.frame(x = runif(40), y = runif(40), depth = runif(40)))
  d$kind <- rep(c("a", "b"), 20)
  d$z <- sin(6 * d$depth) * (d$kind == "a") + d$x
  fits <- lapply(list(d, transform(d, kind = factor(kind))), function(data) {
    neargp(z ~ s(depth, by = kind, k = 4), data, coords = ~ x + y, method = exact_gp(),
      covariance = cov_exponential(1, 0.2), nugget = 0.1, verbose = FALSE)
  })
  expect_equal(logLik(fits[[1L]]), logLik(fits[[2L]]))
  expect_equal(predict(fits[[1L]], d[2:4, ]), predict(fits[[2L]], transform(d,
    kind = factor(kind))[2:4, ]))
  for (fit in fits) {
    expect_error(predict(fit, transform(d[1:2, ], kind = c("a", "q"))), "levels of kind.*know: q",
      class = "neargp_error_levels")
  }
})

test_that("a smooth of dates or durations is an error that shows how to make numbers of them", {
  skip_if_not_installed("mgcv")
  data <- transform(simulated_data(60), number = 18000 + rep(1:30, 2))
  data$day <- as.Date(data$number, "1970-01-01")
  data$moment <- as.POSIXct(data$day)
  data$lasted <- as.difftime(data$number, units = "hours")
  fit <- function(formula) {
    neargp(formula, data, coords = ~ x + y, method = vecchia(5), covariance = cov_exponential())
  }
  for (name in c("day", "moment", "lasted")) {
    expect_error(fit(stats::as.formula(sprintf("z ~ s(%s, k = 4)", name))),
      sprintf("s(as.numeric(%s))", name), fixed = TRUE, class = "neargp_error_formula")
  }
  expect_equal(logLik(fit(z ~ s(as.numeric(day), k = 4))), logLik(fit(z ~ s(number, k = 4))))
})
