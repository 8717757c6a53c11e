# The kernels are compiled for several instruction sets, and the widest one of the processor is
# used. The environment variable NEARGP_INSTRUCTION_SET, read when the package is loaded, forces
# another one. This shows whether a difference between two machines comes from the instruction set,
# and runs all tests with each set.

forced_instruction_set <- function() Sys.getenv("NEARGP_INSTRUCTION_SET")

force_instruction_set <- function(name) {
  if (!nzchar(name)) return(invisible())
  if (!name %in% core_simd_available()) {
    abort_neargp("instruction_set", c(
      sprintf("The environment variable NEARGP_INSTRUCTION_SET is \"%s\", which this processor cannot run.", name),
      i = paste0("Unset it, or set it to one of ", paste(core_simd_available(), collapse = ", "),
        ".")))
  }
  core_set_simd(name)
}
