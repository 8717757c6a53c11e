#pragma once

#include <string>

#include "conditional/gpu/module.h"

namespace neargp {

// Returns the device module in the shared object `file`. Opens it at the first call and keeps it until the process
// ends. Throws an Error, with the remedy, when the module cannot be loaded or was built for another version of this
// package. It also throws in a fork of a process that had opened the module, because a device's state does not work in
// a fork. One thread must call this before every computation on a device.
const DeviceModule& device_module(const std::string& file);

// Returns whether device_module(file) would fail because this process is such a fork.
bool forked_from_user_of(const std::string& file);

}  // namespace neargp
