# sanity() of hurdle models.

test_that("sanity() of a hurdle model checks its fits", {
  set.seed(1)
  d <- data.frame(x = runif(60), y = runif(60))
  field <- sin(6 * d$x) + d$y
  d$present <- rbinom(60, 1, plogis(2 * field))
  d$amount <- ifelse(d$present == 1, rgamma(60, 3, 3 / exp(field)), NA)
  fit <- function(formula, data, family) {
    neargp(formula, data, coords = ~ x + y, family = family, method = vnngp(k = 5))
  }
  presence <- fit(present ~ 1, d, binomial())
  positive <- fit(amount ~ 1, d[d$present == 1, ], Gamma("log"))
  found <- sanity(neargp_hurdle(presence, positive))
  each <- list(presence = sanity(presence), positive = sanity(positive))
  expect_identical(found$check, c(paste0("presence.", each$presence$check),
    paste0("positive.", each$positive$check)))
  expect_identical(found$finding, c(each$presence$finding, each$positive$finding))
  expect_output(print(found), "presence.convergence")
  joint <- fit(list(present ~ 1, amount ~ 1), d, list(binomial(), Gamma("log")))
  expect_identical(sanity(neargp_hurdle(joint)), sanity(joint))
  # one field, and a family's parameter at its limit: fewer fields are no remedy
  joint$parameters$at_boundary <- joint$layout$kind == "family"
  expect_match(check_joint_boundary(joint)$remedy, "argument of the family")
  expect_no_match(check_joint_boundary(joint)$remedy, "fewer fields")
  joint$parameters$at_boundary <- joint$layout$kind == "range"
  expect_match(check_joint_boundary(joint)$remedy, "fewer fields")
  joint$loadings <- joint$loadings[, 1L, drop = FALSE]
  expect_no_match(check_joint_boundary(joint)$remedy, "fewer fields")
})
