test_extended("numbers, counts, flags and choices are checked and say what they should be", {
  expect_identical(check_number(2, "a"), 2)
  expect_null(check_number(NULL, "a", null_ok = TRUE))
  expect_error(check_number("2", "a"), "`a` must be a number, not \"2\"",
    class = "neargp_error_argument")
  expect_error(check_number(c(1, 2), "a"), "vector of length 2", class = "neargp_error_argument")
  expect_identical(describe_value(1:3), "an integer vector of length 3")
  expect_identical(describe_value(matrix(0, 1, 2)), "a double matrix of 1 row and 2 columns")
  expect_error(check_number(diag(2), "a"), "matrix of 2 rows", class = "neargp_error_argument")
  expect_error(check_number(0, "a", 0, open = TRUE), "greater than 0",
    class = "neargp_error_argument")
  expect_error(check_number(3, "a", 0, 2), "between 0 and 2", class = "neargp_error_argument")
  expect_error(check_number(3, "a", upper = 2), "at most 2", class = "neargp_error_argument")
  expect_error(check_count(1.5, "a"), "whole number of at least 1", class = "neargp_error_argument")
  expect_error(check_count(7, "a", 1, 5), "between 1 and 5", class = "neargp_error_argument")
  expect_error(check_flag("yes", "a"), "TRUE or FALSE", class = "neargp_error_argument")
  expect_identical(check_choice(c("x", "y"), "a", c("x", "y")), "x")
  expect_error(check_choice("z", "a", c("x", "y")), "one of \"x\", \"y\"",
    class = "neargp_error_argument")
  for (wrong in list(c(1, -1), NaN, c(NA, NA), "one", globalenv(), mean)) {
    expect_error(check_ranges(wrong, "a"), "numbers greater than 0",
      class = "neargp_error_argument")
  }
  expect_identical(check_ranges(c(NA, 2), "a"), c(NA, 2))
  expect_error(check_level(1), "between 0 and 1", class = "neargp_error_argument")
  expect_identical(check_choices(c("y", "x"), "a", c("x", "y")), c("y", "x"))
  expect_error(check_choices(c("x", "z"), "a", c("x", "y")), "among \"x\", \"y\"",
    class = "neargp_error_argument")
})

test_that("slips that are easy to fix are told how", {
  data <- simulated_data(40)
  fit <- function(formula, ...) neargp(formula, data, coords = ~ x + y, ...)
  for (slip in list(vnngp, "vnngp")) expect_error(fit(z ~ 1, method = slip), "method = vnngp()?",
    fixed = TRUE, class = "neargp_error_argument")
  expect_error(fit(z ~ 1, method = "kriging"), "such as vecchia()", fixed = TRUE,
    class = "neargp_error_argument")
  other <- structure(list(family = "Negative Binomial(2)", link = "log"), class = "family")
  expect_error(fit(z ~ 1, method = vnngp(5), family = other), "Use negative_binomial()",
    fixed = TRUE, class = "neargp_error_family")
  data$one <- "same"
  expect_error(fit(z ~ .), "`one` is the same in all rows", class = "neargp_error_formula")
  object <- structure(list(), class = c("SpatialPointsDataFrame", "Spatial"))
  expect_error(neargp(z ~ 1, object), "sf::st_as_sf(data", fixed = TRUE,
    class = "neargp_error_argument")
})

test_that("an argument that a function does not have is reported with the one that was meant", {
  generic <- function(object, ...) method(object, ...)
  method <- function(object, interval = "none", chunk_size = NULL, type = 1, ...) {
    check_no_more_arguments()
    interval
  }
  expect_identical(generic(1, interval = 2), 2)
  expect_identical(method(1, , ), "none")
  expect_no_error(do.call(method, list(1)))
  slip <- function(...) {
    conditionMessage(expect_error(method(1, ...), class = "neargp_error_argument"))
  }
  expect_match(slip(intervall = 2), "method() does not accept the argument `intervall`",
    fixed = TRUE)
  expect_match(slip(intervall = stop("not evaluated")), "Did you mean `interval`?", fixed = TRUE)
  expect_match(slip(chunkSize = 2, typee = 2), "Did you mean `chunk_size`, `type`?", fixed = TRUE)
  expect_match(slip(weights = 2), "Its arguments are `object`, `interval`", fixed = TRUE)
  expect_error(method(1, 2, 3, 4, 5), "unnamed argument is one too many: 5",
    class = "neargp_error_argument")
  expect_error(do.call(method, list(1, intervall = 2)),
    "the function does not accept the argument `intervall`",
    class = "neargp_error_argument")
})

test_that("methods tell misspelt arguments", {
  fit <- neargp(z ~ 1, simulated_data(40), coords = ~ x + y, method = vecchia(5))
  for (call in list(quote(predict(fit, data.frame(x = 1, y = 1), intervall = "none")),
    quote(simulate(fit, nsims = 2)), quote(residuals(fit, kind = "loo")),
    quote(coef(fit, wat = "trend")), quote(augment(fit, dta = 1)),
    quote(scores(1, mean = 0, sd = 1, famili = poisson())),
    quote(scores(data.frame(mean = 0, sd = 1), observed = 1, lvel = 0.5)))) {
    expect_error(eval(call), "does not accept the argument", class = "neargp_error_argument")
  }
  data <- simulated_data(40)
  data$yes <- factor(data$z > stats::median(data$z))
  classes <- neargp(yes ~ 1, data, coords = ~ x + y, method = loo_k(5), family = binomial())
  binary <- neargp(yes ~ 1, data, coords = ~ x + y, method = vnngp(5), family = binomial())
  judged <- list(calibration_curve, confusion_table, scores)
  for (fit in list(classes, binary)) for (judge in judged) {
    expect_error(judge(fit, at_mst = 1), "does not accept the argument",
      class = "neargp_error_argument")
  }
  expect_identical(calibration_curve(classes, k = 4, threads = 1),
    calibration_curve(classes, k = 4))
  expect_error(do.call(scores, c(list(classes), stats::setNames(list(1), "k\xff"))), "`k<ff>`",
    fixed = TRUE, class = "neargp_error_argument")
})

test_that("names that are not valid in the encoding of the session are compared, too", {
  odd <- c("caf\xe9", "height")
  Encoding(odd) <- "UTF-8"
  expect_identical(nearest_name("heigth", odd), "height")
  expect_identical(nearest_name(odd[1L], c("cafe", "height")), NULL)
  expect_identical(nearest_name("caf<e9>", odd), odd[1L])
  expect_null(nearest_name(NA_character_, c("cafe", "height")))
})

test_that("text that is not valid in the encoding of the session is an error that names it", {
  skip_if_not(l10n_info()[["UTF-8"]])
  data <- simulated_data(40)
  data$g <- rep(c("caf\xe9", "b"), 20)
  fit <- function(...) neargp(..., method = vecchia(5))
  expect_error(fit(z ~ 1 + (1 | g), data, coords = ~ x + y), "Column g .*caf<e9>.*iconv",
    class = "neargp_error_columns")
  data$x <- replace(as.character(data$x), 3L, "\xff")
  expect_error(fit(z ~ 1, data, coords = ~ x + y), "Column x .*<ff>",
    class = "neargp_error_columns")
  expect_error(fit(z ~ 1, data, coords = c("x\xff", "y")), "column names",
    class = "neargp_error_argument")
})

test_extended("slips of first use have errors of the package", {
  data <- simulated_data(40)
  fit <- function(...) neargp(..., method = vecchia(5))
  slip <- function(call, class, message) {
    expect_error(call, message, fixed = TRUE, class = paste0("neargp_error_", class))
  }
  slip(neargp(data$z ~ 1, coords = ~ x + y), "argument", "`data` is missing")
  slip(fit(z ~ 1, data, coords = c(x, y)), "coordinates", "coords = ~ x + y")
  slip(fit(z ~ q, data, coords = ~ x + y), "columns", "Column q is not in `data`")
  slip(fit(z ~ 1, cbind(data, x = 1), coords = ~ x + y), "columns", "more than one column named x")
  slip(fit(z ~ 1, data, coords = ~ x + y, time = day_that_is_not), "coordinates", "time = ~ day")
  for (covariance in list(cov_matern, "matern", "cov_matern", "Mattern")) {
    slip(fit(z ~ 1, data, coords = ~ x + y, covariance = covariance), "argument",
      "Did you mean covariance = cov_matern()?")
  }
  for (covariance in list("", NA_character_, mean, c("matern", "cauchy"), 1)) {
    slip(fit(z ~ 1, data, coords = ~ x + y, covariance = covariance), "argument",
      "a covariance such as cov_matern()")
  }
  slip(neargp(z ~ 1, data, coords = ~ x + y, method = "vechia"), "argument",
    "Did you mean method = vecchia()?")
  example <- fit(z ~ 1, data, coords = ~ x + y)
  slip(plot(example, what = "se"), "argument", "\"mean\", \"sd\"")
  slip(tidy(example, effects = "random"), "argument", "\"trend\", \"covariance\"")
  slip(block_folds(data, method = "hexagon"), "argument", "\"square\", \"kmeans\"")
  slip(empirical_variogram(example, estimator = "best"), "argument", "\"classical\", \"robust\"")
  data$far <- data$x * 1e300
  slip(fit(z ~ 1, data, coords = ~ far + y), "coordinates", "beyond 1e+30")
  data$list <- as.list(data$x)
  slip(fit(z ~ 1, data, coords = ~ list + y), "columns", "Column list of `data` is a list")
  slip(cross_validate(data), "argument", "a fit of neargp()")
  slip(calibration_curve(1), "argument", "observed classes")
  slip(confusion_table(1), "argument", "observed classes")
  slip(scores(data.frame(mean = 1, sd = 1)), "argument", "`observed` is missing")
})

test_extended("arguments without a default are asked for by name", {
  own <- mget(intersect(getNamespaceExports("neargp"), ls(asNamespace("neargp"))),
    asNamespace("neargp"))
  required <- lapply(own,
    function(f) setdiff(names(Filter(function(x) identical(x, quote(expr = )), formals(f))), "..."))
  required <- required[lengths(required) > 0L]
  expect_gt(length(required), 15L)
  for (name in names(required)) expect_error(own[[name]](), paste0("`", required[[name]][1L], "`"),
    class = "neargp_error_argument", info = name)
  expect_error(crps_gaussian(1, sd = 2), "`mean` is missing", class = "neargp_error_argument")
  expect_error(covariance_value(cov_matern()), "`distance` is missing",
    class = "neargp_error_argument")
})

test_extended("what is called a fit and lacks its parts is refused by every method", {
  cut <- structure(list(), class = "neargp")
  methods <- c("AIC", "BIC", "augment", "autoplot", "calibration_curve", "confusion_table",
    "deviance", "empirical_variogram", "fitted",
    "glance", "logLik", "plot", "predict", "print", "r2", "residuals", "scores", "sigma",
    "simulate", "summary", "tidy")
  for (method in methods) {
    expect_error(get(paste0(method, ".neargp"), asNamespace("neargp"))(cut),
      "not a whole fit: it lacks `method`", class = "neargp_error_argument", info = method)
  }
  expect_error(loo_predict(cut), "not a whole fit", class = "neargp_error_argument")
  expect_error(covariance_value(cut, 1), "not a whole fit", class = "neargp_error_argument")
})

test_that("arguments that nobody takes are errors, and not swallowed", {
  refused <- function(call, message) {
    expect_error(call, message, class = "neargp_error_argument")
  }
  x <- cbind(x = (1:30 * 0.618) %% 1, y = (1:30 * 0.414) %% 1)
  fit <- neargp(z ~ 1, data.frame(x, z = sin(6 * x[, 1])), coords = ~ x + y,
    method = vecchia(3), covariance = cov_exponential(variance = 1, range = 0.3), nugget = 0.1)
  refused(empirical_variogram(fit, boundaries = 1:3), "not accept the argument `boundaries`")
  refused(empirical_variogram(sin(1:30), x, widths = 0.1), "Did you mean `width`")
  refused(covariance_value(cov_exponential(2, 5), 1, lag = 1), "not accept the argument `lag`")
  for (method in c("glance", "fixef", "deviance")) {
    refused(do.call(method, list(fit, wrong = 1)), "not accept the argument `wrong`")
  }
  variogram <- empirical_variogram(fit)
  refused(plot(variogram, palette = "a"), "plot\\(\\) does not accept the argument `palette`")
  refused(plot(variogram, cex.axis = 0.8), "not accept the argument `cex.axis`")
  expect_drawn(plot(variogram, main = "a"))
  validated <- cross_validate(fit, folds = 2, verbose = FALSE)
  refused(plot(validated, which = "pit", wich = "map"), "Did you mean `which`")
  refused(plot(block_folds(x, 2), folds = 1), "not accept the argument `folds`")
})

test_that("classes and settings that cannot be fitted are errors with a way out that works", {
  data <- simulated_data(40)
  data$day <- as.Date("2026-03-01") + seq_len(40)
  fit_to <- function(...) neargp(z ~ 1, ..., method = vecchia(k = 5))
  expect_error(fit_to(data, time = ~ day), "coords = ~ as.numeric\\(day\\)",
    class = "neargp_error_coordinates")
  expect_error(fit_to(data, coords = ~ day), "coords = ~ as.numeric\\(day\\)",
    class = "neargp_error_coordinates")
  expect_identical(nobs(fit_to(data, coords = ~ as.numeric(day))), 40L)
  flat <- fit_to(data, coords = ~ x + y, covariance = cov_exponential(range = c(NA, 1e6),
    ard = TRUE))
  line <- fit_to(data, coords = ~ x, covariance = cov_exponential(ard = TRUE))
  expect_equal(c(logLik(flat)), c(logLik(line)), tolerance = 1e-2)
})

test_that("coordinates of a geometry in the trend are an error that says how they become columns", {
  points <- simulated_sf(40)
  expect_error(neargp(z ~ x + y, points), "data[c(\"x\", \"y\")] <- sf::st_coordinates(data)",
    fixed = TRUE,
    class = "neargp_error_columns")
  with_columns <- points
  with_columns[c("x", "y")] <- sf::st_coordinates(points)[, 1:2]
  fit <- neargp(z ~ x + y, with_columns, method = vecchia(k = 5))
  expect_error(predict(fit, points), "newdata\\[c\\(.*st_coordinates\\(newdata\\)",
    class = "neargp_error_newdata")
})
