# Calls when R loads this package, and when it then loads packages in which fits must be registered.

.onLoad <- function(libname, pkgname) {
  force_instruction_set(forced_instruction_set())
  when_loaded("marginaleffects", name_class_to_marginaleffects)
  when_loaded("mlr3", register_in_mlr3)
  when_loaded("parsnip", register_in_parsnip)
}

# Calls `action` now if the package is loaded, and else when it will be.
when_loaded <- function(package, action) {
  if (isNamespaceLoaded(package)) action() else
    setHook(packageEvent(package, "onLoad"), function(...) action())
}
