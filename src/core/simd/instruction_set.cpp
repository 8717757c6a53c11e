#include "simd/instruction_set.h"

#include <atomic>
#include <cstring>
#include <string>

#include "base/error.h"
#include "simd/wide_sets.h"

namespace neargp {

namespace {

std::vector<InstructionSet> runnable() {
  std::vector<InstructionSet> sets;
#ifdef NEARGP_WIDE_SETS
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    sets.push_back(InstructionSet::avx512);
  if (avx2) sets.push_back(InstructionSet::avx2);
#endif
  sets.push_back(InstructionSet::portable);
  return sets;
}

constexpr int not_forced = -1;

// The one piece of process-wide state: a choice that tests make.
std::atomic<int> forced{not_forced};

}  // namespace

InstructionSet instruction_set() {
  static const InstructionSet widest = runnable().front();
  const int choice = forced.load();
  return choice == not_forced ? widest : InstructionSet(choice);
}

const char* instruction_set_name(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx512: return "avx512";
    case InstructionSet::avx2: return "avx2";
    case InstructionSet::portable: break;
  }
#if defined(__x86_64__)
  return "sse2";
#elif defined(__aarch64__)
  return "neon";
#else
  return "portable";
#endif
}

std::vector<const char*> instruction_sets() {
  std::vector<const char*> names;
  for (const InstructionSet set : runnable()) names.push_back(instruction_set_name(set));
  return names;
}

void use_instruction_set(const char* name) {
  if (std::strcmp(name, "auto") == 0) {
    forced = not_forced;
    return;
  }
  for (const InstructionSet set : runnable())
    if (std::strcmp(instruction_set_name(set), name) == 0) {
      forced = int(set);
      return;
    }
  throw Error(std::string("This processor cannot run the instruction set '") + name + "'.");
}

}  // namespace neargp
