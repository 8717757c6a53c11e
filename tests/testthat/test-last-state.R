last_data <- function() {
  withr::with_seed(4, {
    data <- data.frame(x = stats::runif(260), y = stats::runif(260))
    field <- sin(5 * data$x) + cos(4 * data$y)
    data$z <- 1000 + 100 * field + stats::rnorm(260, sd = 20)
    data$w <- 3 * field + stats::rnorm(260)
    data$count <- stats::rpois(260, exp(0.5 + field / 2))
    data$class <- factor(ifelse(field + stats::rnorm(260, sd = 0.5) > 1, "a",
      ifelse(data$x > 0.5, "b", "c")))
    data
  })
}

# Fits, by name, as functions of further arguments.
last_fits <- function() {
  data <- last_data()
  of <- function(formula, method, family = NULL, covariance = cov_matern(nu = 1.5)) {
    function(...) withr::with_seed(3,
      neargp(formula, data, coords = ~ x + y, method = method, family = family,
        covariance = covariance, verbose = FALSE, ...))
  }
  list(vecchia = of(z ~ 1, vecchia(10)),
    anisotropic = of(z ~ 1, vecchia(10), covariance = cov_exponential(anisotropy = TRUE)),
    low_rank = of(z ~ 1, vecchia(10, inducing = 20)), exact = of(z ~ 1, exact_gp()),
    loo = of(z ~ 1, loo_k(10)), loo_adam = of(z ~ 1, loo_k(10, optimizer = "adam", steps = 100)),
    mll = of(z ~ 1, mll_k(10)), outputs = of(cbind(z, w) ~ 1, vecchia(10)),
    outputs_inducing = of(cbind(z, w) ~ 1, svgp(20)), classes = of(class ~ 1, loo_k(10)),
    counts = of(count ~ 1, loo_k(10), poisson()),
    vnngp = of(count ~ 1, vnngp(10), poisson()), vnngp_gaussian = of(z ~ 1, vnngp(10)),
    mean_field = of(count ~ 1, vnngp(10, posterior = "mean-field", optimizer = "adam", epochs = 20),
      poisson()),
    swsgp = of(z ~ 1, swsgp(6, inducing = 20, epochs = 20)),
    svgp = of(z ~ 1, svgp(20, optimizer = "collapsed")),
    svgp_counts = of(count ~ 1, svgp(20), poisson()), svgp_classes = of(class ~ 1, svgp(20),
      categorical()),
    natural = of(z ~ 1, svgp(20, optimizer = "natural", epochs = 20)),
    adam = of(z ~ 1, svgp(20, optimizer = "adam", epochs = 20)))
}

start_of <- function(problem) {
  values <- ifelse(problem$layout$fixed, problem$layout$value, problem$layout$start)
  natural_values(problem$layout, values * ifelse(squared_in_unit(problem$layout),
    (problem$data$basis$unit %||% 1)^2, 1))
}

test_that("an interrupted fit of any method goes on from where it was", {
  skip_unless_extended()
  for (name in names(last_fits())) {
    run <- last_fits()[[name]]
    seen <- NULL
    local({
      local_interrupt(after = 2)
      expect_message(outcome <- tryCatch(run(), interrupt = function(condition) "interrupted"),
        class = "neargp_message_last", label = name)
      expect_identical(outcome, "interrupted", label = name)
    })
    reached <- neargp_last()
    expect_identical(reached$accepted, 2L, label = name)
    expect_true(all(is.finite(reached$parameters)), label = name)
    local({
      local_interrupt(after = -1, look = function(problem) seen <<- problem)
      fit <- run(start = reached)
      names <- if (has_outputs(seen)) fit$layout$name else names(coef(fit, "covariance"))
      expect_named(reached$parameters, names, label = name)
      expect_s3_class(fit, "neargp")
      if (!is.null(reached$inducing)) expect_named(reached$inducing, c("x", "y"), label = name)
    })
    free <- seen$layout$name[seen$free]
    expect_equal(start_of(seen)[free], reached$parameters[free], tolerance = 1e-6,
      label = paste("the start of", name))
    expect_identical(seen$start_positions, reached$positions, label = name)
    expect_error(neargp_last(), class = "neargp_error_last")
  }
})

test_that("an error on the way has the state, one before it has none", {
  run <- last_fits()$svgp
  local_interrupt(after = 3, stop = function() abort_neargp("core", "Enough."))
  error <- tryCatch(run(), neargp_error = identity)
  expect_s3_class(error, "neargp_error_core")
  expect_identical(error$last, neargp_last())
  expect_match(conditionMessage(error), "neargp_last")
  expect_output(print(error$last), "20 inducing points")
  expect_identical(dim(error$last$inducing), c(20L, 2L))
  early <- tryCatch(neargp(z ~ 1, last_data(), coords = ~ x + y, method = vecchia(400)),
    neargp_error = identity)
  expect_null(early$last)
})

test_that("parameters that are held, and those of another model, are no start", {
  run <- last_fits()$vecchia
  local({
    local_interrupt(after = 2)
    suppressMessages(tryCatch(run(), interrupt = identity))
  })
  reached <- neargp_last()
  held <- run(start = reached, nugget = 300)
  expect_equal(coef(held, "covariance")[["nugget"]], 300)
  other <- neargp(count ~ 1, last_data(), coords = ~ x + y, method = vnngp(5), family = poisson(),
    start = reached)
  expect_s3_class(other, "neargp")
})

test_that("validation leaves the state of a fit alone", {
  fit <- last_fits()$vecchia()
  local_interrupt(after = 1)
  validated <- cross_validate(fit, folds = rep(1:2, 130), refit = TRUE)
  expect_error(neargp_last(), class = "neargp_error_last")
})
