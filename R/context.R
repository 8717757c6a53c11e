# How a computation is done. Functions between an argument `threads` or `device` and the core hand
# on a context, and src/bind_convert.cpp converts it to the core's RunContext. A context is a value:
# nothing of it stays with the package or in a fit.

new_context <- function(threads, device = "cpu", search = "auto") {
  context <- plain_context(threads)
  if (device == "cuda") {
    context$device_module <- module_file("cuda")
    use_cuda(core_select_device(context$device_module))
  }
  with_fields(context, search = search, faiss_module = module_file("faiss"),
    blas = resolve_blas() == "blas")
}

# The CPU, the kd-tree and Eigen, whatever the options. Calls use this context for small searches
# and trends around their main computations, so that these round alike on all machines.
plain_context <- function(threads = 1L) {
  new_state("neargp_context",
    threads = resolve_threads(threads),
    device_module = "",        # the file of the device's module, "" for the CPU
    search = "kd-tree",        # of neighbours: "kd-tree", "faiss", or "auto", see neargp_control()
    faiss_module = "",         # the file of FAISS's module, "" for none
    single_precision = FALSE,  # of the sums of an optimiser's steps, on a device (precision.R)
    blas = FALSE,              # dense products by R's BLAS, else by Eigen
    cluster = NULL)            # workers that have the shards of a fit, NULL for none (cluster.R)
}

# The context of what is computed from a fit for `places`, at each of which all outputs are wanted.
prediction_context <- function(object, places, settings) {
  others <- max(length(object$outputs) - 1L, 0L)
  k <- settings$k + others * (settings$k_other %||% 0L)
  new_context(settings$context$threads, choose_device(settings$device, places * (others + 1), k),
    search_of(object))
}

# The context of functions without the argument `device`.
default_context <- function(object, rows, k, threads, passes = 1) {
  dense <- has_ability(object$method, "dense_matrices") || is_cpu_only(object)
  device <- resolve_device(NULL, dense)
  new_context(threads, choose_device(device, rows, k, passes), search_of(object))
}

# The search of a fit, which may have been made by an installation that had FAISS: the neighbours
# are the same without.
search_of <- function(fit) {
  search <- fit$control$neighbor_search %||% "auto"
  if (search == "faiss" && !nzchar(module_file("faiss"))) "auto" else search
}
