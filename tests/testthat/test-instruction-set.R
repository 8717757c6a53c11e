test_that("an instruction set can be chosen, and one that is missing is refused", {
  before <- core_simd()
  withr::defer(core_set_simd(before))
  core_set_simd("auto")
  expect_identical(core_simd(), core_simd_available()[1L])
  force_instruction_set(tail(core_simd_available(), 1L))
  expect_identical(core_simd(), tail(core_simd_available(), 1L))
  force_instruction_set("")
  expect_identical(core_simd(), tail(core_simd_available(), 1L))
  expect_error(core_set_simd("mmx"), "cannot run the instruction set 'mmx'")
  expect_error(force_instruction_set("mmx"), "NEARGP_INSTRUCTION_SET is \"mmx\"",
    class = "neargp_error_instruction_set")
})

test_extended("the environment variable decides when the package is loaded", {
  skip_if_not_installed("callr")
  for (name in core_simd_available()) {
    loaded <- callr::r(function() neargp:::core_simd(),
      env = c(callr::rcmd_safe_env(), NEARGP_INSTRUCTION_SET = name))
    expect_identical(loaded, name)
  }
  expect_error(callr::r(function() loadNamespace("neargp"),
    env = c(callr::rcmd_safe_env(), NEARGP_INSTRUCTION_SET = "mmx")))
  wanted <- forced_instruction_set()
  if (nzchar(wanted)) expect_identical(core_simd(), wanted)
})

test_that("fits agree between instruction sets", {
  before <- core_simd()
  withr::defer(core_set_simd(before))
  data <- simulated_data(150)
  fits <- lapply(core_simd_available(), function(name) {
    core_set_simd(name)
    fit_once(data = data)
  })
  for (fit in fits[-1L]) {
    expect_equal(fit$log_likelihood, fits[[1L]]$log_likelihood, tolerance = 1e-10)
    expect_equal(coef(fit), coef(fits[[1L]]), tolerance = 1e-6)
  }
})
