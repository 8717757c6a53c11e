// The program of all tests. NEARGP_INSTRUCTION_SET=avx2 makes the tests use that instruction set; "portable" is the
// narrowest. Without it, the tests use the widest set, and tests of kernels go through all sets of this processor. With
// "all", the small cases of the other tests also run with each narrower set, except tests of devices. Tests of the
// suite "extended" run only where NEARGP_EXTENDED_TESTS is set.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core_fixtures.h"

namespace {

// A device's code, emulated here, is the same for every set of the processor.
const char* const of_devices = "*test_team_*,*_device*.cpp";

int run_tests(int argc, char** argv, bool extended, const char* without_files = nullptr) {
  doctest::Context context(argc, argv);
  if (without_files != nullptr) context.addFilter("source-file-exclude", without_files);
  if (!extended) context.addFilter("test-suite-exclude", "extended");
  return context.run();
}

void use(const char* instruction_set) {
  neargp::use_instruction_set(instruction_set);
  std::printf("instruction set: %s\n", instruction_set);
  std::fflush(stdout);
}

int run_with(const char* instruction_set, int argc, char** argv, bool extended, const char* without_files = nullptr) {
  use(instruction_set);
  fixtures::tested_instruction_sets() = {instruction_set};
  return run_tests(argc, argv, extended, without_files);
}

int run_with_each(const std::vector<const char*>& sets, int argc, char** argv, bool extended) {
  use(sets.front());
  int status = run_tests(argc, argv, extended);
  for (std::size_t s = 1; s < sets.size(); ++s)
    if (run_with(sets[s], argc, argv, false, of_devices) != 0) status = 1;
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  const auto setting = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  const bool extended = !setting("NEARGP_EXTENDED_TESTS").empty();
  const std::string wanted = setting("NEARGP_INSTRUCTION_SET");
  const std::vector<const char*> available = neargp::instruction_sets();
  if (wanted.empty()) return run_tests(argc, argv, extended);
  if (wanted == "all") return run_with_each(available, argc, argv, extended);
  if (wanted == "portable") return run_with(available.back(), argc, argv, extended);
  for (const char* name : available)
    if (wanted == name) return run_with(name, argc, argv, extended);
  std::fprintf(stderr, "This processor cannot run the instruction set '%s'.\n", wanted.c_str());
  return 2;
}
