asked_data <- function(n = 40) {
  withr::with_seed(1, data.frame(x = stats::runif(n), y = stats::runif(n), elev = stats::rnorm(n),
    z = stats::rnorm(n), day = as.Date("2020-01-01") + seq_len(n)))
}

# The code that a message ends in.
expect_advice <- function(object, advice, function_name = "neargp") {
  error <- expect_error(object, advice, fixed = TRUE)
  expect_identical(conditionCall(error), call(function_name))
  invisible(error)
}

test_that("arguments of other packages are answered by the one that takes their place", {
  fit <- function(...) neargp(z ~ 1, asked_data(), coords = ~ x + y, ...)
  expect_advice(fit(reml = TRUE), "method = exact_gp(estimation = \"REML\")")
  expect_advice(fit(REML = TRUE), "method = exact_gp(estimation = \"REML\")")
  expect_advice(fit(method = "REML"), "method = exact_gp(estimation = \"REML\")")
  expect_advice(fit(method = "ML"), "method = exact_gp(estimation = \"ML\")")
  expect_advice(fit(correlation = nlme::corExp()), "covariance = cov_matern(nu = 1.5)")
  expect_advice(fit(nmax = 12), "method = vecchia(k = 12)")
  expect_advice(fit(nmax = some_number), "method = vecchia(k = some_number)")
  expect_advice(fit(knots = 50), "leave `knots` out")
  expect_advice(neargp(z ~ 1, asked_data(), locations = ~ x + y), "coords = ~ x + y")
  expect_advice(fit(covariance = "spherical"), "covariance = cov_spherical()")
  expect_advice(fit(covariance = "Gau"), "covariance = cov_gaussian()")
  expect_advice(fit(covariance = "matern32"), "covariance = cov_matern(nu = 1.5)")
  expect_advice(fit(covariance = cov_matern(smoothness = 2.5)), "cov_matern(nu = 2.5)",
    "cov_matern")
  expect_advice(fit(method = vecchia(nmax = 7)), "vecchia(k = 7)", "vecchia")
  expect_advice(fit(threds = 1), "Did you mean `threads`?")
  known <- example_fit(60)
  expect_advice(predict(known, asked_data(), se.fit = TRUE),
    "column `sd` of predict(fit, newdata, type = \"link\")", "predict")
  expect_advice(predict(known, transform(asked_data(), elevation = 1), se = TRUE),
    "column `sd` of predict(fit, newdata, type = \"link\")", "predict")
  expect_advice(predict(known, asked_data(), nmax = 9), "predict(fit, newdata, k = 9)", "predict")
})

test_that("a model of vgm() is answered by the covariance with the same values", {
  skip_if_not_installed("gstat")
  fit <- function(model) neargp(z ~ 1, asked_data(), coords = ~ x + y, covariance = model)
  h <- c(0.01, 0.1, 0.3)
  advice <- function(model) {
    message <- conditionMessage(expect_error(fit(model), class = "neargp_error_argument"))
    eval(str2lang(sub(".*Use covariance = (.*), nugget = .*", "\\1", message)))
  }
  for (name in names(variogram_models)) {
    model <- gstat::vgm(2, name, 0.2, nugget = 0.1, kappa = 1.2)
    theirs <- gstat::variogramLine(model, covariance = TRUE, dist_vector = h)$gamma
    expect_equal(covariance_value(advice(model), distance = h), theirs, tolerance = 1e-5)
  }
  turned <- gstat::vgm(2, "Exp", 0.2, nugget = 0.1, anis = c(30, 0.5))
  expect_error(fit(turned), "anisotropy = c(angle = 30, ratio = 0.5)), nugget = 0.1", fixed = TRUE)
  expect_error(fit(gstat::vgm(2, "Bes", 0.2)), "as_covariance", class = "neargp_error_argument")
})

# The calls that the table promises work.
test_that("the advice is code that runs", {
  data <- asked_data()
  for (table in list(foreign_covariances, foreign_methods)) {
    for (advice in table) {
      call <- str2lang(sub(", which.*", "", sub("^[a-z]+ = ", "", advice)))
      made <- eval(call)
      expect_true(is.null(made) || inherits(made, c("neargp_covariance", "neargp_method")))
    }
  }
  expect_identical(foreign_hint("neargp", "nmax", quote(f(x))), foreign_hint("neargp", "nmax", 30))
  expect_null(foreign_hint("neargp", "colour", 1))
  expect_null(foreign_hint("simulate", "nmax", 1))
})

test_that("names of files are answered by what reads them", {
  expect_advice(neargp(z ~ 1, "gap.tif"), "data = terra::rast(\"gap.tif\")")
  expect_advice(neargp(z ~ 1, "my points.gpkg"), "data = sf::st_read(\"my points.gpkg\")")
  expect_advice(neargp(z ~ 1, "d.csv"), "data = read.csv(\"d.csv\")")
  expect_error(neargp(z ~ 1, "stations"), "not \"stations\"", class = "neargp_error_argument")
  expect_advice(predict(example_fit(60), "gap.tif"), "newdata = terra::rast(\"gap.tif\")",
    "predict")
})

test_that("without coordinates a message shows how to name them", {
  data <- asked_data()
  expect_advice(neargp(z ~ 1, data), "coords = ~ x + y")
  expect_advice(neargp(z ~ ., data), "neargp(z ~ 1, data, coords = ~ .)")
  expect_advice(neargp(z ~ 1, data, time = ~ elev), "coords = ~ elev")
  expect_advice(neargp(z ~ 1, data, time = ~ day), "coords = ~ as.numeric(day)")
  expect_advice(neargp(z ~ 1, data, time = ~ day), "coords = ~ x + y, time = ~ day")
  longlat <- stats::setNames(data[c("x", "y", "z")], c("lon", "lat", "z"))
  expect_advice(neargp(z ~ 1, longlat), "coords = ~ lon + lat")
})

test_that("columns that are not there are answered by those that were meant", {
  data <- asked_data()
  expect_advice(neargp(z ~ elv, data, coords = ~ x + y), "Did you mean `elev`?")
  expect_advice(neargp(z ~ Elev, data, coords = ~ x + y), "Did you mean `elev`?")
  expect_advice(neargp(z ~ 1, data, coords = ~ x + Y), "Did you mean `y`?")
  expect_advice(neargp(z ~ slope, data, coords = ~ x + y), "Its columns are x, y, elev, z and day")
  expect_advice(predict(example_fit(60), data.frame(x = 1, y = 1, elevatoin = 1)),
    "Did you mean `elevatoin`?", "predict")
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(data, coords = c("x", "y"), crs = 32631)
  expect_advice(neargp(z ~ x + y, points),
    "data[c(\"x\", \"y\")] <- sf::st_coordinates(data)[, 1:2]")
  sf::st_crs(points) <- NA
  expect_advice(neargp(z ~ 1, points), "distance = \"euclidean\"")
})

test_that("a choice that is misspelt is answered by the nearest", {
  fit <- example_fit(60)
  expect_error(plot(fit, "efects"), "Did you mean which = \"effects\"?", fixed = TRUE)
  expect_error(predict(fit, asked_data(), type = "respnse"), "Did you mean type = \"response\"?",
    fixed = TRUE)
})

test_that("an offset of one number is that of all rows", {
  data <- asked_data()
  fit <- function(...) neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(variance = 1, range = 0.3), nugget = 0.1, ...)
  expect_equal(coef(fit(offset = 6)), coef(fit()) - 6)
  expect_equal(coef(fit(offset = 6)), coef(fit(offset = rep(6, 40))))
})

test_that("the call of a condition is the function that was called last from outside", {
  expect_identical(conditionCall(expect_error(cov_matern(range = -1))), quote(cov_matern()))
  outer <- function() neargp(z ~ 1, asked_data(), coords = ~ x + y,
    covariance = cov_matern(range = -1))
  expect_identical(conditionCall(expect_error(outer())), quote(cov_matern()))
  fit <- example_fit(60)
  expect_identical(conditionCall(expect_error(cross_validate(fit, folds = 900))),
    quote(cross_validate()))
  expect_identical(conditionCall(expect_error(summary(fit, 2))), quote(summary()))
  expect_identical(conditionCall(expect_error(do.call(neargp, list(z ~ 1, 1:3)))), NULL)
  message <- expect_message(neargp(z ~ 1, data.frame(x = 1:9, z = c(0, 1, 1)), coords = ~ x),
    class = "neargp_message_family")
  expect_identical(conditionCall(message), quote(neargp()))
})
