#pragma once

namespace neargp {

inline constexpr double log_two_pi = 1.83787706640934548356;

}  // namespace neargp
