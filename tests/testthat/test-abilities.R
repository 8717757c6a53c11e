made_methods <- function() {
  list(vecchia = vecchia(), exact_gp = exact_gp(), loo_k = loo_k(), mll_k = mll_k(),
    vnngp = vnngp(), svgp = svgp(), odvgp = odvgp(), ppgpr = ppgpr(), swsgp = swsgp(),
    dspp = dspp(), dgp = dgp())
}

test_that("the table knows every constructor, and no class that there is none of", {
  made <- made_methods()
  expect_setequal(names(constructor_classes), names(made))
  known <- sub("^neargp_", "", unlist(lapply(c(made, list(vecchia(inducing = 5),
    exact_gp(solver = "cg"))), class)))
  kinds <- c("", paste0("_", response_kinds))
  expect_identical(setdiff(unlist(lapply(abilities, names)), c("default", outer(known, kinds,
    paste0))), character(0))
  for (name in names(made)) {
    classes <- sub("^neargp_", "", class(made[[name]]))
    expect_identical(setdiff(classes, "method"), constructor_classes[[name]])
  }
})

test_that("an ability is that of the method's own class, and else of what it derives from", {
  expect_true(has_ability(svgp(), "outputs"))
  expect_false(has_ability(ppgpr(), "outputs"))
  expect_false(has_ability(vecchia(inducing = 5), "outputs"))
  counts <- method_for(vnngp(), poisson(), list())
  expect_false(has_ability(counts, "nugget"))
  expect_true(has_ability(vnngp(), "nugget"))
  expect_true(has_ability(loo_k(), "effects", gaussian()))
  expect_false(has_ability(loo_k(optimizer = "adam"), "effects", gaussian()))
  for (name in names(ability_labels)) {
    answers <- vapply(made_methods(), function(method) {
      entry <- entry_of(sub("^neargp_", "", class(method)), abilities[[name]])
      if (!is.function(entry)) return(entry)
      about <- list(method, if (name == "area_means") list(family = gaussian()) else gaussian())
      do.call(entry, about[seq_along(formals(entry))])
    }, NA)
    expect_false(anyNA(answers), info = name)
    named <- able_methods(name)
    for (method in names(answers)[answers]) {
      expect_match(named, paste0(method, "()"), fixed = TRUE, info = name)
    }
  }
})

test_that("messages name the methods of the table", {
  data <- data.frame(x = (1:30 * 0.618) %% 1, y = (1:30 * 0.414) %% 1)
  data$z <- sin(6 * data$x)
  refused <- function(..., message) {
    expect_error(neargp(..., data = data, coords = ~ x + y), message,
      class = "neargp_error", fixed = TRUE)
  }
  refused(cbind(z, z^2) ~ 1, method = vnngp(5), message = "Use vecchia() without inducing points, exact_gp(), loo_k(), mll_k(), svgp(), dspp() or dgp().")
  refused(z ~ 1, method = svgp(5, kl_weight = 0.5), nugget = ~ x,
    message = "exact_gp(), loo_k(), mll_k() and svgp() without `kl_weight`.")
  refused(z ~ 1, method = svgp(5), covariance = cov_exponential(range = ~ x),
    message = "loo_k() of a Gaussian response, mll_k() and vnngp().")
})
