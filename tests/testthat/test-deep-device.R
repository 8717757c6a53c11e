# Fits by dspp() and dgp() on a device.
deep_device_fit <- function(device, method = deep_device_method(), formula = z ~ height, ...) {
  withr::local_seed(1)  # of networks
  data <- transform(simulated_data(120), count = rep(0:3, 30), w = sin(9 * x) + cos(1:120))
  suppressWarnings(neargp(formula, data, coords = ~ x + y, method = method, device = device, ...))
}

deep_device_method <- function(...) {
  dspp(inducing = 12, width = 2, sites = 3, epochs = 2, restarts = 1, batch_size = 40, seed = 1,
    ...)
}

expect_same_deep_fit <- function(...) {
  on_cpu <- deep_device_fit("cpu", ...)
  on_device <- deep_device_fit("cuda", ...)
  expect_identical(on_device$device, "cuda")
  expect_equal(on_device$log_likelihood, on_cpu$log_likelihood, tolerance = 1e-6)
  expect_equal(on_device$deep$trace, on_cpu$deep$trace, tolerance = 1e-6)
  new <- data.frame(x = c(0.2, 0.7), y = c(0.5, 0.1), height = 0)
  expect_equal(predict(on_device, new, device = "cpu"), predict(on_cpu, new), tolerance = 1e-6)
}

test_extended("a fit by dspp() on a device is that of the CPU: restarts, counts, several outputs", {
  local_gpu_or_emulated()
  expect_same_deep_fit()
  expect_same_deep_fit(method = deep_device_method(layers = 3))
  expect_same_deep_fit(formula = count ~ 1, family = stats::poisson())
  expect_same_deep_fit(formula = cbind(z, w) ~ 1)
  expect_same_deep_fit(method = dspp(inducing = 12, width = 2, sites = 3, epochs = 2, restarts = 2,
    batch_size = 40, seed = 1))
})

test_extended("a network before the layers is trained on a device as on the CPU", {
  local_gpu_or_emulated()
  expect_same_deep_fit(covariance = cov_matern(nu = 2.5, warp = mlp(c(4, 2))))
})

test_extended("a fit by dgp() on a device is that of the CPU", {
  local_gpu_or_emulated()
  expect_same_deep_fit(method = dgp(inducing = 12, width = 2, samples = 3, epochs = 2, restarts = 1,
    batch_size = 40, seed = 1))
})

test_extended("auto leaves dspp() to the CPU", {
  local_gpu_or_emulated()
  expect_identical(deep_device_fit("auto")$device, "cpu")
})
