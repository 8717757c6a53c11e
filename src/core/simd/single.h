// Single precision for formulas that are written for doubles and packs.
//
// The constants of a formula are doubles, and float * 0.5 is a double. Computed with floats, a formula would go on in
// double precision after its first constant. A Single converts constants to single precision instead. It becomes a
// float only on request, and never a double, so that types mixed by mistake do not compile.
#pragma once

#include <cstdint>

#include "simd/simd.h"

namespace neargp {

class Single {
 public:
  Single() = default;
  NEARGP_HD constexpr Single(float value) : value_(value) {}
  NEARGP_HD constexpr Single(double constant) : value_(float(constant)) {}
  NEARGP_HD explicit constexpr operator float() const { return value_; }

  NEARGP_HD friend Single operator-(Single x) { return -x.value_; }
  NEARGP_HD friend Single operator+(Single x, Single y) { return x.value_ + y.value_; }
  NEARGP_HD friend Single operator-(Single x, Single y) { return x.value_ - y.value_; }
  NEARGP_HD friend Single operator*(Single x, Single y) { return x.value_ * y.value_; }
  NEARGP_HD friend Single operator/(Single x, Single y) { return x.value_ / y.value_; }
  NEARGP_HD Single& operator*=(Single y) { return *this = *this * y; }

  NEARGP_HD friend bool operator<(Single x, Single y) { return x.value_ < y.value_; }
  NEARGP_HD friend bool operator>(Single x, Single y) { return x.value_ > y.value_; }
  NEARGP_HD friend bool operator<=(Single x, Single y) { return x.value_ <= y.value_; }
  NEARGP_HD friend bool operator>=(Single x, Single y) { return x.value_ >= y.value_; }

 private:
  float value_;
};

template <>
struct PackTraits<Single> {
  using Word = std::uint32_t;
  static constexpr int mantissa_bits = 23, exponent_bias = 127;
  static constexpr int lanes = 1;
  using Bits = Word;
};

namespace math {
template <>
NEARGP_HD inline Single exp<Single>(Single x) {
  return exp(float(x));
}
template <>
NEARGP_HD inline Single log<Single>(Single x) {
  return log(float(x));
}
template <>
NEARGP_HD inline Single sqrt<Single>(Single x) {
  return sqrt(float(x));
}
}  // namespace math

namespace detail {
template <class Real>
struct FormulaNumber {
  using Type = Real;
};
template <>
struct FormulaNumber<float> {
  using Type = Single;
};
}  // namespace detail

// The type that formulas compute with where matrices have entries of type Real.
template <class Real>
using FormulaNumber = typename detail::FormulaNumber<Real>::Type;

}  // namespace neargp
