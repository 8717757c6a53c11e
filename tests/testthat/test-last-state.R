start_of <- function(problem) {
  values <- ifelse(problem$layout$fixed, problem$layout$value, problem$layout$start)
  natural_values(problem$layout, values * ifelse(squared_in_unit(problem$layout),
    (problem$data$basis$unit %||% 1)^2, 1))
}

test_extended("an interrupted fit of any method goes on from where it was", {
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

test_extended("parameters that are held, and those of another model, are no start", {
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
