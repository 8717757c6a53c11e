#pragma once

namespace neargp {

inline constexpr double pi = 3.14159265358979323846;
inline constexpr double log_two_pi = 1.83787706640934548356;
inline constexpr double half_log_two_pi = 0.5 * log_two_pi;

}  // namespace neargp
