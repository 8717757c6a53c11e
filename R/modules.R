# Modules are shared objects next to the package's own library, built where configure found their
# tools, and opened when they are first needed.

# The file of a module, or "" where it was not built. NEARGP_CUDA_MODULE names another one, for
# tests.
module_file <- function(module) {
  other <- Sys.getenv(paste0("NEARGP_", toupper(module), "_MODULE"))
  if (nzchar(other)) return(other)
  process_state[[module]] <- process_state[[module]] %||% installed_module(module)
  process_state[[module]]
}

installed_module <- function(module) {
  system.file(paste0("libs", .Platform$r_arch), module, paste0("neargp_", module, ".so"),
    package = "neargp")
}

# The reason that configure gave, as the clause that ends "The module was not built: ...".
why_not_built <- function(module) {
  record <- system.file(paste0("libs", .Platform$r_arch), "modules.dcf", package = "neargp")
  if (!nzchar(record)) return("no record of it was kept")
  fields <- read.dcf(record, fields = paste0(module, "_because"))
  if (is.na(fields[1L, 1L])) "no record of it was kept" else fields[[1L, 1L]]
}
