# Where the arithmetic is done: argument, then options(neargp.device), then "auto". "cuda" never
# falls back: it is available, or it is an error with reason and remedy. `dense`: by dense matrices,
# which the CPU alone computes, except for methods with the ability "device_objective".
resolve_device <- function(device, dense = FALSE) {
  choices <- c("auto", "cpu", "cuda")
  device <- if (!is.null(device)) check_choice(device, "device", choices) else
    check_choice(getOption("neargp.device", "auto"), "options(neargp.device)", choices)
  if (dense) return(check_dense_device(device))
  if (device == "cuda") require_cuda()
  device
}

check_dense_device <- function(device) {
  if (device == "cuda") {
    abort_neargp("device", c(
      "Dense matrices, of exact_gp(), svgp(), dspp(), vecchia(inducing = ) and vnngp(low_rank = ), cov_spacetime(), local sd, range and warp, and responses on areas are computed on the CPU only.",
      i = "Among these methods, a GPU supports only fits by svgp() of one Gaussian response, and fits by dspp() and dgp().",
      i = "Use device = \"cpu\" or \"auto\"; where there is no such argument, options(neargp.device = \"auto\")."))
  }
  "cpu"
}

# Returns "cpu" or "cuda" for a computation that goes `passes` times over `rows` conditioning sets
# of size k. With "auto" the computation must not fail. A GPU that cannot be used is therefore
# ignored, and so is one that this process inherits from its parent.
choose_device <- function(device, rows, k, passes = 1) {
  if (device != "auto") return(device)
  file <- module_file("cuda")
  if (!nzchar(file) || !worth_a_gpu(rows, k, passes) || core_forked_from_user_of(file)) {
    return("cpu")
  }
  usable <- tryCatch(core_device_count(file)$count > 0L, error = function(e) FALSE)
  if (usable) "cuda" else "cpu"
}

# Starting to use a GPU takes the better part of a second. One core does this many units, of which a
# pass has k^3 for each row, in about that time.
least_gpu_work <- 1e10

worth_a_gpu <- function(rows, k, passes) {
  passes * rows * max(k, 0)^3 >= least_gpu_work
}

# Whether devices do not support the covariance of a fit, or its effects.
is_cpu_only <- function(object) {
  is_local(object) || has_space_time(object$covariance) || has_areal_data(object) ||
    is_compressed(object$data)
}

# The name of the GPU that computations run on, NULL for the CPU.
device_name <- function(device) {
  if (device == "cuda") core_device_name(module_file("cuda"))
}

require_cuda <- function() {
  file <- module_file("cuda")
  if (!nzchar(file)) {
    abort_neargp("device", c("This installation was built without CUDA.",
      x = paste0("When it was built, ", why_not_built("cuda"), "."),
      i = "Install neargp from source where nvcc is found (neargp_sitrep() reports how), or use device = \"cpu\"."))
  }
  found <- use_cuda(core_device_count(file))
  if (found$count == 0L) {
    abort_neargp("device", c("No GPU can be used.", x = found$why_none,
      i = "Or use device = \"cpu\"."))
  }
  invisible()
}

use_cuda <- function(expr) {
  tryCatch(expr, error = function(e) {
    abort_neargp("device", c("The GPU cannot be used.", x = conditionMessage(e),
      i = "neargp_sitrep() reports more; device = \"cpu\" needs no GPU."))
  })
}
