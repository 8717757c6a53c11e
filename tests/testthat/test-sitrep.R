test_that("neargp_sitrep() reports the build", {
  expect_output(report <- neargp_sitrep(), "Instruction set")
  expect_true("cpu" %in% report$devices)
  expect_true(report$instruction_set %in% report$instruction_sets)
})

test_that("neargp_sitrep() says what to do where there is no module", {
  withr::local_envvar(NEARGP_CUDA_MODULE = "")
  skip_if(nzchar(module_file("cuda")), "this installation has the CUDA module")
  expect_output(report <- neargp_sitrep(), "no module.*was not built.*from source")
  expect_false(report$cuda$built)
  expect_identical(report$devices, "cpu")
})

test_that("neargp_sitrep() shows GPUs and their memory", {
  local_fake_cuda()
  expect_output(report <- neargp_sitrep(),
    "Fake 1, architecture 0.1, driver for CUDA 0.2, 1.0 of 2.0 GB free")
  expect_identical(report$devices, c("cpu", "cuda"))
})

test_that("neargp_sitrep() passes on why a module is of no use", {
  local_fake_cuda("without_device")
  expect_output(report <- neargp_sitrep(), "plug one in")
  expect_identical(report$devices, "cpu")
  local_fake_cuda("other_table")
  expect_output(neargp_sitrep(), "another version")
  withr::local_envvar(NEARGP_CUDA_MODULE = tempfile())
  expect_output(neargp_sitrep(), "cannot be loaded")
})
