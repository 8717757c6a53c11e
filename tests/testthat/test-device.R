fit_on <- function(device, ...) {
  neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = vecchia(k = 8), device = device,
    verbose = FALSE, ...)
}

test_that("cuda is had or is an error with the remedy", {
  withr::local_envvar(NEARGP_CUDA_MODULE = "")
  skip_if(nzchar(module_file("cuda")), "this installation has the CUDA module")
  expect_error(fit_on("cuda"), "without CUDA.*source", class = "neargp_error_device")
  expect_identical(choose_device("auto", 1e9, 30), "cpu")
})

test_that("a device that there is not is an error, in the argument and in the option", {
  expect_error(fit_on("tpu"), "`device`", class = "neargp_error_argument")
  withr::local_options(neargp.device = "gpu")
  expect_error(fit_on(NULL), "neargp.device", class = "neargp_error_argument")
  withr::local_options(neargp.device = "cpu")
  expect_identical(resolve_device(NULL), "cpu")
})

test_that("a module that cannot be opened is an error with its reason", {
  withr::local_envvar(NEARGP_CUDA_MODULE = tempfile(fileext = ".so"))
  expect_error(fit_on("cuda"), "cannot be loaded", class = "neargp_error_device")
  expect_identical(choose_device("auto", 1e9, 30), "cpu")
})

test_that("modules of other versions, and machines without a GPU, are errors with their reasons", {
  local_fake_cuda("other_table")
  expect_error(fit_on("cuda"), "another version of neargp", class = "neargp_error_device")
  local_fake_cuda("other_backend")
  expect_error(fit_on("cuda"), "another version of neargp", class = "neargp_error_device")
  local_fake_cuda("without_device")
  expect_error(fit_on("cuda"), "plug one in", class = "neargp_error_device")
  expect_identical(choose_device("auto", 1e9, 30), "cpu")
})

test_extended("a device does all that the CPU does, and the fit holds nothing of it", {
  reference <- fit_on("cpu")
  local_fake_cuda()
  before <- fake_counts()
  fit <- fit_on("cuda")
  expect_identical(coef(fit, "covariance"), coef(reference, "covariance"))
  expect_gt(fake_counts()$views, before$views)
  expect_gt(fake_counts()$searches, before$searches)
  expect_identical(fit$device, "cuda")
  expect_output(print(fit), "on cuda (Fake 0)", fixed = TRUE)

  new <- data.frame(x = c(0.2, 0.7), y = 0.5)
  opened <- fake_counts()$views
  expect_identical(predict(fit, new, device = "cuda"), predict(reference, new))
  expect_gt(fake_counts()$views, opened)

  withr::local_envvar(NEARGP_CUDA_MODULE = "")
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), new, device = "cpu"), predict(reference, new))
})

test_that("auto takes a device for long computations only", {
  local_fake_cuda()
  before <- fake_counts()$views
  fit <- fit_on("auto")
  expect_identical(fit$device, "cpu")
  expect_identical(fake_counts()$views, before)
  expect_identical(choose_device("auto", 50000, 30, passes = 30), "cuda")
  expect_identical(choose_device("auto", 1e9, 0), "cpu")
})

test_extended("without neighbours there is the CPU only, and cuda is an error, in the argument and in the option", {
  local_fake_cuda()
  exact <- function(device = NULL) {
    neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = exact_gp(), device = device)
  }
  fit <- exact("auto")
  expect_identical(fit$device, "cpu")
  new <- data.frame(x = 0.2, y = 0.5)
  expect_error(exact("cuda"), "CPU only", class = "neargp_error_device")
  expect_error(predict(fit, new, device = "cuda"), "CPU only", class = "neargp_error_device")
  withr::local_options(neargp.device = "cuda")
  expect_error(exact(), "CPU only", class = "neargp_error_device")
  expect_error(predict(fit, new), "CPU only", class = "neargp_error_device")
  expect_error(residuals(fit, "loo"), "CPU only", class = "neargp_error_device")
  expect_equal(predict(fit, new, k = 60), predict(fit, new, device = "cpu"), tolerance = 1e-10)
})

# Views are counted: what a fit, and what all that comes after it, asks of the device.
test_extended("nothing that was asked of a device is done by the CPU in silence", {
  local_fake_cuda()
  withr::local_options(neargp.device = "cuda")
  views_of <- function(expr) {
    before <- fake_counts()$views
    force(expr)
    fake_counts()$views - before
  }
  data <- transform(simulated_data(80), count = stats::rpois(80, exp(1 + 0.3 * z)),
    class = factor(c("a", "b", "c")[1L + (x > 0.5) + (y > 0.7)]))
  fit_to <- function(formula, method, ...) {
    suppressWarnings(neargp(formula, data, coords = ~ x + y, method = method, ...,
      control = neargp_control(max_iterations = 2L)))
  }
  fits <- list(vecchia = quote(fit_to(z ~ 1, vecchia(k = 8))),
    loo_k = quote(fit_to(z ~ 1, loo_k(k = 8))), mll_k = quote(fit_to(z ~ 1, mll_k(k = 8))),
    vnngp = quote(fit_to(count ~ 1, vnngp(k = 8), family = stats::poisson())),
    pseudo_observations = quote(fit_to(count ~ 1, loo_k(k = 8), family = stats::poisson())),
    classes = quote(fit_to(class ~ 1, loo_k(k = 8), family = categorical())),
    outputs = quote(fit_to(cbind(z, height) ~ 1, loo_k(k = 8))))
  for (name in names(fits)) {
    expect_gt(views_of(fit <- eval(fits[[name]])), 0L, label = paste(name, "fit"))
    expect_identical(fit$device, "cuda")
    predicted <- views_of(predict(fit, data[1:3, ]))
    expect_gt(predicted, 0L, label = paste(name, "predict"))
    if (name != "vnngp") {
      expect_gt(views_of(loo_predict(fit)), 0L, label = paste(name, "loo_predict"))
    }
    fresh <- with_own_cache(fit)  # what predict() has kept simulate() does not compute again
    if (name != "classes") {
      expect_gt(views_of(simulate(fresh, 1, newdata = data[1:3, ])), 0L,
        label = paste(name, "simulate"))
    }
    folds <- rep(1:2, 40L)
    # predictions of two folds, and before them their trends or refits; vnngp() computes the
    # posterior in between
    least <- if (name == "vnngp") 0L else 2L * predicted
    expect_gt(views_of(suppressWarnings(cross_validate(fit, folds = folds))), least,
      label = paste(name, "cross_validate"))
    if (name == "vnngp") expect_output(print(fit), "solved on the CPU", fixed = TRUE)
    expect_gt(views_of(suppressWarnings(cross_validate(fit, folds = folds, refit = TRUE))), least,
      label = paste(name, "refits"))
  }
})

test_that("a context is of a device, and leaves none to others nor in a fit", {
  local_fake_cuda()
  expect_identical(new_context(1L, "cuda")$device_module, module_file("cuda"))
  expect_identical(plain_context()$device_module, "")
  searches <- fake_counts()$searches
  core_neighbors_others(matrix(1:9), 2L, new_context(1L, "cuda"))
  expect_gt(fake_counts()$searches, searches)
  searches <- fake_counts()$searches
  core_neighbors_others(matrix(1:9), 2L, new_context(1L))
  expect_identical(fake_counts()$searches, searches)
  stored <- rawToChar(serialize(fit_on("cuda"), NULL, ascii = TRUE))
  expect_false(grepl(basename(module_file("cuda")), stored, fixed = TRUE))
})

test_that("a fork of a process that uses a GPU is told so, and auto is the CPU there", {
  local_fake_cuda()
  require_cuda()
  in_fork <- parallel::mccollect(parallel::mcparallel({
    message <- tryCatch(fit_on("cuda"), neargp_error_device = function(e) conditionMessage(e))
    list(message = message, auto = choose_device("auto", 1e9, 30))
  }))[[1L]]
  expect_match(in_fork$message, "fork.*makePSOCKcluster")
  expect_identical(in_fork$auto, "cpu")
})

test_that("what is dense predicts on the CPU alone, and an exact fit that is asked for neighbours does not", {
  expect_true(predicts_densely(exact_gp(), exact = TRUE))
  expect_false(predicts_densely(exact_gp(), exact = FALSE))
  expect_false(predicts_densely(vecchia(), exact = FALSE))
  expect_false(predicts_densely(vnngp(), exact = FALSE))
  for (method in list(svgp(), vecchia(inducing = 10), vnngp(low_rank = 10), dspp())) {
    expect_true(predicts_densely(method, exact = FALSE))
  }
})
