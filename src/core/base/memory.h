// Tables whose size a caller chooses ask before they are made. Linux promises more memory than there is: an allocation
// that cannot be met would end the process later, in place of a std::bad_alloc.
#pragma once

#include <string>

#include "base/error.h"

namespace neargp {

struct MemoryError : Error {
  using Error::Error;
};

// The memory of the machine, in bytes; infinite where the system does not say.
double physical_memory();

// Throws a MemoryError that names the table, its size and the machine's, if `rows` x `columns` elements of `size` bytes
// are more than the machine has.
void check_memory(const std::string& table, double rows, double columns, double size = sizeof(double));

}  // namespace neargp
