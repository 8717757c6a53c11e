# svgp()'s evaluations on a device.
inducing_fit <- function(device, method = svgp(inducing = 20, ...), formula = z ~ height, ...) {
  neargp(formula, simulated_data(200), coords = ~ x + y, method = method, device = device)
}

# Where points move, rounding decides between optima: responses that differ by 1e-13 of themselves
# end .2 from each other. Points that stay lead to one optimum.
test_extended("a fit by svgp() on a device is that of the CPU, with either bound", {
  local_gpu_or_emulated()
  for (bound in c("tight", "standard")) {
    moved <- inducing_fit("cpu", bound = bound)
    expect_equal(inducing_fit("cuda", bound = bound)$log_likelihood, moved$log_likelihood,
      tolerance = 2e-3)
    at_points <- svgp(as.matrix(moved$inducing), bound = bound, move = FALSE)
    on_cpu <- inducing_fit("cpu", at_points)
    on_device <- inducing_fit("cuda", at_points)
    expect_identical(on_device$device, "cuda")
    expect_identical(on_device$gpu, device_name("cuda"))
    expect_equal(on_device$log_likelihood, on_cpu$log_likelihood, tolerance = 1e-5)
    expect_equal(coef(on_device), coef(on_cpu), tolerance = 1e-3)
    new <- data.frame(x = c(0.2, 0.7), y = c(0.5, 0.1), height = 0)
    expect_equal(predict(on_device, new), predict(on_cpu, new), tolerance = 1e-3)
  }
})

test_extended("effects beside the field are on a device what they are on the CPU", {
  local_gpu_or_emulated()
  data <- transform(simulated_data(150), group = rep(1:15, 10))
  data$z <- data$z + sin(1:15)[data$group]
  at <- function(device) {
    neargp(z ~ height + (1 | group), data, coords = ~ x + y, device = device,
      method = svgp(10, move = FALSE, std_error = FALSE))
  }
  on_cpu <- at("cpu")
  on_device <- at("cuda")
  expect_identical(on_device$device, "cuda")
  expect_equal(c(logLik(on_device)), c(logLik(on_cpu)), tolerance = 1e-6)
  expect_equal(ranef(on_device, se = TRUE), ranef(on_cpu, se = TRUE), tolerance = 1e-3)
})

test_that("auto leaves svgp() to the CPU, and what has no bound on a device is refused there", {
  local_gpu_or_emulated()
  expect_identical(inducing_fit("auto")$device, "cpu")
  data <- simulated_data(60)
  data$count <- rpois(60, 2)
  expect_error(neargp(count ~ 1, data, coords = ~ x + y, family = stats::poisson(),
    method = svgp(10), device = "cuda"), "one Gaussian response", class = "neargp_error_device")
  expect_error(neargp(cbind(z, count) ~ 1, data, coords = ~ x + y, method = svgp(10),
    device = "cuda"), "one Gaussian response", class = "neargp_error_device")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(), device = "cuda"),
    class = "neargp_error_device")
})
