# The error of a fit that stops after so many new bests.
interrupted_deep <- function(after, method = short_dspp(epochs = 30L), data = bent_data(), ...) {
  local_interrupt(after, stop = function() abort_neargp("core", "Enough."))
  tryCatch(fit_deep(method, data, ...), neargp_error_core = identity)
}

test_extended("a fit that ends early leaves its best state, from which the same call goes on", {
  stopped <- interrupted_deep(4L)
  reached <- neargp_last()
  expect_identical(stopped$last, reached)
  expect_output(print(reached), "nugget")
  expect_equal(reached$parameters[["nugget"]], reached$deep$deep$state$noise * var(bent_data()$y))
  whole <- fit_deep(short_dspp(epochs = 30L))
  further <- fit_deep(short_dspp(epochs = 3L), start = reached)
  expect_identical(further$deep$validation$rows, whole$deep$validation$rows)
  expect_lt(further$deep$trace$rate[1L], 0.03 / 99)
  state <- reached$deep$deep$state
  rows <- further$deep$validation$rows
  x <- scale(as.matrix(bent_data()[c("x1", "x2")]))[rows, ]
  y <- scale(bent_data()$y)[rows]
  density <- mean(core_deep_density(state, unname(x), y, list(),
    plain_context())$value) - log(sd(bent_data()$y))
  expect_gte(-further$deep$validation$nll, density - 1e-9)
  expect_error(neargp_last(), class = "neargp_error_last")
})

test_that("other rows or another shape begin anew", {
  interrupted_deep(2L)
  reached <- neargp_last()
  expect_message(fewer <- fit_deep(data = bent_data()[1:200, ], start = reached), "rows",
    class = "neargp_message_start")
  expect_gt(fewer$deep$trace$rate[1L], 0.02)
  expect_message(fit_deep(short_dspp(width = 3L), start = reached), class = "neargp_message_start")
})

test_extended("families and outputs leave theirs", {
  interrupted_deep(2L, data = transform(bent_data(), y = round(y)), family = negative_binomial())
  expect_named(neargp_last()$parameters, "size")
  interrupted_deep(2L, formula = cbind(y, w) ~ 1)
  reached <- neargp_last()
  expect_named(reached$parameters, c("nugget_y", "nugget_w"))
  expect_lt(fit_deep(formula = cbind(y, w) ~ 1, start = reached)$deep$trace$rate[1L], 0.03 / 99)
})
