#pragma once

#include <cstdint>

namespace neargp {

// Counts and positions: tables of n * k entries pass 2^31 at n = 100 million.
using Index = std::int64_t;

}  // namespace neargp
