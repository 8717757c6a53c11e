#include "conditional/gpu/module_loader.h"

#include <map>

#include "base/error.h"
#include "base/shared_object.h"

namespace neargp {

namespace {

struct OpenModule {
  const DeviceModule* module;
  long process;
};

std::map<std::string, OpenModule>& open_modules() {
  static std::map<std::string, OpenModule> modules;
  return modules;
}

void check_version(const std::string& file, const char* part, int found, int expected) {
  if (found == expected) return;
  throw Error("The module " + file + " was built with another version of neargp (its " + part + " has the version " +
              std::to_string(found) + ", and " + std::to_string(expected) +
              " is needed): install neargp from source again.");
}

// The version of the module is checked first. If it differs, nothing else may be read.
const DeviceModule* load(const std::string& file) {
  const auto entry = reinterpret_cast<decltype(&neargp_device_module)>(open_symbol(file, "neargp_device_module"));
  const DeviceModule* module = entry();
  check_version(file, "table of functions", module->abi_version, device_module_abi_version);
  check_version(file, "device interface", module->backend->abi_version, backend_abi_version);
  return module;
}

}  // namespace

const DeviceModule& device_module(const std::string& file) {
  auto found = open_modules().find(file);
  if (found == open_modules().end()) found = open_modules().emplace(file, OpenModule{load(file), process_id()}).first;
  if (found->second.process != process_id())
    throw Error(
        "This process is a fork of one that uses the GPU, and a GPU does not work in a fork: use device = \"cpu\" in "
        "it, or "
        "start workers as new processes, by parallel::makePSOCKcluster() or future::plan(\"multisession\").");
  return *found->second.module;
}

bool forked_from_user_of(const std::string& file) {
  const auto found = open_modules().find(file);
  return found != open_modules().end() && found->second.process != process_id();
}

}  // namespace neargp
