// The program of all tests. NEARGP_INSTRUCTION_SET=avx2 makes that instruction set the one that tests use; "portable"
// is the narrowest, and "all" runs all tests once with each that this processor has. Otherwise the widest is used, and
// tests of kernels go through all of them. Tests of the suite "extended" run where NEARGP_EXTENDED_TESTS is set.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core_fixtures.h"

namespace {

int run_tests(int argc, char** argv, const char* without_files = nullptr) {
  doctest::Context context(argc, argv);
  if (without_files != nullptr) context.addFilter("source-file-exclude", without_files);
  const char* variable = std::getenv("NEARGP_EXTENDED_TESTS");
  if (variable == nullptr || *variable == '\0') context.addFilter("test-suite-exclude", "extended");
  return context.run();
}

// A device's code, emulated here, is the same for every set of the processor: the first one runs its tests for all.
const char* const of_devices = "*test_team_*,*_device*.cpp";

int run_with(const char* instruction_set, bool first, int argc, char** argv) {
  neargp::use_instruction_set(instruction_set);
  fixtures::tested_instruction_sets() = {instruction_set};
  std::printf("instruction set: %s\n", instruction_set);
  std::fflush(stdout);
  return run_tests(argc, argv, first ? nullptr : of_devices);
}

}  // namespace

int main(int argc, char** argv) {
  const char* variable = std::getenv("NEARGP_INSTRUCTION_SET");
  const std::string wanted = variable ? variable : "";
  if (wanted.empty()) return run_tests(argc, argv);
  const std::vector<const char*> available = neargp::instruction_sets();
  if (wanted == "portable") return run_with(available.back(), true, argc, argv);
  int status = 0;
  bool found = false;
  for (const char* name : available) {
    if (wanted != "all" && wanted != name) continue;
    if (run_with(name, !found, argc, argv) != 0) status = 1;
    found = true;
  }
  if (!found) std::fprintf(stderr, "This processor cannot run the instruction set '%s'.\n", variable);
  return found ? status : 2;
}
