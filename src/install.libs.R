# Installs as R would by itself, copying the package's library, and then the modules: each in a folder of its own, since R takes
# every library in libs/ itself for one of the package that registers routines.
libraries <- file.path(R_PACKAGE_DIR, paste0("libs", R_ARCH))
dir.create(libraries, recursive = TRUE, showWarnings = FALSE)
copied <- file.copy(paste0("neargp", SHLIB_EXT), libraries, overwrite = TRUE)
if (!all(copied)) stop("The library of neargp could not be copied.")
if (file.exists("symbols.rds")) file.copy("symbols.rds", libraries, overwrite = TRUE)
if (file.exists("modules.dcf")) file.copy("modules.dcf", libraries, overwrite = TRUE)

# Strips debugging symbols, where it is asked for as R itself is: R does so for packages without this file alone.
strip_library <- function(file) {
  command <- Sys.getenv("R_STRIP_SHARED_LIB")
  if (tolower(Sys.getenv("_R_SHLIB_STRIP_")) %in% c("true", "yes", "1") && nzchar(command)) system(paste(command, shQuote(file)))
}
strip_library(file.path(libraries, paste0("neargp", SHLIB_EXT)))

for (module in c("cuda", "faiss")) {
  library <- sprintf("neargp_%s.so", module)
  folder <- file.path(libraries, module)
  unlink(folder, recursive = TRUE)
  if (file.exists(library)) {
    dir.create(folder)
    if (!file.copy(library, folder)) stop("The ", module, " module could not be copied.")
    strip_library(file.path(folder, library))
  }
}
