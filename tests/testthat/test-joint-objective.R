# The ELBO of three responses at fixed parameters, its gradient and the coefficients, compared with
# those of a dense program.

loadings_of_three <- rbind(c(0.8, 0), c(0.5, 0.7), c(-0.6, 0.3))

# The problem of these structures, and the objective at loadings, ranges and parameters of families.
objective_of_three <- function(structures, formulas = list(y1 ~ z, y2 ~ 1, y3 ~ z),
                               family = list(poisson(), binomial(), Gamma("log")),
                               factor = "exact", d = three_responses_data(), k = 59L) {
  parts <- Map(function(formula, family) suppressMessages(neargp(formula, d, coords = ~ x + y,
    family = family, method = vnngp(k = 15), covariance = cov_matern(nu = 1.5))), formulas, family)
  names(parts) <- c("y1", "y2", "y3")
  problem <- new_joint_problem(parts, structures, vnngp(k = k, factor = factor), neargp_control(),
    plain_context(), new_session())
  objective <- fields_objective(problem, joint_latent(problem, joint_search(problem,
    problem$start)))
  list(problem = problem, objective = objective)
}

at_values <- function(problem, loadings, ranges, families = NULL) {
  layout <- problem$layout
  working <- problem$start
  working[loading_rows(layout, nrow(loadings))] <- as.vector(loadings)
  working[layout$kind == "range"] <- log(ranges)
  working[layout$kind %in% c("family", "nugget")] <- log(families)
  working
}

# Free loadings by column, then ranges, then parameters of families.
free_gradient <- function(problem, found) {
  layout <- problem$layout
  loading <- loading_rows(layout, 3L)
  c(found$gradient[loading[problem$free[loading]]], found$gradient[layout$kind == "range"],
    found$gradient[layout$kind %in% c("family", "nugget")])
}

coefficients_of <- function(problem, found) {
  maps <- lapply(problem$parts, function(part) part$data$basis$back)
  at <- unlist(lapply(problem$parts, function(part) part$data$basis$at))
  drop(diagonal_blocks(maps) %*% (found$beta + at))
}

matern <- cov_matern(nu = 1.5)$components[[1L]]
exponential <- cov_exponential()$components[[1L]]

test_that("two structures: ELBO, gradient and coefficients are the dense ones", {
  given <- objective_of_three(list(new_structure(matern, 1L, of = 1L),
    new_structure(exponential, 1L, of = 2L)))
  found <- given$objective$fit_at(at_values(given$problem, loadings_of_three, c(0.2, 0.4), 3),
    1e-10, 300L, TRUE)
  expect_equal(found$bound %||% found$value, -194.0263, tolerance = 1e-4 / 194)
  expect_equal(free_gradient(given$problem, found)[-4L], c(-2.6296, 2.7203, 5.5901, 2.2411,
    -7.8721, 5.1239, -0.0828, 10.6829), tolerance = 1e-4)
  expect_equal(coefficients_of(given$problem, found), c(0.4819, 0.3340, 0.0955, 1.1946, -0.4369),
    tolerance = 2e-4)
})

test_that("one structure of rank 2: ELBO, gradient and coefficients are the dense ones", {
  given <- objective_of_three(list(new_structure(matern, 2L)))
  found <- given$objective$fit_at(at_values(given$problem, loadings_of_three, 0.2, 3), 1e-10, 300L,
    TRUE)
  expect_equal(found$value, -193.6452, tolerance = 1e-4 / 193)
  gradient <- matrix(found$gradient[loading_rows(given$problem$layout, 3L)], 3L)
  expect_equal(c(gradient[, 1L], gradient[2:3, 2L]), c(-2.9066, 2.4700, 4.8031, 2.3889, -6.9793),
    tolerance = 1e-4)
  expect_equal(utils::tail(free_gradient(given$problem, found), 2L), c(4.5586, 10.6900),
    tolerance = 1e-4)
  expect_equal(coefficients_of(given$problem, found), c(0.4818, 0.3336, 0.1167, 1.2019, -0.4343),
    tolerance = 2e-4)
})

test_that("fields of each response's own: ELBO and gradient are the dense ones", {
  given <- objective_of_three(list(new_structure(matern, 1L), new_structure(exponential, 3L,
    own = 1:3)))
  A <- cbind(c(0.8, 0.5, -0.6), diag(c(0.4, 0.5, 0.3)))
  found <- given$objective$fit_at(at_values(given$problem, A, c(0.2, 0.3), 3), 1e-10, 300L, TRUE)
  expect_equal(found$value, -198.0698, tolerance = 1e-4 / 198)
  expect_equal(free_gradient(given$problem, found), c(-2.0611, 3.0716, 7.8183, -11.8546, 1.5750,
    -9.6508, 5.0028, 1.6295, 9.8916), tolerance = 1e-4)
})

test_that("Gaussian responses: the bound is the log-likelihood", {
  given <- objective_of_three(list(new_structure(matern, 1L, of = 1L),
    new_structure(exponential, 1L, of = 2L)), list(y1 ~ z, y2 ~ z, y3 ~ z), rep(list(gaussian()),
      3L))
  found <- given$objective$fit_at(at_values(given$problem, loadings_of_three, c(0.2, 0.4),
    c(4, 0.2, 3)), 1e-10)
  expect_equal(found$value, -245.5950, tolerance = 1e-4 / 245)
})

test_that("gradients with random effects and an incomplete factor agree with differences", {
  d <- three_responses_data()
  d$g <- factor(1:60 %% 7L)
  given <- objective_of_three(list(new_structure(matern, 2L)), list(y1 ~ z + (1 | g), y2 ~ 1,
    y3 ~ s(z)), d = d, factor = "incomplete", k = 8L)
  working <- at_values(given$problem, loadings_of_three, 0.2, 3)
  working[given$problem$layout$kind == "effect_sd"] <- log(0.5)
  value <- function(working) given$objective$fit_at(working, 1e-11, 300L)$value
  found <- given$objective$fit_at(working, 1e-11, 300L, TRUE)
  for (a in which(given$problem$free)) {
    h <- 1e-4
    difference <- (value(replace(working, a, working[a] + h)) -
      value(replace(working, a, working[a] - h))) / (2 * h)
    expect_equal(found$gradient[a], difference, tolerance = 1e-5)
  }
})

test_that("posteriors end alike from the separate fits and from the responses", {
  structures <- list(new_structure(matern, fields = 1L), new_structure(exponential, fields = 1L))
  made <- objective_of_three(structures, factor = "incomplete", k = 12L)
  problem <- made$problem
  begun <- made$objective$fit_at(problem$start, 1e-10, 500L)
  likelihoods <- joint_likelihoods(problem, to_core(problem$start, problem$layout$transform))
  start <- core_fields_start(made$objective$latent, joint_suggestions(problem), likelihoods,
    problem$context)
  plain <- made$objective$fit_at(problem$start, 1e-10, 500L, from = start)
  expect_equal(begun$value, plain$value, tolerance = 1e-9)
  expect_equal(begun$mean, plain$mean, tolerance = 1e-4)
  # R's garbage collector counts the states
  expect_gt(as.double(object.size(begun$end)), 8 * 3 * length(problem$place))
})

test_that("the prior of correlations is log det R, with its gradient", {
  given <- objective_of_three(list(new_structure(matern, 3L)))
  A <- cbind(loadings_of_three, c(0, 0, 0.4))
  working <- at_values(given$problem, A, 0.2, 3)
  with <- given$objective$fit_at(working, 1e-10, 300L, TRUE)
  without <- given$problem
  expect_true(without$prior)
  without$prior <- FALSE
  plain <- fields_objective(without, given$objective$latent)$fit_at(working, 1e-10, 300L, TRUE)
  R <- stats::cov2cor(tcrossprod(A))
  expect_equal(with$value - plain$value, log(det(R)), tolerance = 1e-6)
  penalty <- function(a) log(det(stats::cov2cor(tcrossprod(matrix(a, 3L)))))
  rows <- loading_rows(given$problem$layout, 3L)
  numeric <- vapply(1:9, function(i) {
    e <- replace(double(9), i, 1e-5)
    (penalty(as.vector(A) + e) - penalty(as.vector(A) - e)) / 2e-5
  }, 0)
  expect_equal((with$gradient - plain$gradient)[rows], numeric, tolerance = 1e-5)
})

# The problem with exact neighbours, at free loadings by column, ranges and parameters of families.
anchor <- function(formulas, families, d, coords, structures, loadings, ranges, values) {
  parts <- Map(function(formula, family) neargp(formula, d, coords = coords, family = family,
    method = vnngp(k = 15), covariance = structure(list(components =
      list(structures[[1L]]$component)), class = "neargp_covariance")), formulas, families)
  method <- vnngp(k = nrow(d) - 1L, factor = "exact")
  problem <- new_joint_problem(parts, structures, method, neargp_control(), plain_context(),
    new_session())
  working <- problem$start
  working[loading_rows(problem$layout, length(parts))] <- loadings
  working[problem$layout$kind == "range"] <- log(ranges)
  working[problem$layout$kind %in% c("family", "nugget")] <- log(values)
  objective <- fields_objective(problem, joint_latent(problem, joint_search(problem, working)))
  found <- objective$fit_at(working, 1e-10, 300L)
  state <- core_latent_state(objective$latent, plain_context())
  maps <- unlist(lapply(parts, function(part) part$data$basis$back))
  list(value = found$bound %||% found$value, beta = unname(coefficients_of(problem, found)),
    errors = unname(abs(maps) * sqrt(diag(state$beta_vcov))))
}

test_that("presence and amounts of Pacific cod in 2011: the values of a dense program", {
  path <- file.path(Sys.getenv("NEARGP_DATA", "../../../shared/data"), "pcod.csv.gz")
  skip_if_not(file.exists(path), "the data of Pacific cod are not there")
  d <- utils::read.csv(gzfile(path))
  d <- d[d$year == 2011, ]
  d$amount <- ifelse(d$density > 0, d$density, NA)
  found <- anchor(list(present = present ~ 1, amount = amount ~ 1), list(binomial(), Gamma("log")),
    d, ~ X + Y, list(new_structure(matern, 1L, of = 1L), new_structure(matern, 1L, of = 2L)),
    c(1.5, 0.5, 0, 1), c(20, 10), 1)
  expect_equal(found$value, -690.6103, tolerance = 1e-4 / 690)
  expect_equal(found$beta, c(-0.4840, 4.2891), tolerance = 2e-4)
  expect_equal(found$errors, c(0.5785, 0.3269), tolerance = 2e-4)
})

test_that("cadmium, zinc and nickel of Jura: the values of a dense program", {
  skip_if_not_installed("gstat")
  env <- new.env()
  utils::data("jura", package = "gstat", envir = env)
  d <- env$prediction.dat
  d$hot <- as.integer(d$Cd > 0.8)
  found <- anchor(list(hot = hot ~ 1, Zn = Zn ~ 1, Ni = Ni ~ 1), list(binomial(), Gamma("log"),
    gaussian()), d, ~ Xloc + Yloc, list(new_structure(exponential, 2L)), c(1.5, 0.3, 6, 0, 0.2, 4),
    0.2, c(10, 5))
  expect_equal(found$value, -2063.8931, tolerance = 1e-4 / 2063)
  expect_equal(found$beta, c(1.1202, 4.3318, 20.6676), tolerance = 1e-4)
  expect_equal(found$errors, c(0.2692, 0.0528, 0.9881), tolerance = 1e-3)
})
