// A fault that the interpreter finds in a kernel.
#pragma once

#include <stdexcept>

namespace ptx {

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ptx
