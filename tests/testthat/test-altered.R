test_that("settings that were altered by hand are checked where they are used", {
  data <- data.frame(x = (1:30 * 0.618) %% 1, y = (1:30 * 0.414) %% 1)
  data$z <- sin(6 * data$x)
  refused <- function(method, what, value, covariance = NULL) {
    method[[what]] <- value
    expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = method, covariance = covariance),
      paste0("`", what, "` must be"), class = "neargp_error_argument")
  }
  for (method in list(dspp(inducing = 5), dgp(inducing = 5), ppgpr(5, joint = TRUE),
    svgp(5, optimizer = "natural"), svgp(5, optimizer = "adam"),
    vnngp(5, posterior = "mean-field", optimizer = "adam"))) {
    refused(method, "batch_size", 0L)
    refused(method, "epochs", 1e300)
  }
  refused(dspp(), "validation", 1)
  refused(dspp(), "sites", 2000000000L)
  refused(dgp(), "samples", 2000000000L)
  refused(vnngp(5, inducing = inducing_points(20)), "k", 0L)
  refused(vecchia(), "default_k", NA)
  refused(vecchia(), "default_k", "a")
  for (shape in c(1e300, Inf, -1)) {
    covariance <- cov_matern()
    covariance$components[[1]]$shape <- shape
    expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(3),
      covariance = covariance), "`nu` must be", class = "neargp_error_argument")
  }
  for (value in list(NULL, NA, NA_character_, 1, c("log", "identity"))) {
    family <- stats::gaussian()
    family["link"] <- list(value)
    expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(3), family = family),
      "must be a family", class = "neargp_error_argument")
  }
  for (matrices in list(list(list()), list(diag(2), "a"), 1, list(matrix(c(1, 2, 2, 1), 2)))) {
    covariance <- cov_coregionalisation(cov_matern())
    covariance$matrices <- matrices
    expect_error(neargp(cbind(z, x) ~ 1, data, coords = ~ x + y, covariance = covariance),
      "matrices", class = "neargp_error_argument")
  }
  for (components in list(list(), 1, list(1), list(list(family = "matern", start = 1)), NULL,
    list(list(family = "matern", variance = -1)))) {
    covariance <- structure(list(components = components), class = "neargp_covariance")
    expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(3),
      covariance = covariance), "make it again|`variance` must be", class = "neargp_error_argument")
  }
})

test_that("fits that were altered by hand are checked where they are used", {
  data <- data.frame(x = (1:40 * 0.618) %% 1, y = (1:40 * 0.414) %% 1)
  data$z <- sin(6 * data$x)
  data$level <- cut(data$z + data$y, 3, ordered_result = TRUE)
  refused <- function(call, message) {
    expect_error(call, message, class = "neargp_error_argument")
  }
  fixed <- cov_matern(variance = 1, range = 0.3)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(3), covariance = fixed,
    nugget = 0.1)
  without <- function(fit, change) {
    eval(substitute(change))
    fit
  }
  refused(predict(without(fit, fit$k <- 1000000000L), data[1:2, ]), "`fit\\$k` must be")
  refused(predict(without(fit, fit$required_columns <- list("x")), data[1:2, ]),
    "`fit\\$required_columns` must be")
  for (name in c("data", "method", "source", "core_covariance", "posterior")) {
    refused(predict(without(fit, fit[[name]] <- 1), data[1:2, ]), paste0("`fit\\$", name))
  }
  for (shape in c(Inf, 1e300)) {
    altered <- without(fit, fit$core_covariance$components[[1]]$shape <- shape)
    refused(predict(altered, data[1:2, ]), "`nu` must be")
    refused(loo_predict(altered), "`nu` must be")
    refused(print(altered), "`nu` must be")
  }
  refused(predict(without(fit, fit$covariance$components[[1]] <- 1), data[1:2, ]),
    "`fit\\$covariance\\$components` must be")
  refused(predict(without(fit, fit$covariance$components[[1]]$space_time <- 1), data[1:2, ]),
    "`fit\\$covariance\\$components` must be")
  expect_error(predict(without(fit, fit$locations$raw_names <- "x"), data[1:2, ]),
    "has 2 coordinates, and the fit has 1", class = "neargp_error_coordinates")
  altered <- without(fit, fit$method$ordering <- "none")
  refused(cross_validate(altered, folds = 2, verbose = FALSE), "`ordering` must be")
  classes <- neargp(level ~ 1, data, coords = ~ x + y, method = loo_k(3), family = categorical(),
    covariance = fixed)
  altered <- without(classes, fit$core_covariance$components[[1]]$shape <- Inf)
  for (method in list(print, summary, loo_predict, function(fit) predict(fit, data[1:2, ]))) {
    refused(method(altered), "`nu` must be")
  }
  refused(predict(without(classes, fit$k <- 1000000000L), data[1:2, ]), "`fit\\$k` must be")
  ordered <- neargp(level ~ 1, data, coords = ~ x + y, method = vnngp(3), family = ordinal(),
    covariance = fixed)
  refused(cross_validate(without(ordered, fit$data$y[1] <- 1000000000L), folds = 2,
    verbose = FALSE), "numbers of the categories")
})

test_extended("an element of a fit that is of another kind is refused by name", {
  folder <- file.path(test_path("fits"), max(list.files(test_path("fits"))))
  for (file in list.files(folder, full.names = TRUE)) {
    saved <- readRDS(file)
    for (kind in names(fit_elements$kinds)) {
      for (name in fit_elements$kinds[[kind]]$of) {
        path <- strsplit(name, "$", fixed = TRUE)[[1]]
        altered <- saved$fit
        if (is.null(fit_element(altered, name)) && !name %in% names(altered)) next
        altered[[path]] <- if (kind == "list") "a" else list(1)
        wrong <- expect_error(predict(altered, saved$new), class = "neargp_error_argument")
        expect_match(conditionMessage(wrong), paste0("`fit$", name, "`"), fixed = TRUE,
          info = file)
      }
    }
    for (name in fit_elements$whole) {
      altered <- saved$fit
      altered[name] <- list(NULL)
      expect_error(predict(altered, saved$new), class = "neargp_error")
    }
  }
})

test_that("settings that follow from others, and bare matrices, are refused once altered", {
  data <- data.frame(x = runif(30), y = runif(30), z = rnorm(30), z2 = rnorm(30))
  method <- ppgpr(5)
  method$optimizer <- c("natural", "adam")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = method), "method\\$optimizer",
    class = "neargp_error_argument")
  for (method in list(mll_k(3), loo_k(3), vecchia(3))) {
    method["k"] <- list(NULL)
    expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = method),
      "method\\$default_k", class = "neargp_error_argument")
  }
  family <- truncated_poisson()
  family$fixed <- c(size = 2)
  data$n <- rpois(30, 3) + 1
  expect_error(neargp(n ~ 1, data, coords = ~ x + y, family = family), "family\\$fixed",
    class = "neargp_error_argument")
  covariance <- cov_coregionalisation(cov_exponential(), matrices = list(diag(2)))
  covariance$matrices <- diag(2)
  expect_error(neargp(cbind(z, z2) ~ 1, data, coords = ~ x + y, covariance = covariance),
    "matrices", class = "neargp_error_argument")
})

test_extended("a fit that was checked and then altered is checked again", {
  fit <- neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = vecchia(k = 5))
  first <- predict(fit, data.frame(x = 0.5, y = 0.5))
  altered <- fit
  altered$k <- -1L
  expect_error(predict(altered, data.frame(x = 0.5, y = 0.5)), class = "neargp_error_argument")
  expect_error(predict(altered, data.frame(x = 0.5, y = 0.5)), class = "neargp_error_argument")
  expect_identical(predict(fit, data.frame(x = 0.5, y = 0.5)), first)
  altered <- replace(fit, "cache", list(1))
  altered$method <- NULL
  expect_error(check_fit(altered), class = "neargp_error_argument")
})
