#include "conditional/cpu/kernels.h"

#include <atomic>
#include <cstring>
#include <string>

#include "base/error.h"

namespace neargp {

extern const LocalKernels kernels_portable;
#if defined(__x86_64__)
extern const LocalKernels kernels_avx2;
extern const LocalKernels kernels_avx512;
#endif

namespace {

std::vector<const LocalKernels*> runnable() {
  std::vector<const LocalKernels*> kernels;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    kernels.push_back(&kernels_avx512);
  if (avx2) kernels.push_back(&kernels_avx2);
#endif
  kernels.push_back(&kernels_portable);
  return kernels;
}

// The one piece of process-wide state: a choice that tests make.
std::atomic<const LocalKernels*> forced{nullptr};

}  // namespace

const LocalKernels& local_kernels() {
  static const LocalKernels* const widest = runnable().front();
  const LocalKernels* choice = forced.load();
  return choice ? *choice : *widest;
}

std::vector<const char*> instruction_sets() {
  std::vector<const char*> names;
  for (const LocalKernels* kernels : runnable()) names.push_back(kernels->name);
  return names;
}

void use_instruction_set(const char* name) {
  if (std::strcmp(name, "auto") == 0) {
    forced = nullptr;
    return;
  }
  for (const LocalKernels* kernels : runnable())
    if (std::strcmp(kernels->name, name) == 0) {
      forced = kernels;
      return;
    }
  throw Error(std::string("This processor cannot run the instruction set '") + name + "'.");
}

}  // namespace neargp
