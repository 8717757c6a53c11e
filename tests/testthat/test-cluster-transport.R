# The same fit and predictions on workers of each kind, in a process of their own: `cluster` is code
# that makes a cluster of two.
by_workers <- function(cluster, stop = "parallel::stopCluster(workers)") {
  script <- withr::local_tempfile(fileext = ".R")
  result <- withr::local_tempfile(fileext = ".rds")
  writeLines(c("library(neargp)", "transport_fit <-", deparse(transport_fit),
    sprintf("workers <- %s", cluster), sprintf("saveRDS(transport_fit(workers), \"%s\")", result),
    stop), script)
  told <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", script),
    stdout = TRUE, stderr = TRUE, timeout = 120, env = c(paste0("R_LIBS=", paste(.libPaths(),
      collapse = .Platform$path.sep)), mpi_of_one_machine)))
  expect(file.exists(result), paste(utils::tail(told, 20), collapse = "\n"))
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

test_that("workers of MPI give the same bits", {
  skip_unless_extended()
  skip_if_not_installed("snow")
  skip_if_not(nzchar(system.file(package = "Rmpi")), "Rmpi is not installed")
  skip_if_not(nzchar(Sys.which("mpirun")), "there is no mpirun")
  # stopCluster() of snow disconnects from workers that it has started, for which Open MPI waits
  expect_identical(by_workers("snow::makeMPIcluster(2)",
    "parallel:::stopCluster.default(workers)"), transport_fit(NULL))
})

test_that("workers with a library of their own give the same bits", {
  skip_unless_extended()
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

test_that("workers beyond a network of their own give the same bits", {
  skip_unless_extended()
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
