# A fit that was read in another session, where no object bears the name of its data.
test_extended("without data of that name a fit cannot be made anew, and says what to give", {
  their_name <- simulated_data(40)
  kept <- their_name
  fit <- neargp(z ~ height, their_name, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(variance = 0.1, range = 0.2))
  rm(their_name)
  calls <- list(function(fit) update(fit, . ~ 1), drop1, function(fit) step(fit, trace = 0),
    function(fit) add1(fit, ~ . + group))
  for (ask in calls) {
    expect_error(ask(fit), "the object `their_name`.*update\\(fit, data = \\)",
      class = "neargp_error_newdata")
  }
  again <- update(fit, . ~ 1, data = kept)
  expect_equal(nobs(again), 40)
  # what is not found within what makes the data is another matter
  expect_error(neargp(z ~ 1, identity(stop("no disk")), coords = ~ x + y), "no disk")
  reads <- function() not_there_either
  expect_error(neargp(z ~ 1, reads(), coords = ~ x + y), "'not_there_either' not found")
  expect_error(neargp(z ~ 1, subset(their_name, x > 0), coords = ~ x + y), "`their_name`",
    class = "neargp_error_newdata")
  others <- list(ggeffects = function(fit) ggeffects::ggpredict(fit, "height"),
    effects = function(fit) effects::Effect("height", fit),
    insight = function(fit) insight::get_data(fit))
  for (package in names(others)) {
    skip_if_not_installed(package)
    expect_error(others[[package]](fit), "no longer found.*`their_name`",
      class = "neargp_error_newdata")
  }
  their_name <- transform(kept, height = rev(height))
  for (ask in others) expect_error(ask(fit), "covariates differ", class = "neargp_error_newdata")
})
