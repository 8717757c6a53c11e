// A table of the instructions that touch no memory: from their names to functions that execute them.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>

#include "warp.h"

namespace ptx {

using Execute = void (*)(Warp&, const Instruction&, Lanes);
using Operations = std::unordered_map<std::string, Execute>;

const Operations& arithmetic();

// A register holds a number of any type in its lowest bytes.
template <class T>
T number_in(std::uint64_t bits) {
  T number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

template <class T>
std::uint64_t bits_of(T number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  return bits;
}

template <>
inline bool number_in<bool>(std::uint64_t bits) {
  return bits != 0;
}

// Calls body(lane) for each of the lanes.
template <class Body>
inline void for_lanes(Lanes lanes, const Body& body) {
  if (lanes == all_lanes) {
    for (int lane = 0; lane < warp_lanes; ++lane) body(lane);
  } else {
    for (Lanes left = lanes; left != 0; left &= left - 1) body(__builtin_ctz(left));
  }
}

inline void set_known(Warp& warp, int number, Lanes lanes, Lanes known) {
  warp.known(number) = (warp.known(number) & ~lanes) | (known & lanes);
}

}  // namespace ptx
