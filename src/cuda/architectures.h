// Consequences of the architecture of a GPU: whether the module has code for it, and its rate.
#pragma once

#include <algorithm>
#include <initializer_list>

namespace neargp {

// `compiled` holds architectures as 100 * major + 10 * minor. Code for one runs on later ones with the same major
// number; the newest also comes in a portable form, which runs on everything that is newer.
inline bool has_code_for(int major, int minor, std::initializer_list<int> compiled) {
  const int device = 100 * major + 10 * minor;
  return device >= std::max(compiled) || std::any_of(compiled.begin(), compiled.end(), [&](int built) {
           return built / 100 == major && built <= device;
         });
}

// Operations in single precision that a multiprocessor starts in a clock (CUDA C++ Programming Guide, throughput of
// arithmetic instructions).
inline int single_precision_lanes(int major, int minor) { return major == 7 || (major == 8 && minor == 0) ? 64 : 128; }

}  // namespace neargp
