// The program of all tests. NEARGP_INSTRUCTION_SET=avx2 makes that instruction set the one in use wherever a test does
// not choose one itself; "portable" is the narrowest, and "all" runs all tests once with each that this processor has.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "local/kernels.h"

namespace {

std::vector<const char*> wanted_instruction_sets() {
  const char* wanted = std::getenv("NEARGP_INSTRUCTION_SET");
  if (!wanted || !*wanted) return {"auto"};
  if (std::string(wanted) == "all") return neargp::instruction_sets();
  if (std::string(wanted) == "portable") return {neargp::instruction_sets().back()};
  return {wanted};
}

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  try {
    for (const char* name : wanted_instruction_sets()) {
      neargp::use_instruction_set(name);
      std::printf("instruction set: %s\n", neargp::local_kernels().name);
      std::fflush(stdout);
      if (doctest::Context(argc, argv).run() != 0) status = 1;
    }
  } catch (const neargp::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    status = 2;
  }
  return status;
}
