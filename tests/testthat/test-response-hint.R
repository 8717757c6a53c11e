hinted_data <- function(n = 150, seed = 1) {
  withr::local_seed(seed)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n))
  data$mean <- exp(1.5 + sin(5 * data$x) + cos(4 * data$y))
  data$count <- stats::rpois(n, data$mean)
  data$presence <- as.numeric(data$count > stats::median(data$count))
  data$logical <- data$presence == 1
  data$level <- factor(ifelse(data$logical, "many", "few"))
  data$group <- factor(rep(letters[1:5], length.out = n))
  data
}

hinted_fit <- function(formula, data = hinted_data(), ...) {
  neargp(formula, data, coords = ~ x + y, method = vecchia(k = 5), ...,
    covariance = cov_exponential(variance = 1, range = 0.3), nugget = 0.1)
}

test_that("0 and 1 without a family are fitted as Gaussian with a message", {
  expect_message(fit <- hinted_fit(presence ~ 1), "`presence` is 0 or 1.*family = binomial\\(\\)",
    class = "neargp_message_family")
  expect_identical(fit$family$family, "gaussian")
  expect_no_message(hinted_fit(presence ~ 1, family = gaussian()))
  expect_no_message(hinted_fit(mean ~ 1))
  expect_no_message(cross_validate(fit, folds = 3, verbose = FALSE))
})

test_that("logical values by a method that has no classes name the family", {
  expect_error(hinted_fit(logical ~ 1), "family = binomial(), method = vnngp()", fixed = TRUE)
  expect_error(hinted_fit(level ~ 1), "family = binomial(), method = vnngp()", fixed = TRUE)
})

test_that("counts without a family are fitted as Gaussian with a message", {
  expect_message(fit <- hinted_fit(count ~ 1), "`count` has counts.*family = negative_binomial",
    class = "neargp_message_family")
  expect_identical(fit$family$family, "gaussian")
  expect_no_message(hinted_fit(count ~ 1, family = gaussian()))
  expect_no_message(hinted_fit(log(count + 1) ~ 1))
  expect_no_message(hinted_fit(I(count + 1) ~ 1, transform = "log"))
})

test_that("whole numbers that are no counts bring no message", {
  withr::local_seed(2)
  n <- 300
  places <- cbind(stats::runif(n), stats::runif(n))
  ramp <- places[, 1]
  smooth <- round(exp(3 * ramp + 0.2 * sin(9 * places[, 2])))       # elevations of a coast
  expect_gt(stats::cor(smooth, abs(smooth - mean(smooth))), 0)
  expect_false(looks_like_counts(smooth, places))
  expect_false(looks_like_counts(round(stats::runif(n, 0, 80)), places))   # ages
  expect_false(looks_like_counts(sample(0:4, n, TRUE), places))            # ratings
  expect_false(looks_like_counts(-stats::rpois(n, exp(1 + ramp)), places))
  expect_false(looks_like_counts(stats::rpois(n, exp(1 + ramp)) + 0.5, places))
  hills <- as.matrix(expand.grid(1:87, 1:61))
  expect_false(looks_like_counts(as.vector(volcano), hills))  # elevations of a hill
  expect_false(looks_like_counts(colorado_precipitation()$elevation,
    as.matrix(colorado_precipitation()[c("lon", "lat")])))
  expect_true(looks_like_counts(stats::rpois(n, exp(1 + 2 * ramp)), places))
  expect_true(looks_like_counts(wet_days()$wet, as.matrix(wet_days()[c("lon", "lat")])))
})

test_that("a factor or logical response with s() or groups names the family, which fits them", {
  data <- hinted_data()
  fit <- function(formula, ...) neargp(formula, data, coords = ~ x + y, ...)
  for (formula in list(level ~ (1 | group), level ~ s(mean), logical ~ (1 | group))) {
    error <- expect_error(fit(formula), "family = binomial()", fixed = TRUE,
      class = "neargp_error_method")
    expect_match(conditionMessage(error), sprintf("`%s`", deparse1(formula[[2L]])), fixed = TRUE)
  }
  expect_error(fit(level ~ (1 | group)), "probability of many")
  expect_s3_class(suppressMessages(fit(level ~ (1 | group), family = binomial())), "neargp")
  expect_error(fit(group ~ s(mean)), "`group` has 5 categories", class = "neargp_error_method")
})

test_that("print() of a fit to two levels says what each of the two models offers", {
  data <- hinted_data(80)
  classes <- suppressMessages(neargp(level ~ 1, data, coords = ~ x + y,
    covariance = cov_exponential(variance = 1, range = 0.3)))
  expect_match(printed_text(classes), "Offers: classification.*family = binomial\\(\\)")
  named <- suppressMessages(neargp(level ~ 1, data, coords = ~ x + y, family = binomial(),
    covariance = cov_exponential(variance = 1, range = 0.3)))
  expect_match(printed_text(named), "Offers: s\\(\\).*method = loo_k\\(\\)")
  numbers <- suppressMessages(neargp(presence ~ 1, data, coords = ~ x + y, family = binomial(),
    covariance = cov_exponential(variance = 1, range = 0.3)))
  expect_no_match(printed_text(numbers), "Offers")
})
