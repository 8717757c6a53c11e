// The instruction set for which the kernels that run are compiled. A table of kernels contains one entry for each set,
// and its users ask here which entry to take. This file contains names only.
#pragma once

#include <vector>

namespace neargp {

enum class InstructionSet { portable, avx2, avx512 };

// The widest set of this processor, unless use_instruction_set() chose another.
InstructionSet instruction_set();

const char* instruction_set_name(InstructionSet set);

// Names of the sets that this processor can run, widest first.
std::vector<const char*> instruction_sets();

// Forces one of them, for tests and comparisons. "auto" undoes it. Throws an Error for a set that cannot be run.
void use_instruction_set(const char* name);

}  // namespace neargp
