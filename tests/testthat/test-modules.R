test_that("a module that was not built has no file, and a reason", {
  expect_identical(module_file("none-of-ours"), "")
  expect_match(why_not_built("none-of-ours"), "no record")
})

test_that("a variable of the environment names another file", {
  withr::local_envvar(NEARGP_CUDA_MODULE = "/somewhere/else.so")
  expect_identical(module_file("cuda"), "/somewhere/else.so")
})

test_that("the build is on record", {
  for (module in c("cuda", "faiss")) {
    expect_true(nzchar(module_file(module)) || why_not_built(module) != "no record of it was kept")
  }
})
