// The part of opening modules that depends on the operating system.
#pragma once

#include <string>

namespace neargp {

// The address of `symbol` in the shared object `file`, which stays open until the process ends. Throws an Error with
// the loader's own words, which name a library that is missing.
void* open_symbol(const std::string& file, const char* symbol);

// The address of `symbol` in the loaded shared object that contains the function at `member`, or in one that it depends
// on. Null if there is none, and on systems without such a look-up.
void* neighboring_symbol(const void* member, const char* symbol);

// Differs between a process and its forks.
long process_id();

}  // namespace neargp
