test_that("cuda is had or is an error with the remedy", {
  expect_error(neargp(z ~ 1, simulated_data(40), coords = ~ x + y, device = "cuda"), "without CUDA", class = "neargp_error_device")
  expect_error(neargp(z ~ 1, simulated_data(40), coords = ~ x + y, device = "tpu"), "`device`", class = "neargp_error_argument")
  expect_identical(resolve_device("auto"), "cpu")
})

test_that("neargp_sitrep() reports the build", {
  expect_output(report <- neargp_sitrep(), "Instruction set")
  expect_identical(report$devices, "cpu")
  expect_true(report$instruction_set %in% report$instruction_sets)
})
