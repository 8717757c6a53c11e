#include "base/shared_object.h"

#include "base/error.h"

#ifdef _WIN32

namespace neargp {

void* open_symbol(const std::string&, const char*) { throw Error("Modules are not supported on Windows."); }

void* neighboring_symbol(const void*, const char*) { return nullptr; }

long process_id() { return 0; }

}  // namespace neargp

#else

#include <dlfcn.h>
#include <unistd.h>

namespace neargp {

namespace {

std::string last_words() {
  const char* words = dlerror();
  return words ? words : "no reason given";
}

}  // namespace

// The handle is never closed: libraries of devices start threads and keep addresses of their code.
void* open_symbol(const std::string& file, const char* symbol) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw Error("The module " + file + " cannot be loaded: " + last_words() + ".");
  void* address = dlsym(handle, symbol);
  if (!address) throw Error("The file " + file + " is not a module of neargp: " + last_words() + ".");
  return address;
}

void* neighboring_symbol(const void* member, const char* symbol) {
  Dl_info found;
  if (!dladdr(member, &found)) return nullptr;
  void* handle = dlopen(found.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return handle ? dlsym(handle, symbol) : nullptr;
}

long process_id() { return long(getpid()); }

}  // namespace neargp

#endif
