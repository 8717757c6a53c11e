// A table whose size a caller chooses is checked before it is allocated. Linux promises more memory than there is. An
// allocation that cannot be met would end the process later, in place of a std::bad_alloc.
#pragma once

#include <string>

#include "base/error.h"

namespace neargp {

struct MemoryError : Error {
  using Error::Error;
};

// The memory of the machine in bytes, or infinity where the system does not report it.
double physical_memory();

// Throws a MemoryError that names the table, its size and the machine's, if `rows` x `columns` elements of `size` bytes
// need more memory than the machine's.
void check_memory(const std::string& table, double rows, double columns, double size = sizeof(double));

// Returns freed memory to the system, where the C library would keep it: glibc does for blocks below 32 MB.
void return_free_memory();

}  // namespace neargp
