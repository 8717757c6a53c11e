test_extended("results are those of gstat, nlme, mgcv, fields, spatial and GPBoost", {
  script <- test_path("..", "peers", "run.R")
  skip_if_not(file.exists(script), "the folder tests/peers of the sources is not here")
  for (package in c("sp", "sf", "gstat", "fields", "spatial", "nlme", "mgcv", "MASS")) {
    skip_if_not_installed(package)
  }
  withr::local_envvar(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  output <- suppressWarnings(system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE,
    stderr = FALSE))
  expect_null(attr(output, "status"), info = paste(output, collapse = "\n"))
  expect_match(output, " 0 without$", all = FALSE)
})
