#' Fits on many machines
#'
#' With `neargp(..., cluster = cl)` the rows of a fit are spread over the workers of a cluster of
#' package parallel, and each computes the part of the likelihood that its rows have. Only
#' parameters go out and sums come back. The same shards give the same result to the last bit, on
#' any number of workers or none.
#'
#' # Which cluster
#' Any of [parallel::makeCluster()]: `makePSOCKcluster()` on one machine or several,
#' `makeForkCluster()`, or MPI by package snow, on the schedulers of computing centres. neargp is
#' installed on each machine, in the same version; the library paths of this session are tried there
#' first. Start and stop the cluster yourself: a fit leaves its workers idle and their memory empty.
#' `threads` of [neargp()] is the number of threads of each worker. By default the workers of a
#' machine share its cores, or those that a scheduler or a control group gave to them. Where
#' machines differ, all workers use the least of these numbers.
#'
#' # Shards
#' Rows are cut into compact parts, shards, at medians of their coordinates. `neargp_control(shards
#' = 16)` sets their number, also without a cluster; the default depends on the number of rows alone
#' (16, or more for more than 16 million rows, and fewer below 8,000 rows). More workers than
#' shards have nothing to do. Rows are ordered by maxmin within each shard and merged by the
#' distance of each row to those before it; neighbours are exactly the nearest earlier ones (for
#' [loo_k()] and [mll_k()] the nearest others), in whichever shard: rows near a border ask the
#' shards that are near enough. The ordering is the one thing that shards change: it moved the
#' log-likelihood of 96,000 rows by up to 2.2e-4 a row, up or down, in shards of 750 to 24,000 rows
#' in two and three coordinates (`k = 20`, `bench/cluster.R`), so that likelihoods of fits with
#' different `shards` are not comparable, and [anova()][anova.neargp] refuses them. In three
#' dimensions more rows are near a border; with many coordinates each row asks all shards, and
#' nothing is gained.
#'
#' # Which fits
#' One response. A gaussian one by [vecchia()], [loo_k()], [mll_k()], [svgp()], [ppgpr()] and
#' [vnngp()]; all of [response_family] by the last three and `loo_k()`, and by that classes of rows
#' in memory, too.
#'
#' By `loo_k()` pseudo-observations are made, and labels added, where their rows are, and sums come
#' back; the optimiser is quasi-Newton over all rows, and the score that of all rows, however many
#' there are. Without an ordering these fits are those without shards, but for standard errors of
#' the trend, which are by Vecchia's ordering, and for neighbours at equal distances. In shards
#' `loo_k(leave_out = "row")` of a Gaussian response and models of the [noise] count observations,
#' not locations, as neighbours ([vecchia()]).
#'
#' By `svgp()` the sums of the bound are those of all rows, but for rounding: neither its value nor
#' its gradient depends on shards. Each worker gets and returns M x M numbers in an evaluation, M
#' the number of inducing points. Mini-batches, where `optimizer = "auto"` begins with them, are of
#' the rows in this session: all of them, or the sample of a source. The score of `ppgpr()` is such
#' a sum, too. Where the response is not gaussian an evaluation finds its posterior in steps, some
#' to some tens of them, and in each one two numbers of each row go to its shard and four come back.
#' [odvgp()] has no shards: its mean solves equations of the covariances of each row with all
#' others, of which no worker could have a part without all rows.
#'
#' `vnngp()` has the ordering and neighbours of the fit without shards. There each shard has the
#' posterior of its own rows from these, an overlap, and all rows that they are conditioned on; what
#' that loses depends on the argument `overlap` of [vnngp()], and [print()][print.neargp] says how
#' much it is. Its posterior, some numbers of each row, goes to the shards and back in each
#' evaluation. It has no random effects there: shards find their fields as if coefficients were
#' known, those of the trend, while effects have a posterior of the rows of all shards, on which the
#' variance of each row's linear predictor depends.
#'
#' Several outputs have no shards: a row is conditioned on the nearest of its own output and on
#' fewer of each other one, which shards, that tell each other of their nearest rows, would have to
#' be asked for one by one. Fit the outputs one by one.
#'
#' # Workers that are lost
#' A worker that ends, or does not answer in time, loses its shards to the others, which make them
#' anew, and the fit goes on with the same result; [print()][print.neargp] says so. This holds for
#' ranks of MPI that hang, too, be it in the middle of a message; where one ends, MPI ends all. The
#' time is `neargp_control(worker_timeout = )` seconds, by default two minutes and ten times as long
#' as such a call has taken before, an hour for the first one. The lost worker is still in your
#' cluster object, which is then to be started anew. After an interrupt workers end what they
#' compute and are idle; if that takes them more than 20 seconds, start the cluster anew.
#' [checkpoints] work as they do without a cluster: the same call in a new session goes on.
#'
#' # Rows that no machine holds
#' `data` may be a [row_source()]: the files of a folder, the windows of a raster, or a function of
#' the number of a chunk. Workers read the rows of their shards; this session has a sample of them.
#' A fit to such rows has none of them, and [predict()][predict.neargp] reads them once more. By
#' `vnngp()`, and of responses that are not gaussian by `svgp()` and `ppgpr()`, workers read the
#' chunks, and this session gets all rows of the columns that are needed.
#'
#' # Predictions and folds
#' [predict()][predict.neargp] and [cross_validate()] have the argument `cluster`, too: workers get
#' a copy of the fit and predict parts of the new rows, or folds, as long as that takes. Predictions
#' that do not fit in memory go to files, with `output`, see [prediction_files]. Classes,
#' several outputs and hurdle models are predicted by workers with `output` alone.
#'
#' @section Errors: `neargp_error_cluster` where `cluster` is none, a worker lacks neargp or has
#'   another version, no worker is left, and for what cannot be in shards: several outputs, classes
#'   but by [loo_k()], other methods than [vecchia()] (by maxmin, without inducing points),
#'   [loo_k()] (neither by Adam nor with Polya-Gamma variables), [mll_k()], [svgp()] (by all rows,
#'   with `kl_weight = 1` and one noise), [ppgpr()] (in two stages, with one noise) and [vnngp()]
#'   (sparse posterior, incomplete factor, neither inducing points nor random effects), and GPUs.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(1500), y = runif(1500))
#' d$z <- sin(6 * d$x) + d$y + rnorm(1500, sd = 0.1)
#' # the shards in this process
#' alone <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(10),
#'   covariance = cov_exponential(), control = neargp_control(shards = 4))
#' alone
#' \donttest{
#' # two workers on this machine
#' cl <- parallel::makePSOCKcluster(2)
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(10),
#'   covariance = cov_exponential(), control = neargp_control(shards = 4), cluster = cl)
#' parallel::stopCluster(cl)
#' identical(coef(fit, what = "covariance"), coef(alone, what = "covariance"))
#' }
#' @return This page describes an argument, and no function. [neargp()] returns a fit of class
#'   `neargp`, [predict()][predict.neargp] and [cross_validate()] what they return without workers.
#' @seealso [neargp()], [neargp_control()], [row_source()], [checkpoints],
#'   `vignette("beyond-one-machine", package = "neargp")`.
#' @name clusters
NULL

check_cluster <- function(cluster) {
  if (is.null(cluster)) return(NULL)
  if (!inherits(cluster, "cluster") || !is.list(cluster) || !length(cluster)) {
    abort_neargp("cluster",
      c(sprintf("`cluster` must be a cluster of package parallel, not %s.",
        describe_value(cluster)),
        i = "Make one by parallel::makeCluster(4)."))
  }
  cluster
}

# The workers of a cluster, ready for a fit: an environment. `threads`: of each, NULL for their
# share of the cores. `at_start`: seconds in which they load the package.
open_workers <- function(cluster, threads, timeout = NULL, at_start = timeout %||% 300) {
  count <- length(cluster)
  workers <- list2env(list(nodes = lapply(seq_len(count), function(i) cluster[[i]]),
    alive = rep(TRUE, count), moved = 0L, why = character(0),
    slowest = list(), timeout = timeout, timeout_at_start = at_start, threads = threads,
    before = NULL), parent = emptyenv())
  ready <- FALSE
  on.exit(if (!ready) close_workers(workers))
  paths <- unique(c(dirname(system.file(package = "neargp")), .libPaths()))
  found <- Filter(Negate(is.null), call_workers(workers, as_sent(worker_greeting),
    list(paths = paths), limit = workers$timeout_at_start))
  if (!length(found)) abort_no_workers(workers)
  check_greetings(found)
  workers$before <- core_simd()
  workers$instruction_sets <- Reduce(intersect, lapply(found, `[[`, "instruction_sets"))
  core_set_simd(common_instruction_set(workers$instruction_sets))
  share_instruction_set(workers)
  workers$threads <- workers$threads %||% threads_of_workers(found)
  ready <- TRUE
  workers
}

# Workers compute by the instruction set of this process, which a checkpoint may have changed.
share_instruction_set <- function(workers) {
  if (is.null(workers)) return(invisible())
  if (!core_simd() %in% workers$instruction_sets) {
    abort_neargp("cluster", c(sprintf("The checkpoint was begun with the instruction set %s, which workers lack.",
      core_simd()), i = "Go on with machines of the kind that began, or begin anew."))
  }
  call_workers(workers, worker_call, list(name = "set_worker",
    arguments = list(instruction_set = core_simd())), limit = workers$timeout_at_start)
}

# The settings of a fit with the workers of their cluster, where there is one.
with_open_workers <- function(settings, threads) {
  if (is.null(settings$cluster) || is.environment(settings$cluster)) return(settings)
  settings$cluster <- open_workers(settings$cluster, threads, settings$control$worker_timeout)
  settings
}

# The value of f(workers), which are then idle. How long a fold or a prediction takes is not known:
# a process that ends is noticed all the same. `fit`: whose control says when workers are to answer
# at the start.
with_workers <- function(cluster, threads, fit, f) {
  workers <- open_workers(cluster, threads, timeout = Inf,
    at_start = fit$control$worker_timeout %||% 300)
  on.exit(close_workers(workers))
  f(workers)
}

# What a worker says first, even one that does not have the package.
worker_greeting <- function(paths) {
  .libPaths(unique(c(paths, .libPaths())))
  if (!nzchar(system.file(package = "neargp"))) return(list(node = Sys.info()[["nodename"]]))
  get("greeting", envir = asNamespace("neargp"))()
}

greeting <- function() {
  list(node = Sys.info()[["nodename"]], version = package_version_text(),
    instruction_sets = core_simd_available(), cores = available_cores())
}

set_worker <- function(arguments) {
  core_set_simd(arguments$instruction_set)
  NULL
}

check_greetings <- function(found) {
  own <- greeting()
  for (one in found) {
    if (is.null(one$version)) {
      abort_neargp("cluster", c(sprintf("A worker on %s does not find neargp.", one$node),
        i = "Install it there, in a library that R finds."))
    }
    if (!identical(one$version, own$version)) {
      abort_neargp("cluster", c(sprintf("A worker on %s has neargp %s, and this is %s.", one$node,
        one$version, own$version), i = "Install the same version on all machines."))
    }
  }
}

# The widest that all processors have, and not wider than the one in use here: results of different
# ones differ in the last digits.
common_instruction_set <- function(of_workers) {
  available <- core_simd_available()
  common <- intersect(available[seq_along(available) >= match(core_simd(), available)], of_workers)
  if (length(common)) return(common[1L])
  abort_neargp("cluster", c("The processors of the workers have no instruction set in common with this one.",
    i = "Sums would round differently: take machines of one kind."))
}

threads_of_workers <- function(found) {
  node <- vapply(found, `[[`, "", "node")
  cores <- vapply(found, `[[`, 0L, "cores")
  as.integer(max(1L, min(cores %/% tabulate(match(node, unique(node)))[match(node, unique(node))])))
}

# Workers are idle and empty after a fit, however it ends, and the instruction set is what it was.
close_workers <- function(workers) {
  if (!is.environment(workers)) return(invisible())
  if (!is.null(workers$before)) core_set_simd(workers$before)
  try(settle_workers(workers), silent = TRUE)
}

end_worker <- function(arguments) {
  process_state$shards <- process_state$plans <- list()
  core_set_simd(core_simd_available()[1L])
  gc()
  NULL
}

# The workers of a fit, as it keeps them.
describe_cluster <- function(workers) {
  if (is.null(workers)) return(NULL)
  list(workers = length(workers$alive), threads = workers$threads,
    lost = sum(!workers$alive), moved = workers$moved)
}

refuse_on_workers <- function(what, instead) {
  abort_neargp("cluster", c(sprintf(
    "By workers, or from rows that are read, there is no prediction of %s.", what), i = instead))
}
