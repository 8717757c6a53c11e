# How does the cost of one Adam step of loo_k() on classes grow with the number of rows? A step uses a batch of 128 observations, each given its
# 32 nearest neighbours. Each of the eight predictors takes its own range. The neighbour search is timed separately, with an index built once for
# `refresh` steps.
#
#   OMP_NUM_THREADS=1 Rscript bench/loo-k-steps.R
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
stop_unless_one_thread()

# The optimisation problem that neargp() would solve, with n rows and the given number of classes.
step_problem <- function(n, classes, per_class) {
  set.seed(1)
  data <- as.data.frame(matrix(rnorm(8 * n), n))
  data$class <- factor(1L + (data$V1 * data$V2 > 0) + (classes - 2L) * (data$V3 > 0.5))
  internal <- asNamespace("neargp")
  settings <- internal$check_settings(class ~ 1, data, loo_k(32L, "label"), cov_matern(nu = 2.5, ard = TRUE),
    if (classes == 2L) binomial() else categorical(), NULL, neargp_control(), "cpu", 1L, FALSE)
  locations <- internal$new_locations(data, ~ ., NULL, "auto", NULL, "class")
  frame <- internal$new_model_frame(list(weights = NULL, offset = NULL, subset = NULL, na.action = na.omit), class ~ 1, data, locations)
  model <- internal$new_model_data(frame, class ~ 1, settings)
  problem <- internal$new_problem(model$data, locations, settings, NULL)
  problem <- internal$with_start(problem$method, problem)
  internal$label_problem(settings$method, problem, if (per_class) "own-class" else "label")
}

step_times <- function(n, classes, per_class, refresh = 50L) {
  internal <- asNamespace("neargp")
  problem <- step_problem(n, classes, per_class)
  theta <- internal$label_start(problem, 32L)
  component <- internal$component_at(problem, internal$split_theta(problem, theta)$working)
  at <- internal$take_observations(problem$classes$labels, sample.int(n, 128L * refresh))
  search <- timed(plan <- internal$label_plan(problem, at, component, 32L))$cpu
  step <- function(i) internal$label_objective(problem, plan, (i - 1L) * 128L + 1:128)$gradient(theta)
  steps <- least(3L, for (i in seq_len(refresh)) step(i))
  data.frame(rows = n, classes = classes, estimator = if (per_class) "own-class" else "label", step_ms = 1000 * steps / refresh,
    search_ms_per_step = 1000 * search / refresh)
}

describe_run()
cases <- expand.grid(n = c(10000L, 50000L, 250000L), per_class = c(FALSE, TRUE), classes = 3L)
save_table(do.call(rbind, Map(step_times, cases$n, cases$classes, cases$per_class)), "loo-k-steps", 3L)
