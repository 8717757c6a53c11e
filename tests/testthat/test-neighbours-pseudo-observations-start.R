test_extended("a continued fit starts from its trend and bias", {
  data <- pseudo_observation_data(80)
  for (name in c("poisson", "student_t")) {
    first <- pseudo_observation_fit(name, data)
    again <- pseudo_observation_fit(name, data, start = first)
    expect_equal(c(logLik(again)), c(logLik(first)), tolerance = 1e-5)
    expect_equal(coef(again), coef(first), tolerance = 1e-2)
  }
  for (formula in list(count ~ h, count ~ 0 + cut(h, 2), count ~ 0 + h)) {
    first <- pseudo_observation_fit("poisson", data, formula = formula)
    problem <- list(loo = list(design = orthogonal_design(core_data(first$data)$X)),
      warm_start = first)
    links <- warm_links(problem)
    intercept <- problem$loo$design$intercept
    expect_identical(links[intercept], first$pseudo_observations$bias[seq_along(intercept)])
    unbiased <- links
    trend <- core_trend(first)$beta
    unbiased[intercept] <- drop(crossprod(problem$loo$design$rotation,
      scaled_trend(problem$loo$design, trend)))[intercept]
    in_design <- problem$loo$design$rotation %*% matrix(unbiased)
    expect_equal(drop(unscaled_trend(problem$loo$design, in_design)), trend, ignore_attr = TRUE)
  }
})
