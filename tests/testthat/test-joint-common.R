# Coefficients that responses share: common(x) in the formulas of a joint model.

# Two Gaussian responses of known covariance at 60 locations. b is missing at some.
shared_slope_data <- function() {
  set.seed(2)
  d <- data.frame(x = runif(60), y = runif(60), z = rnorm(60, 3), g = rep(c("u", "v"), 30))
  d$a <- 1 + 0.5 * d$z + sin(6 * d$x)
  d$b <- -1 + 0.5 * d$z + cos(5 * d$y) + (d$g == "v")
  d$b[1:15] <- NA
  d
}

b_shared <- matrix(c(1, 0.6, 0.6, 2), 2L)

fit_shared <- function(formula, d = shared_slope_data(), ...) {
  neargp(formula, d, coords = ~ x + y, nugget = list(0.1, 0.2),
    covariance = cov_coregionalisation(cov_exponential(range = 0.3), matrices = list(b_shared)),
    method = vnngp(k = 59, factor = "exact", jitter = 1e-10), ...)
}

# Generalised least squares and universal cokriging with any design of both responses.
dense_shared <- function(d, at, design) {
  rows <- rbind(data.frame(d[c("x", "y", "z", "g")], m = 1L, value = d$a),
    data.frame(d[c("x", "y", "z", "g")], m = 2L, value = d$b))
  rows <- rows[!is.na(rows$value), ]
  new <- rbind(cbind(at, m = 1L), cbind(at, m = 2L))
  covariance <- function(p, q) {
    h <- sqrt(outer(p$x, q$x, "-")^2 + outer(p$y, q$y, "-")^2)
    matrix(b_shared[cbind(rep(p$m, nrow(q)), rep(q$m, each = nrow(p)))], nrow(p)) * exp(-h / 0.3)
  }
  precision <- solve(covariance(rows, rows) + diag(c(0.1, 0.2)[rows$m]))
  X <- design(rows)
  vcov <- solve(t(X) %*% precision %*% X)
  beta <- drop(vcov %*% t(X) %*% precision %*% rows$value)
  C <- covariance(rows, new)
  left <- design(new) - t(C) %*% precision %*% X
  list(beta = beta, vcov = vcov,
    mean = drop(design(new) %*% beta + t(C) %*% precision %*% (rows$value - X %*% beta)),
    covariance = covariance(new, new) - t(C) %*% precision %*% C + left %*% vcov %*% t(left))
}

test_that("a common slope: estimates, errors and predictions are those of dense algebra", {
  d <- shared_slope_data()
  fit <- fit_shared(list(a ~ common(z), b ~ common(z) + g))
  at <- data.frame(x = c(0.5, 3), y = c(0.4, 3), z = c(2, 7), g = "v")
  dense <- dense_shared(d, at, function(p) cbind(p$m == 1L, p$z, p$m == 2L, (p$m == 2L) *
    (p$g == "v")))
  expect_named(coef(fit), c("a:(Intercept)", "common(z)", "b:(Intercept)", "b:gv"))
  expect_equal(unname(coef(fit)), dense$beta, tolerance = 1e-6)
  expect_equal(unname(vcov(fit)), unname(dense$vcov), tolerance = 1e-5)
  expect_equal(rownames(confint(fit)), names(coef(fit)))
  expect_equal(tidy(fit)$response, c("a", "(common)", "b", "b"))
  predicted <- predict(fit, at, type = "link", covariance = TRUE)
  expect_equal(c(predicted$mean_a, predicted$mean_b), dense$mean, tolerance = 1e-6)
  expect_equal(unname(attr(predicted, "covariance")[2L, , ]), dense$covariance[c(2L, 4L),
    c(2L, 4L)], tolerance = 1e-5)
  drawn <- as.matrix(simulate(fit, 4000, seed = 1, newdata = at))[2L, ]
  of <- function(output) drawn[grepl(paste0("_", output, "$"), names(drawn))]
  expect_equal(stats::cov(of("a"), of("b")), dense$covariance[2L, 4L], tolerance = 0.1)
  expect_equal(mean(of("a")), dense$mean[2L], tolerance = 0.02)
})

test_that("common intercepts and factors, several terms in one call", {
  d <- shared_slope_data()
  dense <- dense_shared(d, data.frame(x = 0, y = 0, z = 0, g = "u"), function(p) cbind(1, p$z,
    p$g == "v"))
  fit <- fit_shared(list(a ~ common(1) + common(z + g), b ~ common(z + g) + common(1)))
  expect_equal(coef(fit)[c("common((Intercept))", "common(z)", "common(gv)")],
    c(`common((Intercept))` = dense$beta[1L], `common(z)` = dense$beta[2L],
      `common(gv)` = dense$beta[3L]), tolerance = 1e-6)
  expect_equal(logLik(fit), logLik(fit_shared(cbind(a, b) ~ common(1) + common(z + g))))
  expect_equal(attr(logLik(fit), "df"), 3)
  written <- fit_shared(list(a ~ common(1 + z + g), b ~ common(g + (z + 1))))
  expect_equal(coef(written)[names(coef(fit))], coef(fit), tolerance = 1e-8)
  expect_length(coef(written), 3L)
})

test_extended("counts: a common slope has the log-likelihood of the offset that it is", {
  d <- shared_slope_data()
  d$n <- rpois(60, exp(0.3 * d$z + sin(6 * d$x)))
  known <- cov_coregionalisation(cov_matern(nu = 1.5, range = 0.3), matrices = list(b_shared / 4))
  fit_counts <- function(formula, ...) {
    neargp(formula, d, coords = ~ x + y, family = list(gaussian(), poisson()), covariance = known,
      method = vnngp(k = 59, factor = "exact"), nugget = list(0.1, NULL), ...)
  }
  fit <- fit_counts(list(a ~ common(z), n ~ common(z) + (1 | g)))
  at <- coef(fit)[["common(z)"]]
  value <- function(slope) {
    d$shift <<- slope * d$z
    fit_counts(list(a ~ offset(shift), n ~ offset(shift) + (1 | g)))$log_likelihood
  }
  # the slope maximises the ELBO, whose value is that of the same model with the slope known
  step <- 0.01
  below <- value(at - step)
  above <- value(at + step)
  peak <- at + step / 2 * (below - above) / (below + above - 2 * value(at))
  expect_equal(peak, at, tolerance = 0.01)
  set.seed(1)
  expect_true(all(is.finite(cross_validate(fit, 3)$scores$log_score)))
})

test_that("terms that cannot be common are named", {
  d <- shared_slope_data()
  wrong <- function(formula, text, data = d) {
    expect_error(fit_shared(formula, data), text, class = "neargp_error_formula")
  }
  wrong(list(a ~ common(z), b ~ z), "one response only")
  wrong(list(a ~ common(z) + z, b ~ common(z)), "twice")
  wrong(list(a ~ common((1 | g)), b ~ common((1 | g))), "cannot be common")
  wrong(list(a ~ common(s(z)), b ~ common(s(z))), "cannot be common")
  wrong(list(a ~ common(z, g), b ~ common(z)), "cannot be common")
  wrong(list(a ~ common(0) + z, b ~ common(0) + z), "without a term")
  wrong(list(a ~ common(z):g, b ~ common(z)), "term of a sum")
  wrong(list(a ~ common(offset(z)), b ~ common(z)), "offset")
  wrong(list(a ~ common(poly(z, 2)), b ~ common(poly(z, 2))), "depend on the observations",
    list(d, d[1:50, ]))
  wrong(list(a ~ common(g), b ~ 0 + common(g)), "differ between the responses")
  d$o <- ordered(rep(1:3, 20))
  other <- d
  other$o <- ordered(rep(2:4, 20))
  wrong(list(a ~ common(o), b ~ common(o)), "factors of common\\(o\\) differ", list(d, other))
  wrong(list(a ~ common(1) - 1, b ~ 0 + common(1)), "without an intercept")
  expect_error(neargp(a ~ common(z), d, coords = ~ x + y), "several responses",
    class = "neargp_error_formula")
})
