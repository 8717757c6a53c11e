defaults_data <- function(n = 80, seed = 8) {
  data <- simulated_data(n, seed = seed)
  set.seed(seed + 1)
  transform(data, count = rpois(n, exp(0.5 + 0.5 * sin(6 * x))),
    class = factor(ifelse(x < 0.4, "a", ifelse(y < 0.5, "b", "c"))),
    wet = y + rnorm(n, sd = 0.2) > 0.5, second = z + rnorm(n))
}

fit_by_default <- function(formula, data, ...) {
  neargp(formula, data, coords = ~ x + y, covariance = cov_exponential(), threads = 1L, ...)
}

test_extended("a few hundred gaussian rows are fitted exactly, more of them by vecchia()", {
  data <- defaults_data()
  chosen <- fit_by_default(z ~ height, data)
  named <- fit_by_default(z ~ height, data, method = exact_gp())
  expect_s3_class(chosen$method, "neargp_exact_gp")
  expect_identical(coef(chosen, "covariance"), coef(named, "covariance"))
  expect_output(print(chosen), "exact_gp(), the default for up to 500 observations", fixed = TRUE)
  expect_no_match(paste(capture.output(print(named)), collapse = " "), "the default")
  fixed <- function(n) {
    neargp(z ~ 1, simulated_data(n), coords = ~ x + y, covariance = cov_exponential(variance = 2,
      range = 0.2), nugget = 0.1, threads = 1L)
  }
  expect_s3_class(fixed(500)$method, "neargp_exact_gp")
  expect_s3_class(fixed(501)$method, "neargp_vecchia")
  expect_identical(fixed(501)$k, 30L)
})

test_extended("what exact_gp() cannot do is left to vecchia()", {
  single <- neargp_control(precision = "single")
  frame <- stats::model.frame(z ~ 1, data.frame(z = 1:9))
  expect_s3_class(choose_gaussian(list(method = vecchia(), device = "cuda",
    control = neargp_control()), frame, FALSE)$method, "neargp_vecchia")
  expect_s3_class(choose_gaussian(list(method = vecchia(), device = "auto", control = single),
    frame, FALSE)$method, "neargp_vecchia")
  outputs <- fit_by_default(cbind(z, second) ~ 1, defaults_data())
  expect_s3_class(outputs, "neargp_outputs")
  expect_s3_class(outputs$method, "neargp_vecchia")
})

test_extended("after a fit by the default method everything works as after one whose method is named", {
  data <- defaults_data()
  chosen <- fit_by_default(z ~ height, data)
  named <- fit_by_default(z ~ height, data, method = exact_gp())
  new <- data.frame(x = c(0.2, 0.7), y = 0.4, height = 0)
  expect_identical(predict(chosen, new, interval = "prediction"),
    predict(named, new, interval = "prediction"))
  draw <- function(fit) {
    set.seed(2)
    simulate(fit, 2, newdata = new)
  }
  expect_identical(draw(chosen), draw(named))
  expect_identical(residuals(chosen, type = "loo"), residuals(named, type = "loo"))
  folds <- rep(1:4, 20)
  expect_identical(scores(cross_validate(chosen, folds)), scores(cross_validate(named, folds)))
  expect_identical(scores(cross_validate(chosen, folds, refit = TRUE)),
    scores(cross_validate(named, folds, refit = TRUE)))
  flat <- fit_by_default(z ~ 1, data)
  expect_identical(anova(flat, chosen)$Chisq, anova(flat, named)$Chisq)
})

test_that("fits of the default method start from those of others, and others from them", {
  data <- defaults_data()
  chosen <- fit_by_default(z ~ height, data)
  near <- fit_by_default(z ~ height, data, method = vecchia(k = 79), start = chosen)
  expect_equal(c(logLik(near)), c(logLik(chosen)), tolerance = 1e-6)
  expect_equal(c(logLik(fit_by_default(z ~ height, data, start = near))), c(logLik(chosen)),
    tolerance = 1e-6)
  expect_s3_class(fit_by_default(z ~ height, data, method = loo_k(), start = chosen)$method,
    "neargp_loo_k")
})

test_extended("the method follows from the family, and is reported", {
  data <- defaults_data()
  for (family in list(poisson(), poisson, "poisson")) {
    expect_message(fit <- fit_by_default(count ~ 1, data, family = family),
      "vnngp(), the default for a poisson() response", fixed = TRUE, class = "neargp_message_method")
    expect_s3_class(fit$method, "neargp_vnngp")
  }
  expect_equal(coef(fit),
    coef(fit_by_default(count ~ 1, data, family = poisson(), method = vnngp())))
  expect_output(print(fit), "vnngp(), the default for a ", fixed = TRUE)
  expect_named(predict(fit, data[1:2, ], interval = "prediction"),
    c("mean", "sd", "lower", "upper"))
  expect_no_message(fit_by_default(count ~ 1, data, family = poisson(), method = vnngp()))
})

test_extended("a response of classes chooses classification, and tells so", {
  data <- defaults_data()
  expect_message(three <- fit_by_default(class ~ 1, data),
    "family = categorical(), since `class` has 3 levels", fixed = TRUE,
    class = "neargp_message_method")
  expect_s3_class(three$method, "neargp_loo_k")
  expect_identical(three$family$family, "categorical")
  expect_equal(rowSums(predict(three, data[1:3, ])), rep(1, 3), ignore_attr = TRUE)
  for (response in list(data$wet, factor(data$wet), as.character(data$wet))) {
    expect_message(two <- fit_by_default(response ~ 1, transform(data, response = response)),
      class = "neargp_message_method")
    expect_identical(two$family$family, "binomial")
  }
  expect_message(by_loo <- fit_by_default(class ~ 1, data, method = loo_k(k = 20)),
    class = "neargp_message_method")
  expect_identical(by_loo$method$k, 20L)
  # an argument that is given decides
  for (given in list(list(family = gaussian()), list(method = vecchia()), list(method = vnngp()))) {
    expect_error(do.call(fit_by_default, c(list(class ~ 1, data), given)), "factor",
      class = "neargp_error_response")
  }
})

test_extended("without k there are as many neighbours as the method takes by default, or as there are, and fewer are reported", {
  data <- defaults_data()
  expect_message(few <- fit_by_default(z ~ 1, data[1:30, ], method = vecchia()), "k = 29",
    class = "neargp_message_k")
  expect_identical(few$k, 29L)
  expect_equal(c(logLik(few)),
    c(logLik(fit_by_default(z ~ 1, data[1:30, ], method = vecchia(k = 29)))))
  expect_no_message(many <- fit_by_default(z ~ 1, data, method = vecchia()))
  expect_identical(many$k, 30L)
  expect_error(fit_by_default(z ~ 1, data[1:30, ], method = vecchia(k = 30)), "at most 29",
    class = "neargp_error_k")
  expect_message(expect_identical(fit_by_default(z ~ 1, data[1:20, ], method = loo_k())$k, 19L),
    class = "neargp_message_k")
  expect_message(expect_identical(fit_by_default(z ~ 1, data[1:20, ], method = mll_k())$k, 19L),
    class = "neargp_message_k")
  expect_message(latent <- fit_by_default(count ~ 1, data[1:12, ], method = vnngp(),
    family = poisson()), "k = 11", class = "neargp_message_k")
  expect_identical(latent$method$k, 11L)
  expect_message(outputs <- fit_by_default(cbind(z, second) ~ 1, data[1:15, ]), "k = 14",
    class = "neargp_message_k")
  expect_identical(outputs$k, 14L)
})

test_extended("the neighbours of classes are counted at distinct locations", {
  data <- defaults_data()
  repeated <- rbind(data[1:20, ], data[1:20, ], data[1:20, ])
  expect_message(fit <- fit_by_default(class ~ 1, repeated, method = loo_k(),
    family = categorical()), "k = 19", class = "neargp_message_k")
  expect_identical(fit$k, 19L)
})

test_extended("a fit of as many neighbours as there were is cross-validated, updated and continued with other rows", {
  data <- defaults_data()
  few <- suppressMessages(neargp(z ~ 1, data[1:30, ], coords = ~ x + y, method = vecchia(),
    covariance = cov_exponential()))
  expect_identical(nrow(cross_validate(few, rep(1:5, 6), refit = TRUE)$predictions), 30L)
  more <- update(few, data = data)
  expect_identical(more$k, 30L)
  expect_s3_class(fit_by_default(z ~ 1, data, method = vecchia(), start = few), "neargp")
  expect_output(print(vecchia()), "30, or one less than there are locations")
})

test_that("one row is too few, whatever left it", {
  data <- defaults_data()
  expect_error(fit_by_default(z ~ 1, data[1, ]), "two rows", class = "neargp_error_rows")
  expect_error(fit_by_default(z ~ 1, data, subset = seq_along(x) == 3),
    "subset and na.action left one", class = "neargp_error_rows")
})

test_extended("of classes and a method that is named, the family is what was chosen", {
  data <- withr::with_seed(1, data.frame(x = stats::runif(60), y = stats::runif(60)))
  data$class <- cut(data$x, 3, labels = c("a", "b", "c"))
  expect_message(fit <- neargp(class ~ 1, data, coords = ~ x + y, method = svgp(8)),
    "Name `family` to choose another", class = "neargp_message_method")
  expect_output(print(fit), "Family: +categorical\\(\\), since `class` has 3 levels")
  expect_message(fit <- neargp(class ~ 1, data, coords = ~ x + y),
    "Name `method` to choose another", class = "neargp_message_method")
  expect_output(print(fit), "Method: +loo_k\\(\\) with family = categorical\\(\\)")
})

test_extended("a factor of two levels has the columns of classes where the family says so", {
  data <- withr::with_seed(1, data.frame(x = stats::runif(80), y = stats::runif(80)))
  data$class <- factor(ifelse(data$x + stats::runif(80) > 1, "yes", "no"))
  fit <- function(...) {
    suppressMessages(neargp(class ~ 1, data, coords = ~ x + y, method = svgp(8), ...))
  }
  expect_named(predict(fit(), data[1:2, ]), c("mean", "sd"))
  expect_true(all(c("prob_no", "prob_yes") %in%
    names(predict(fit(family = categorical()), data[1:2, ]))))
})

test_extended("a fit to ordered levels without a family names ordinal()", {
  data <- transform(defaults_data(), class = factor(class, ordered = TRUE))
  for (method in list(NULL, loo_k(k = 5))) {
    given <- c(list(class ~ 1, data), list(method = method)[!is.null(method)])
    expect_message(do.call(fit_by_default, given), "order .* `class`.*ordinal\\(\\)",
      class = "neargp_message_method")
  }
  expect_no_match(conditionMessage(expect_message(fit_by_default(class ~ 1, defaults_data()),
    class = "neargp_message_method")), "ordinal")
  expect_no_message(fit_by_default(class ~ 1, data, family = ordinal(), method = vnngp(k = 5)),
    class = "neargp_message_method")
})

test_that("measurements that were read as text are no classes", {
  data <- data.frame(x = 1:20, z = c("<0.1", format(2:20)), code = rep(c("1", "2"), 10))
  expect_error(neargp(z ~ 1, data, coords = ~x), "reads as numbers.*\"<0.1\".*as.numeric\\(z\\)",
    class = "neargp_error_response")
  expect_no_error(check_text_response(data$code, "code", 2L))
  expect_no_error(check_text_response(letters, "letters", 26L))
})
