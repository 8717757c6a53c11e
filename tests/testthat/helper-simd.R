# Runs action(name) with the instruction set in use, and in extended tests with each of this
# processor.
with_each_simd <- function(action) {
  before <- core_simd()
  withr::defer(core_set_simd(before))
  sets <- if (is_extended()) core_simd_available() else before
  for (name in sets) {
    core_set_simd(name)
    action(name)
  }
}
