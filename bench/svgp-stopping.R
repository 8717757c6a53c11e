# When should svgp() stop after its mini-batches? One long fit of each set passes the points at which rules stop, and each of these states is
# scored. A rule stops when thirty evaluations of the ELBO have gained less than `gain` a row. Sets are divided like those of the LOO-k paper,
# with at most `rows` training rows at random. CPU seconds are those of the fit until the rule stops, on one thread, with its mini-batches.
#
#   Rscript bench/svgp-stopping.R [sets: protein,kin40k,pol,elevators] [rows: 10000] [points: 128] [iterations: 400] [split: 1]
#     [epochs: 20]
#
# Rows go to table svgp-stopping in place of earlier ones of the same case.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
core <- function(name) getFromNamespace(name, "neargp")

sets <- argument(1L, c("protein", "kin40k", "pol", "elevators"))
rows <- as.integer(argument(2L, "10000"))
points <- as.integer(argument(3L, "128"))
iterations <- as.integer(argument(4L, "400"))
split <- as.integer(argument(5L, "1"))
epochs <- as.integer(argument(6L, "20"))
gains <- c(0.015, 0.01, 0.005, 0.003, 0.002, 0.001, 0)
patience <- 30L

# The states of the search that follows the mini-batches, which never stops by itself. Other searches of the fit are left alone.
with_states <- function(fit_by) {
  plain <- core("new_bound_record")
  found <- list2env(list(states = list(), bound = double(0), cpu = double(0)))
  recorded <- function(n, report, patience, negligible, accept) {
    if (patience != 30L) return(plain(n, report, patience, negligible, accept))
    plain(n, function(evaluation, value) {
      found$bound[evaluation] <- value / n
      found$cpu[evaluation] <- sum(proc.time()[1:2])
    }, Inf, negligible, function(state) {
      found$states[[length(found$bound) + 1L]] <- state[c("working", "positions")]
    })
  }
  assignInNamespace("new_bound_record", recorded, "neargp")
  on.exit(assignInNamespace("new_bound_record", plain, "neargp"))
  began <- sum(proc.time()[1:2])
  found$fit <- fit_by()
  found$cpu <- found$cpu - began
  found
}

# The evaluation at which a rule stops: the first one that raises the ELBO, but by less than `gain` within `patience` evaluations.
stop_of <- function(bound, gain) {
  at <- seq_along(bound)
  before <- bound[pmax(at - patience, 1L)]
  stops <- at[at > patience & c(TRUE, diff(bound) > 0) & bound - before < gain]
  c(stops, length(bound))[1L]
}

# A fit with the parameters and points of a state. Working parameters are in the unit of the response that the search has used, which follows
# from those of the last state and the nugget of the fit.
fit_at <- function(state, last, fit, data) {
  layout <- fit$layout
  values <- core("to_core")(state$working, layout$transform)
  unit <- fit$nugget / core("to_core")(last$working, layout$transform)[layout$kind == "nugget"]
  positions <- stats::setNames(as.data.frame(state$positions), names(fit$inducing))
  neargp(y ~ 1, data, coords = ~ ., nugget = unname(unit * values[layout$kind == "nugget"]), threads = 1L, verbose = FALSE,
    covariance = cov_matern(nu = 2.5, variance = unit * values[layout$kind == "variance"], range = values[layout$kind == "range"], ard = TRUE),
    method = svgp(positions, move = FALSE, std_error = FALSE))
}

run <- function(set) {
  data <- standardised_split(set, split, rows)
  set.seed(split)
  found <- with_states(function() {
    suppressWarnings(neargp(y ~ 1, data$training, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), threads = 1L, verbose = FALSE,
      method = svgp(points, std_error = FALSE, epochs = epochs), control = neargp_control(max_iterations = ceiling(iterations / 2.5))),
      classes = "neargp_warning_convergence")
  })
  accepted <- which(lengths(found$states) > 0L)
  last <- found$states[[max(accepted)]]
  do.call(rbind, lapply(gains, function(gain) {
    stopped <- stop_of(found$bound, gain)
    fit <- fit_at(found$states[[max(accepted[accepted <= stopped])]], last, found$fit, data$training)
    scored <- scores(fit, newdata = data$test, threads = 1L)
    data.frame(set = set, n = nrow(data$training), inducing = points, split = split, epochs = epochs, gain = gain, evaluations = stopped,
      cpu_fit = found$cpu[stopped], bound = found$bound[stopped], bound_again = c(logLik(fit)) / nrow(data$training),
      nll = scored$log_score, rmse = scored$rmse, crps = scored$crps, coverage = scored$coverage)
  }))
}

describe_run()
case_of <- function(rows) if (is.null(rows)) character(0) else do.call(paste, rows[c("set", "n", "inducing", "split", "epochs")])
for (set in sets) {
  results <- run(set)
  known <- read_result("svgp-stopping")
  save_table(rbind(known[!case_of(known) %in% case_of(results), ], results), "svgp-stopping")
}
