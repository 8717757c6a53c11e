# Runs action(name) with each instruction set of this processor.
with_each_simd <- function(action) {
  before <- core_simd()
  withr::defer(core_set_simd(before))
  for (name in core_simd_available()) {
    core_set_simd(name)
    action(name)
  }
}
