#pragma once

#include <string>

#include "conditional/gpu/module.h"

namespace neargp {

// The device module in the shared object `file`: opened at the first call and kept until the process ends. Throws an
// Error, with the remedy, when it cannot be loaded, when it was built for another version of this package, and in a
// fork of a process that had opened it, where what a device keeps for a process does not work. To be called before
// every computation on a device, by one thread.
const DeviceModule& device_module(const std::string& file);

// Says whether device_module(file) would fail because this process is such a fork.
bool forked_from_user_of(const std::string& file);

}  // namespace neargp
