// The arithmetic of instructions. Each operation is a function of() for numbers of any type.
#pragma once

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "arithmetic.h"
#include "fault.h"

namespace ptx {

// Integers are of signed types only where that makes a difference; the code is compiled with -fwrapv.
struct Same {
  template <class T>
  static T of(T a) {
    return a;
  }
};
struct Negative {
  template <class T>
  static T of(T a) {
    return T(-a);
  }
};
struct Absolute {
  template <class T>
  static T of(T a) {
    return T(std::abs(a));
  }
};
struct Not {
  template <class T>
  static T of(T a) {
    if constexpr (std::is_same_v<T, bool>)
      return !a;
    else
      return T(~a);
  }
};
struct Add {
  template <class T>
  static T of(T a, T b) {
    return T(a + b);
  }
};
struct Subtract {
  template <class T>
  static T of(T a, T b) {
    return T(a - b);
  }
};
struct Multiply {
  template <class T>
  static T of(T a, T b) {
    return T(a * b);
  }
};
struct MultiplyAdd {
  template <class T>
  static T of(T a, T b, T c) {
    return T(a * b + c);
  }
};
struct And {
  template <class T>
  static T of(T a, T b) {
    return T(a & b);
  }
};
struct Or {
  template <class T>
  static T of(T a, T b) {
    return T(a | b);
  }
};
struct Xor {
  template <class T>
  static T of(T a, T b) {
    return T(a ^ b);
  }
};
struct FusedMultiplyAdd {
  template <class T>
  static T of(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};
struct SquareRoot {
  template <class T>
  static T of(T a) {
    return std::sqrt(a);
  }
};
struct InverseRoot {
  template <class T>
  static T of(T a) {
    return T(1) / std::sqrt(a);
  }
};
struct Reciprocal {
  template <class T>
  static T of(T a) {
    return T(1) / a;
  }
};
struct PowerOfTwo {
  static float of(float a) { return std::exp2(a); }
};
struct Bits {
  static std::uint32_t of(std::uint32_t a) { return std::uint32_t(__builtin_popcount(a)); }
};
// The lowest `length` bits of a, in the place of those of b from `first` on.
struct InsertBits {
  static std::uint32_t of(std::uint32_t a, std::uint32_t b, std::uint32_t first, std::uint32_t length) {
    first &= 0xff;
    length &= 0xff;
    if (first > 31 || length == 0) return b;
    const std::uint32_t mask = (length > 31 ? ~0u : (1u << length) - 1u) << first;
    return (b & ~mask) | ((a << first) & mask);
  }
};

struct Divide {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      if (b == 0) throw Fault("divides by zero");
    return T(a / b);
  }
};
struct Remainder {
  template <class T>
  static T of(T a, T b) {
    if (b == 0) throw Fault("divides by zero");
    return T(a % b);
  }
};

// If one of two floating-point numbers is NaN, the result is the other one.
struct Least {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return std::min(a, b);
    else
      return std::fmin(a, b);
  }
};
struct Greatest {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return std::max(a, b);
    else
      return std::fmax(a, b);
  }
};

struct FusedTowardsMinus {
  static float of(float a, float b, float c) {
    std::fesetround(FE_DOWNWARD);
    volatile float x = a, y = b, z = c;
    volatile float result = std::fma(float(x), float(y), float(z));
    std::fesetround(FE_TONEAREST);
    return result;
  }
};

// Reads and gives the upper halves of doubles; numbers that are not normal are zeros.
template <class F>
struct Rough {
  static double of(double a) {
    const auto upper = [](double x) {
      return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0, x)
                                                : number_in<double>(bits_of(x) & 0xffffffff00000000u);
    };
    return upper(F::of(upper(a)));
  }
};

// Shifts by the number's size and more leave zeros, or its sign.
struct ShiftLeft {
  template <class T>
  static T of(T a, std::uint32_t by) {
    return by < 8 * sizeof(T) ? T(a << by) : T(0);
  }
};
struct ShiftRight {
  template <class T>
  static T of(T a, std::uint32_t by) {
    return T(a >> std::min<std::uint32_t>(by, 8 * sizeof(T) - 1) >> (by >= 8 * sizeof(T) ? 1 : 0));
  }
};

// Products twice as wide as their factors.
template <class Wide>
struct WideProduct {
  template <class T>
  static Wide of(T a, T b) {
    return Wide(a) * Wide(b);
  }
};

struct Equal {
  template <class T>
  static bool of(T a, T b) {
    return a == b;
  }
};
struct Unequal {
  template <class T>
  static bool of(T a, T b) {
    return a != b;
  }
};
struct Less {
  template <class T>
  static bool of(T a, T b) {
    return a < b;
  }
};
struct NotGreater {
  template <class T>
  static bool of(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  static bool of(T a, T b) {
    return a > b;
  }
};
struct NotLess {
  template <class T>
  static bool of(T a, T b) {
    return a >= b;
  }
};
// PTX's ne is false if one of two floating-point numbers is NaN.
struct Differ {
  template <class T>
  static bool of(T a, T b) {
    return a < b || a > b;
  }
};
template <class F>
struct OrUnordered {
  template <class T>
  static bool of(T a, T b) {
    return std::isnan(a) || std::isnan(b) || F::of(a, b);
  }
};

// Floating-point numbers become the nearest of another kind, or integers by the direction that the name says.
struct Convert {
  template <class To, class From>
  static To of(From x) {
    return To(x);
  }
};
struct Saturate {
  template <class To, class From>
  static To of(From x) {
    return std::fmin(std::fmax(To(x), To(0)), To(1));
  }
};
// Rounds towards zero, as CUDA does. A number beyond the range of the integers becomes the nearest integer, and NaN
// becomes zero.
struct Truncate {
  template <class To, class From>
  static To of(From x) {
    if (std::isnan(x)) return 0;
    if (x <= From(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (x >= From(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return To(x);
  }
};

struct GenericOfShared {
  static std::uint64_t of(std::uint64_t a) { return a + shared_base; }
};

}  // namespace ptx
