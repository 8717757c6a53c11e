# The same fit and predictions on workers of each kind, in a process of their own: `cluster` is code
# that makes a cluster of two, and `value` what is returned.
by_workers <- function(cluster, stop = "parallel::stopCluster(workers)",
                       value = "transport_fit(workers)") {
  script <- withr::local_tempfile(fileext = ".R")
  result <- withr::local_tempfile(fileext = ".rds")
  writeLines(c("library(neargp)", "transport_fit <-", deparse(transport_fit),
    sprintf("workers <- %s", cluster), sprintf("saveRDS(%s, \"%s\")", value, result), stop), script)
  printed <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script),
    stdout = TRUE, stderr = TRUE, timeout = 120, env = c(paste0("R_LIBS=", paste(.libPaths(),
      collapse = .Platform$path.sep)), mpi_of_one_machine)))
  expect(file.exists(result), paste(utils::tail(printed, 20), collapse = "\n"))
  readRDS(result)
}

# Open MPI in a container, with more processes than cores.
mpi_of_one_machine <- c("OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
  "OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_mpi_yield_when_idle=1",
  "OMPI_MCA_btl_vader_single_copy_mechanism=none")

transport_fit <- function(cluster) {
  set.seed(41)
  data <- data.frame(x = runif(150), y = runif(150))
  data$z <- sin(6 * data$x) + data$y + rnorm(150, sd = 0.3)
  fit <- neargp(z ~ y, data, coords = ~ x + y, method = vecchia(8), threads = 1L,
    covariance = cov_exponential(), control = neargp_control(shards = 5L), cluster = cluster)
  folder <- tempfile()
  dir.create(folder)
  files <- predict(fit, data, output = file.path(folder, "{part}.csv"), chunk_size = 40,
    cluster = cluster, threads = 1L)
  found <- list(parameters = fit$parameters, log_likelihood = fit$log_likelihood, beta = fit$beta,
    vcov = fit$beta_vcov, files = unname(tools::md5sum(files)))
  unlink(folder, recursive = TRUE)
  found
}

skip_without_mpi <- function() {
  skip_unless_extended()
  skip_if_not_installed("snow")
  skip_if_not(nzchar(system.file(package = "Rmpi")), "Rmpi is not installed")
  skip_if_not(nzchar(Sys.which("mpirun")), "there is no mpirun")
}

# stopCluster() of snow disconnects from workers that it has started, for which Open MPI waits.
stop_ranks <- "parallel:::stopCluster.default(workers)"

test_that("workers of MPI give the same bits", {
  skip_without_mpi()
  expect_identical(by_workers("snow::makeMPIcluster(2)", stop_ranks), transport_fit(NULL))
})

test_that("a rank of MPI that hangs is given up, whether it was to answer or to take a message", {
  skip_without_mpi()
  found <- by_workers("snow::makeMPIcluster(2)", paste("tools::pskill(pid, tools::SIGCONT)",
    stop_ranks, sep = ";"), "{
    pid <- parallel::clusterCall(workers, Sys.getpid)[[2L]]
    tools::pskill(pid, tools::SIGSTOP)
    opened <- list2env(list(nodes = workers, alive = c(TRUE, TRUE), why = character(0)))
    ask <- function(x) neargp:::call_workers(opened, length, list(x = x), limit = 1.5)
    answers <- list(ask(1:3), opened$alive)
    opened$alive[2L] <- TRUE
    c(answers, list(ask(double(1e6)), opened$alive, opened$why))
  }")
  expect_identical(found[1:4], list(list(3L, NULL), c(TRUE, FALSE), list(1000000L, NULL), c(TRUE,
    FALSE)))
  expect_match(found[[5L]][1L], "did not answer within 1.5 seconds")
  expect_match(found[[5L]][2L], "does not take messages")
})

test_that("a rank of MPI that stops in the middle of a long answer is given up", {
  skip_without_mpi()
  found <- by_workers("snow::makeMPIcluster(2)", paste("tools::pskill(pid, tools::SIGCONT)",
    stop_ranks, sep = ";"), "{
    pid <- parallel::clusterCall(workers, Sys.getpid)[[2L]]
    opened <- list2env(list(nodes = workers, alive = c(TRUE, TRUE), why = character(0)))
    ask <- function(...) neargp:::call_workers(opened, neargp:::worker_call, list(name = \"double\",
      arguments = 2e6), limit = 20, ...)
    whole <- ask()
    receive <- neargp:::receive_values
    utils::assignInNamespace(\"receive_values\", function(workers, waiting, limit) {
      # its envelope has come, and it waits until the rest is wanted
      while (!all(neargp:::answering_ranks(workers$nodes))) Sys.sleep(0.01)
      tools::pskill(pid, tools::SIGSTOP)
      receive(workers, waiting, 1.5)
    }, \"neargp\")
    list(whole, ask(), opened$alive, opened$why)
  }")
  expect_identical(found[1:3], list(list(double(2e6), double(2e6)), list(double(2e6), NULL),
    c(TRUE, FALSE)))
  expect_match(found[[4L]], "stopped in the middle of its answer")
})

# Numbers of which some are no other's bits, in messages of some bytes to 2 MB.
messages_of_all_sizes <- function() {
  set.seed(8)
  odd <- c(NA, NaN, -0, Inf, -Inf, 5e-324)
  numbers <- lapply(c(0, 1, 400, 480, 1000, 1e5, 3e5), function(n) c(odd, rnorm(n)))
  c(numbers, list(NULL, sample.int(5000L), list(a = strrep("\u00e4", 5000), b = matrix(runif(900),
    30, dimnames = list(1:30, NULL)))))
}

expect_messages_unchanged <- function(cluster) {
  opened <- open_workers(cluster, 1L)
  for (sent in messages_of_all_sizes()) {
    for (back in call_workers(opened, worker_call, list(name = "identity", arguments = sent))) {
      expect_identical(serialize(back, NULL), serialize(sent, NULL))
    }
  }
  # errors as well, and nothing is left to be read
  expect_error(call_workers(opened, worker_call, list(name = "stop", arguments = strrep("e",
    6000))), "eeee", class = "neargp_error_cluster")
  close_workers(opened)
  expect_identical(parallel::clusterCall(cluster, function() 1:3), list(1:3, 1:3))
}

test_extended("messages of all sizes go to workers of sockets and back unchanged", {
  expect_messages_unchanged(local_workers(2))
  for (xdr in c(TRUE, FALSE)) local({
    sockets <- parallel::makePSOCKcluster(2, useXDR = xdr)
    withr::defer(parallel::stopCluster(sockets))
    expect_messages_unchanged(sockets)
    # which write long ones at once
    expect_identical(parallel::clusterCall(sockets, function() {
      inherits(neargp:::node_of_master()$con, "sockconn")
    }), list(TRUE, TRUE))
  })
})

test_that("messages of sockets are written at once up to a size, and by sendData() of others", {
  node <- structure(list(), class = "SOCKnode")
  expect_true(goes_at_once(node, double(1000)))
  expect_false(goes_at_once(node, double(longest_at_once)))
  expect_false(goes_at_once(structure(list(), class = "miraiNode"), 1))
  expect_null(node_of_master())
  expect_identical(answer_call("identity", 1:3, 1), 1:3)
})

test_extended("workers that do not answer at the start are given up after `worker_timeout`", {
  skip_on_os("windows")
  workers <- local_workers(2)
  pids <- unlist(parallel::clusterCall(workers, Sys.getpid))
  withr::defer(tools::pskill(pids, tools::SIGCONT))
  tools::pskill(pids, tools::SIGSTOP)
  fit <- neargp(z ~ 1, data.frame(x = runif(60), y = runif(60), z = rnorm(60)), coords = ~ x + y,
    method = vecchia(5), covariance = cov_exponential(), control = neargp_control(shards = 2L,
    worker_timeout = 1.5))
  expect_error(update(fit, cluster = workers), "did not answer within 1.5 seconds",
    class = "neargp_error_cluster")
  expect_error(predict(fit, data.frame(x = 0, y = 0), cluster = workers),
    "did not answer within 1.5 seconds", class = "neargp_error_cluster")
})

test_extended("workers with a library of their own give the same bits", {
  library <- withr::local_tempdir()
  file.copy(system.file(package = "neargp"), library, recursive = TRUE)
  skip_if_not(file.exists(file.path(library, "neargp", "Meta")), "the package is not installed")
  workers <- sprintf("{
    workers <- parallel::makePSOCKcluster(2)
    stopifnot(dirname(unlist(parallel::clusterCall(workers, function(library) {
      loadNamespace(\"neargp\", lib.loc = library)
      getNamespaceInfo(\"neargp\", \"path\")
    }, \"%s\"))) == \"%s\")
    workers
  }", library, library)
  expect_identical(by_workers(workers), transport_fit(NULL))
})

test_extended("workers beyond a network of their own give the same bits", {
  skip_on_os(c("windows", "mac", "solaris"))
  space <- paste0("neargp", Sys.getpid() %% 10000L)
  ip <- function(...) suppressWarnings(system2("ip", c(...), stdout = FALSE, stderr = FALSE)) == 0L
  skip_if_not(nzchar(Sys.which("ip")) && ip("netns", "add", space),
    "network namespaces cannot be made here")
  withr::defer(ip("netns", "del", space))
  here <- paste0("nga", Sys.getpid() %% 10000L)
  there <- paste0("ngb", Sys.getpid() %% 10000L)
  net <- paste0("10.213.", Sys.getpid() %% 250L, ".")
  within <- c("netns", "exec", space, "ip")
  skip_if_not(ip("link", "add", here, "type", "veth", "peer", "name", there) &&
    ip("link", "set", there, "netns", space) && ip("addr", "add", paste0(net, "1/24"), "dev",
    here) && ip("link", "set", here, "up") && ip(within, "addr", "add", paste0(net, "2/24"), "dev",
    there) && ip(within, "link", "set", there, "up"), "networks cannot be joined here")
  # in the place of ssh -l <user> <machine> <command>
  shell <- withr::local_tempfile(lines = c("#!/bin/sh", "shift 3",
    sprintf("exec ip netns exec %s sh -c \"$*\"", space)))
  Sys.chmod(shell, "755")
  workers <- sprintf("{
    workers <- parallel::makePSOCKcluster(rep(\"beyond\", 2), rshcmd = \"%s\", user = \"me\",
      master = \"%s1\", homogeneous = FALSE, rscript = \"%s\")
    here <- Sys.readlink(\"/proc/self/ns/net\")
    there <- unlist(parallel::clusterCall(workers, Sys.readlink, \"/proc/self/ns/net\"))
    stopifnot(there != here)
    workers
  }", shell, net, file.path(R.home("bin"), "Rscript"))
  expect_identical(by_workers(workers), transport_fit(NULL))
})
