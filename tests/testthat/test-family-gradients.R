# The bound of vnngp() as a function of covariance and family, of responses whose likelihood is not
# concave or has parameters within bounds: its gradient against differences.

bound_of_family <- function(formula, family, data, posterior) {
  settings <- check_settings(formula, data, vnngp(k = 5, posterior = posterior,
    factor = "exact"), cov_exponential(), family, NULL, neargp_control(), "cpu", 1L, FALSE)
  locations <- new_locations(data, ~ x + y, NULL, "auto", NULL, all.vars(formula[[2L]]))
  frame <- new_model_frame(list(weights = NULL, offset = NULL, subset = NULL,
    na.action = stats::na.omit), formula, data, locations)
  settings$family <- with_categories(settings$family, frame)
  problem <- new_problem(new_model_data(frame, formula, settings)$data, locations, settings, NULL)
  problem <- with_start(problem$method, problem)
  problem$data <- core_data(problem$data)
  nodes <- latent_nodes(problem)
  search <- latent_search(problem, nodes, component_at(problem, problem$start), 5L)
  list(problem = problem, objective = latent_objective(problem, latent_problem(problem, nodes,
    search)))
}

test_that("gradients in covariance and family are differences of the bound", {
  withr::local_seed(7)
  n <- 60
  d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
  mu <- exp(0.7 + sin(5 * d$x))
  d$zeros <- rbinom(n, 1, 0.7) * rpois(n, mu)
  d$successes <- rbinom(n, 6, rbeta(n, 3, 2))
  d$amount <- rgamma(n, rpois(n, mu), 1)
  d$class <- ordered(cut(log(mu) + rnorm(n), c(-9, 0.3, 1, 9), labels = c("a", "b", "c")))
  d$measured <- ifelse(d$amount > 1, d$amount, NA)
  models <- list(list(zeros ~ h, zi_poisson()), list(zeros ~ h, zi_nbinom2()),
    list(cbind(successes, 6 - successes) ~ h, betabinomial()), list(amount ~ h, tweedie()),
    list(I(zeros + 1) ~ h, truncated_nbinom2()), list(class ~ h, ordinal()),
    list(class ~ h, ordinal("probit")), list(cens(measured, upper = 1) ~ h, censored_gaussian()))
  for (posterior in c("sparse", if (is_extended()) "laplace")) {
    for (model in models) {
      case <- bound_of_family(model[[1]], model[[2]], d, posterior)
      at <- case$problem$start
      value <- function(working) case$objective$fit_at(working, 1e-10)$value
      free <- which(case$problem$free)
      found <- case$objective$fit_at(at, 1e-10, derivatives = TRUE)$gradient[free]
      slopes <- vapply(free, function(i) {
        step <- replace(double(length(at)), i, 1e-4)
        (value(at + step) - value(at - step)) / 2e-4
      }, 0)
      expect_equal(found, slopes, tolerance = 1e-4, label = paste(model[[2]]$family, posterior))
    }
  }
})
