anova_data <- function() {
  withr::local_seed(2)
  data <- data.frame(x = runif(120), y = runif(120), h = rnorm(120), idle = rnorm(120))
  data$z <- 1 + 0.5 * data$h + sin(5 * data$x) + rnorm(120, sd = 0.2)
  data
}

anova_fit <- function(formula, data = anova_data(), method = vecchia(10L), ...) {
  neargp(formula, data, coords = ~ x + y, method = method, covariance = cov_exponential(),
    threads = 1L, ...)
}

test_extended("twice the gain in log-likelihood is tested by chi-squared, smaller fits first", {
  constant <- anova_fit(z ~ 1)
  height <- anova_fit(z ~ h)
  both <- anova_fit(z ~ h + idle)
  table <- anova(both, constant, height)
  expect_s3_class(table, "anova")
  expect_identical(rownames(table), c("constant", "height", "both"))
  values <- c(logLik(constant), logLik(height), logLik(both))
  expect_equal(table$logLik, values)
  expect_equal(table$AIC, c(AIC(constant), AIC(height), AIC(both)))
  expect_equal(table$Chisq, c(NA, 2 * diff(values)))
  expect_identical(table$Df, c(NA, 1, 1))
  expect_equal(table[["Pr(>Chisq)"]][2:3], pchisq(2 * diff(values), 1, lower.tail = FALSE))
  expect_lt(table[["Pr(>Chisq)"]][2L], 1e-8)
  expect_output(print(table), "z ~ h \\+ idle; exponential", ignore.case = TRUE)
})

test_extended("fits that cannot be compared are refused, and it says in what they differ", {
  data <- anova_data()
  fit <- anova_fit(z ~ 1)
  expect_error(anova(fit), "one fit", class = "neargp_error_argument")
  expect_error(anova(fit, lm(z ~ 1, data)), class = "neargp_error_argument")
  expect_error(anova(fit, anova_fit(z ~ h, method = vecchia(12L))), "method",
    class = "neargp_error_comparison")
  expect_error(anova(fit, anova_fit(z ~ h, data[-1L, ])), "response",
    class = "neargp_error_comparison")
  expect_error(anova(fit, anova_fit(log(z + 5) ~ h)), "response", class = "neargp_error_comparison")
  expect_error(anova(fit, anova_fit(z ~ h, weights = rep(1:2, 60))), "weights",
    class = "neargp_error_comparison")
  near <- anova_fit(z ~ 1, method = loo_k(10L))
  expect_error(anova(near, near), "leave-one-out", class = "neargp_error_not_likelihood")
})

test_extended("ML by default is the ML that was asked for, and REML by random effects is named", {
  data <- transform(anova_data(), site = factor(rep(letters[1:6], 20)))
  for (method in list(vecchia, exact_gp)) {
    plain <- anova_fit(z ~ h, data, method())
    asked <- anova_fit(z ~ h + (1 | site), data, method(estimation = "ML"))
    expect_equal(anova(plain, asked)$logLik, c(logLik(plain), logLik(asked)))
    expect_no_warning(AIC(plain, asked))
    restricted <- anova_fit(z ~ h + (1 | site), data, method())
    for (fits in list(list(plain, restricted), list(restricted, plain))) {
      expect_error(do.call(anova, fits), "estimation \\(ML and REML\\).*Random effects.*\"ML\"",
        class = "neargp_error_comparison")
      for (compared in list(AIC, BIC)) {
        # stats warns of the numbers of rows as well, of which REML has less
        suppressWarnings(expect_warning(do.call(compared, fits),
          "estimation \\(ML and REML\\).*Random effects", class = "neargp_warning_comparison"))
      }
    }
    # the same likelihood by other words is no difference
    expect_no_warning(AIC(restricted, anova_fit(z ~ h + (1 | site), data,
      method(estimation = "REML"))))
  }
  expect_error(anova(plain, anova_fit(z ~ h, data, vecchia())), "in its method\\.",
    class = "neargp_error_comparison")
})

test_extended("a larger fit with the smaller likelihood is no test, which a warning says", {
  exponential <- function(covariance, ...) {
    suppressWarnings(neargp(z ~ h, anova_data(), coords = ~ x + y, covariance = covariance,
      threads = 1L, ...))
  }
  early <- list(cov_matern(NULL, start = list(nu = 4, range = 0.02)),
    control = neargp_control(max_iterations = 1L))
  for (method in list(vecchia(10L), exact_gp())) {
    smaller <- exponential(cov_exponential(), method = method)
    larger <- do.call(exponential, c(early, list(method = method)))
    warning <- expect_warning(anova(larger, smaller), class = "neargp_warning_comparison",
      "log-likelihood of `larger` is .* below that of `smaller`.*ended before its maximum.*update\\(larger, start = smaller\\)")
    expect_no_match(conditionMessage(warning), "conditioning sets")
    table <- suppressWarnings(anova(larger, smaller), classes = "neargp_warning_comparison")
    expect_identical(rownames(table), c("smaller", "larger"))
    expect_equal(table$Chisq, c(NA, 2 * (c(logLik(larger)) - c(logLik(smaller)))))
    expect_true(all(is.na(table[["Pr(>Chisq)"]])))
  }
})

test_that("fits have conditioning sets of their own where their metrics differ, or the inducing points", {
  fixed <- function(ratio) {
    neargp(z ~ h, anova_data(), coords = ~ x + y, method = vecchia(10L), threads = 1L,
      covariance = cov_exponential(variance = 1, range = 0.3,
        anisotropy = c(angle = 90, ratio = ratio)), nugget = 0.1)
  }
  wide <- fixed(0.5)
  narrow <- fixed(0.1)
  expect_true(have_own_sets(wide, narrow))
  expect_false(have_own_sets(wide, wide))
  wide$method <- vecchia(10L, inducing = 5L)
  expect_true(have_own_sets(wide, wide))
})

test_extended("the terms of one fit are tested given those before them", {
  fit <- neargp(z ~ height * group, simulated_data(80), coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential())
  table <- anova(fit)
  expect_identical(rownames(table), c("height", "group", "height:group"))
  expect_identical(table$Df, c(1L, 2L, 2L))
  # the residual sum of squares of generalised least squares, by dense matrices
  root <- chol(dense_noisy(fit$data, fit$core_covariance, fit$nugget))
  whitened <- function(x) backsolve(root, x, transpose = TRUE)
  squares <- vapply(list(1L, 1:2, 1:4, 1:6), function(columns) {
    sum(residuals(lm.fit(whitened(fit$data$X[, columns, drop = FALSE]), whitened(fit$data$y)))^2)
  }, 0)
  expect_equal(table$Chisq, -diff(squares), tolerance = 1e-6)
  expect_equal(table[["Pr(>Chisq)"]], pchisq(table$Chisq, table$Df, lower.tail = FALSE))
  expect_output(print(table), "each given those before it")
  classes <- neargp(group ~ 1, simulated_data(60), coords = ~ x + y, method = loo_k(k = 5))
  expect_error(anova(classes), class = "neargp_error_family")
})

test_extended("groups and smooths are said not to be tested, and their columns are no term's", {
  skip_if_not_installed("mgcv")
  data <- transform(simulated_data(80), site = rep(1:8, 10), depth = sin(1:80))
  fit <- function(formula) neargp(formula, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(1, 0.3), nugget = 0.3)
  of_trend <- fit(z ~ 0 + group + height + s(depth, k = 4) + (height | site))
  table <- anova(of_trend)
  expect_identical(rownames(table), c("group", "height"))
  expect_output(print(table), "Not tested.*: \\(height \\| site\\) and s\\(depth\\)")
  # all of what the coefficients add is that of the terms, and of the smooth's line given these,
  # whose share is the square of its own test
  V <- unname(of_trend$beta_vcov)
  q <- length(of_trend$beta)
  expect_equal(sum(table$Chisq), unname(drop(of_trend$beta %*% solve(V, of_trend$beta)) -
    of_trend$beta[q]^2 / V[q, q]), tolerance = 1e-8)
  expect_error(anova(fit(z ~ (1 | site))), "Not tested.*\\(1 \\| site\\)",
    class = "neargp_error_argument")
  expect_no_match(capture.output(print(anova(fit(z ~ height)))), "Not tested")
})

test_that("fits by different transforms are told apart, and have no test", {
  data <- transform(anova_data(), e = exp(z / 4))
  fit <- function(transform) neargp(e ~ h, data, coords = ~ x + y, method = vecchia(10L),
    covariance = cov_exponential(), transform = transform)
  logs <- fit("log")
  roots <- fit("sqrt")
  table <- anova(logs, roots)
  expect_identical(table$Df[2L], 0)
  expect_true(is.na(table$Chisq[2L]) && is.na(table[["Pr(>Chisq)"]][2L]))
  heading <- paste(attr(table, "heading"), collapse = "\n")
  expect_match(heading, "logs: .*transform = \"log\"\n")
  expect_match(heading, "roots: .*transform = \"sqrt\"")
})

test_extended("drop1(), add1() and step() compare fits by AIC", {
  data <- anova_data()
  method <- vecchia(10L)
  fit <- neargp(z ~ h + idle, data, coords = ~ x + y, method = method,
    covariance = cov_exponential())
  expect_identical(extractAIC(fit), c(6, AIC(fit)))
  expect_equal(extractAIC(fit, k = 3)[2L], AIC(fit) + 6)
  dropped <- drop1(fit, test = "Chisq")
  smaller <- update(fit, . ~ h)
  expect_equal(dropped["idle", "AIC"], AIC(smaller))
  expect_equal(dropped["idle", "LRT"], 2 * c(logLik(fit) - logLik(smaller)))
  expect_equal(add1(smaller, ~ . + idle)["idle", "AIC"], AIC(fit))
  chosen <- step(fit, trace = 0)
  expect_identical(formula(chosen)[[3L]], quote(h))
  expect_equal(AIC(chosen), AIC(smaller))
  method <- exact_gp()
  chosen <- step(update(fit, . ~ idle), scope = ~ h + idle, trace = 0)
  expect_setequal(attr(terms(chosen), "term.labels"), "h")
  expect_error(extractAIC(update(fit, method = loo_k(10L))), class = "neargp_error_not_likelihood")
  fit$score <- "restricted log-likelihood"
  expect_error(drop1(fit), "restricted.*estimation = \"ML\"",
    class = "neargp_error_not_likelihood")
})

test_that("fits of other rows say how many each has", {
  data <- data.frame(x = 1:8, z = c(1, 3, 2, 5, 4, 6, 8, 7), h = c(NA, 2, 1, 3, 2, 4, 1, 2))
  fit <- function(formula) suppressWarnings(neargp(formula, data, coords = ~x, method = exact_gp(),
    nugget = 0.1, covariance = cov_exponential(variance = 1, range = 2)))
  expect_error(anova(fit(z ~ 1), fit(z ~ h)), "They have 8 and 7 rows: fit both",
    class = "neargp_error_comparison")
  expect_warning(suppressWarnings(AIC(fit(z ~ 1), fit(z ~ h)), classes = "simpleWarning"),
    "8 and 7 rows", class = "neargp_warning_comparison")
})

test_that("tests of terms do not depend on where a covariate has its zero", {
  data <- anova_data()
  data$year <- data$idle + 2e9
  tested <- anova(anova_fit(z ~ idle + h))
  moved <- anova(anova_fit(z ~ year + h, data))
  expect_equal(moved$Chisq, tested$Chisq, tolerance = 1e-5)
  V <- vcov(anova_fit(z ~ idle + h))
  beta <- coef(anova_fit(z ~ idle + h))
  expect_equal(tested$Chisq, unname(drop(chol(solve(V)) %*% beta)[-1]^2), tolerance = 1e-8)
})
