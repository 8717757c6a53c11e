# NEARGP_TEST_DEVICE=cuda computes everything on the GPU that a GPU computes, however small it is,
# in all tests; without it that is done in those of test_on_devices() only.
if (nzchar(Sys.getenv("NEARGP_TEST_DEVICE"))) {
  utils::assignInNamespace("least_gpu_work", 0, "neargp")
}

# Two tests of one text: on the CPU, and on the GPU, which is skipped with the reason where there is
# none.
test_on_devices <- function(desc, code) {
  code <- substitute(code)
  for (device in c("cpu", "cuda")) {
    eval(bquote(testthat::test_that(.(paste0(desc, ", on ", device)), {
      local_device(.(device))
      .(code)
    })), parent.frame())
  }
}

# Fits, predictions and, with test_context(), plain calls of the core compute on `device` until the
# calling function ends.
local_device <- function(device, env = parent.frame()) {
  if (device == "cuda") cuda_or_skip()
  withr::local_options(list(neargp.device = device), .local_envir = env)
}

test_context <- function(threads = 1L) {
  if (identical(getOption("neargp.device"), "cuda")) new_context(threads, "cuda") else
    plain_context(threads)
}

# Computations without neighbours use the CPU only.
device_of <- function(method) if (inherits(method, "neargp_exact_gp")) "cpu"

# This way functions without an argument `device` are asked for no other.
with_device_of <- function(method, code) {
  withr::with_options(list(neargp.device = device_of(method) %||% getOption("neargp.device")), code)
}

cuda_or_skip <- function() {
  condition <- tryCatch(require_cuda(), neargp_error_device = identity)
  if (inherits(condition, "condition")) {
    testthat::skip(paste("no GPU:",
      paste(utils::head(strsplit(conditionMessage(condition), "\n")[[1L]], 2L), collapse = " ")))
  }
}

# A module without a device, whose work the CPU does: built from the sources of the C++ tests,
# linked to the package's own library. `kind` is working, other_table, other_backend or
# without_device.
local_fake_cuda <- function(kind = "working", env = parent.frame()) {
  testthat::skip_on_os(c("windows", "mac"))
  withr::local_envvar(NEARGP_CUDA_MODULE = fake_module(kind), .local_envir = env)
}

fake_module <- function(kind) {
  built_module("fake_module.cpp", paste0("fake_", kind), paste0("-DFAKE=", kind))
}

# The GPU where NEARGP_TEST_DEVICE asks for it, else its part played by the core's own templates on
# the CPU.
local_gpu_or_emulated <- function(env = parent.frame()) {
  if (nzchar(Sys.getenv("NEARGP_TEST_DEVICE"))) return(cuda_or_skip())
  testthat::skip_on_os(c("windows", "mac"))
  withr::local_envvar(NEARGP_CUDA_MODULE = built_module("emulated_module.cpp", "emulated"),
    .local_envir = env)
}

# A plain loop in place of FAISS, which reports that there is a GPU.
local_plain_faiss <- function(env = parent.frame()) {
  testthat::skip_on_os(c("windows", "mac"))
  withr::local_envvar(NEARGP_FAISS_MODULE = built_module("faiss_module.cpp", "plain_faiss"),
    .local_envir = env)
}

built_module <- function(source, name, flags = "") {
  skip_unless_extended()  # compilers take seconds for each
  root <- testthat::test_path("..", "..")
  source <- file.path(root, "tests", "cpp", "modules", source)
  if (!file.exists(source)) testthat::skip("the sources of the package are not at hand")
  file <- file.path(fake_folder, paste0(name, ".so"))
  if (!file.exists(file)) {
    library <- getLoadedDLLs()[["neargp"]][["path"]]
    config <- function(name) {
      system2(file.path(R.home("bin"), "R"), c("CMD", "config", name), stdout = TRUE)
    }
    include <- c(file.path(root, "tests", "cpp"), file.path(root, "src", "core"),
      system.file("include", package = "RcppEigen"))
    status <- system(paste(config("CXX17"), config("CXX17STD"), "-fPIC -shared -w", flags,
      paste("-I", shQuote(include), sep = "", collapse = " "), "-o", shQuote(file), shQuote(source),
      shQuote(library)))
    if (status != 0L) stop("The fake module cannot be built.")
  }
  file
}

fake_folder <- tempfile("neargp-fake-modules")
dir.create(fake_folder)

# How many views were opened on the fake device, how many searches of neighbours it did, which
# device was selected, and how many sums were asked for in single precision.
fake_counts <- function() {
  loaded <- dyn.load(fake_module("working"))
  counts <- .C(getNativeSymbolInfo("fake_counts", loaded), integer(4L))[[1L]]
  stats::setNames(as.list(counts), c("views", "searches", "selected", "single"))
}
