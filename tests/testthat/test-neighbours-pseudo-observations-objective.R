test_extended("gradients of the score are right for every family", {
  for (name in names(pseudo_observation_families())) {
    problem <- pseudo_observation_example(name)
    withr::local_seed(5)
    theta <- problem$loo$reference + rnorm(length(problem$loo$reference), sd = 0.1)
    working <- split_pseudo_observation_theta(problem, theta)$working
    plan <- pseudo_observation_plan(problem, problem$loo$observations,
      component_at(problem, working), 7L)
    objective <- pseudo_observation_objective(problem, plan)
    slope <- vapply(seq_along(theta), function(i) {
      step <- replace(0 * theta, i, 1e-5)
      (objective$evaluate(theta + step)$value - objective$evaluate(theta - step)$value) / 2e-5
    }, 0)
    expect_equal(objective$gradient(theta), slope, tolerance = 1e-5)
  }
})

test_that("a given nugget leaves the gradient of the scale whole", {
  problem <- pseudo_observation_example("student_t")
  problem$layout$fixed[problem$layout$kind == "nugget"] <- TRUE
  scale <- which(problem$layout$name == "scale")
  working <- split_pseudo_observation_theta(problem, problem$loo$reference)$working
  plan <- pseudo_observation_plan(problem, problem$loo$observations,
    component_at(problem, working), 7L)
  objective <- pseudo_observation_objective(problem, plan)
  step <- replace(0 * problem$loo$reference, scale, 1e-5)
  slope <- (objective$evaluate(problem$loo$reference + step)$value -
    objective$evaluate(problem$loo$reference - step)$value) / 2e-5
  expect_equal(objective$gradient(problem$loo$reference)[scale], slope, tolerance = 1e-5)
})

test_that("a span of a plan is those observations alone", {
  problem <- pseudo_observation_example("poisson")
  working <- split_pseudo_observation_theta(problem, problem$loo$reference)$working
  plan <- pseudo_observation_plan(problem, problem$loo$observations,
    component_at(problem, working), 7L)
  parts <- list(1:30, 31:80)
  values <- vapply(parts, function(span) pseudo_observation_objective(problem, plan,
    span)$evaluate(problem$loo$reference)$score, 0)
  expect_equal(sum(values), pseudo_observation_objective(problem,
    plan)$evaluate(problem$loo$reference)$score)
})
