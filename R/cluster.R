#' Fits on several machines
#'
#' @description
#' `neargp(cluster = cl)` distributes a fit over a parallel cluster. Results are bit-identical for
#' any number of workers, and a fit survives the loss of a worker. Experimental for methods other
#' than [vecchia()].
#'
#' ```r
#' fit <- neargp(temperature ~ 1, land_temperature(), coords = ~ lon + lat, crs = 4326,
#'   method = vecchia(k = 10), control = neargp_control(shards = 4))
#' ```
#'
#' @details
#' **Cluster.** You can use [parallel::makeCluster()], `makePSOCKcluster()`, `makeForkCluster()`,
#' MPI by package snow, or `lapply(1:4, function(i) mirai::make_cluster(1))`. Each machine needs
#' the same version of neargp. You should start and stop the cluster yourself. `threads` is the
#' number for each worker; by default the cores of a machine, or those that a scheduler gave,
#' divided by its workers.
#'
#' **Shards.** The data are cut into compact shards at medians of the coordinates.
#' `neargp_control(shards = 16)` sets their number, also without a cluster. The default depends on
#' the number of observations: 16, fewer below 8,000 and more above 16 million. Neighbours are exact
#' across shards. The maxmin ordering depends on the shards, so do not compare likelihoods of fits
#' with different shards. With many predictors, shards do not save time.
#'
#' **Fits.** One Gaussian response by [vecchia()], [loo_k()], [mll_k()], [svgp()], [ppgpr()] and
#' [vnngp()], and other families by `loo_k()`, `svgp()`, `ppgpr()` and `vnngp()`. `loo_k()` supports
#' categories in memory. Fit several responses one by one. [odvgp()] is not supported.
#'
#' * `loo_k()` and `mll_k()` fits equal those without shards, but for standard errors of the trend.
#' * `svgp()` and `ppgpr()` sum the ELBO or score over shards, and exchange M x M numbers.
#'   Mini-batches use the rows in this session.
#' * `vnngp()` computes the posterior of each shard with an `overlap`, see [vnngp()]. `print()`
#'   reports what this loses. Random effects are not supported.
#'
#' **Lost workers.** If a worker ends or does not answer within `neargp_control(worker_timeout = )`,
#' its shards move to others, with the same result. The default is two minutes and ten times the
#' duration of earlier calls. If an MPI rank ends, MPI ends all. Restart the cluster after a loss,
#' and after an interrupt that workers do not follow within 20 seconds. [checkpoints] work as
#' without a cluster.
#'
#' **Large data.** `data` can be a [row_source()], whose rows the workers read. You can also give
#' `cluster` to [predict()][predict.neargp] and [cross_validate()]. Predictions that exceed the
#' memory can go to files, see [prediction_files]. Categories, several responses and hurdle models
#' need `output` there.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(1500), y = runif(1500))
#' d$z <- sin(6 * d$x) + d$y + rnorm(1500, sd = 0.1)
#' # The shards in this process
#' alone <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(10),
#'   covariance = cov_exponential(), control = neargp_control(shards = 4))
#' alone
#' # Fits with other shards differ by their ordering alone
#' other <- update(alone, control = neargp_control(shards = 2))
#' rbind(four = coef(alone, what = "covariance"), two = coef(other, what = "covariance"))
#' \donttest{
#' # Two workers on this machine
#' cl <- parallel::makePSOCKcluster(2)
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(10),
#'   covariance = cov_exponential(), control = neargp_control(shards = 4), cluster = cl)
#' head(predict(fit, d[1:1000, ], cluster = cl), 3)
#' parallel::stopCluster(cl)
#' identical(coef(fit, what = "covariance"), coef(alone, what = "covariance"))
#' }
#' @return This page describes an argument, and no function. [neargp()] returns a fit of class
#'   `neargp`, [predict()][predict.neargp] and [cross_validate()] what they return without workers.
#' @seealso [neargp()], [neargp_control()], [row_source()], [checkpoints], the article
#'   "Large data, clusters and GPUs".
#' @name clusters
NULL

check_cluster <- function(cluster) {
  if (is.null(cluster)) return(NULL)
  if (is_mirai_cluster(cluster)) return(mirai_nodes(cluster))
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
      core_simd()), i = "Go on with machines of the kind that began, or begin again."))
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

# The first answer of a worker, even of one without the package.
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
  abort_neargp("cluster", c("The processors of the workers share no instruction set with this one.",
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
    "Workers and fits to a row_source() do not predict %s.", what), i = instead))
}
