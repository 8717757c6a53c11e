# A fit of every method must stay the same when the unit of its response or of its weights changes. Units are
# powers of 2, which cause no rounding, so that optimisers take the same path except for their tolerances. The
# tolerance for ELBOs on inducing points moves predictions by some hundredths.

unit_kinds <- list(
  gaussian = function(f, n) list(y = f + 0.2 * stats::rnorm(n), family = function(unit) stats::gaussian()),
  student_t = function(f, n) list(y = f + 0.3 * stats::rt(n, 4), family = function(unit) neargp::student_t(4)),
  censored_gaussian = function(f, n) {
    list(y = pmax(f + 0.3 * stats::rnorm(n), 0), limit = TRUE, family = function(unit) neargp::censored_gaussian(sd = 0.3 * unit))
  }
)

unit_methods <- function(kind) {
  inducing <- function(name, ...) do.call(exported(name), list(inducing = 10L, ...))
  latent <- list(neargp::loo_k(8L), neargp::vnngp(8L), neargp::vnngp(8L, posterior = "laplace"), inducing("svgp"), inducing("odvgp"),
    inducing("svgp", optimizer = "natural", epochs = 3L), inducing("svgp", optimizer = "adam", epochs = 3L),
    inducing("ppgpr", joint = TRUE, epochs = 3L), inducing("swsgp", k = 5L, epochs = 3L))
  if (kind != "gaussian") return(latent)
  c(latent, list(neargp::exact_gp(), neargp::vecchia(8L), neargp::vecchia(8L, inducing = 5L), neargp::mll_k(8L)))
}

unit_problem <- function(case) {
  set.seed(case)
  kind <- pick("gaussian", "student_t", "censored_gaussian")
  n <- 40L
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), a = stats::rnorm(n), w = stats::runif(n, 0.5, 2))
  made <- unit_kinds[[kind]](sin(5 * data$x) + data$y + 0.3 * data$a, n)
  data$q <- made$y
  list(case = case, data = data, made = made, method = do.call(pick, unit_methods(kind)), kind = kind)
}

# Mean and standard deviation of the linear predictor at some rows, of the response times `unit` and weights times `weight`.
fit_in_unit <- function(problem, unit, weight = 1) {
  data <- problem$data
  data$w <- data$w * weight
  data$q <- data$q * unit
  formula <- if (is.null(problem$made$limit)) q ~ a else cens(ifelse(q > 0, q, NA), upper = 0) ~ a
  set.seed(problem$case)
  fit <- suppressMessages(suppressWarnings(neargp::neargp(formula, data, coords = ~ x + y, method = problem$method, weights = w,
    family = problem$made$family(unit * sqrt(weight)), verbose = FALSE)))
  found <- suppressMessages(stats::predict(fit, data[1:5, ], type = "link"))
  c(found$mean, found$sd) / unit
}

run_units_oracle <- function(cases, tally) {
  for (case in cases) {
    problem <- unit_problem(case)
    reference <- fit_in_unit(problem, 1)
    compare <- function(what, found) {
      tally$compare(paste(problem$kind, class(problem$method)[1L], what), case, found, reference, max(abs(reference)), tolerance = 0.05)
    }
    for (unit in 2^c(-20, 20)) {
      compare("response", fit_in_unit(problem, unit))
      compare("weights", fit_in_unit(problem, 1, unit))
    }
  }
}
